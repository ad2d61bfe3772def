"""Pieces as corners in flat arrays, and the pairs of edges that may be one (compiled)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely
import shapely.geometry.polygon
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.compiled import compiled
from sherd.core.geometry import polygons_in

INNER_POINTS = 24
MOST_PARTNERS = 100  # of an edge, on average: 64 equal squares have 252
WHOLE, BEGINS, ENDS = 0, 1, 2  # how two edges meet: along all of both, or where the first begins or ends


class Corners(NamedTuple):
    """Corners of piece p, the inside to their left, are ``starts[p]:starts[p + 1]``.

    ``inner`` are points inside each piece, ``inner_starts`` as ``starts``, which no other piece may hold.
    ``centres`` and ``radii`` bound the pieces, ``areas`` are theirs.
    """

    starts: NDArray[np.int64]
    points: NDArray[np.complex128]
    inner_starts: NDArray[np.int64]
    inner: NDArray[np.complex128]
    centres: NDArray[np.complex128]
    radii: NDArray[np.float64]
    areas: NDArray[np.float64]


class EdgeJoints(NamedTuple):
    """Pairs of edges that may lie together (J,): pieces, edges by their first corner, and how they meet."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    first_edge: NDArray[np.int64]
    second_edge: NDArray[np.int64]
    way: NDArray[np.int64]


def corners_of(pieces: Sequence[Polygon], unit: float, straightened: float, margin: float) -> Corners:
    """Pieces in units; corners that stand out by less than ``straightened`` are none.

    Points inside are ``margin`` away from edges where the piece is wide enough.
    """
    rings: list[NDArray[np.complex128]] = []
    inner: list[NDArray[np.complex128]] = []
    areas: list[float] = []
    for piece in pieces:
        scaled = shapely.transform(shapely.geometry.polygon.orient(piece), lambda xy: xy / unit)
        ring = _straightened(_complex(scaled.exterior.coords)[:-1], straightened)
        rings.append(ring)
        inner.append(_inner_points(Polygon(np.stack([ring.real, ring.imag], axis=1)), margin))
        areas.append(0.5 * float((ring.conj() * np.roll(ring, -1)).imag.sum()))
    centres = np.array([0.5 * complex(np.ptp(r.real), np.ptp(r.imag)) + _low(r) for r in rings])
    return Corners(
        starts=np.cumsum([0, *(len(ring) for ring in rings)]),
        points=np.concatenate(rings),
        inner_starts=np.cumsum([0, *(len(points) for points in inner)]),
        inner=np.concatenate(inner),
        centres=centres,
        radii=np.array([np.abs(r - c).max() for r, c in zip(rings, centres, strict=True)]),
        areas=np.array(areas),
    )


def _low(ring: NDArray[np.complex128]) -> complex:
    return complex(ring.real.min(), ring.imag.min())


def _complex(coordinates: object) -> NDArray[np.complex128]:
    xy = np.asarray(coordinates, dtype=np.float64)
    return xy[:, 0] + 1j * xy[:, 1]


def _straightened(ring: NDArray[np.complex128], least: float) -> NDArray[np.complex128]:
    """The ring without corners that stand out by less than ``least``, one by one, the least first."""
    while len(ring) > 3:
        before, after = np.roll(ring, 1), np.roll(ring, -1)
        along = after - before
        length = np.maximum(np.abs(along), 1e-12)
        out = np.abs((along.conj() * (ring - before)).imag) / length
        at = int(out.argmin())
        if out[at] >= least:
            break
        ring = np.delete(ring, at)
    return ring


def _inner_points(polygon: Polygon, margin: float) -> NDArray[np.complex128]:
    while margin > 1e-4:
        parts = polygons_in(polygon.buffer(-margin))
        if parts:
            ring = max(parts, key=lambda part: part.area).exterior
            at = np.linspace(0.0, ring.length, INNER_POINTS, endpoint=False)
            return _complex(shapely.get_coordinates(shapely.line_interpolate_point(ring, at)))
        margin *= 0.6
    middle = polygon.representative_point()
    return np.array([complex(middle.x, middle.y)])


def edge_joints(corners: Corners, tolerance: float, *, partial: bool, least: float) -> EdgeJoints:
    """Edges of different pieces that are equally long, up to the tolerance; with ``partial``, any two.

    Edges shorter than ``least`` make no joint. Of an edge that is as long as very many others only some are
    kept, the likest, and of equals those of pieces that follow its own: which it was, no joint tells.
    """
    found = EdgeJoints(*_edge_joints(corners, tolerance, partial, least))
    if len(found.first) <= MOST_PARTNERS * len(corners.points) // 2:
        return found
    following = np.arange(1, len(corners.points) + 1)
    following[corners.starts[1:] - 1] = corners.starts[:-1]
    length = np.abs(corners.points[following] - corners.points)
    off = np.abs(length[found.first_edge] - length[found.second_edge])
    off[found.way != WHOLE] = 0.0
    kept = np.zeros(len(found.first), dtype=np.bool_)
    for edge, other in ((found.first_edge, found.second_edge), (found.second_edge, found.first_edge)):
        onward = (other - edge) % len(corners.points)
        order = np.lexsort((onward, np.round(off / tolerance, 6), edge))
        first = np.searchsorted(edge[order], edge[order])  # where the joints of the same edge begin
        kept[order[np.arange(len(order)) - first < MOST_PARTNERS // 2]] = True
    return EdgeJoints(*(column[kept] for column in found))


@compiled
def _edge_joints(
    corners: Corners, tolerance: float, partial: bool, least: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    count = len(corners.points)
    piece = np.empty(count, dtype=np.int64)
    length = np.empty(count)
    for p in range(len(corners.areas)):
        low, high = corners.starts[p], corners.starts[p + 1]
        for k in range(low, high):
            following = k + 1 if k + 1 < high else low
            piece[k] = p
            length[k] = abs(corners.points[following] - corners.points[k])
    size = 0
    most = 3 * count * count // 2 + 1
    found = np.empty((5, most), dtype=np.int64)
    for i in range(count):
        for j in range(i + 1, count):
            if piece[i] == piece[j] or min(length[i], length[j]) < least:
                continue
            equal = abs(length[i] - length[j]) < tolerance
            for way in range(3):
                if (way == WHOLE and equal) or (way != WHOLE and partial and not equal):
                    found[0, size], found[1, size] = piece[i], piece[j]
                    found[2, size], found[3, size], found[4, size] = i, j, way
                    size += 1
    return (
        found[0, :size].copy(),
        found[1, :size].copy(),
        found[2, :size].copy(),
        found[3, :size].copy(),
        found[4, :size].copy(),
    )
