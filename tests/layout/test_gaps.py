from __future__ import annotations

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose, size_of
from sherd.core.puzzle import Sample
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.plan import DrawnPiece, Layout, find_gaps, lay_out


def test_a_filled_target_has_no_gaps(square_of_four: Sample) -> None:
    assert find_gaps(lay_out(square_of_four.puzzle, square_of_four.truth)) == ()


@given(seed=st.integers(0, 999), pieces=st.integers(3, 16), data=st.data())
def test_a_missing_piece_leaves_its_own_shape(seed: int, pieces: int, data: st.DataObject) -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=pieces), count=1, seed=seed)
    lost = data.draw(st.sampled_from(sample.truth.placements))
    rest = Assembly(tuple(p for p in sample.truth if p.id != lost.id))
    layout = lay_out(sample.puzzle, rest)
    place = lost.pose.apply(sample.puzzle[lost.id].polygon)
    gaps = find_gaps(layout)
    if not gaps:  # only a piece that is itself a sliver may go unseen
        assert place.buffer(-layout.tolerance / 2.0).is_empty
        return
    assert len(gaps) == 1
    assert gaps[0].area == pytest.approx(place.area, abs=1e-9)
    assert gaps[0].polygon.symmetric_difference(place).area <= 1e-6 * size_of(layout.target) ** 2


def test_seams_are_no_gaps_and_are_cut_off_from_one() -> None:
    # Two pieces with a seam of 0.02 between them, which runs into the place of a missing one.
    left, right = shapely.box(0, 0, 4.99, 5), shapely.box(5.01, 0, 10, 5)
    pieces = (DrawnPiece("left", left, Pose()), DrawnPiece("right", right, Pose()))
    layout = Layout("seams", shapely.box(0, 0, 10, 10), pieces, "mm", tolerance=0.1)
    (gap,) = find_gaps(layout)
    assert gap.polygon.symmetric_difference(shapely.box(0, 5, 10, 10)).area <= 0.01
    narrow = Layout("seams", shapely.box(0, 0, 10, 5), pieces, "mm", tolerance=0.1)
    assert find_gaps(narrow) == ()


@pytest.mark.parametrize("seam", [1e-8, 1e-6, 1e-4, 0.02])
def test_seams_thin_as_a_hair_are_cut_off_too(seam: float) -> None:
    left, right = shapely.box(0, 0, 5 - seam / 2, 5), shapely.box(5 + seam / 2, 0, 10, 5)
    pieces = (DrawnPiece("left", left, Pose()), DrawnPiece("right", right, Pose()))
    (gap,) = find_gaps(Layout("seams", shapely.box(0, 0, 10, 10), pieces, "mm", tolerance=0.1))
    assert shapely.hausdorff_distance(gap.polygon, shapely.box(0, 5, 10, 10)) <= 0.1


def test_the_largest_gap_comes_first() -> None:
    pieces = (DrawnPiece("middle", shapely.box(1, 0, 7, 1), Pose()),)
    gaps = find_gaps(Layout("two", shapely.box(0, 0, 10, 1), pieces))
    assert [(gap.number, gap.area) for gap in gaps] == [(1, pytest.approx(3.0)), (2, pytest.approx(1.0))]


def test_a_chipped_corner_is_no_gap() -> None:
    chipped = shapely.Polygon([(0, 0), (10, 0), (10, 4.7), (9.7, 5), (0, 5)])
    pieces = (DrawnPiece("chipped", chipped, Pose()),)
    layout = Layout("chip", shapely.box(0, 0, 10, 5), pieces, "mm", tolerance=0.1)
    assert find_gaps(layout) == ()


def test_seams_as_wide_as_everywhere_are_no_gaps_unless_a_tolerance_is_told() -> None:
    # A cut of 0.2 between all pieces of 20 x 20: more than a thousandth of the target's size.
    boxes = [shapely.box(20 * x, 20 * y, 20 * x + 19.8, 20 * y + 19.8) for x in range(5) for y in range(5)]
    pieces = tuple(DrawnPiece(str(k), box, Pose()) for k, box in enumerate(boxes))
    target = shapely.box(0, 0, 99.8, 99.8)
    assert find_gaps(Layout("cut", target, pieces, "mm")) == ()
    (lost,) = find_gaps(Layout("cut", target, pieces[:12] + pieces[13:], "mm"))
    assert lost.polygon.symmetric_difference(shapely.box(39.8, 39.8, 60, 60)).area <= 0.5
    assert find_gaps(Layout("cut", target, pieces, "mm", tolerance=0.1))
