"""Arrangements grown by one piece at a time (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.cells.along_target import ON_RIM, rim_edge, rims_of, worth_on_rim
from sherd.solvers.cells.corners import Complexes, ConvexCells, fitted, touches
from sherd.solvers.cells.evidence import NEAR, SPREAD, crowding, worth_of
from sherd.solvers.cells.mating import (
    MEET,
    MOST_LEVER,
    MOST_MATES,
    laid,
    lever_of,
    mated,
    parted,
    rest,
    slack,
)

LENGTHS = 7.0  # standard errors of a corner's coordinate: edges that are one may differ by this
LONG = 8.0  # and one that is shorter says too little of how a piece is turned
SWEEPS = 12


class Growths(NamedTuple):
    """Arrangements (B, ...) of as many pieces each: which lie where, and which edges are one (-1: none)."""

    placed: NDArray[np.bool_]
    turns: Complexes
    shifts: Complexes
    mates: NDArray[np.int64]
    worth: NDArray[np.float64]


@compiled
def _key(first: int, second: int) -> int:
    """A number for two edges being one, so that sums tell arrangements apart."""
    low, high = min(first, second), max(first, second)
    mixed = (low * 1000003 + high * 7919 + 12345) & 0x7FFFFFFF
    mixed = (mixed * 1103515245 + 12345) & 0x3FFFFFFFFFFFFF
    mixed ^= mixed >> 17
    return (mixed * 69069 + 1) & 0xFFFFFFFFFFFFF


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
            allowed = far * slack(lever, levers[int(cells.piece[h])])
            gap = end - corners[h]
            if abs(gap.real) > allowed or abs(gap.imag) > allowed:
                continue
            off_begin, off_end = abs(begin - corners[cells.following[h]]), abs(gap)
            if off_begin**2 + off_end**2 < allowed**2 and off_begin + off_end < least:
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
    levers, rims = np.ones(pieces), np.full(count, -1)
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
            levers[p] = lever_of(cells, p, beam.mates[s]) if placed[p] else 1.0
        if len(cells.rim):
            for p in range(pieces):
                if placed[p]:
                    rims_of(cells, p, beam.mates[s], corners, ON_RIM * error * levers[p], rims)
            for e in free:
                if rims[e] >= 0:
                    base += _key(int(e), count + int(rims[e]))
        before, fewest, first = size, most + 1, size
        for e in free:
            a, b = corners[int(e)], corners[int(cells.following[e])]
            first = size
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
                    lever = lever_of(cells, q, partner)
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
                        value -= off / (SPREAD * (error * slack(lever, levers[int(cells.piece[h])])) ** 2)
                levers[q] = lever
                cost = crowding(
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
                if len(cells.rim):
                    rims_of(cells, q, partner, moved, ON_RIM * error * lever, rims)
                for g in range(low, high):
                    if partner[g] >= 0:
                        continue
                    x, y = moved[g], moved[int(cells.following[g])]
                    if rims[g] >= 0:
                        code += _key(g, count + int(rims[g]))
                        value += worth_on_rim(cells, int(rims[g]), x, y, error, lever, reward)
                    for h in free:
                        z, w = corners[int(h)], corners[int(cells.following[h])]
                        if touches(x, y, z, w, NEAR * error) or touches(z, w, x, y, NEAR * error):
                            value -= 0.5 * reward
                worth[size], of[size], piece[size], key[size] = beam.worth[s] + value, s, q, code
                pose[size, 0], pose[size, 1] = turn, shift
                for g in range(low, high):
                    partners[size, g - low] = partner[g]
                size += 1
            # In a target every edge within is one with another: where one is surely within, it is grown at
            # that with the fewest choices only.
            near = ON_RIM * error * levers[int(cells.piece[e])]
            is_long = cells.lengths[e] > LONG * error
            if len(cells.rim) and is_long and rim_edge(cells, a, b, near) < 0:
                if size - first < fewest:
                    fewest = size - first
                    for k in range(fewest):
                        worth[before + k], of[before + k] = worth[first + k], of[first + k]
                        piece[before + k], key[before + k] = piece[first + k], key[first + k]
                        pose[before + k], partners[before + k] = pose[first + k], partners[first + k]
                size = before + fewest
            if fewest <= most:
                size = before + fewest
    return worth[:size], of[:size], piece[:size], pose[:size], partners[:size], key[:size]


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
        rest(cells, found.placed[k], found.turns[k], found.shifts[k], found.mates[k], corners, error, SWEEPS)
        mated(cells, found.placed[k], found.mates[k], corners, error)
        parted(cells, found.mates[k], corners, MEET * error)
        found.worth[k] = worth_of(
            cells, found.placed[k], found.turns[k], found.shifts[k], found.mates[k], corners, error, reward
        )
    return found
