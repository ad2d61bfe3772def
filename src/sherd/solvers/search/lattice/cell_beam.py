"""A beam on cells: assemblies side by side, those kept whose pieces share the most corners.

Each assembly goes on in the corner of a bay that the fewest pieces fit. One with a corner that none fits has
no place in the beam: it would keep out others that can still be filled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants import (
    BEAM_STRIDE,
    CELL_CHILDREN,
    LATE_BEAM,
    LATE_PIECES,
    MOST_BAYS,
    MOST_IN_A_BAY,
)
from sherd.solvers.search.lattice.bays import contact, corners_between, lay, list_in, tightest
from sherd.solvers.search.lattice.bits import Words
from sherd.solvers.search.lattice.filling import EXHAUSTED, FILLED, PAUSED
from sherd.solvers.search.lattice.grid_cells import Cells

Counts = NDArray[np.uint8]

# The columns of a child.
PARENT, WAY, X, Y, KEY = range(5)
# An odd number that spreads bits when it is multiplied with, and how far they are folded back.
SPREAD, FOLD = 0x2545F4914F6CDD1D, 29


@compiled
def expand(
    cells: Cells,
    worth: Floats,
    flush: float,
    boards: Words,
    left: Counts,
    bays: Ints,
    scores: Floats,
    begin: int,
    end: int,
    children: Ints,
    child_scores: Floats,
    count: int,
) -> int:
    """Write down the ways on from some assemblies of a beam, from ``count`` on; how many are there.

    ``worth`` is what a piece of each kind counts for, ``flush`` an outline that is all on the border.
    """
    found = np.zeros((MOST_IN_A_BAY, 3), np.int64)
    after = np.empty_like(cells.closed)
    for number in range(begin, end):
        board = boards[number]
        for k in range(list_in(cells, board, left[number], bays[number], MOST_IN_A_BAY, found)):
            if count >= len(children):
                return count
            way, x, y = found[k, 0], found[k, 1], found[k, 2]
            kind: Any = cells.kind[way]
            after[:] = board
            lay(cells, after, way, x, y)
            high = y + cells.extent[way, 1]
            lost = corners_between(cells, board, y, high) - corners_between(cells, after, y, high)
            child_scores[count] = scores[number] + worth[kind] + lost
            if flush:
                touching = contact(cells, board, way, x, y)
                child_scores[count] += flush * touching / cells.around[way]
            children[count, PARENT], children[count, WAY] = number, way
            children[count, X], children[count, Y] = x, y
            children[count, KEY] = _key_of(cells, after, left[number], kind)
            count += 1
    return count


@compiled
def _key_of(cells: Cells, board: Words, left: Counts, used: int) -> int:
    """A hash of what is open and of the pieces that are left when one more is used."""
    key: Any = 0
    for k in range(cells.lines[0] * cells.row[0]):
        key = (key ^ np.int64(board[k])) * SPREAD
        key ^= key >> FOLD
    for kind in range(len(left)):
        key += left[kind] * cells.kind_key[kind]
    return key - cells.kind_key[used]


@compiled
def keep_live(
    cells: Cells,
    boards: Words,
    left: Counts,
    children: Ints,
    new_boards: Words,
    new_left: Counts,
    new_bays: Ints,
    kept: Ints,
    count: int,
) -> int:
    """Lay the pieces of some children and keep those that have a way on, from ``count`` on; how many are."""
    found = np.zeros((MOST_IN_A_BAY, 3), np.int64)
    bays = np.zeros((MOST_BAYS, 4), np.int64)
    for k in range(len(children)):
        if count == len(kept):
            break
        parent, way = children[k, PARENT], children[k, WAY]
        new_boards[count] = boards[parent]
        new_left[count] = left[parent]
        new_left[count, cells.kind[way]] -= 1
        lay(cells, new_boards[count], way, children[k, X], children[k, Y])
        is_full = not new_left[count].any()
        if is_full or tightest(cells, new_boards[count], new_left[count], bays, found, new_bays[count]):
            kept[count] = k
            count += 1
    return count


@dataclass
class _Step:
    """The next step of a beam: the children that may be in it, the best first, and those that are."""

    children: Ints
    scores: Floats
    boards: Words
    left: Counts
    bays: Ints
    kept: Ints
    looked_at: int = 0
    count: int = 0


class CellBeam:
    """One walk of a beam from the empty target on, which can be gone on with.

    ``placed`` is the most area that the best assembly of a step had: way, x and y of each piece, (n, 3).
    """

    def __init__(self, cells: Cells, *, width: int, weights: tuple[float, float, float]) -> None:
        self._cells, self._width = cells, width
        by_area, by_corners, self._flush = weights
        mean = float((cells.area * cells.left).sum() / cells.left.sum())
        self._worth = by_corners * cells.corners + by_area * cells.area / mean
        self._boards = cells.closed[None].copy()
        self._left = cells.left[None].astype(np.uint8)
        self._bays = np.zeros((1, 4), np.int64)
        self._scores = np.zeros(1)
        self._children = np.zeros((LATE_BEAM * width * CELL_CHILDREN, 5), np.int64)
        self._child_scores = np.zeros(len(self._children))
        self._steps: list[Ints] = []
        self._total = int(cells.left.sum())
        self._expanded: int = 0
        self._count: int = 0
        self._next: _Step | None = None
        self._most: int = 0
        self.placed: Ints = np.zeros((0, 3), np.int64)
        self.tried: int = 0
        bays, found = np.zeros((MOST_BAYS, 4), np.int64), np.zeros((MOST_IN_A_BAY, 3), np.int64)
        if not tightest(cells, self._boards[0], self._left[0], bays, found, self._bays[0]):
            self._boards = self._boards[:0]

    @property
    def score(self) -> float:
        """Of the best assembly at hand."""
        return float(self._scores[0])

    def go_on(self) -> int:
        """Look at some assemblies: `FILLED`, `EXHAUSTED` where none has a way on, or `PAUSED`."""
        return self._expand() if self._next is None else self._keep(self._next)

    def _expand(self) -> int:
        end = min(self._expanded + BEAM_STRIDE, len(self._boards))
        count = expand(
            self._cells,
            self._worth,
            self._flush,
            self._boards,
            self._left,
            self._bays,
            self._scores,
            self._expanded,
            end,
            self._children,
            self._child_scores,
            self._count,
        )
        self.tried += count - self._count
        self._expanded, self._count = end, count
        if end < len(self._boards):
            return PAUSED
        if count == 0:
            return EXHAUSTED
        self._next = self._ranked(count)
        return PAUSED

    def _ranked(self, count: int) -> _Step:
        """The children, the best first, each assembly once."""
        order = np.argsort(-self._child_scores[:count], kind="stable")
        _, first = np.unique(self._children[order, KEY], return_index=True)
        order = order[np.sort(first)]
        is_late = self._total - len(self._steps) <= LATE_PIECES
        width = min(LATE_BEAM * self._width if is_late else self._width, len(order))
        return _Step(
            children=self._children[order],
            scores=self._child_scores[order],
            boards=np.empty((width, self._boards.shape[1]), np.uint64),
            left=np.empty((width, self._left.shape[1]), np.uint8),
            bays=np.zeros((width, 4), np.int64),
            kept=np.zeros(width, np.int64),
        )

    def _keep(self, step: _Step) -> int:
        begin, before = step.looked_at, step.count
        some = step.children[begin : begin + BEAM_STRIDE]
        step.count = keep_live(
            self._cells,
            self._boards,
            self._left,
            some,
            step.boards,
            step.left,
            step.bays,
            step.kept,
            step.count,
        )
        step.kept[before : step.count] += begin
        step.looked_at = begin + len(some)
        if step.count < len(step.kept) and step.looked_at < len(step.children):
            return PAUSED
        if step.count == 0:
            return EXHAUSTED
        self._step_on(step)
        return FILLED if len(self._steps) == self._total else PAUSED

    def _step_on(self, step: _Step) -> None:
        kept = step.kept[: step.count]
        self._boards, self._left, self._bays = (
            step.boards[: step.count],
            step.left[: step.count],
            step.bays[: step.count],
        )
        self._scores = step.scores[kept]
        self._steps.append(step.children[kept, :KEY])
        self._next, self._expanded, self._count = None, 0, 0
        area = int(((self._cells.left - self._left[0]) * self._cells.area).sum())
        if area > self._most:
            self._most, self.placed = area, self._way_to(0)

    def _way_to(self, number: int) -> Ints:
        """How the pieces of an assembly were laid."""
        placed: list[tuple[int, int, int]] = []
        for step in reversed(self._steps):
            parent, way, x, y = step[number].tolist()
            placed.append((way, x - 1, y - 1))
            number = parent
        return np.array(placed[::-1])
