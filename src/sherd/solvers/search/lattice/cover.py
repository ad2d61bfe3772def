"""Polyominoes in a small box: every cell covered once, cells and pieces as bits of one word (compiled).

The cell that the fewest pieces can cover would be best to fill first, but to find it takes longer than the
dead ends that it spares: the first open cell is filled, in an order along the shorter side, and the cells of
a part that is cut off are counted.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sherd.core.arrays import Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants.on_grid import MOST_CELLS
from sherd.solvers.search.lattice.bits import Words, count_bits, lowest
from sherd.solvers.search.lattice.filling import EXHAUSTED, FILLED, PAUSED
from sherd.solvers.search.lattice.grid import GridPuzzle, Ring
from sherd.solvers.search.lattice.grid_cells import Cell, cells_of


class Cover(NamedTuple):
    """Placements by their first cell, and the way so far."""

    first: Ints  # (cells + 1,) by cell
    cells: Words  # (P,) the cells that a placement covers
    kind: Ints  # (P,) of the piece
    way: Ints  # (P, 3) which ring, x and y
    left: Ints  # (kinds,) pieces of each kind that are left
    open: Words  # (N + 1,) by level
    next: Ints  # (N + 1,) the next placement to try, by level, -1 where none was
    placed: Ints  # (N,) placements
    tally: Ints  # (2,) level, placements tried
    spread: Words  # (3,) masks that keep a step to either side within the box, and its width
    best: Ints  # (N,) the most pieces placed so far
    most: Ints  # (1,) how many they are
    size: int  # the cells of every piece are a multiple of this


def make_cover(puzzle: GridPuzzle, rings: list[Ring], kinds: Ints, left: Ints) -> Cover | None:
    """All placements of polyominoes on a board of at most `MOST_CELLS` cells; None if it is larger."""
    width, height = puzzle.width, puzzle.height
    # The columns between parts are left out: what lies in a part can never reach into the next.
    gaps = [part.column - 1 for part in puzzle.parts[1:]]
    columns = [x - sum(gap < x for gap in gaps) for x in range(width)]
    many = width - len(gaps)
    if many * height > MOST_CELLS or not puzzle.is_rectilinear:
        return None
    across = many <= height  # cells are numbered along the shorter side
    short, long = min(many, height), max(many, height)

    def mask(cells: set[Cell], dx: int, dy: int) -> int:
        places = ((columns[x + dx], y + dy) for x, y in cells)
        return sum(1 << (y * short + x if across else x * short + y) for x, y in places)

    target = cells_of(puzzle.target)
    everything = mask(target, 0, 0)
    found: list[list[tuple[int, int, int, int, int]]] = [[] for _ in range(short * long)]
    for number, ring in enumerate(rings):
        wide, high = max(x for x, _ in ring), max(y for _, y in ring)
        cells = cells_of([ring])
        for x in range(width - wide + 1):
            for y in range(height - high + 1):
                if all((a + x, b + y) in target for a, b in cells):
                    own = mask(cells, x, y)
                    found[(own & -own).bit_length() - 1].append((own, int(kinds[number]), number, x, y))
    flat = [one for own in found for one in own]
    total = int(left.sum())
    edge = sum(1 << (k * short) for k in range(long))
    return Cover(
        first=np.concatenate([[0], np.cumsum([len(own) for own in found])]),
        cells=np.array([one[0] for one in flat], np.uint64),
        kind=np.array([one[1] for one in flat]),
        way=np.array([one[2:] for one in flat]).reshape(-1, 3),
        left=left.copy(),
        open=np.array([everything] + total * [0], np.uint64),
        next=np.full(total + 1, -1),
        placed=np.zeros(total, np.int64),
        tally=np.zeros(2, np.int64),
        spread=np.array([~edge & (1 << 64) - 1, ~(edge << (short - 1)) & (1 << 64) - 1, short], np.uint64),
        best=np.zeros(total, np.int64),
        most=np.zeros(1, np.int64),
        size=math.gcd(*(int(own).bit_count() for own, *_ in flat)) if flat else 1,
    )


@compiled
def cover(board: Cover, budget: int) -> int:
    """Go on for at most ``budget`` placements."""
    total = len(board.placed)
    while budget > 0:
        level = board.tally[0]
        if level < 0:
            return EXHAUSTED
        here: Any = board.open[level]
        if level == total or here == 0:
            _step_back(board)
            continue
        cell = lowest(here)
        at = board.next[level]
        if at < 0:
            at = board.first[cell]
            if board.size > 1 and not _parts_are_whole(here, board.spread, board.size):
                at = board.first[cell + 1]
        last = board.first[cell + 1]
        while at < last and (board.left[board.kind[at]] == 0 or board.cells[at] & ~here):
            at += 1
        board.next[level] = at + 1
        if at >= last:
            _step_back(board)
            continue
        budget -= 1
        board.tally[1] += 1
        board.left[board.kind[at]] -= 1
        board.placed[level] = at
        board.open[level + 1] = here & ~board.cells[at]
        board.next[level + 1] = -1
        board.tally[0] = level + 1
        if level >= board.most[0]:
            board.most[0] = level + 1
            board.best[: level + 1] = board.placed[: level + 1]
        if level + 1 == total:
            return FILLED
    return PAUSED


@compiled
def _step_back(board: Cover) -> None:
    board.tally[0] -= 1
    level = board.tally[0]
    if level >= 0:
        board.left[board.kind[board.placed[level]]] += 1


@compiled
def _parts_are_whole(here: Any, spread: Words, size: int) -> bool:
    """Whether every part of what is open has a number of cells that pieces of this number add up to."""
    width = spread[2]
    rest = here
    while rest:
        part = rest & (~rest + np.uint64(1))
        before = np.uint64(0)
        while part != before:
            before = part
            part |= (part << np.uint64(1)) & spread[0]
            part |= (part >> np.uint64(1)) & spread[1]
            part |= (part << width) | (part >> width)
            part &= here
        rest &= ~part
        if count_bits(part) % size != 0:
            return False
    return True
