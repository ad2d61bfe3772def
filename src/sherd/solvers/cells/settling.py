"""Where pieces lie best: corners that are one meet, and what looks straight is straight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.solvers.cells.along_target import ON_RIM, rims_of
from sherd.solvers.cells.corners import Complexes, ConvexCells

STRAIGHT = 3.5  # standard errors: three corners on a line may be off it by this
STIFF = 0.1  # of an error: how far off it they are once at rest
STEPS = 4
HOLD = 1e-9  # keeps pieces that hang by nothing where they are

Triples = NDArray[np.int64]


def places_of(cells: ConvexCells, mates: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the place (V,) that each corner lies at: corners of edges that are one share theirs."""
    place = np.arange(len(mates))
    for g, h in enumerate(mates.tolist()):
        if h > g:
            for one, other in ((g, cells.following[h]), (cells.following[g], h)):
                place[place == place[other]] = place[one]
    return np.unique(place, return_inverse=True)[1]


def straight_triples(
    cells: ConvexCells, mates: NDArray[np.int64], place: NDArray[np.int64], at: Complexes, error: float
) -> Triples:
    """Places (T, 3) of which the second lies between the others, on the rim or where two lines cross."""
    met = np.bincount(place)
    found: list[tuple[int, int, int]] = []
    for g in range(len(mates)):
        if mates[g] < 0:
            k = int(cells.following[g])
            turns = 1
            while mates[k] >= 0 and turns <= met[place[k]]:
                k = int(cells.following[mates[k]])
                turns += 1
            if turns > 1 and mates[k] < 0:
                found.append((int(place[g]), int(place[k]), int(place[cells.following[k]])))
        elif met[place[g]] == CROSSING:
            # Across the next spoke lies the one that goes on straight.
            k = int(cells.following[mates[g]])
            if mates[k] >= 0:
                k = int(cells.following[mates[k]])
                if g < k and place[k] == place[g]:
                    found.append(
                        (int(place[cells.following[g]]), int(place[g]), int(place[cells.following[k]]))
                    )
    triples = np.array(found, dtype=np.int64).reshape(-1, 3)
    a, j, b = at[triples.T]
    off, share = _off(a, j, b)
    spread = error * np.sqrt(1.0 / met[triples[:, 1]] + share**2 + (1.0 - share) ** 2)
    return triples[(np.abs(off) < STRAIGHT * spread) & (share > 0.0) & (share < 1.0)]


CROSSING = 4


def _off(a: Complexes, j: Complexes, b: Complexes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far points lie to the left of lines ab, and at which share of their length."""
    way = b - a
    length = np.maximum(np.abs(way), 1e-12)
    on = (j - a) * way.conj() / length
    return on.imag, on.real / length


def at_rest(
    cells: ConvexCells, turns: Complexes, shifts: Complexes, mates: NDArray[np.int64], error: float
) -> tuple[Complexes, Complexes, float, int]:
    """Turns and shifts by least squares over all corners, the squares left, and equations beyond unknowns."""
    place = places_of(cells, mates)
    pieces, corners, places = len(turns), len(mates), int(place.max()) + 1
    turns, shifts = turns.copy(), shifts.copy()
    z = turns[cells.piece] * cells.points + shifts[cells.piece]
    met = np.bincount(place)
    at = (np.bincount(place, z.real) + 1j * np.bincount(place, z.imag)) / met
    triples = straight_triples(cells, mates, place, at, error)
    held_by = _held_by_rim(cells, mates, place, z, error)
    rows, count, on_rim = np.arange(corners), len(triples), len(held_by)
    unknowns = 3 * pieces + 2 * places
    # Without a target the first piece stays: else all would turn to where the errors look smaller.
    held = 0 if on_rim else 3
    for _ in range(STEPS):
        z = turns[cells.piece] * cells.points + shifts[cells.piece]
        spun = 1j * (z - shifts[cells.piece])
        matrix = np.zeros((2 * corners + count + on_rim, unknowns))
        gap = z - at[place]
        for part, offset in ((0, 0), (1, corners)):
            matrix[offset + rows, 3 * cells.piece] = spun.imag if part else spun.real
            matrix[offset + rows, 3 * cells.piece + 1 + part] = 1.0
            matrix[offset + rows, 3 * pieces + 2 * place + part] = -1.0
        known = np.concatenate([gap.real, gap.imag, np.zeros(count + on_rim)])
        if count:
            a, j, b = at[triples.T]
            off, share = _off(a, j, b)
            normal = 1j * (b - a) / np.maximum(np.abs(b - a), 1e-12)
            lines = 2 * corners + np.arange(count)
            known[lines] = off / STIFF
            for column, weight in zip(triples.T, (share - 1.0, np.ones(count), -share), strict=True):
                matrix[lines, 3 * pieces + 2 * column] += weight * normal.real / STIFF
                matrix[lines, 3 * pieces + 2 * column + 1] += weight * normal.imag / STIFF
        for row, (number, start, normal) in enumerate(held_by, start=2 * corners + count):
            known[row] = ((at[number] - start) * normal.conjugate()).real / STIFF
            matrix[row, 3 * pieces + 2 * number] = normal.real / STIFF
            matrix[row, 3 * pieces + 2 * number + 1] = normal.imag / STIFF
        free = matrix[:, held:]
        normal_matrix = free.T @ free + HOLD * np.eye(unknowns - held)
        step = np.concatenate([np.zeros(held), -np.linalg.solve(normal_matrix, free.T @ known)])
        turns *= np.exp(1j * step[0 : 3 * pieces : 3])
        shifts += step[1 : 3 * pieces : 3] + 1j * step[2 : 3 * pieces : 3]
        at += step[3 * pieces :: 2] + 1j * step[3 * pieces + 1 :: 2]
    z = turns[cells.piece] * cells.points + shifts[cells.piece]
    over = 2 * corners + count + on_rim - (unknowns - held)
    return turns, shifts, float((np.abs(z - at[place]) ** 2).sum()), max(over, 0)


def _held_by_rim(
    cells: ConvexCells, mates: NDArray[np.int64], place: NDArray[np.int64], z: Complexes, error: float
) -> list[tuple[int, complex, complex]]:
    """Places that lie on the target's rim, each with a point and the normal of the edge that it lies on."""
    found: dict[tuple[int, int], tuple[int, complex, complex]] = {}
    rims = np.full(len(mates), -1)
    for q in range(len(cells.centres) if len(cells.rim) else 0):
        rims_of(cells, q, mates, z, ON_RIM * error, rims)
    for g in np.flatnonzero(rims >= 0).tolist():
        t = int(rims[g])
        way = complex(cells.rim[(t + 1) % len(cells.rim)] - cells.rim[t])
        for number in (int(place[g]), int(place[cells.following[g]])):
            found[number, t] = (number, complex(cells.rim[t]), 1j * way / abs(way))
    return list(found.values())
