"""Convex pieces as corners in flat arrays, and how they lie to each other (compiled)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely
import shapely.geometry.polygon
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.compiled import compiled

Complexes = NDArray[np.complex128]


class ConvexCells(NamedTuple):
    """Corners of piece p, the inside to their left, are ``starts[p]:starts[p + 1]``.

    Edge k goes from corner k to corner ``following[k]``, belongs to ``piece[k]`` and is ``lengths[k]`` long.
    ``centres`` and ``radii`` bound the pieces. ``rim`` are the corners of a convex target in place, the
    inside to their left; none without a target.
    """

    starts: NDArray[np.int64]
    points: Complexes
    following: NDArray[np.int64]
    piece: NDArray[np.int64]
    lengths: NDArray[np.float64]
    centres: Complexes
    radii: NDArray[np.float64]
    rim: Complexes


def cells_of(pieces: Sequence[Polygon], unit: float, target: Polygon | None = None) -> ConvexCells:
    """Pieces, and a target if there is one, in units."""
    rings = [_ring(piece, unit) for piece in pieces]
    sizes = [len(ring) for ring in rings]
    starts = np.cumsum([0, *sizes])
    following = np.arange(1, sum(sizes) + 1)
    following[starts[1:] - 1] = starts[:-1]
    points = np.concatenate(rings)
    centres = np.array([ring.mean() for ring in rings])
    return ConvexCells(
        starts=starts,
        points=points,
        following=following,
        piece=np.repeat(np.arange(len(rings)), sizes),
        lengths=np.abs(points[following] - points),
        centres=centres,
        radii=np.array([np.abs(r - c).max() for r, c in zip(rings, centres, strict=True)]),
        rim=np.empty(0, np.complex128) if target is None else _ring(target, unit),
    )


def _ring(polygon: Polygon, unit: float) -> Complexes:
    ring = shapely.get_coordinates(shapely.geometry.polygon.orient(polygon).exterior)[:-1] / unit
    return ring[:, 0] + 1j * ring[:, 1]


@compiled
def depth(cells: ConvexCells, p: int, first: Complexes, q: int, second: Complexes) -> float:
    """How deep two convex pieces lie in each other, their corners given in place; below 0 if they are apart.

    ``first`` and ``second`` are indexed as ``points``.
    """
    least = np.inf
    for side in range(2):
        one, own = (p, first) if side == 0 else (q, second)
        other, others = (q, second) if side == 0 else (p, first)
        for k in range(cells.starts[one], cells.starts[one + 1]):
            a = own[k]
            way = own[cells.following[k]] - a
            length = abs(way)
            if length < 1e-9:
                continue
            reach = -np.inf
            for j in range(cells.starts[other], cells.starts[other + 1]):
                z = others[j] - a
                inside = (way.real * z.imag - way.imag * z.real) / length
                reach = max(reach, inside)
            least = min(least, reach)
    return least


@compiled
def touches(a: complex, b: complex, c: complex, d: complex, near: float) -> bool:
    """Whether the middle of edge ab lies along edge cd, which goes the other way."""
    way, own = d - c, b - a
    if way.real * own.real + way.imag * own.imag > 0.0:
        return False
    length = abs(way)
    if length < 1e-9:
        return False
    middle = (0.5 * (a + b) - c) * way.conjugate() / length
    along = own * way.conjugate() / length
    return abs(middle.imag) < near and near < middle.real < length - near and along.real < -0.95 * abs(along)


@compiled
def fitted(here: Complexes, there: Complexes, count: int) -> tuple[complex, complex]:
    """The turn and the shift that lay the first ``count`` points onto others by least squares."""
    middle, onto = here[:count].mean(), there[:count].mean()
    spin = 0.0j
    for k in range(count):
        spin += (here[k] - middle).conjugate() * (there[k] - onto)
    turn = spin / abs(spin) if abs(spin) > 1e-300 else 1.0 + 0.0j
    return turn, onto - turn * middle
