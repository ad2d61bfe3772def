"""The evidence for an arrangement: edges that are one, rims that go straight on, less overlap (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.cells.corners import Complexes, ConvexCells, depth, touches
from sherd.solvers.cells.mating import lever_of, slack, squares

# In standard errors of a corner's coordinate.
DEEPEST = 5.0  # pieces may lie in each other by this
ALLOWED = 1.5  # and by this without being the less likely for it
NEAR = 2.5
SPREAD = 5.0  # squares of distances between corners that are one, in variances, for one unit of evidence


@compiled
def crowding(
    cells: ConvexCells,
    placed: NDArray[np.bool_],
    corners: Complexes,
    q: int,
    moved: Complexes,
    centre: complex,
    turns: Complexes,
    shifts: Complexes,
    levers: NDArray[np.float64],
    error: float,
) -> float:
    """What it costs that piece q lies in others; infinite if too deep."""
    cost = 0.0
    for p in range(len(placed)):
        if not placed[p] or p == q:
            continue
        apart = abs(turns[p] * cells.centres[p] + shifts[p] - centre)
        if apart > cells.radii[p] + cells.radii[q]:
            continue
        deep = depth(cells, p, corners, q, moved) / (error * slack(levers[p], levers[q]))
        if deep > DEEPEST:
            return np.inf
        if deep > ALLOWED:
            cost += 0.5 * (deep - ALLOWED) ** 2
    return cost


@compiled
def rim_worth(
    cells: ConvexCells,
    placed: NDArray[np.bool_],
    mates: NDArray[np.int64],
    corners: Complexes,
    error: float,
    reward: float,
    is_whole: bool,
) -> float:
    """The evidence of places where pieces meet at the rim: straight ones count, in a whole none is hollow."""
    value = 0.0
    for g in range(len(mates)):
        if not placed[cells.piece[g]] or mates[g] >= 0:
            continue
        k = cells.following[g]
        middle, met = corners[k], 1
        while mates[k] >= 0 and met < 12:
            k = cells.following[mates[k]]
            middle += corners[k]
            met += 1
        if met == 1 or mates[k] >= 0:
            continue
        middle /= met
        a, b = corners[g], corners[cells.following[k]]
        way = b - a
        length = abs(way)
        if length < 1e-9:
            continue
        at = (middle - a) * way.conjugate() / length
        share = min(max(at.real / length, 0.0), 1.0)
        off = -at.imag  # outwards, as the inside is to the left
        variance = error**2 * (1.0 / met + share**2 + (1.0 - share) ** 2)
        against = 0.5 * off**2 / variance
        if is_whole and off < 0.0:
            value += max(0.5 * reward - against, -4.0 * reward)
        else:
            value += max(0.5 * reward - against, 0.0)
    return value


@compiled
def worth_of(
    cells: ConvexCells,
    placed: NDArray[np.bool_],
    turns: Complexes,
    shifts: Complexes,
    mates: NDArray[np.int64],
    corners: Complexes,
    error: float,
    reward: float,
) -> float:
    """The evidence for an arrangement; minus infinity if pieces lie too deep in each other."""
    count = 0
    for g in range(len(mates)):
        if mates[g] > g:
            count += 1
    levers = np.ones(len(placed))
    for p in range(len(placed)):
        if placed[p]:
            levers[p] = lever_of(cells, p, mates)
    value = reward * count - squares(cells, mates, corners) / (SPREAD * error**2)
    value += rim_worth(cells, placed, mates, corners, error, reward, bool(placed.all()))
    for p in range(len(placed)):
        if placed[p]:
            cost = crowding(
                cells,
                placed,
                corners,
                p,
                corners,
                turns[p] * cells.centres[p] + shifts[p],
                turns,
                shifts,
                levers,
                error,
            )
            value -= 0.5 * cost
    for g in range(len(mates)):
        if mates[g] >= 0 or not placed[cells.piece[g]]:
            continue
        x, y = corners[g], corners[int(cells.following[g])]
        for h in range(len(mates)):
            if mates[h] >= 0 or not placed[cells.piece[h]] or cells.piece[g] == cells.piece[h]:
                continue
            if touches(x, y, corners[h], corners[int(cells.following[h])], NEAR * error):
                value -= 0.5 * reward
    return value
