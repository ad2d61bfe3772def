"""Searches for assemblies on a grid, which can be gone on with."""

from __future__ import annotations

import numpy as np

from sherd.core.arrays import Ints
from sherd.core.geometry import Pose
from sherd.solvers.search.constants.on_grid import COVER_STRIDE, GRID_STRIDE, MOST_CELLS
from sherd.solvers.search.lattice.beam import Beam
from sherd.solvers.search.lattice.cover import Cover, cover, make_cover
from sherd.solvers.search.lattice.filling import BEST, LEVEL, ROOM, TRIED, fill
from sherd.solvers.search.lattice.grid import GridPuzzle, Ring, area_twice
from sherd.solvers.search.lattice.grid_board import Shapes, make_region, make_shapes, make_way
from sherd.solvers.search.lattice.grid_cells import Cells, make_cells
from sherd.solvers.search.lattice.tracing import trace

# A ring, and where it is laid.
Placed = tuple[Ring, int, int]


class GridTiler:
    """One search of a puzzle on its grid, that goes back where nothing fits."""

    def __init__(self, puzzle: GridPuzzle) -> None:
        self._puzzle = puzzle
        self._shapes, self._rings, self._pieces = make_shapes(puzzle)
        self._board, self._region = make_region(puzzle, self._shapes, self._pieces)
        self._way = make_way(puzzle, self._shapes, self._region)
        trace(self._shapes, self._region, self._board, self._way, 0)

    @property
    def tried(self) -> int:
        """Placements so far."""
        return int(self._way.tally[TRIED])

    def go_on(self, budget: int = GRID_STRIDE) -> int:
        """Try some placements: `PAUSED`, `FILLED` or `EXHAUSTED`, which is so if all were tried."""
        return fill(self._shapes, self._region, self._board, self._way, budget)

    @property
    def is_complete(self) -> bool:
        """Whether nothing was left out for want of room."""
        return bool(self._way.tally[ROOM] == 0)

    def placed(self) -> dict[int, Pose]:
        """What is placed now."""
        return self.poses(self._way.placed[: int(self._way.tally[LEVEL])])

    def best(self) -> dict[int, Pose]:
        """The largest area placed so far."""
        return self.poses(self._way.best[: int(self._way.tally[BEST])])

    def placed_rings(self) -> list[Placed]:
        """What is placed now, as rings on the grid."""
        placed = self._way.placed[: int(self._way.tally[LEVEL])]
        return [(self._rings[way], x, y) for way, x, y in placed.tolist()]

    def poses(self, placed: Ints) -> dict[int, Pose]:
        """The poses by piece of ways laid at places, (n, 3)."""
        return poses_of(self._puzzle, self._shapes.kind, self._rings, self._pieces, placed)

    def beam(self, width: int, *, by_corners: float, lean: tuple[float, float] = (0.0, 0.0)) -> Beam:
        """A beam with a region of its own, that leans to one end of the target."""
        board, region = make_region(self._puzzle, self._shapes, self._pieces)
        # A beam looks at one region at a time, as if it were the target.
        way = make_way(self._puzzle, self._shapes, region, lean=lean, levels=0)
        return Beam(self._shapes, region, board, way, width=width, by_corners=by_corners)

    def cells(self) -> Cells:
        """The board as cells, if all angles are right ones."""
        left = np.array([len(own) for own in self._pieces])
        return make_cells(self._puzzle, self._rings, self._shapes.kind, left)


class CoverTiler:
    """The same of polyominoes in a small box, where cells are bits."""

    is_complete = True

    def __init__(
        self, puzzle: GridPuzzle, board: Cover, shapes: Shapes, rings: list[Ring], pieces: list[list[int]]
    ) -> None:
        self._puzzle, self._kind, self._rings, self._pieces = puzzle, shapes.kind, rings, pieces
        self._board = board

    @classmethod
    def of(cls, puzzle: GridPuzzle) -> CoverTiler | None:
        """One for a puzzle that has right angles only and few cells, or None."""
        if not puzzle.is_rectilinear or sum(map(area_twice, puzzle.target)) > 2 * MOST_CELLS:
            return None
        shapes, rings, pieces = make_shapes(puzzle)
        board = make_cover(puzzle, rings, shapes.kind, np.array([len(own) for own in pieces]))
        return None if board is None else cls(puzzle, board, shapes, rings, pieces)

    @property
    def tried(self) -> int:
        """Placements so far."""
        return int(self._board.tally[1])

    def go_on(self, budget: int = COVER_STRIDE) -> int:
        """Try some placements: `PAUSED`, `FILLED` or `EXHAUSTED`."""
        return cover(self._board, budget)

    def placed(self) -> dict[int, Pose]:
        """What is placed now."""
        return self._poses(self._board.placed[: int(self._board.tally[0])])

    def best(self) -> dict[int, Pose]:
        """The most pieces placed so far."""
        return self._poses(self._board.best[: int(self._board.most[0])])

    def placed_rings(self) -> list[Placed]:
        """What is placed now, as rings on the grid."""
        placed = self._board.way[self._board.placed[: int(self._board.tally[0])]]
        return [(self._rings[way], x, y) for way, x, y in placed.tolist()]

    def _poses(self, placed: Ints) -> dict[int, Pose]:
        ways = self._board.way[placed]
        return poses_of(self._puzzle, self._kind, self._rings, self._pieces, ways)


def poses_of(
    puzzle: GridPuzzle, kinds: Ints, rings: list[Ring], pieces: list[list[int]], placed: Ints
) -> dict[int, Pose]:
    """The poses by piece of ways laid at places, (n, 3), like pieces in turn."""
    found: dict[int, Pose] = {}
    used = [0] * len(pieces)
    for way, x, y in placed.tolist():
        kind = int(kinds[way])
        piece = pieces[kind][used[kind]]
        used[kind] += 1
        lie = next(k for k, lie in enumerate(puzzle.lies[piece]) if lie.ring == rings[way])
        found[piece] = puzzle.pose(piece, lie, x, y)
    return found
