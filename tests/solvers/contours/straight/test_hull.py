"""How clusters fill their convex hulls."""

from __future__ import annotations

import numpy as np
import shapely
from shapely import Polygon

from sherd.solvers.contours.clusters import relisted, singles
from sherd.solvers.contours.straight.corners import corners_of
from sherd.solvers.contours.straight.hull import filling, hull_corners


def test_what_is_empty_and_what_lies_along_the_hull() -> None:
    pieces = [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 2)]
    corners = corners_of(pieces, 1.0, 0.002, 0.05)
    clusters = singles(2)
    apart = filling(corners, clusters, corners.points, 0.01)
    clusters.labels[:] = 0
    relisted(clusters)
    empty, along = filling(corners, clusters, corners.points, 0.01)
    assert apart == (0.0, 0.0)
    assert np.isclose(empty, 0.5)
    assert np.isclose(along, 5.0)  # two below, both outer sides, and the top of the higher one


def test_hull_corners_are_those_of_the_convex_hull() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        points = rng.normal(size=12) + 1j * rng.normal(size=12)
        corners = hull_corners(points)
        expected = shapely.MultiPoint(np.stack([points.real, points.imag], axis=1)).convex_hull
        found = Polygon(np.stack([corners.real, corners.imag], axis=1))
        assert found.equals(expected)
        assert found.exterior.is_ccw
