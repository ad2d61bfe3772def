"""One of many: where pieces are flush in many arrangements, so that lying flush says nothing."""

from __future__ import annotations

from dataclasses import replace

from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.completing import LOOSEST_DRAWN
from sherd.solvers.search.constants.on_grid import SURELY_ON_GRID
from sherd.solvers.search.lattice import grid


def leaves_many(case: Case) -> bool:
    """A piece is missing, and right angles on a grid, or others, recur: flush are many arrangements."""
    if not case.lacks_area or case.any_has_a_hole:
        return False
    if case.has_right_angles:
        return grid.seems_on_grid(case.puzzle, SURELY_ON_GRID * case.size)
    return case.angles_recur and not case.areas_add_up(LOOSEST_DRAWN)


def lies_on_a_grid(case: Case, number: int) -> bool:
    """A piece alone lies on a grid with the target."""
    alone = replace(case.puzzle, fragments=(case.puzzle.fragments[number],))
    return grid.seems_on_grid(alone, SURELY_ON_GRID * case.size)
