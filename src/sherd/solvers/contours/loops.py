"""Closed loops of joints: a joint that two others bear out, by way of a third piece (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled


@compiled
def support(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    worth: NDArray[np.float64],
    centres: NDArray[np.complex128],
    near: float,
    turned: float,
) -> NDArray[np.float64]:
    """For each joint (J,), the best loop through a third piece: the lesser worth of the loop's two others.

    A loop closes if the way through the third piece ends within ``near`` and ``turned`` of the joint.
    """
    count, pieces = len(first), len(centres)
    # Joints by pair of pieces, in the order of the first's and the second's number.
    starts = np.zeros(pieces * pieces + 1, dtype=np.int64)
    for j in range(count):
        starts[first[j] * pieces + second[j] + 1] += 1
        starts[second[j] * pieces + first[j] + 1] += 1
    for k in range(pieces * pieces):
        starts[k + 1] += starts[k]
    filled = starts[:-1].copy()
    entries = np.empty(2 * count, dtype=np.int64)
    into = np.empty(2 * count, dtype=np.complex128)  # turn of the pair's second in the frame of its first
    moved = np.empty(2 * count, dtype=np.complex128)
    for j in range(count):
        at = filled[first[j] * pieces + second[j]]
        filled[first[j] * pieces + second[j]] += 1
        entries[at], into[at], moved[at] = j, turns[j], shifts[j]
        at = filled[second[j] * pieces + first[j]]
        filled[second[j] * pieces + first[j]] += 1
        back = turns[j].conjugate()
        entries[at], into[at], moved[at] = j, back, -back * shifts[j]
    found = np.zeros(count)
    for j in range(count):
        a, b = first[j], second[j]
        here = turns[j] * centres[b] + shifts[j]
        for c in range(pieces):
            if c in (a, b):
                continue
            for x in range(starts[a * pieces + c], starts[a * pieces + c + 1]):
                if worth[entries[x]] <= found[j]:
                    continue
                for y in range(starts[c * pieces + b], starts[c * pieces + b + 1]):
                    least = min(worth[entries[x]], worth[entries[y]])
                    if least <= found[j]:
                        continue
                    turn = into[x] * into[y]
                    if abs(turn - turns[j]) > turned:
                        continue
                    there = turn * centres[b] + into[x] * moved[y] + moved[x]
                    if abs(there - here) < near:
                        found[j] = least
    return found
