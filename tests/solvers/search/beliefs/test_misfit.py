"""Pairs of edges that match, parts that have room, outlines that are the same."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sherd.core.geometry import Pose, Rotations
from sherd.solvers.search.beliefs.misfit import find_matches, has_room, same_outline
from sherd.solvers.search.beliefs.uncertain_outline import (
    with_moved_corners,
)

FREE = Rotations(None)
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
# The square cut from (0.4, 0) to (0.6, 1), and its right part turned.
LEFT = np.array([[0.0, 0.0], [0.4, 0.0], [0.6, 1.0], [0.0, 1.0]])
RIGHT = Pose(0.3, -0.2, 1.0).points([[0.4, 0.0], [1.0, 0.0], [1.0, 1.0], [0.6, 1.0]])
CUT, OTHER_CUT = 1, 3


def test_pairs_of_edges_that_match_are_found_with_their_chi_squared() -> None:
    rng = np.random.default_rng(3)
    one = with_moved_corners(LEFT + rng.normal(size=LEFT.shape) * 0.01, 0.01)
    other = with_moved_corners(RIGHT + rng.normal(size=RIGHT.shape) * 0.01, 0.01)
    pairs, costs = np.empty((9, 2), dtype=np.int64), np.empty((9, 2))
    nobody, count = np.zeros((4, 1), dtype=np.int64), len(other)
    arguments = (one.values, one.covariances, np.array([1]), other.values, other.covariances)
    found = find_matches(*arguments, nobody + 2, count, 1.0, 3, 16.0, pairs, costs)
    assert [CUT, OTHER_CUT] in pairs[:found].tolist()
    k = pairs[:found].tolist().index([CUT, OTHER_CUT])
    misfit = one.values[CUT, :3] + np.array([-1.0, 1.0, 1.0]) * other.values[OTHER_CUT, [0, 2, 1]]
    misfit[1:] -= math.pi
    order, signs = [0, 2, 1], np.diag([-1.0, 1.0, 1.0])
    covariance = one.covariances[CUT, :3, :3]
    covariance = covariance + signs @ other.covariances[OTHER_CUT][np.ix_(order, order)] @ signs
    assert 2.0 * costs[k, 0] == pytest.approx(misfit @ np.linalg.solve(covariance, misfit), rel=1e-3)
    assert 2.0 * costs[k, 1] == pytest.approx(np.linalg.slogdet(covariance)[1], rel=1e-3)
    assert find_matches(*arguments, nobody + 1, count, 1.0, 3, 16.0, pairs, costs) == 0  # a shared piece


def test_outlines_are_compared_wherever_they_begin() -> None:
    belief, room = with_moved_corners(LEFT, 1e-4), np.array([1.0, 1.0])
    turned = with_moved_corners(np.roll(Pose(1.0, 1.0, 2.0).points(LEFT), 2, axis=0), 1e-4)
    square = with_moved_corners(SQUARE, 1e-4)
    assert same_outline(belief.values, belief.covariances, turned.values, 1e-3, 1e-2)
    assert not same_outline(belief.values, belief.covariances, square.values, 1e-3, 1e-2)
    assert has_room(belief.corners, belief.values, 1.2, room, True, 0.1)
    assert not has_room(belief.corners, belief.values, 1.1, room, False, 0.1)
    assert not has_room(turned.corners, turned.values, 1.2, room, True, 0.1)
