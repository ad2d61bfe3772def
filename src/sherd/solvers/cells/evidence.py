"""The evidence for an arrangement: edges that are one, rims that go straight on, less overlap (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.cells.along_target import ON_RIM, outside, rims_of, worth_on_rim
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
    """What it costs that piece q lies in others, or out of the target; infinite if too deep."""
    cost = 0.0
    if len(cells.rim):
        for k in range(cells.starts[q], cells.starts[q + 1]):
            out = outside(cells, moved[k]) / (error * levers[q])
            if out > DEEPEST:
                return np.inf
            if out > ALLOWED:
                cost += 0.5 * (out - ALLOWED) ** 2
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
    levers: NDArray[np.float64],
    error: float,
    reward: float,
    is_whole: bool,
) -> float:
    """The evidence of places where pieces meet at the rim: straight ones count, in a whole none is hollow.

    In a target edges that lie along it count instead, and in a whole none else is free.
    """
    value = 0.0
    if len(cells.rim):
        rims = np.full(len(mates), -1)
        for p in range(len(placed)):
            if placed[p]:
                rims_of(cells, p, mates, corners, ON_RIM * error * levers[p], rims)
        for g in range(len(mates)):
            p = int(cells.piece[g])
            if placed[p] and rims[g] >= 0:
                a, b = corners[g], corners[int(cells.following[g])]
                value += worth_on_rim(cells, int(rims[g]), a, b, error, levers[p], reward)
            elif is_whole and mates[g] < 0:
                value -= reward
        return value
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
def _straight_worth(
    cells: ConvexCells,
    mates: NDArray[np.int64],
    corners: Complexes,
    one: int,
    other: int,
    middle: complex,
    error: float,
    reward: float,
) -> float:
    """The evidence that two edges that begin at a place where four pieces meet are one straight line."""
    a = 0.5 * (corners[int(cells.following[one])] + corners[int(mates[one])])
    b = 0.5 * (corners[int(cells.following[other])] + corners[int(mates[other])])
    way = b - a
    length = abs(way)
    if length < 1e-9:
        return 0.0
    at = (middle - a) * way.conjugate() / length
    share = min(max(at.real / length, 0.0), 1.0)
    variance = error**2 * (0.25 + 0.5 * share**2 + 0.5 * (1.0 - share) ** 2)
    return max(0.5 * reward - 0.5 * at.imag**2 / variance, 0.0)


@compiled
def crossing_worth(
    cells: ConvexCells, mates: NDArray[np.int64], corners: Complexes, error: float, reward: float
) -> float:
    """The evidence of lines that go straight on where four pieces meet, as those of through cuts do."""
    value = 0.0
    around = np.empty(4, np.int64)
    for g in range(len(mates)):
        k, met = g, 0
        while met < 4 and mates[k] >= 0:
            around[met] = k
            k = int(cells.following[mates[k]])
            met += 1
            if k == g:
                break
        if met < 4 or k != g or around[:4].min() != g:
            continue
        middle = 0.0j
        for k in around:
            middle += 0.25 * corners[int(k)]
        for one in range(2):
            value += _straight_worth(
                cells, mates, corners, int(around[one]), int(around[one + 2]), middle, error, reward
            )
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
    value += crossing_worth(cells, mates, corners, error, reward)
    value += rim_worth(cells, placed, mates, corners, levers, error, reward, bool(placed.all()))
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
