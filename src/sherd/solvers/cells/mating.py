"""Edges that are one: found where they lie along each other, and pieces at rest along them (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.cells.along_target import ON_RIM, off_rim, rims_of
from sherd.solvers.cells.corners import Complexes, ConvexCells, fitted

MEET = 5.5  # standard errors of a corner's coordinate: corners that are one may be apart by this
MOST_MATES = 32
MOST_LEVER = 5.0


@compiled
def laid(
    cells: ConvexCells, placed: NDArray[np.bool_], turns: Complexes, shifts: Complexes, corners: Complexes
) -> None:
    """Write the corners of those pieces that are placed."""
    for k in range(len(corners)):
        p = cells.piece[k]
        if placed[p]:
            corners[k] = turns[p] * cells.points[k] + shifts[p]


@compiled
def lever_of(cells: ConvexCells, q: int, mates: NDArray[np.int64]) -> float:
    """How far errors where piece q is held by its mates grow towards its ends, 1 at least."""
    weight, middle, spread = 0, 0.0j, 0.0
    for g in range(cells.starts[q], cells.starts[q + 1]):
        if mates[g] >= 0:
            middle += cells.points[g] + cells.points[cells.following[g]]
            weight += 2
    if not weight:
        return 1.0
    middle /= weight
    for g in range(cells.starts[q], cells.starts[q + 1]):
        if mates[g] >= 0:
            spread += abs(cells.points[g] - middle) ** 2 + abs(cells.points[cells.following[g]] - middle) ** 2
    return min(max(cells.radii[q] / max(np.sqrt(spread / weight), 1e-9), 1.0), MOST_LEVER)


@compiled
def slack(first: float, second: float) -> float:
    """How much more errors of two pieces among each other are, for the levers of both."""
    return max(0.5 * (first + second), 1.0)


@compiled
def rest(
    cells: ConvexCells,
    placed: NDArray[np.bool_],
    turns: Complexes,
    shifts: Complexes,
    mates: NDArray[np.int64],
    corners: Complexes,
    error: float,
    sweeps: int,
) -> None:
    """Move pieces, one after another, to where their edges lie best along their mates, and along the rim."""
    here, there = np.empty(2 * MOST_MATES, np.complex128), np.empty(2 * MOST_MATES, np.complex128)
    rims = np.full(len(mates), -1)
    for _ in range(sweeps):
        for p in range(len(placed)):
            if not placed[p]:
                continue
            m = 0
            if len(cells.rim):
                rims_of(cells, p, mates, corners, ON_RIM * error * lever_of(cells, p, mates), rims)
            for g in range(cells.starts[p], cells.starts[p + 1]):
                if mates[g] >= 0 and m < MOST_MATES:
                    here[2 * m], there[2 * m] = cells.points[g], corners[cells.following[mates[g]]]
                    here[2 * m + 1], there[2 * m + 1] = cells.points[cells.following[g]], corners[mates[g]]
                    m += 1
                elif rims[g] >= 0 and m < MOST_MATES:
                    t, a, b = int(rims[g]), corners[g], corners[int(cells.following[g])]
                    way = cells.rim[(t + 1) % len(cells.rim)] - cells.rim[t]
                    across = 1j * way / abs(way)
                    here[2 * m], there[2 * m] = cells.points[g], a - across * off_rim(cells, t, a).imag
                    here[2 * m + 1] = cells.points[cells.following[g]]
                    there[2 * m + 1] = b - across * off_rim(cells, t, b).imag
                    m += 1
            if not m:
                continue
            turns[p], shifts[p] = fitted(here, there, 2 * m)
            for k in range(cells.starts[p], cells.starts[p + 1]):
                corners[k] = turns[p] * cells.points[k] + shifts[p]


@compiled
def mated(
    cells: ConvexCells, placed: NDArray[np.bool_], mates: NDArray[np.int64], corners: Complexes, error: float
) -> int:
    """Make one of free edges that lie along each other; how many edges now are."""
    levers = np.ones(len(placed))
    for p in range(len(placed)):
        if placed[p]:
            levers[p] = lever_of(cells, p, mates)
    for g in range(len(mates)):
        if not placed[cells.piece[g]] or mates[g] >= 0:
            continue
        least, best = np.inf, -1
        for h in range(len(mates)):
            if not placed[cells.piece[h]] or mates[h] >= 0 or cells.piece[g] == cells.piece[h]:
                continue
            far = MEET * error * slack(levers[int(cells.piece[g])], levers[int(cells.piece[h])])
            begin = abs(corners[g] - corners[cells.following[h]])
            end = abs(corners[cells.following[g]] - corners[h])
            if begin**2 + end**2 < far**2 and begin + end < least:
                least, best = begin + end, h
        if best >= 0:
            mates[g], mates[best] = best, g
    count = 0
    for g in range(len(mates)):
        if mates[g] > g:
            count += 1
    return count


@compiled
def parted(cells: ConvexCells, mates: NDArray[np.int64], corners: Complexes, far: float) -> None:
    """Take edges apart again that do not lie along each other."""
    for g in range(len(mates)):
        h = mates[g]
        if h > g and (
            abs(corners[g] - corners[cells.following[h]]) ** 2
            + abs(corners[cells.following[g]] - corners[h]) ** 2
            > far**2
        ):
            mates[g], mates[h] = -1, -1


@compiled
def squares(cells: ConvexCells, mates: NDArray[np.int64], corners: Complexes) -> float:
    """The squares of the distances between corners that are one, summed over edges and their ends."""
    total = 0.0
    for g in range(len(mates)):
        if mates[g] > g:
            total += abs(corners[g] - corners[cells.following[mates[g]]]) ** 2
            total += abs(corners[cells.following[g]] - corners[mates[g]]) ** 2
    return total
