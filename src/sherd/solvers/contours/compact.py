"""How compact clusters are: without a target, what belongs together mostly makes a convex whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from shapely import MultiPoint, Polygon

from sherd.solvers.contours.clusters import Clusters
from sherd.solvers.contours.scene import Scene


def areas_of(scene: Scene) -> NDArray[np.float64]:
    """The area within each outline, (N,)."""
    return np.array(
        [
            sum(0.5 * float((ring.points.conj() * np.roll(ring.points, -1)).imag.sum()) for ring in outline)
            for outline in scene.outlines
        ]
    )


def hull_of(points: NDArray[np.complex128]) -> Polygon:
    """The convex hull of points that are not all on a line."""
    hull = MultiPoint(np.stack([points.real, points.imag], axis=1)).convex_hull
    assert isinstance(hull, Polygon)
    return hull


def hulls_of(scene: Scene) -> list[NDArray[np.complex128]]:
    """The corners of each piece's convex hull."""
    found: list[NDArray[np.complex128]] = []
    for outline in scene.outlines[: scene.pieces]:
        corners = np.asarray(hull_of(outline[0].points).exterior.coords)[:-1]
        found.append(corners[:, 0] + 1j * corners[:, 1])
    return found


def empty_hull(clusters: Clusters, hulls: list[NDArray[np.complex128]], areas: NDArray[np.float64]) -> float:
    """What the convex hulls of clusters hold besides their pieces, in units of area.

    Pieces that are larger than the hull about them lie in each other, which counts as much.
    """
    total = 0.0
    for label in np.unique(clusters.labels).tolist():
        members = np.flatnonzero(clusters.labels == label).tolist()
        if len(members) > 1:
            placed = [clusters.turns[p] * hulls[p] + clusters.shifts[p] for p in members]
            total += abs(hull_of(np.concatenate(placed)).area - float(areas[members].sum()))
    return total
