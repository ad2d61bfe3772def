"""A polygon as its corners, edges and angles."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.solvers.search.beliefs.uncertain_outline import with_traced_edges
from sherd.solvers.search.corner_outline import CornerOutline, outlines_of, ring_of


@given(st.integers(3, 20), st.integers(0, 999), st.floats(-3.0, 3.0))
def test_angles_add_up_and_do_not_change_when_turned(corners: int, seed: int, turn: float) -> None:
    rng = np.random.default_rng(seed)
    angles = (np.arange(corners) + rng.uniform(0.1, 0.9, corners)) * 2.0 * np.pi / corners
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) * rng.uniform(0.5, 1.0, (corners, 1))
    outline, turned = CornerOutline(ring), CornerOutline(Pose(1.0, 2.0, turn).points(ring))
    assert outline.angles.sum() == pytest.approx((corners - 2) * np.pi)
    assert np.allclose(outline.angles, turned.angles)
    assert np.allclose(outline.lengths, turned.lengths)
    assert np.allclose(outline.edges.sum(axis=0), 0.0)


def test_corners_that_hardly_turn_are_left_out_and_no_others() -> None:
    ring = np.array([[0.0, 0.0], [0.5, 0.0001], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert len(CornerOutline.of(ring, 1e-2)) == 4
    assert len(CornerOutline.of(ring, 1e-5)) == 5
    assert len(CornerOutline.of(ring, 10.0)) == 3  # a polygon keeps three


def test_corners_that_lie_on_the_next_are_one() -> None:
    twice = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    outline = CornerOutline.of(twice, 1e-5)
    assert len(outline) == 4
    assert outline.angles == pytest.approx(np.full(4, np.pi / 2.0))
    spread = with_traced_edges(outline.corners, 0.01).covariance
    assert np.isfinite(spread).all()


def test_rings_run_counter_clockwise_whatever_they_came_as() -> None:
    square = shapely.Polygon([(0, 0), (0, 1), (1, 1), (1, 0)])
    ring = ring_of(square)
    assert not square.exterior.is_ccw
    assert np.all(CornerOutline(ring).angles == pytest.approx(np.pi / 2.0))
    pieces, target = outlines_of(Puzzle(square, (Fragment("a", square),)), 1e-6)
    assert len(pieces) == 1 and np.array_equal(pieces[0].corners, target.corners)
