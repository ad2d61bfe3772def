"""A beam on the grid: many assemblies side by side, those kept that leave the simplest region (compiled)."""

from __future__ import annotations

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants import BEAM_STRIDE, CHILDREN_A_STATE
from sherd.solvers.search.lattice.choosing import COUNT, FIRST, choose
from sherd.solvers.search.lattice.filling import EXHAUSTED, FILLED, PAUSED
from sherd.solvers.search.lattice.grid_board import Board, Region, Shapes, Way
from sherd.solvers.search.lattice.laying import NO_CORNERS, lay, lift, state_of
from sherd.solvers.search.lattice.tracing import trace

# The columns of a child.
PARENT, WAY, X, Y, STATE = range(5)


@compiled
def expand(
    shapes: Shapes,
    region: Region,
    board: Board,
    way: Way,
    states: Ints,
    depth: int,
    begin: int,
    end: int,
    children: Ints,
    scores: Floats,
    count: int,
) -> int:
    """Write down the ways on from some states (W, N, 3) of a beam, from ``count`` on; how many are there.

    The score of a child is how many corners it leaves, less the share of its outline that is flush.
    """
    for number in range(begin, end):
        for k in range(depth):
            lay(shapes, region, board, states[number, k, 0], states[number, k, 1], states[number, k, 2])
        # All is listed afresh, as if the region were the target.
        if trace(shapes, region, board, way, 0) >= 0:
            slot = choose(shapes, region, board, way, 0)
            if slot >= 0:
                corners = way.first_border[1] - way.first_border[0]
                for at in range(way.slot[slot, FIRST], way.slot[slot, FIRST] + way.slot[slot, COUNT]):
                    if count >= len(children):
                        break
                    which, x, y = way.candidate[at]
                    lay(shapes, region, board, which, x, y)
                    children[count, PARENT], children[count, WAY] = number, which
                    children[count, X], children[count, Y] = x, y
                    children[count, STATE] = state_of(region)
                    lift(shapes, region, board, which, x, y)
                    scores[count] = NO_CORNERS + corners - way.rank[at]
                    count += 1
        for k in range(depth - 1, -1, -1):
            lift(shapes, region, board, states[number, k, 0], states[number, k, 1], states[number, k, 2])
    return count


class Beam:
    """One walk of a beam from the empty target on, which can be gone on with.

    ``placed`` is the most area that the best state of a step had: way, x and y of each piece, (n, 3).
    """

    def __init__(self, shapes: Shapes, region: Region, board: Board, way: Way, *, width: int) -> None:
        self._parts = shapes, region, board, way
        self._width = width
        total = len(way.placed)
        self._states = np.zeros((1, total, 3), np.int64)
        self._children = np.zeros((width * CHILDREN_A_STATE, 5), np.int64)
        self._scores = np.zeros(len(self._children))
        self._depth: int = 0
        self._expanded: int = 0
        self._count: int = 0
        self.placed: Ints = self._states[0, :0]
        self.tried: int = 0

    def go_on(self) -> int:
        """Expand some states: `FILLED`, `EXHAUSTED` where no state has a way on, or `PAUSED`."""
        total = self._states.shape[1]
        end = min(self._expanded + BEAM_STRIDE, len(self._states))
        count = expand(
            *self._parts,
            self._states,
            self._depth,
            self._expanded,
            end,
            self._children,
            self._scores,
            self._count,
        )
        self.tried += count - self._count
        self._expanded, self._count = end, count
        if end < len(self._states):
            return PAUSED
        if count == 0:
            return EXHAUSTED
        order = np.argsort(self._scores[:count], kind="stable")
        _, first = np.unique(self._children[order, STATE], return_index=True)
        kept = order[np.sort(first)[: self._width]]
        states = self._states[self._children[kept, PARENT]]
        states[:, self._depth] = self._children[kept, WAY : Y + 1]
        self._states, self._depth = states, self._depth + 1
        if self._area(states[0, : self._depth]) > self._area(self.placed):
            self.placed = states[0, : self._depth].copy()
        self._expanded, self._count = 0, 0
        return FILLED if self._depth == total else PAUSED

    def _area(self, placed: Ints) -> int:
        shapes = self._parts[0]
        return int(shapes.area[shapes.kind[placed[:, 0]]].sum())
