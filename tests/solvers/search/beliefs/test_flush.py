"""Single pieces are laid flush into a region, where least of them lies outside or on each other."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.geometry import Pose, Rotations
from sherd.solvers.search.beliefs.flush import flush_ways, hull_of, lay_by_area
from sherd.solvers.search.corner_outline import ring_of

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


@given(st.floats(0.2, 0.8), st.floats(-3.0, 3.0))
def test_two_parts_of_a_square_are_laid_into_it(wide: float, turn: float) -> None:
    pieces = [
        Pose(theta=turn).apply(shapely.box(0, 0, wide, 1)),
        Pose(theta=-turn).apply(shapely.box(wide, 0, 1, 1)),
    ]
    best = lay_by_area(SQUARE, [0, 1], pieces, Rotations(None), lambda: False)[0]
    laid = [pose.apply(pieces[number]) for number, pose in best.laid]
    assert best.off == pytest.approx(0.0, abs=1e-9)
    assert shapely.union_all(laid, grid_size=1e-9).area == pytest.approx(1.0, abs=1e-6)


def test_what_lies_wrong_is_what_polygons_say() -> None:
    piece, other = (
        np.array([[0.0, 0.0], [0.7, 0.0], [0.4, 0.6]]),
        np.array([[0.5, 0.5], [1.0, 0.5], [1.0, 1.0]]),
    )
    ways, off = np.empty((24, 3)), np.empty(24)
    flush_ways(piece, SQUARE, SQUARE, other, np.array([0, 3]), 0, ways, off)
    region, there = Polygon(SQUARE), Polygon(other)
    for (x, y, theta), wrong in zip(ways.tolist(), off.tolist(), strict=True):
        laid = Polygon(Pose(x, y, theta).points(piece))
        expected = laid.difference(region).area + laid.intersection(there).area
        assert wrong == pytest.approx(expected, abs=1e-9)


def test_angles_that_are_not_allowed_are_never_taken() -> None:
    pieces = [Pose(theta=0.3).apply(shapely.box(0, 0, 0.5, 1))]
    for way in lay_by_area(SQUARE, [0], pieces, Rotations(4), lambda: False):
        assert all(Rotations(4).allows(pose.theta, 1e-9) for _, pose in way.laid)


def test_blunt_corners_of_a_hull_are_none() -> None:
    dented = Polygon([(0, 0), (0.5, -0.001), (1, 0), (1, 1), (0.5, 0.8), (0, 1)])
    assert len(hull_of(dented)) == 4
    assert len(ring_of(dented)) == 6


def test_nothing_is_laid_when_it_is_time_to_stop() -> None:
    assert lay_by_area(SQUARE, [0], [shapely.box(0, 0, 1, 1)], Rotations(1), lambda: True) == []
