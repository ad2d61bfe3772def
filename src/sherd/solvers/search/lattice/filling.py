"""Filling a region on a grid, piece by piece, and taking back what leads nowhere (compiled)."""

from __future__ import annotations

from sherd.core.arrays import Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.lattice.choosing import COUNT, FIRST, choose
from sherd.solvers.search.lattice.grid_board import Board, Region, Shapes, Way
from sherd.solvers.search.lattice.laying import lay, lift, state_of
from sherd.solvers.search.lattice.tracing import trace

# How `fill` ends: out of budget, with all pieces placed, or with nothing left to try.
PAUSED, FILLED, EXHAUSTED = 0, 1, 2
# The columns of the tally, and a level whose slots are not listed yet.
LEVEL, BEST, BEST_AREA, TRIED, AREA, ROOM = range(6)
UNLISTED = -1


@compiled
def fill(shapes: Shapes, region: Region, board: Board, way: Way, budget: int) -> int:
    """Go on for at most ``budget`` placements."""
    total = len(way.placed)
    while budget > 0:
        level: int = way.tally[LEVEL]
        if level < 0:
            return EXHAUSTED
        if level == total:  # an assembly that was told before
            _step_back(shapes, region, board, way)
            continue
        if way.chosen[level] == UNLISTED:
            way.fruitful[level] = False
            way.next[level] = 0
            way.chosen[level] = choose(shapes, region, board, way, level)
            if way.chosen[level] >= 0:
                _sort(way, level)
        slot = way.chosen[level]
        if slot < 0 or way.next[level] >= way.slot[slot, COUNT]:
            if not way.fruitful[level] and way.tally[ROOM] == 0:
                state: int = way.hashes[level]
                _remember(way.dead, state)
            _step_back(shapes, region, board, way)
            continue
        at = way.order[level, way.next[level]]
        way.next[level] += 1
        budget -= 1
        way.tally[TRIED] += 1
        which, x, y = way.candidate[at]
        lay(shapes, region, board, which, x, y)
        way.placed[level, 0], way.placed[level, 1], way.placed[level, 2] = which, x, y
        state = state_of(region)
        if _is_known(way.dead, state):
            lift(shapes, region, board, which, x, y)
            continue
        if trace(shapes, region, board, way, level + 1) < 0:
            lift(shapes, region, board, which, x, y)
            continue
        _step_on(shapes, way, level, which, state)
        if level + 1 == total:
            for above in range(total + 1):
                way.fruitful[above] = True
            return FILLED
    return PAUSED


@compiled
def _step_on(shapes: Shapes, way: Way, level: int, which: int, state: int) -> None:
    """Go one level up; the most area so far is kept."""
    way.tally[LEVEL] = level + 1
    way.chosen[level + 1] = UNLISTED
    way.hashes[level + 1] = state
    way.tally[AREA] += shapes.area[shapes.kind[which]]
    if way.tally[AREA] > way.tally[BEST_AREA]:
        way.tally[BEST_AREA], way.tally[BEST] = way.tally[AREA], level + 1
        for k in range(level + 1):
            for column in range(3):
                way.best[k, column] = way.placed[k, column]


@compiled
def _step_back(shapes: Shapes, region: Region, board: Board, way: Way) -> None:
    """Take the last piece back."""
    way.tally[LEVEL] -= 1
    level = way.tally[LEVEL]
    if level >= 0:
        which, x, y = way.placed[level]
        lift(shapes, region, board, which, x, y)
        way.tally[AREA] -= shapes.area[shapes.kind[which]]


@compiled
def _sort(way: Way, level: int) -> None:
    """Put the candidates of the chosen slot in order, what fits best first."""
    slot = way.chosen[level]
    first, count = way.slot[slot, FIRST], way.slot[slot, COUNT]
    for k in range(count):
        here = k
        while here > 0 and way.rank[first + k] > way.rank[way.order[level, here - 1]]:
            way.order[level, here] = way.order[level, here - 1]
            here -= 1
        way.order[level, here] = first + k


@compiled
def _is_known(dead: Ints, state: int) -> bool:
    place = state & (len(dead) - 1)
    for _ in range(8):
        if dead[place] == state:
            return True
        place = (place + 1) & (len(dead) - 1)
    return False


@compiled
def _remember(dead: Ints, state: int) -> None:
    place = state & (len(dead) - 1)
    for _ in range(8):
        if dead[place] == 0 or dead[place] == state:
            break
        place = (place + 1) & (len(dead) - 1)
    dead[place] = state
