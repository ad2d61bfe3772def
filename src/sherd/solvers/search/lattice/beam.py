"""A beam on the grid: many assemblies side by side, those kept that leave the simplest region (compiled)."""

from __future__ import annotations

from typing import Any

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants.on_grid import BEAM_STRIDE, CHILDREN_A_STATE
from sherd.solvers.search.lattice.choosing import DEAD, choose_afresh
from sherd.solvers.search.lattice.filling import EXHAUSTED, FILLED, PAUSED
from sherd.solvers.search.lattice.grid_board import Board, Region, Shapes, Way
from sherd.solvers.search.lattice.laying import NO_CORNERS, lay, lift, state_of
from sherd.solvers.search.lattice.tracing import trace

# The columns of a child.
PARENT, WAY, X, Y, STATE = range(5)


@compiled
def expand(
    shapes: Shapes, region: Region, board: Board, way: Way, by_corners: float, states: Ints, most: int
) -> tuple[Ints, Floats, Ints]:
    """The ways on from some states (W, depth, 3) of a beam, (n, 5), their scores, and which states have any.

    The score of a child is how many corners it leaves, less those of the pieces laid, each counted as
    ``by_corners``, and the share of its outline that is flush. No more than ``most`` states with a way on are
    looked for.
    """
    children = np.empty((CHILDREN_A_STATE * len(states), 5), np.int64)
    scores, count = np.empty(len(children)), 0
    live, lively = np.empty(len(states), np.int64), 0
    depth, laid, before = states.shape[1], 0, states[0]
    for number in range(len(states)):
        if lively == most:
            break
        # States next to each other in rank begin alike.
        state, same = states[number], 0
        while same < laid and (state[same] == before[same]).all():
            same += 1
        for k in range(laid - 1, same - 1, -1):
            lift(shapes, region, board, before[k, 0], before[k, 1], before[k, 2])
        for k in range(same, depth):
            lay(shapes, region, board, state[k, 0], state[k, 1], state[k, 2])
        before, laid = state, depth
        # All is listed afresh, as if the region were the target.
        many = DEAD
        if trace(shapes, region, board, way, 0) >= 0:
            many = choose_afresh(shapes, region, board, way)
        if many > 0:
            corners: Any = way.first_border[1]
            for k in range(depth):
                corners -= by_corners * (
                    shapes.first_corner[state[k, 0] + 1] - shapes.first_corner[state[k, 0]]
                )
            if count + many > len(children):
                children = np.concatenate((children, np.empty((len(children) + many, 5), np.int64)))
                scores = np.concatenate((scores, np.empty(len(children) - len(scores))))
            for at in range(many):
                which, x, y = way.candidate[at]
                lay(shapes, region, board, which, x, y)
                children[count, PARENT], children[count, WAY] = lively, which
                children[count, X], children[count, Y] = x, y
                children[count, STATE] = state_of(region)
                lift(shapes, region, board, which, x, y)
                brought = shapes.first_corner[which + 1] - shapes.first_corner[which]
                scores[count] = NO_CORNERS + corners - way.rank[at] - by_corners * brought
                count += 1
            live[lively] = number
            lively += 1
    for k in range(laid - 1, -1, -1):
        lift(shapes, region, board, before[k, 0], before[k, 1], before[k, 2])
    return children[:count], scores[:count], live[:lively]


class Beam:
    """One walk of a beam from the empty target on, which can be gone on with.

    ``placed`` is the most area that the best state of a step had: way, x and y of each piece, (n, 3).
    """

    def __init__(
        self, shapes: Shapes, region: Region, board: Board, way: Way, *, width: int, by_corners: float = 0.0
    ) -> None:
        self._parts = shapes, region, board, way
        self._width, self._by_corners = width, by_corners
        self._total = len(way.placed)
        # States with a way on, and the ways that may be gone, the best first: the state, and what is laid.
        self._states = np.zeros((1, 0, 3), np.int64)
        self._ranked = np.zeros((0, 5), np.int64)
        self._looked_at: int = 0
        self._live: list[Ints] = []
        self._found: list[tuple[Ints, Floats]] = []
        self._count: int = 0
        self.placed: Ints = self._states[0]
        self.tried: int = 0

    def go_on(self) -> int:
        """Expand some states: `FILLED`, `EXHAUSTED` where no state has a way on, or `PAUSED`.

        States with a slot that nothing fits have no place in the beam: they would keep out others.
        """
        begin = self._looked_at
        states = (
            self._states if not len(self._ranked) else self._laid(self._ranked[begin : begin + BEAM_STRIDE])
        )
        if states.shape[1] == self._total:
            self.placed = states[0]
            return FILLED
        children, scores, live = expand(*self._parts, self._by_corners, states, self._width - self._count)
        self._looked_at = begin + len(states)
        children[:, PARENT] += self._count
        self._count += len(live)
        self._live.append(states[live])
        self._found.append((children, scores))
        self.tried += len(children)
        if self._count < self._width and self._looked_at < len(self._ranked):
            return PAUSED
        if self._count == 0:
            return EXHAUSTED
        self._step_on()
        return PAUSED

    def _laid(self, ways: Ints) -> Ints:
        """The states that come of ways on."""
        laid = ways[:, None, WAY : Y + 1]
        return np.concatenate((self._states[ways[:, PARENT]], laid), axis=1)

    def _step_on(self) -> None:
        """The ways on from the states that have any, the best first, each state once."""
        self._states = np.concatenate(self._live)
        if self._area(self._states[0]) > self._area(self.placed):
            self.placed = self._states[0].copy()
        children = np.concatenate([found for found, _ in self._found])
        order = np.argsort(np.concatenate([scores for _, scores in self._found]), kind="stable")
        _, first = np.unique(children[order, STATE], return_index=True)
        self._ranked = children[order[np.sort(first)]]
        self._live.clear()
        self._found.clear()
        self._looked_at, self._count = 0, 0

    def _area(self, placed: Ints) -> int:
        shapes = self._parts[0]
        return int(shapes.area[shapes.kind[placed[:, 0]]].sum())
