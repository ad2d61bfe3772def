"""How clusters look: without a target, what belongs together mostly makes a convex whole.

Its hull is filled, and the straight edges that pieces had from the start lie along it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from shapely import MultiPoint, Polygon

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters
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

    Corners of piece p are ``hulls[hull_starts[p]:hull_starts[p + 1]]``, its edges those from
    ``edge_starts[p]`` on. ``telling`` is how long the rim of a square of all pieces is over how long all of
    their edges are, or 1.
    """

    hulls: NDArray[np.complex128]
    hull_starts: NDArray[np.int64]
    areas: NDArray[np.float64]
    begins: NDArray[np.complex128]
    ends: NDArray[np.complex128]
    edge_starts: NDArray[np.int64]
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
    hulls = [hull_corners(outline[0].points) for outline in scene.outlines[: scene.pieces]]
    edges = scene.edges[: scene.pieces]
    begins = np.concatenate([own.begins for own in edges])
    ends = np.concatenate([own.ends for own in edges])
    straight = float(np.abs(ends - begins).sum())
    return Outer(
        hulls=np.concatenate(hulls),
        hull_starts=np.cumsum([0, *(len(hull) for hull in hulls)]),
        areas=areas_of(scene)[: scene.pieces],
        begins=begins,
        ends=ends,
        edge_starts=np.cumsum([0, *(len(own.begins) for own in edges)]),
        reach=max(RIM_TOLERANCES * scene.tolerance, LEAST_RIM),
        telling=min(1.0, 4.0 * math.sqrt(scene.pieces) / max(straight, 1.0)),
    )


@compiled
def hull_corners(points: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """The corners of the convex hull of points, counter-clockwise."""
    by_height = np.argsort(points.imag, kind="mergesort")
    order = by_height[np.argsort(points.real[by_height], kind="mergesort")]
    corners = np.empty(2 * len(points), dtype=np.complex128)
    count = 0
    for way in range(2):  # along the lower side, and back along the upper one
        least = count + 1
        for k in range(len(order)):
            z = points[order[k] if way == 0 else order[len(order) - 1 - k]]
            while count > least:
                side, on = corners[count - 1] - corners[count - 2], z - corners[count - 2]
                if side.real * on.imag - side.imag * on.real > 0.0:
                    break
                count -= 1
            corners[count] = z
            count += 1
        count -= 1  # the last is the first of the other side
    return corners[:count].copy()


@compiled
def looks_within(
    outer: Outer, inner: NDArray[np.bool_], turns: NDArray[np.complex128], shifts: NDArray[np.complex128]
) -> tuple[float, float]:
    """What is empty in the hull of the pieces marked, laid so, and how long edges along it are, weighted."""
    total, pieces, area = 0, 0, 0.0
    for p in range(len(inner)):
        if inner[p]:
            total += outer.hull_starts[p + 1] - outer.hull_starts[p]
            pieces += 1
            area += outer.areas[p]
    if pieces < 2:
        return 0.0, 0.0
    points = np.empty(total, dtype=np.complex128)
    count = 0
    for p in range(len(inner)):
        if inner[p]:
            for k in range(outer.hull_starts[p], outer.hull_starts[p + 1]):
                points[count] = turns[p] * outer.hulls[k] + shifts[p]
                count += 1
    corners = hull_corners(points)
    doubled = 0.0
    for k in range(len(corners)):
        doubled += (corners[k - 1].conjugate() * corners[k]).imag
    empty = abs(0.5 * doubled - area)
    return empty, outer.telling * _along(
        outer, inner, turns, shifts, corners
    ) if pieces >= RIM_PIECES else 0.0


@compiled
def _along(
    outer: Outer,
    inner: NDArray[np.bool_],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    corners: NDArray[np.complex128],
) -> float:
    """How long the straight edges of pieces are that lie along a hull."""
    normals = np.empty(len(corners), dtype=np.complex128)
    for k in range(len(corners)):
        side = corners[(k + 1) % len(corners)] - corners[k]
        normals[k] = 1j * side / abs(side)
    length = 0.0
    for p in range(len(inner)):
        if not inner[p]:
            continue
        for e in range(outer.edge_starts[p], outer.edge_starts[p + 1]):
            begin, end = turns[p] * outer.begins[e] + shifts[p], turns[p] * outer.ends[e] + shifts[p]
            # All ends are within the hull, and so as far from a side as from its line.
            for k in range(len(corners)):
                if (
                    abs(((begin - corners[k]) * normals[k].conjugate()).real) < outer.reach
                    and abs(((end - corners[k]) * normals[k].conjugate()).real) < outer.reach
                ):
                    length += abs(end - begin)
                    break
    return length


def looks_of(clusters: Clusters, outer: Outer) -> Looks:
    """How clusters of two pieces and more look, in units.

    Pieces that are larger than the hull about them lie in each other, which counts as much as what is empty.
    """
    empty, rim = 0.0, 0.0
    for label in np.unique(clusters.labels).tolist():
        own = looks_within(outer, clusters.labels == label, clusters.turns, clusters.shifts)
        empty, rim = empty + own[0], rim + own[1]
    return Looks(empty, rim)


def beside_hull(clusters: Clusters, outer: Outer) -> float:
    """What the least rectangles about clusters hold besides their hulls: most things were rectangles."""
    found = 0.0
    owners = np.repeat(np.arange(len(outer.areas)), np.diff(outer.hull_starts))
    placed = clusters.turns[owners] * outer.hulls + clusters.shifts[owners]
    for label in np.unique(clusters.labels).tolist():
        hull = hull_of(placed[clusters.labels[owners] == label])
        found += hull.minimum_rotated_rectangle.area - hull.area
    return found


def worth_of_looks(looks: Looks, params: ContoursParams) -> float:
    """What an arrangement is worth for how it looks."""
    return params.rim_worth * looks.rim - params.emptiness * looks.empty
