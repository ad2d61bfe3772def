"""The target as a rim: edges that lie along it, and what sticks out of it (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.cells.corners import Complexes, ConvexCells

# Standard errors of a corner's coordinate: ends of edges that lie along the rim may be off it by this.
ON_RIM = 4.0
# Squares of distances from the rim, which has no errors of its own, in variances, for one unit of evidence.
RIM_SPREAD = 2.5


@compiled
def off_rim(cells: ConvexCells, t: int, z: complex) -> complex:
    """Where a point lies to edge t of the rim: along it, and to its left, which is inside."""
    way = cells.rim[(t + 1) % len(cells.rim)] - cells.rim[t]
    return (z - cells.rim[t]) * way.conjugate() / abs(way)


@compiled
def rim_edge(cells: ConvexCells, a: complex, b: complex, near: float) -> int:
    """The edge of the rim along which ab lies, both of its ends this near; -1 if there is none."""
    best, least = -1, 2.0 * near
    for t in range(len(cells.rim)):
        begin, end = off_rim(cells, t, a), off_rim(cells, t, b)
        length = abs(cells.rim[(t + 1) % len(cells.rim)] - cells.rim[t])
        off = abs(begin.imag) + abs(end.imag)
        if (
            abs(begin.imag) < near
            and abs(end.imag) < near
            and begin.real > -near
            and end.real < length + near
            and end.real > begin.real
            and off < least
        ):
            best, least = t, off
    return best


@compiled
def rims_of(
    cells: ConvexCells,
    q: int,
    mates: NDArray[np.int64],
    corners: Complexes,
    near: float,
    rims: NDArray[np.int64],
) -> None:
    """Write along which edge of the rim each free edge of piece q lies: of two, the straighter one."""
    for g in range(cells.starts[q], cells.starts[q + 1]):
        rims[g] = -1
        if mates[g] >= 0:
            continue
        a, b = corners[g], corners[int(cells.following[g])]
        t = rim_edge(cells, a, b, near)
        if t < 0:
            continue
        slope = abs(off_rim(cells, t, b).imag - off_rim(cells, t, a).imag) / max(abs(b - a), 1e-9)
        for h in range(cells.starts[q], g):
            if rims[h] == t:
                c, d = corners[h], corners[int(cells.following[h])]
                other = abs(off_rim(cells, t, d).imag - off_rim(cells, t, c).imag) / max(abs(d - c), 1e-9)
                if other <= slope:
                    t = -1
                    break
                rims[h] = -1
        rims[g] = t


@compiled
def outside(cells: ConvexCells, z: complex) -> float:
    """How far a point is outside of the rim; below 0 inside."""
    far = -1e9
    for t in range(len(cells.rim)):
        far = max(far, -off_rim(cells, t, z).imag)
    return far


@compiled
def worth_on_rim(
    cells: ConvexCells, t: int, a: complex, b: complex, error: float, slack: float, reward: float
) -> float:
    """The evidence that edge ab lies along edge t of the rim."""
    squares = off_rim(cells, t, a).imag ** 2 + off_rim(cells, t, b).imag ** 2
    return max(reward - squares / (RIM_SPREAD * (error * slack) ** 2), 0.0)
