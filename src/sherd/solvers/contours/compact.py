"""How clusters look: without a target, what belongs together mostly makes a convex whole.

Its hull is filled, and the straight edges that pieces had from the start lie along it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from shapely import MultiPoint, Polygon

from sherd.solvers.contours.clusters import Clusters
from sherd.solvers.contours.edges import Edges
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene

# Edges lie along a hull within so many tolerances, or this much.
RIM_TOLERANCES, LEAST_RIM = 3.0, 0.012
RIM_PIECES = 3  # fewer have no rim to speak of


class Looks(NamedTuple):
    """What the convex hulls of clusters hold besides their pieces, and how long the edges along them are.

    Edges count the less, the more straight ones there are than the rim of a whole has.
    """

    empty: float
    rim: float


class Outer(NamedTuple):
    """What is known of each piece to tell how clusters look: its convex hull's corners, area and edges.

    ``telling`` is how long the rim of a square of all pieces is over how long all of their edges are, or 1.
    """

    hulls: list[NDArray[np.complex128]]
    areas: NDArray[np.float64]
    edges: list[Edges]
    reach: float
    telling: float


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


def outer_of(scene: Scene) -> Outer:
    """The same of all pieces of a scene."""
    hulls = [_corners(hull_of(outline[0].points)) for outline in scene.outlines[: scene.pieces]]
    edges = scene.edges[: scene.pieces]
    straight = sum(float(np.abs(own.ends - own.begins).sum()) for own in edges)
    telling = min(1.0, 4.0 * math.sqrt(scene.pieces) / max(straight, 1.0))
    reach = max(RIM_TOLERANCES * scene.tolerance, LEAST_RIM)
    return Outer(hulls, areas_of(scene), edges, reach, telling)


def looks_of(clusters: Clusters, outer: Outer) -> Looks:
    """How clusters of two pieces and more look, in units.

    Pieces that are larger than the hull about them lie in each other, which counts as much as what is empty.
    """
    empty, rim = 0.0, 0.0
    for label in np.unique(clusters.labels).tolist():
        members: list[int] = np.flatnonzero(clusters.labels == label).tolist()
        if len(members) > 1:
            hull = hull_of(_placed(clusters, members, outer.hulls))
            empty += abs(hull.area - float(outer.areas[members].sum()))
            if len(members) >= RIM_PIECES:
                rim += _along(clusters, members, outer, _corners(hull))
    return Looks(empty, outer.telling * rim)


def beside_hull(clusters: Clusters, outer: Outer) -> float:
    """What the least rectangles about clusters hold besides their hulls: most things were rectangles."""
    found = 0.0
    for label in np.unique(clusters.labels).tolist():
        members: list[int] = np.flatnonzero(clusters.labels == label).tolist()
        hull = hull_of(_placed(clusters, members, outer.hulls))
        found += hull.minimum_rotated_rectangle.area - hull.area
    return found


def worth_of_looks(looks: Looks, params: ContoursParams) -> float:
    """What an arrangement is worth for how it looks."""
    return params.rim_worth * looks.rim - params.emptiness * looks.empty


def _along(clusters: Clusters, members: list[int], outer: Outer, corners: NDArray[np.complex128]) -> float:
    """How long the straight edges of pieces are that lie along a hull."""
    begins = _placed(clusters, members, [edges.begins for edges in outer.edges])
    ends = _placed(clusters, members, [edges.ends for edges in outer.edges])
    sides = np.roll(corners, -1) - corners
    normals = (1j * sides / np.abs(sides)).conj()
    # All ends are within the hull, and so as far from a side as from its line.
    off = np.maximum(*(np.abs(((end[:, None] - corners) * normals).real) for end in (begins, ends)))
    return float(np.abs(ends - begins)[(off < outer.reach).any(axis=1)].sum())


def _placed(
    clusters: Clusters, members: list[int], points: list[NDArray[np.complex128]]
) -> NDArray[np.complex128]:
    """Points of pieces where they lie in their cluster."""
    return np.concatenate([clusters.turns[p] * points[p] + clusters.shifts[p] for p in members])


def _corners(hull: Polygon) -> NDArray[np.complex128]:
    corners = np.asarray(hull.exterior.coords)[:-1]
    return corners[:, 0] + 1j * corners[:, 1]
