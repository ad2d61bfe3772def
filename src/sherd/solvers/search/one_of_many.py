"""One of many: where exact pieces are flush in many arrangements, so that lying flush says nothing."""

from __future__ import annotations

from dataclasses import replace

from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.completing import LOOSEST_DRAWN, LOST_SHARE
from sherd.solvers.search.constants.on_grid import SURELY_ON_GRID
from sherd.solvers.search.lattice import grid


def leaves_many(case: Case) -> bool:
    """A piece is missing, and angles are right ones or recur: flush are many arrangements."""
    if not case.lacks_area or case.any_has_a_hole or not _is_exact(case):
        return False
    return lacks_a_piece(case) or not case.areas_add_up(LOOSEST_DRAWN)


def lacks_a_piece(case: Case) -> bool:
    """Exact pieces lack as much area as a piece has; off a grid more, too, than a hand adds that draws."""
    target, lacking = case.puzzle.target, case.puzzle.target.area - case.area
    if lacking < LOST_SHARE * min(outline.area for outline in case.outlines):
        return False
    if case.pixel is not None:
        return False
    if grid.seems_on_grid(case.puzzle, SURELY_ON_GRID * case.size):
        return True
    return _is_exact(case) and lacking > LOOSEST_DRAWN * case.size * target.length


def _is_exact(case: Case) -> bool:
    return case.has_right_angles or case.angles_recur


def lies_on_a_grid(case: Case, number: int) -> bool:
    """A piece alone lies on a grid with the target."""
    alone = replace(case.puzzle, fragments=(case.puzzle.fragments[number],))
    return grid.seems_on_grid(alone, SURELY_ON_GRID * case.size)
