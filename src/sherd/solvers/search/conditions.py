"""When a row of the ladder is tried: cheap questions about a case and a size that outlines are off by.

The first sentence of each is what the documentation says, with the value of a constant that it names.
"""

from __future__ import annotations

from sherd.solvers.search import one_of_many
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.completing import (
    LOOSEST_BENT,
    LOOSEST_DRAWN,
    MOST_BENT,
    MOST_BENT_CORNERS,
    MOST_DRAWN,
)
from sherd.solvers.search.constants.on_grid import DRAWN_ON_GRID, FEWEST_ON_GRID
from sherd.solvers.search.lattice import grid


def always(case: Case, size: float) -> bool:
    """Always."""
    return True


def areas_add_up(case: Case, size: float) -> bool:
    """The pieces' areas add up to the target's."""
    # However loosely corners are taken, those of exact pieces add up to no lost one.
    return case.areas_add_up(size) and not one_of_many.lacks_a_piece(case)


def seems_to_lie_on_a_grid(case: Case, size: float) -> bool:
    """Areas add up, no piece has a hole, and FEWEST_ON_GRID pieces or more seem to lie on a grid."""
    if case.pieces < FEWEST_ON_GRID or case.any_has_a_hole or not areas_add_up(case, size):
        return False
    return grid.seems_on_grid(case.puzzle, size * case.size)


def has_few_right_angles(case: Case, size: float) -> bool:
    """Areas add up, and fewer than FEWEST_ON_GRID pieces, without holes, have right angles on a grid."""
    if case.pieces >= FEWEST_ON_GRID or case.any_has_a_hole or not areas_add_up(case, size):
        return False
    return case.has_right_angles and grid.seems_on_grid(case.puzzle, size * case.size)


def lies_on_a_drawn_grid(case: Case, size: float) -> bool:
    """Areas add up, and pieces without holes lie on a grid, the target off it: up to LOOSEST_DRAWN."""
    if case.any_has_a_hole or not areas_add_up(case, size) or not case.tolerates(size, LOOSEST_DRAWN):
        return False
    return grid.seems_on_grid(case.puzzle, DRAWN_ON_GRID * case.size, drawn=True)


def has_no_holes(case: Case, size: float) -> bool:
    """Nothing has a hole."""
    return not case.has_holes


def may_have_been_convex(case: Case, size: float) -> bool:
    """Nothing has a hole, and no piece was cut bent."""
    return not case.has_holes and not case.any_cut_bent


def lacks_area(case: Case, size: float) -> bool:
    """Area is missing, and nothing has a hole."""
    return case.lacks_area and not case.has_holes


def lacks_only_a_piece(case: Case, size: float) -> bool:
    """Area is missing, nothing has a hole, and no piece bends inward."""
    return lacks_area(case, size) and not case.any_bends_inward  # wear takes area too


def is_drawn_by_hand(case: Case, size: float) -> bool:
    """Areas add up, and MOST_DRAWN pieces or fewer have angles that recur: up to LOOSEST_DRAWN."""
    if case.pieces > MOST_DRAWN or any(outline.interiors for outline in case.outlines):
        return False
    return case.tolerates(size, LOOSEST_DRAWN) and case.angles_recur and areas_add_up(case, size)


def is_bent_and_off(case: Case, size: float) -> bool:
    """Areas add up, and MOST_BENT pieces or fewer, some cut bent, have few corners: up to LOOSEST_BENT."""
    if case.pieces > MOST_BENT or not case.any_cut_bent or any(one.interiors for one in case.outlines):
        return False
    corners = sum(len(outline.exterior.coords) - 1 for outline in case.outlines)
    is_plain = corners <= MOST_BENT_CORNERS * case.pieces
    return is_plain and case.tolerates(size, LOOSEST_BENT) and areas_add_up(case, size)


def has_tolerance(case: Case, size: float) -> bool:
    """Areas add up, and the puzzle gives a tolerance: up to that."""
    return case.puzzle.tolerance is not None and is_tolerated(case, size)


def has_no_tolerance(case: Case, size: float) -> bool:
    """Areas add up, and the puzzle gives no tolerance: up to LOOSEST_TILING."""
    return case.puzzle.tolerance is None and is_tolerated(case, size)


def is_tolerated(case: Case, size: float) -> bool:
    """Areas add up: up to the puzzle's tolerance, or LOOSEST_TILING."""
    return case.tolerates(size) and areas_add_up(case, size)
