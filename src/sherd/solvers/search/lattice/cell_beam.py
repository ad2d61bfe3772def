"""A beam on cells: assemblies side by side, those kept whose pieces share the most corners (compiled).

A bay is an edge of the region with a corner at each end. Some piece lies in each of its corners, and the
narrower it is, the fewer can. So each assembly goes on in the corner of a bay that the fewest pieces fit, and
ends if there is one that none fits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants import BEAM_STRIDE, CELL_CHILDREN, MOST_BAYS, MOST_IN_A_BAY
from sherd.solvers.search.lattice.filling import EXHAUSTED, FILLED, PAUSED
from sherd.solvers.search.lattice.grid_cells import CORNERS_ABOUT, Bytes, Cells

# The columns of a child.
PARENT, WAY, BASE, KEY = range(4)


@compiled
def expand(
    cells: Cells,
    worth: Floats,
    flush: float,
    boards: Bytes,
    left: Bytes,
    scores: Floats,
    keys: Ints,
    begin: int,
    end: int,
    children: Ints,
    child_scores: Floats,
    count: int,
) -> int:
    """Write down the ways on from some assemblies of a beam, from ``count`` on; how many are there.

    ``worth`` is what a piece of each kind counts for, ``flush`` an outline that is all on the border.
    """
    found = np.zeros((2, MOST_IN_A_BAY, 2), np.int64)
    bays = np.zeros((MOST_BAYS, 3), np.int64)
    for number in range(begin, end):
        many, held = _tightest(cells, boards[number], left[number], bays, found)
        for k in range(many):
            if count >= len(children):
                break
            way, base = found[held, k]
            kind = cells.kind[way]
            children[count, PARENT], children[count, WAY], children[count, BASE] = number, way, base
            children[count, KEY] = _key_after(cells, keys[number], way, base)
            child_scores[count] = (
                scores[number] + worth[kind] + _gained(cells, flush, boards[number], way, base)
            )
            count += 1
    return count


@compiled
def _tightest(cells: Cells, board: Bytes, left: Bytes, bays: Ints, found: Ints) -> tuple[int, int]:
    """What fits the corner of a bay that the fewest pieces fit: how many, and in which half of ``found``."""
    fewest, held = MOST_IN_A_BAY + 1, 0
    # Few pieces fit a narrow bay, and of a wider one no more have to be listed than fit the best so far.
    for k in range(_find_bays(cells.row, board, bays)):
        corner, cell, size = bays[k]
        most = min(MOST_IN_A_BAY, fewest)
        many = _list(cells, board, left, corner, cell, size, most, found[1 - held])
        if many == 0:
            return 0, 0
        if many < fewest:
            fewest, held = many, 1 - held
    return (0 if fewest > MOST_IN_A_BAY else fewest), held


@compiled
def _find_bays(row: int, board: Bytes, bays: Ints) -> int:
    """Write down the corners of bays, the narrowest first: corner and direction, cell, size; how many."""
    height, count = len(board) // row, 0
    for upright in range(2):
        step, across = (row, 1) if upright else (1, row)
        lines, length = (row, height) if upright else (height, row)
        for line in range(1, lines - 1):
            at = line * across
            k = 1
            while k < length:
                start = at + k * step
                if board[start]:
                    k += 1
                    continue
                # A run of open cells; it is a bay to a side on which all its neighbours are closed.
                lower, upper, size = True, True, 0
                while not board[start + size * step]:
                    lower = lower and board[start + size * step - across] != 0
                    upper = upper and board[start + size * step + across] != 0
                    size += 1
                k += size
                for side in range(2):
                    if not (upper if side else lower):
                        continue
                    for far in range(2):
                        if count == len(bays):
                            return count
                        here = count
                        while here > 0 and bays[here - 1, 2] > size:
                            bays[here] = bays[here - 1]
                            here -= 1
                        corner = (2 * far + side) if upright else (2 * side + far)
                        bays[here, 0] = 2 * corner + upright
                        bays[here, 1] = start + far * (size - 1) * step
                        bays[here, 2] = size
                        count += 1
    return count


@compiled
def _list(
    cells: Cells, board: Bytes, left: Bytes, corner: int, cell: int, size: int, most: int, found: Ints
) -> int:
    """What fits a corner of a bay of this size; how many, ``most`` if there are as many or more."""
    count = 0
    for k in range(cells.first_in[corner], cells.first_in[corner + 1]):
        way, offset, length = cells.in_corner[k]
        if length > size:
            break
        if left[cells.kind[way]] == 0:
            continue
        base = cell - offset
        if base < 0 or not _fits(cells, board, way, base):
            continue
        found[count, 0], found[count, 1] = way, base
        count += 1
        if count == most:
            break
    return count


@compiled
def _fits(cells: Cells, board: Bytes, way: int, base: int) -> bool:
    for k in range(cells.first_cell[way], cells.first_cell[way + 1]):
        at = base + cells.cell[k]
        if at >= len(board) or board[at]:
            return False
    return True


@compiled
def _gained(cells: Cells, flush: float, board: Bytes, way: int, base: int) -> float:
    """How many corners the region loses, less those that are new, and what being flush is worth."""
    first, last = cells.first_point[way], cells.first_point[way + 1]
    lost, on_border = 0, 0
    for k in range(first, last):
        at = base + cells.point[k, 0]
        about = board[at - cells.row - 1] + 2 * board[at - cells.row] + 4 * board[at - 1] + 8 * board[at]
        lost += CORNERS_ABOUT[about] - CORNERS_ABOUT[about | cells.point[k, 1]]
        on_border += about != 0
    return lost + flush * on_border / (last - first)


@compiled
def _key_after(cells: Cells, key: int, way: int, base: int) -> int:
    after: Any = key
    for k in range(cells.first_cell[way], cells.first_cell[way + 1]):
        after ^= cells.key[base + cells.cell[k]]
    return after + cells.kind_key[cells.kind[way]]


@compiled
def descend(
    cells: Cells, boards: Bytes, left: Bytes, children: Ints, new_boards: Bytes, new_left: Bytes
) -> None:
    """Lay the pieces of some children."""
    for k in range(len(children)):
        parent, way, base = children[k, PARENT], children[k, WAY], children[k, BASE]
        new_boards[k] = boards[parent]
        new_left[k] = left[parent]
        new_left[k, cells.kind[way]] -= 1
        for c in range(cells.first_cell[way], cells.first_cell[way + 1]):
            new_boards[k, base + cells.cell[c]] = 1


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
        self._scores = np.zeros(1)
        self._keys = np.zeros(1, np.int64)
        self._children = np.zeros((width * CELL_CHILDREN, 4), np.int64)
        self._child_scores = np.zeros(len(self._children))
        self._steps: list[Ints] = []
        self._total = int(cells.left.sum())
        self._expanded: int = 0
        self._count: int = 0
        self._most: int = 0
        self.placed: Ints = np.zeros((0, 3), np.int64)
        self.tried: int = 0

    @property
    def score(self) -> float:
        """Of the best assembly at hand."""
        return float(self._scores[0])

    def go_on(self) -> int:
        """Expand some assemblies: `FILLED`, `EXHAUSTED` where none has a way on, or `PAUSED`."""
        end = min(self._expanded + BEAM_STRIDE, len(self._boards))
        count = expand(
            self._cells,
            self._worth,
            self._flush,
            self._boards,
            self._left,
            self._scores,
            self._keys,
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
        self._step_on(count)
        return FILLED if len(self._steps) == self._total else PAUSED

    def _step_on(self, count: int) -> None:
        """Keep the best of the children, each assembly once."""
        order = np.argsort(-self._child_scores[:count], kind="stable")
        _, first = np.unique(self._children[order, KEY], return_index=True)
        kept = order[np.sort(first)[: self._width]]
        chosen = self._children[kept]
        boards = np.empty((len(kept), self._boards.shape[1]), np.uint8)
        left = np.empty((len(kept), self._left.shape[1]), np.uint8)
        descend(self._cells, self._boards, self._left, chosen, boards, left)
        self._boards, self._left = boards, left
        self._scores, self._keys = self._child_scores[kept], chosen[:, KEY].copy()
        self._steps.append(chosen[:, :KEY].copy())
        self._expanded, self._count = 0, 0
        area = int(((self._cells.left - left[0]) * self._cells.area).sum())
        if area > self._most:
            self._most, self.placed = area, self._way_to(0)

    def _way_to(self, number: int) -> Ints:
        """How the pieces of an assembly were laid."""
        placed: list[tuple[int, int, int]] = []
        for step in reversed(self._steps):
            parent, way, base = step[number].tolist()
            y, x = divmod(base, self._cells.row)
            placed.append((way, x - 1, y - 1))
            number = parent
        return np.array(placed[::-1])
