"""All assemblies on a grid, those that are alike counted once by whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sherd.core.arrays import Ints
from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.symmetry import allowed_symmetries
from sherd.solvers.search.arrangement import assembly_of
from sherd.solvers.search.case import Case
from sherd.solvers.search.lattice.cover import EXHAUSTED, FILLED
from sherd.solvers.search.lattice.grid import GridPuzzle, Ring, on_grid, ring_of
from sherd.solvers.search.lattice.tiler import CoverTiler, GridTiler, Placed
from sherd.solvers.stop import Stop


@dataclass(frozen=True)
class AllOnGrid:
    """Assemblies, none like another; how many are all on the grid, 0 if there may be more; what it took.

    ``all_found`` says that none can lie off the grid, and these are all.
    """

    assemblies: tuple[Assembly, ...]
    number_on_grid: int
    all_found: bool
    tried: int


def find_all_on_grid(case: Case, off: float, *, most: int, stop: Stop) -> AllOnGrid | None:
    """Up to ``most`` assemblies, or None if the puzzle lies on no grid.

    Where all angles are right ones, nothing fits off the grid, and all on it are all there are.
    """
    grid = on_grid(case.puzzle, off * case.size, case.may_mirror)
    if grid is None:
        return None
    tiler = CoverTiler.of(grid) or GridTiler(grid)
    name, found = _naming(case, grid), dict[tuple[int, ...], Assembly]()
    end = 0
    while end != EXHAUSTED and len(found) < most and not stop(tiler.tried):
        end = tiler.go_on()
        if end == FILLED:
            key = name(tiler.placed_rings())
            if key not in found:
                found[key] = assembly_of(case.puzzle, tiler.placed())
    is_all = end == EXHAUSTED and tiler.is_complete
    count = len(found) if is_all else 0
    return AllOnGrid(tuple(found.values()), count, is_all and grid.is_rectilinear, tiler.tried)


def _naming(case: Case, grid: GridPuzzle) -> Callable[[list[Placed]], tuple[int, ...]]:
    """A function that names an assembly, like ones alike: by where outlines lie, in all turns the least."""
    numbers: dict[Ring, int] = {}
    motions = [_on_grid(motion, grid) for motion in allowed_symmetries(case.puzzle)]
    known: list[dict[Placed, int]] = [{} for _ in motions]

    def number(at: int, placed: Placed) -> int:
        if placed not in known[at]:
            ring, x, y = placed
            moved = motions[at](np.add(ring, (x, y), dtype=np.int64))
            known[at][placed] = numbers.setdefault(moved, len(numbers))
        return known[at][placed]

    return lambda every: min(
        tuple(sorted(number(at, placed) for placed in every)) for at in range(len(motions))
    )


def _on_grid(motion: Pose, grid: GridPuzzle) -> Callable[[Ints], Ring]:
    """A motion of the target onto itself, of rings of whole numbers."""

    def move(ring: Ints) -> Ring:
        return ring_of(grid.on_board(motion.points(grid.in_plane(ring)))[:: -1 if motion.mirrored else 1])

    return move
