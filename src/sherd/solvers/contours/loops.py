"""Closed loops of joints: a joint that two others bear out, by way of a third piece (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.core.threads import in_parts
from sherd.solvers.stop import Stop

# Between two questions whether to stop: pairs of other joints looked at, a tenth of a second at most.
LOOKS_AT_ONCE = 8_000_000
SLACK = 1e-6  # of a distance: what rounding may do to it


class _Ways(NamedTuple):
    """Joints both ways round by pair of pieces: those from a to b are ``starts[a * pieces + b]`` and after.

    They are sorted by ``across``, the real part of where b's centre lies in a's frame. ``entries`` are their
    numbers; b lies in a's frame at ``turns`` * z + ``shifts``. ``best`` are their places by what they are
    worth, the most first.
    """

    starts: NDArray[np.int64]
    entries: NDArray[np.int64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    across: NDArray[np.float64]
    best: NDArray[np.int64]


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
    that were not reached when ``stop`` said so have none.
    """
    ways = _ways(first, second, turns, shifts, worth, centres)
    found = np.zeros(len(first))

    def look(part: slice) -> list[tuple[int, int]]:
        return [
            (
                _look(ways, first, second, turns, shifts, worth, centres, near, turned, low, high, found),
                high,
            )
            for low, high in left[part]
        ]

    left = in_parts(range(len(first)), lambda part: (part.start, part.stop))
    while True:
        left = [span for some in in_parts(range(len(left)), look) for span in some if span[0] < span[1]]
        if not left or stop(0):
            return found


@compiled
def _ways(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    worth: NDArray[np.float64],
    centres: NDArray[np.complex128],
) -> _Ways:
    count, pieces = len(first), len(centres)
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
    across = np.empty(2 * count)
    for j in range(count):
        at = filled[first[j] * pieces + second[j]]
        filled[first[j] * pieces + second[j]] += 1
        entries[at], into[at], moved[at] = j, turns[j], shifts[j]
        across[at] = (into[at] * centres[second[j]] + moved[at]).real
        at = filled[second[j] * pieces + first[j]]
        filled[second[j] * pieces + first[j]] += 1
        back = turns[j].conjugate()
        entries[at], into[at], moved[at] = j, back, -back * shifts[j]
        across[at] = (into[at] * centres[first[j]] + moved[at]).real
    best = np.empty(2 * count, dtype=np.int64)
    for k in range(pieces * pieces):
        low, high = starts[k], starts[k + 1]
        if low == high:
            continue
        order = low + np.argsort(across[low:high])
        entries[low:high], into[low:high] = entries[order], into[order]
        moved[low:high], across[low:high] = moved[order], across[order]
        best[low:high] = low + np.argsort(-worth[entries[low:high]])
    return _Ways(starts, entries, into, moved, across, best)


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
) -> int:
    """Find the loops of joints from ``low`` to ``high``, or as far as many looks go; the next joint."""
    pieces, starts = len(centres), ways.starts
    looks = 0
    for j in range(low, high):
        if looks > LOOKS_AT_ONCE:
            return j
        a, b = first[j], second[j]
        here = turns[j] * centres[b] + shifts[j]
        for c in range(pieces):
            looks += 1
            if c in (a, b):
                continue
            begin, end = int(starts[c * pieces + b]), int(starts[c * pieces + b + 1])
            if begin == end:
                continue
            most = worth[ways.entries[ways.best[begin]]]
            for place in range(starts[a * pieces + c], starts[a * pieces + c + 1]):
                x = ways.best[place]
                if min(most, worth[ways.entries[x]]) <= found[j]:
                    break
                # Where b's centre should lie in the third piece's frame.
                aim = ways.turns[x].conjugate() * (here - ways.shifts[x])
                reach = near + SLACK * (near + abs(aim))
                y = _first_from(ways.across, begin, end, aim.real - reach)
                looks += 8
                while y < end and ways.across[y] <= aim.real + reach:
                    looks += 1
                    least = min(worth[ways.entries[x]], worth[ways.entries[y]])
                    if least > found[j]:
                        turn = ways.turns[x] * ways.turns[y]
                        if abs(turn - turns[j]) <= turned:
                            there = turn * centres[b] + ways.turns[x] * ways.shifts[y] + ways.shifts[x]
                            if abs(there - here) < near:
                                found[j] = least
                    y += 1
    return high


@compiled
def _first_from(values: NDArray[np.float64], low: int, high: int, least: float) -> int:
    """The first place from ``low`` on whose value, of sorted ones, is at least so much; else ``high``."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low
