"""Corners of pieces that may fill a corner of a region: none that could is missed."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

from sherd.core.geometry import FIXED
from sherd.solvers.search.tiling.board import RegionCorners
from sherd.solvers.search.tiling.exact import Tiler
from sherd.solvers.search.tiling.slots import doubt_at, measure_corners
from sherd.solvers.stop import MaxEvaluations

ELL = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]])


def room_for(size: int) -> RegionCorners:
    return RegionCorners(
        before=np.empty(size, np.int64),
        after=np.empty(size, np.int64),
        angle=np.empty(size),
        length=np.empty(size),
        direction=np.empty((size, 2)),
        slots=np.empty(2 * size, np.int64),
        options=np.empty(2 * size, np.int64),
        matches=np.empty(2 * size, np.int64),
        seen=np.full(1, -1),
    )


def test_angles_and_edges_of_a_region_are_measured() -> None:
    corners = room_for(6)
    measure_corners(ELL, np.array([0, 6]), corners)
    right, reflex = math.pi / 2.0, 1.5 * math.pi
    assert corners.angle == pytest.approx([right, right, right, reflex, right, right])
    assert corners.length == pytest.approx([2.0, 1.0, 1.0, 1.0, 1.0, 2.0])
    assert corners.after[corners.before].tolist() == list(range(6))


def test_angles_between_short_edges_are_doubted_more_but_never_beyond_a_limit() -> None:
    corners = room_for(6)
    measure_corners(ELL, np.array([0, 6]), corners)
    assert doubt_at(corners, 0, 1e-4) == pytest.approx(1e-4)
    assert doubt_at(corners, 3, 1e-4) == pytest.approx(2e-4)
    assert doubt_at(corners, 3, 1.0) == pytest.approx(1e-2)


@pytest.mark.parametrize(("most", "fits"), [(1, False), (2, True)])
def test_two_halves_of_a_right_angle_need_two_pieces_to_a_corner(most: int, fits: bool) -> None:
    halves = [shapely.Polygon([(0, 0), (1, 0), (1, 1)]), shapely.Polygon([(0, 0), (1, 1), (0, 1)])]
    # Without their right angles at two corners of the square, one piece would never fill the other two.
    tiler = Tiler(halves, shapely.box(0, 0, 1, 1), [FIXED] * 2, 1e-8, mirror=[False, False], most=most)
    tiler.run(MaxEvaluations(100))
    assert (len(tiler.best().poses) == 2) == fits
