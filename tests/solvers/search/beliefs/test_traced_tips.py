"""Tips that the tracer cut off, and short ends that it took for tips."""

from __future__ import annotations

import numpy as np
import shapely
from shapely import Polygon

from sherd.solvers.search.beliefs.traced_tips import other_tips
from sherd.solvers.search.corner_outline import CornerOutline


def test_a_tip_cut_off_by_the_tracer_is_drawn_out_and_a_sharp_one_cut_off() -> None:
    kite = np.array([[0.0, 0.0], [1.0, -0.1], [1.02, -0.09], [1.02, 0.0], [0.9, 0.2]])
    pixel = 1.0 / 128.0
    found = [CornerOutline(corners) for corners, _ in other_tips(kite, pixel)]
    assert any(len(outline) == len(kite) - 1 for outline in found)
    assert any(len(outline) == len(kite) + 1 for outline in found)
    for outline in found:
        apart = Polygon(outline.corners).symmetric_difference(Polygon(kite))
        assert shapely.hausdorff_distance(Polygon(outline.corners), Polygon(kite)) < 12.0 * pixel
        assert apart.area < 12.0 * pixel**2


def test_square_corners_have_no_variants() -> None:
    assert list(other_tips(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), 1.0 / 128.0)) == []
