"""Pieces that lie exactly among rough ones: what was never damaged fits where it lies as it was cut.

Each number that agrees to rounding, beyond those that tell where pieces and cuts lie, is a tie: chance gives
none. So an arrangement with more of them is the likelier one, whatever its damaged pieces look like.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sherd.core.arrays import Floats
from sherd.solvers.search.beliefs.cut_lines import CutFit, fit_cuts
from sherd.solvers.search.beliefs.cut_rounds import piece_table
from sherd.solvers.search.beliefs.edge_lines import Lines
from sherd.solvers.search.constants.beliefs import (
    FEWEST_TIES,
    FIRST_NEAR,
    LIES_EXACTLY,
    NEARER,
    NO_SLOPE,
    ROUNDS_OF_WEIGHING,
    SURE_AS_EXACT,
)


class Tied(NamedTuple):
    """A fit in which some pieces lie exactly: its squares and freedom are those of the others."""

    fit: CutFit
    ties: int
    pieces: frozenset[int]


def tied(
    rings: Sequence[Floats],
    lines: Lines,
    target: Floats,
    fit: CutFit,
    weights: Sequence[Floats] | None,
    *,
    turns: bool,
    size: float,
) -> Tied:
    """The fit with as many pieces as can be lying exactly, found by weighing those more that nearly do.

    ``weights`` are those of `fit_cuts`.
    """
    weights = weights or [np.eye(2 * len(ring)) for ring in rings]

    def weighted(begun: CutFit, certain: Floats) -> CutFit | None:
        own = [by * weight for by, weight in zip(certain.tolist(), weights, strict=True)]
        return fit_cuts(rings, lines, target, begun.poses, turns=turns, weights=own)

    near, found = FIRST_NEAR * size, fit
    for _ in range(ROUNDS_OF_WEIGHING):
        off = _off(rings, lines, found, turns=turns)
        certain = 1.0 / (off * off + near * near)
        anew = weighted(found, certain / np.median(certain))
        if anew is None:
            break
        found, near = anew, max(NEARER * near, LIES_EXACTLY * size)
    exact = np.flatnonzero(_off(rings, lines, found, turns=turns) <= LIES_EXACTLY * size).tolist()
    ties = _ties(rings, lines, found, exact, len(target), turns=turns, size=size)
    if ties < FEWEST_TIES:
        return Tied(fit, 0, frozenset())
    certain = np.ones(len(rings))
    certain[exact] = SURE_AS_EXACT
    last = weighted(found, certain)
    if last is None:
        return Tied(fit, 0, frozenset())
    return Tied(last._replace(freedom=max(1, fit.freedom - ties)), ties, frozenset(exact))


def _tables(
    rings: Sequence[Floats], lines: Lines, fit: CutFit, numbers: Sequence[int], each: int
) -> list[Floats]:
    """How far corners of some pieces are off, and how that changes, as `piece_table` writes it."""
    tables: list[Floats] = []
    for number in numbers:
        ring, pose = rings[number], fit.poses[number]
        count = len(ring)
        table, after = np.empty((2 * count, 1 + each + 2 * count)), np.array(lines[number], dtype=np.int64)
        place = np.array([pose.x, pose.y, pose.theta])
        piece_table(np.ascontiguousarray(ring), 0, count, after, place, fit.cuts, each, np.empty(0), 0, table)
        tables.append(table)
    return tables


def _off(rings: Sequence[Floats], lines: Lines, fit: CutFit, *, turns: bool) -> Floats:
    """How far the corners of each piece are off, on average."""
    tables = _tables(rings, lines, fit, range(len(rings)), 3 if turns else 2)
    return np.array([math.sqrt(float((table[:, 0] ** 2).mean())) for table in tables])


def _ties(
    rings: Sequence[Floats],
    lines: Lines,
    fit: CutFit,
    numbers: Sequence[int],
    sides: int,
    *,
    turns: bool,
    size: float,
) -> int:
    """How many numbers of some pieces' corners agree beyond what places and cuts give."""
    if not numbers:
        return 0
    each = 3 if turns else 2
    known = sorted({line for number in numbers for line in lines[number] if line >= sides})
    column = {line: each * len(numbers) + 2 * k for k, line in enumerate(known)}
    rows = sum(2 * len(rings[number]) for number in numbers)
    slopes, row = np.zeros((rows, each * len(numbers) + 2 * len(known))), 0
    for k, table in enumerate(_tables(rings, lines, fit, numbers, each)):
        here = slice(row, row + len(table))
        slopes[here, each * k : each * (k + 1)] = table[:, 1 : 1 + each]
        if turns:
            slopes[here, each * k + 2] /= size
        for edge, line in enumerate(lines[numbers[k]]):
            if line in column:
                slopes[here, column[line]] += table[:, 1 + each + 2 * edge] / size
                slopes[here, column[line] + 1] += table[:, 2 + each + 2 * edge]
        row += len(table)
    values = np.linalg.svd(slopes, compute_uv=False)
    return rows - int((values > NO_SLOPE * values[0]).sum())
