"""A beam on cells: assemblies side by side, those kept whose pieces share the most corners and are longest.

Long pieces find a place in few regions, so those that are left had better be short. Each assembly goes on in
the corner of a bay that the fewest pieces fit. One with a corner that none fits has no place in the beam: it
would keep out others that can still be filled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants.on_grid import (
    CELL_CHILDREN,
    CELL_STRIDE,
    LATE_BEAM,
    LATE_PIECES,
    MOST_BAYS,
    MOST_IN_A_BAY,
)
from sherd.solvers.search.lattice.bays import contact, corners_between, lay, lay_on_lines, list_in, tightest
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
    cells: Cells, worth: Floats, flush: float, boards: Words, left: Counts, bays: Ints, scores: Floats
) -> tuple[Ints, Floats]:
    """The ways on from some assemblies of a beam, (n, 5), and their scores.

    ``worth`` is what a piece of each kind counts for, ``flush`` an outline that is all on the border.
    """
    found = np.zeros((MOST_IN_A_BAY, 3), np.int64)
    # Level lines alone tell corners, and which assembly it is.
    after = np.empty(cells.lines[0] * cells.row[0], np.uint64)
    children = np.empty((CELL_CHILDREN * len(boards) + MOST_IN_A_BAY, 5), np.int64)
    child_scores, count = np.empty(len(children)), 0
    for number in range(len(boards)):
        board = boards[number]
        many = list_in(cells, board, left[number], bays[number], MOST_IN_A_BAY, found)
        if count + many > len(children):
            children = np.concatenate((children, np.empty_like(children)))
            child_scores = np.concatenate((child_scores, np.empty_like(child_scores)))
        for k in range(many):
            way, x, y = found[k, 0], found[k, 1], found[k, 2]
            kind: Any = cells.kind[way]
            after[:] = board[: len(after)]
            lay_on_lines(cells, after, way, x, y, 0)
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
    return children[:count], child_scores[:count]


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
    cells: Cells, lean: Floats, boards: Words, left: Counts, children: Ints
) -> tuple[Words, Counts, Ints, Ints]:
    """Lay the pieces of some children: what comes of those that have a way on, and their numbers."""
    found = np.zeros((MOST_IN_A_BAY, 3), np.int64)
    bays = np.zeros((MOST_BAYS, 4), np.int64)
    new_boards = np.empty((len(children), boards.shape[1]), np.uint64)
    new_left = np.empty((len(children), left.shape[1]), np.uint8)
    new_bays, live = np.zeros((len(children), 4), np.int64), np.empty(len(children), np.int64)
    count = 0
    for k in range(len(children)):
        parent, way = children[k, PARENT], children[k, WAY]
        new_boards[count] = boards[parent]
        new_left[count] = left[parent]
        new_left[count, cells.kind[way]] -= 1
        lay(cells, new_boards[count], way, children[k, X], children[k, Y])
        is_full = not new_left[count].any()
        if is_full or tightest(cells, new_boards[count], new_left[count], lean, bays, found, new_bays[count]):
            live[count] = k
            count += 1
    return new_boards[:count].copy(), new_left[:count], new_bays[:count], live[:count]


@dataclass
class _Step:
    """The next step of a beam: the children that may be in it, the best first, and parts of what is."""

    children: Ints
    scores: Floats
    width: int
    parts: list[tuple[Words, Counts, Ints, Ints]] = field(
        default_factory=list[tuple[Words, Counts, Ints, Ints]]
    )
    looked_at: int = 0
    count: int = 0


class CellBeam:
    """One walk of a beam from the empty target on, which can be gone on with.

    ``weights`` is what it ranks by, in corners: a piece of average size, a corner that a piece brings, an
    outline of average length, and all of an outline flush with the border. By ``lean``, x and y, it goes on
    in corners at one end of the target where others are about as tight. ``placed`` is the most area that the
    best assembly of a step had: way, x and y of each piece, (n, 3).
    """

    def __init__(
        self,
        cells: Cells,
        *,
        width: int,
        weights: tuple[float, float, float, float],
        lean: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self._cells, self._width, self._lean = cells, width, np.array(lean)
        by_area, by_corners, by_length, self._flush = weights
        length = np.zeros(len(cells.left))
        length[cells.kind] = cells.around
        self._worth = (
            by_corners * cells.corners
            + by_area * cells.area / np.average(cells.area, weights=cells.left)
            + by_length * length / np.average(length, weights=cells.left)
        )
        self._boards = cells.closed[None].copy()
        self._left = cells.left[None].astype(np.uint8)
        self._bays = np.zeros((1, 4), np.int64)
        self._scores = np.zeros(1)
        self._found: list[tuple[Ints, Floats]] = []
        self._steps: list[Ints] = []
        self._total = int(cells.left.sum())
        self._expanded: int = 0
        self._next: _Step | None = None
        self._most: int = 0
        self.placed: Ints = np.zeros((0, 3), np.int64)
        self.tried: int = 0
        bays, found = np.zeros((MOST_BAYS, 4), np.int64), np.zeros((MOST_IN_A_BAY, 3), np.int64)
        if not tightest(cells, self._boards[0], self._left[0], self._lean, bays, found, self._bays[0]):
            self._boards = self._boards[:0]

    @property
    def score(self) -> float:
        """Of the best assembly at hand."""
        return float(self._scores[0])

    def go_on(self) -> int:
        """Look at some assemblies: `FILLED`, `EXHAUSTED` where none has a way on, or `PAUSED`."""
        return self._expand() if self._next is None else self._keep(self._next)

    def _expand(self) -> int:
        part = slice(self._expanded, self._expanded + CELL_STRIDE)
        children, scores = expand(
            self._cells,
            self._worth,
            self._flush,
            self._boards[part],
            self._left[part],
            self._bays[part],
            self._scores[part],
        )
        children[:, PARENT] += part.start
        self._found.append((children, scores))
        self._expanded = part.stop
        self.tried += len(children)
        if self._expanded < len(self._boards):
            return PAUSED
        children = np.concatenate([found for found, _ in self._found])
        scores = np.concatenate([found for _, found in self._found])
        self._found.clear()
        if not len(children):
            return EXHAUSTED
        self._next = self._ranked(children, scores)
        return PAUSED

    def _ranked(self, children: Ints, scores: Floats) -> _Step:
        """The children, the best first, each assembly once."""
        order = np.argsort(-scores, kind="stable")
        _, first = np.unique(children[order, KEY], return_index=True)
        order = order[np.sort(first)]
        is_late = self._total - len(self._steps) <= LATE_PIECES
        width = LATE_BEAM * self._width if is_late else self._width
        return _Step(children[order], scores[order], width)

    def _keep(self, step: _Step) -> int:
        some = slice(step.looked_at, step.looked_at + CELL_STRIDE)
        boards, left, bays, live = keep_live(
            self._cells, self._lean, self._boards, self._left, step.children[some]
        )
        step.parts.append((boards, left, bays, live + some.start))
        step.count += len(live)
        step.looked_at = some.stop
        if step.count < step.width and step.looked_at < len(step.children):
            return PAUSED
        if step.count == 0:
            return EXHAUSTED
        self._step_on(step)
        return FILLED if len(self._steps) == self._total else PAUSED

    def _step_on(self, step: _Step) -> None:
        self._boards, self._left, self._bays, live = (
            np.concatenate(own)[: step.width] for own in zip(*step.parts, strict=True)
        )
        self._scores = step.scores[live]
        self._steps.append(step.children[live, :KEY])
        self._next, self._expanded = None, 0
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
