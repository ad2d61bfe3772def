from __future__ import annotations

import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

from sherd.core.kerf import WIDEST_KERF, grow, likely_kerf
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape


@given(seed=st.integers(0, 999), share=st.floats(1e-4, 0.003))
def test_the_width_of_a_cut_is_found_from_what_is_missing(seed: int, share: float) -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=6), count=1, seed=seed)
    outlines = [fragment.polygon for fragment in sample.puzzle.fragments]
    cut = [shapely.buffer(outline, -share / 2.0, join_style="mitre") for outline in outlines]
    whole = shapely.box(0, 0, 1, 1)
    assume(all(one.geom_type == "Polygon" and not one.is_empty for one in cut))  # no sliver is lost
    assert likely_kerf(cut, whole) == pytest.approx(share, rel=0.05)


def test_nothing_missing_and_too_much_missing_are_no_cut() -> None:
    whole = shapely.box(0, 0, 100, 100)
    assert likely_kerf([whole], whole) == 0.0
    assert likely_kerf([shapely.box(0, 0, 50, 100)], whole) == 0.0
    assert likely_kerf([shapely.box(0, 0, 100 * (1 - 2 * WIDEST_KERF), 100)], whole) <= 100 * WIDEST_KERF


def test_growing_keeps_corners_and_leaves_the_rest_alone() -> None:
    square = shapely.box(0, 0, 2, 2)
    assert grow(square, 0.0) is square
    assert shapely.equals(grow(square, 0.5), shapely.box(-0.5, -0.5, 2.5, 2.5))
