"""Wholes, and how they lie in their targets."""

from __future__ import annotations

import numpy as np
import shapely
from shapely import Polygon

from sherd.solvers.contours.clusters import relisted, singles
from sherd.solvers.contours.straight.corners import corners_of
from sherd.solvers.contours.straight.whole import is_whole, laid_in


def test_only_what_fills_its_hull_is_whole() -> None:
    fits = [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)]
    for pieces, whole in ((fits, True), ([fits[0], shapely.box(1, 0, 2, 2)], False)):
        corners = corners_of(pieces, 1.0, 0.002, 0.05)
        clusters = singles(2)
        assert not is_whole(corners, clusters, corners.points, 0.01)
        clusters.labels[:] = 0
        relisted(clusters)
        assert is_whole(corners, clusters, corners.points, 0.01) == whole


def test_edges_that_lie_along_others_without_a_common_end_are_not_free() -> None:
    row = [shapely.box(0, 1, 0.7, 2), shapely.box(0.7, 1, 2, 2)]
    between = [shapely.box(0, 0, 0.4, 1), shapely.box(0.4, 0, 1.1, 1), shapely.box(1.1, 0, 2, 1)]
    corners = corners_of([*row, *between], 1.0, 0.002, 0.05)
    clusters = singles(5)
    clusters.labels[:] = 0
    relisted(clusters)
    assert is_whole(corners, clusters, corners.points, 0.01)
    lower = corners.points - 0.1j * (np.arange(len(corners.points)) >= 2 * 4)  # a slit as wide as 0.1
    assert not is_whole(corners, clusters, lower, 0.01)


def test_a_whole_lies_in_its_target_within_the_tolerance() -> None:
    target = Polygon([(0, 0), (3, 0), (3, 1), (1, 2)])
    points = np.array([0.0, 1.5, 3.0, 3.0 + 1.0j, 1.0 + 2.0j])
    moved = np.exp(0.7j) * points + (4.0 - 2.0j)
    turn, shift = laid_in(target, moved, 0.02)
    assert np.abs(turn * moved + shift - points).max() < 1e-6
