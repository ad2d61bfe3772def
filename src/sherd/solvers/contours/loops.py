"""Closed loops of joints: a joint that two others bear out, by way of a third piece (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.core.threads import in_parts
from sherd.solvers.stop import Stop

AT_ONCE = 500  # joints between two questions whether to stop: of pieces that are all alike, they take a while


class _Ways(NamedTuple):
    """Joints both ways round by pair of pieces: those from a to b are ``starts[a * pieces + b]`` and after.

    ``entries`` are their numbers; b lies in a's frame at ``turns`` * z + ``shifts``.
    """

    starts: NDArray[np.int64]
    entries: NDArray[np.int64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]


def support(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    worth: NDArray[np.float64],
    centres: NDArray[np.complex128],
    near: float,
    turned: float,
    stop: Stop,
) -> NDArray[np.float64]:
    """For each joint (J,), the best loop through a third piece: the lesser worth of the loop's two others.

    A loop closes if the way through the third piece ends within ``near`` and ``turned`` of the joint. Joints
    after which ``stop`` said so have none.
    """
    ways = _ways(first, second, turns, shifts, len(centres))
    found = np.zeros(len(first))

    def look(part: slice) -> None:
        _look(ways, first, second, turns, shifts, worth, centres, near, turned, part.start, part.stop, found)

    for low in range(0, len(first), AT_ONCE):
        if low and stop(0):
            break
        in_parts(range(low, min(low + AT_ONCE, len(first))), look)
    return found


@compiled
def _ways(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    pieces: int,
) -> _Ways:
    count = len(first)
    starts = np.zeros(pieces * pieces + 1, dtype=np.int64)
    for j in range(count):
        starts[first[j] * pieces + second[j] + 1] += 1
        starts[second[j] * pieces + first[j] + 1] += 1
    for k in range(pieces * pieces):
        starts[k + 1] += starts[k]
    filled = starts[:-1].copy()
    entries = np.empty(2 * count, dtype=np.int64)
    into = np.empty(2 * count, dtype=np.complex128)
    moved = np.empty(2 * count, dtype=np.complex128)
    for j in range(count):
        at = filled[first[j] * pieces + second[j]]
        filled[first[j] * pieces + second[j]] += 1
        entries[at], into[at], moved[at] = j, turns[j], shifts[j]
        at = filled[second[j] * pieces + first[j]]
        filled[second[j] * pieces + first[j]] += 1
        back = turns[j].conjugate()
        entries[at], into[at], moved[at] = j, back, -back * shifts[j]
    return _Ways(starts, entries, into, moved)


@compiled
def _look(
    ways: _Ways,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    worth: NDArray[np.float64],
    centres: NDArray[np.complex128],
    near: float,
    turned: float,
    low: int,
    high: int,
    found: NDArray[np.float64],
) -> None:
    """Find the loops of joints from ``low`` to ``high``."""
    pieces, starts = len(centres), ways.starts
    for j in range(low, high):
        a, b = first[j], second[j]
        here = turns[j] * centres[b] + shifts[j]
        for c in range(pieces):
            if c in (a, b):
                continue
            for x in range(starts[a * pieces + c], starts[a * pieces + c + 1]):
                if worth[ways.entries[x]] <= found[j]:
                    continue
                for y in range(starts[c * pieces + b], starts[c * pieces + b + 1]):
                    least = min(worth[ways.entries[x]], worth[ways.entries[y]])
                    if least <= found[j]:
                        continue
                    turn = ways.turns[x] * ways.turns[y]
                    if abs(turn - turns[j]) > turned:
                        continue
                    there = turn * centres[b] + ways.turns[x] * ways.shifts[y] + ways.shifts[x]
                    if abs(there - here) < near:
                        found[j] = least
