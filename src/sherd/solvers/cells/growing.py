"""Arrangements grown by one piece at a time, and brought to rest (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.cells.corners import Complexes, ConvexCells, depth, fitted, touches

# In standard errors of a corner's coordinate.
LENGTHS = 7.0  # edges that are one may differ by this
MEET = 5.5  # corners that are one may be apart by this
DEEPEST = 5.0  # pieces may lie in each other by this
ALLOWED = 1.5  # and by this without being the less likely for it
NEAR = 2.5
SPREAD = 5.0  # squares of distances between corners that are one, in variances, for one unit of evidence
MOST_MATES = 32
MOST_LEVER = 5.0
SWEEPS = 12


class Growths(NamedTuple):
    """Arrangements (B, ...) of as many pieces each: which lie where, and which edges are one (-1: none)."""

    placed: NDArray[np.bool_]
    turns: Complexes
    shifts: Complexes
    mates: NDArray[np.int64]
    worth: NDArray[np.float64]


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
def _key(first: int, second: int) -> int:
    """A number for two edges being one, so that sums tell arrangements apart."""
    low, high = min(first, second), max(first, second)
    mixed = (low * 1000003 + high * 7919 + 12345) & 0x7FFFFFFF
    mixed = (mixed * 1103515245 + 12345) & 0x3FFFFFFFFFFFFF
    mixed ^= mixed >> 17
    return (mixed * 69069 + 1) & 0xFFFFFFFFFFFFF


@compiled
def _lever(cells: ConvexCells, q: int, mates: NDArray[np.int64]) -> float:
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
def _slack(first: float, second: float) -> float:
    """How much more errors of two pieces among each other are, for the levers of both."""
    return max(0.5 * (first + second), 1.0)


@compiled
def _partners(
    cells: ConvexCells,
    free: NDArray[np.int64],
    corners: Complexes,
    moved: Complexes,
    q: int,
    far: float,
    lever: float,
    levers: NDArray[np.float64],
    partner: NDArray[np.int64],
) -> int:
    """Find the edges of piece q, its corners moved, that lie along free ones; how many."""
    count = 0
    for g in range(cells.starts[q], cells.starts[q + 1]):
        begin, end = moved[g], moved[cells.following[g]]
        partner[g] = -1
        least = np.inf
        for h in free:
            if abs(cells.lengths[g] - cells.lengths[h]) > LENGTHS / MEET * far:
                continue
            allowed = far * _slack(lever, levers[int(cells.piece[h])])
            gap = end - corners[h]
            if abs(gap.real) > allowed or abs(gap.imag) > allowed:
                continue
            off_begin, off_end = abs(begin - corners[cells.following[h]]), abs(gap)
            if off_begin < allowed and off_end < allowed and off_begin + off_end < least:
                least = off_begin + off_end
                partner[g] = h
        if partner[g] >= 0:
            count += 1
    return count


@compiled
def extended(
    cells: ConvexCells, beam: Growths, error: float, reward: float, most: int
) -> tuple[
    NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], Complexes, NDArray[np.int64], NDArray[np.int64]
]:
    """Each arrangement with each further piece that fits: worth, arrangement, piece, turn and shift, key."""
    worth, of, piece, key = (
        np.empty(most),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
    )
    pose = np.empty((most, 2), np.complex128)
    partners = np.empty((most, int(np.diff(cells.starts).max())), np.int64)
    size, count = 0, len(cells.points)
    corners, moved = np.zeros(count, np.complex128), np.zeros(count, np.complex128)
    partner = np.full(count, -1)
    here, there = np.empty(2 * MOST_MATES, np.complex128), np.empty(2 * MOST_MATES, np.complex128)
    pieces = len(cells.centres)
    levers = np.ones(pieces)
    for s in range(len(beam.worth)):
        placed = beam.placed[s]
        laid(cells, placed, beam.turns[s], beam.shifts[s], corners)
        edges = np.empty(count, np.int64)
        number, base = 0, 0
        for k in range(count):
            if placed[cells.piece[k]]:
                if beam.mates[s, k] < 0:
                    edges[number] = k
                    number += 1
                elif k < beam.mates[s, k]:
                    base += _key(k, beam.mates[s, k])
        free = edges[:number]
        for p in range(pieces):
            levers[p] = _lever(cells, p, beam.mates[s]) if placed[p] else 1.0
        for e in free:
            a, b = corners[e], corners[cells.following[e]]
            for f in range(count):
                q = int(cells.piece[f])
                if placed[q] or abs(cells.lengths[e] - cells.lengths[f]) > LENGTHS * error or size == most:
                    continue
                c, d = cells.points[f], cells.points[cells.following[f]]
                turn = (b - a) / (c - d)
                turn /= abs(turn)
                middle = 0.5 * (a + b)
                shift = middle - turn * 0.5 * (c + d)
                low, high = cells.starts[q], cells.starts[q + 1]
                for k in range(low, high):
                    moved[k] = turn * cells.points[k] + shift
                lever = min(max(2.0 * cells.radii[q] / max(cells.lengths[e], 1e-9), 1.0), MOST_LEVER)
                met = _partners(cells, free, corners, moved, q, MEET * error, lever, levers, partner)
                if partner[f] != e:
                    continue
                if met > 1:
                    m = 0
                    for g in range(low, high):
                        if partner[g] >= 0 and m < MOST_MATES:
                            here[2 * m], there[2 * m] = cells.points[g], corners[cells.following[partner[g]]]
                            here[2 * m + 1] = cells.points[cells.following[g]]
                            there[2 * m + 1] = corners[partner[g]]
                            m += 1
                    turn, shift = fitted(here, there, 2 * m)
                    for k in range(low, high):
                        moved[k] = turn * cells.points[k] + shift
                    lever = _lever(cells, q, partner)
                    met = _partners(cells, free, corners, moved, q, MEET * error, lever, levers, partner)
                    if partner[f] != e:
                        continue
                value = reward * met
                code = base
                for g in range(low, high):
                    h = partner[g]
                    if h >= 0:
                        code += _key(g, h)
                        off = abs(moved[g] - corners[cells.following[h]]) ** 2
                        off += abs(moved[cells.following[g]] - corners[h]) ** 2
                        value -= off / (SPREAD * (error * _slack(lever, levers[int(cells.piece[h])])) ** 2)
                levers[q] = lever
                cost = _crowding(
                    cells,
                    placed,
                    corners,
                    q,
                    moved,
                    turn * cells.centres[q] + shift,
                    beam.turns[s],
                    beam.shifts[s],
                    levers,
                    error,
                )
                if cost == np.inf:
                    continue
                value -= cost
                for g in range(low, high):
                    if partner[g] >= 0:
                        continue
                    x, y = moved[g], moved[int(cells.following[g])]
                    for h in free:
                        z, w = corners[int(h)], corners[int(cells.following[h])]
                        if touches(x, y, z, w, NEAR * error) or touches(z, w, x, y, NEAR * error):
                            value -= 0.5 * reward
                worth[size], of[size], piece[size], key[size] = beam.worth[s] + value, s, q, code
                pose[size, 0], pose[size, 1] = turn, shift
                for g in range(low, high):
                    partners[size, g - low] = partner[g]
                size += 1
    return worth[:size], of[:size], piece[:size], pose[:size], partners[:size], key[:size]


@compiled
def _crowding(
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
        deep = depth(cells, p, corners, q, moved) / (error * _slack(levers[p], levers[q]))
        if deep > DEEPEST:
            return np.inf
        if deep > ALLOWED:
            cost += 0.5 * (deep - ALLOWED) ** 2
    return cost


@compiled
def rest(
    cells: ConvexCells,
    placed: NDArray[np.bool_],
    turns: Complexes,
    shifts: Complexes,
    mates: NDArray[np.int64],
    corners: Complexes,
    sweeps: int,
) -> None:
    """Move pieces, one after another, to where their edges lie best along their mates."""
    here, there = np.empty(2 * MOST_MATES, np.complex128), np.empty(2 * MOST_MATES, np.complex128)
    for _ in range(sweeps):
        for p in range(len(placed)):
            if not placed[p]:
                continue
            m = 0
            for g in range(cells.starts[p], cells.starts[p + 1]):
                if mates[g] >= 0 and m < MOST_MATES:
                    here[2 * m], there[2 * m] = cells.points[g], corners[cells.following[mates[g]]]
                    here[2 * m + 1], there[2 * m + 1] = cells.points[cells.following[g]], corners[mates[g]]
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
            levers[p] = _lever(cells, p, mates)
    for g in range(len(mates)):
        if not placed[cells.piece[g]] or mates[g] >= 0:
            continue
        least, best = np.inf, -1
        for h in range(len(mates)):
            if not placed[cells.piece[h]] or mates[h] >= 0 or cells.piece[g] == cells.piece[h]:
                continue
            far = MEET * error * _slack(levers[int(cells.piece[g])], levers[int(cells.piece[h])])
            begin = abs(corners[g] - corners[cells.following[h]])
            end = abs(corners[cells.following[g]] - corners[h])
            if begin < far and end < far and begin + end < least:
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
            abs(corners[g] - corners[cells.following[h]]) > far
            or abs(corners[cells.following[g]] - corners[h]) > far
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
            levers[p] = _lever(cells, p, mates)
    value = reward * count - squares(cells, mates, corners) / (SPREAD * error**2)
    value += rim_worth(cells, placed, mates, corners, error, reward, bool(placed.all()))
    for p in range(len(placed)):
        if placed[p]:
            cost = _crowding(
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


@compiled
def grown(
    cells: ConvexCells,
    beam: Growths,
    of: NDArray[np.int64],
    piece: NDArray[np.int64],
    pose: Complexes,
    partners: NDArray[np.int64],
    error: float,
    reward: float,
) -> Growths:
    """The arrangements chosen, each with its further piece, at rest."""
    size, count, pieces = len(of), len(cells.points), len(cells.centres)
    found = Growths(
        np.empty((size, pieces), np.bool_),
        np.empty((size, pieces), np.complex128),
        np.empty((size, pieces), np.complex128),
        np.empty((size, count), np.int64),
        np.empty(size),
    )
    corners = np.zeros(count, np.complex128)
    for k in range(size):
        s, q = of[k], piece[k]
        found.placed[k], found.turns[k], found.shifts[k] = beam.placed[s], beam.turns[s], beam.shifts[s]
        found.mates[k] = beam.mates[s]
        found.placed[k, q] = True
        found.turns[k, q], found.shifts[k, q] = pose[k, 0], pose[k, 1]
        laid(cells, found.placed[k], found.turns[k], found.shifts[k], corners)
        for g in range(cells.starts[q], cells.starts[q + 1]):
            h = partners[k, g - cells.starts[q]]
            if h >= 0:
                found.mates[k, g], found.mates[k, h] = h, g
        rest(cells, found.placed[k], found.turns[k], found.shifts[k], found.mates[k], corners, SWEEPS)
        mated(cells, found.placed[k], found.mates[k], corners, error)
        parted(cells, found.mates[k], corners, MEET * error)
        found.worth[k] = worth_of(
            cells, found.placed[k], found.turns[k], found.shifts[k], found.mates[k], corners, error, reward
        )
    return found
