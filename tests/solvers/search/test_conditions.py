"""When a row of the ladder is tried."""

from __future__ import annotations

from dataclasses import replace

import shapely
from shapely import Polygon

from sherd.core.puzzle import Fragment, Puzzle
from sherd.solvers.search import conditions
from sherd.solvers.search.case import Case

SQUARE, HALF = shapely.box(0, 0, 1, 1), shapely.box(0, 0, 0.5, 1)
ELL = Polygon([(0, 0), (1, 0), (1, 0.5), (0.5, 0.5), (0.5, 1), (0, 1)])
DENTED = Polygon([(0, 0), (0.25, 0.01), (0.5, 0), (0.5, 1), (0, 1)])
FRAME = Polygon([(0, 0), (1, 0), (1, 1), (0, 1)], [[(0.2, 0.2), (0.2, 0.8), (0.8, 0.8), (0.8, 0.2)]])


def case_of(*pieces: Polygon) -> Case:
    return Case(Puzzle(SQUARE, tuple(Fragment(str(k), piece) for k, piece in enumerate(pieces))))


def true_of(case: Case, size: float = 1e-3) -> set[str]:
    return {
        name
        for name in dir(conditions)
        if callable(condition := getattr(conditions, name)) and name.islower() and condition(case, size)
    }


def test_each_condition_holds_where_it_should() -> None:
    both = {"always", "has_no_holes", "may_have_been_convex"}
    whole = case_of(HALF, HALF)
    on_a_grid = {"has_few_right_angles", "lies_on_a_drawn_grid"}
    assert true_of(whole) == both | on_a_grid | {"areas_add_up", "has_no_tolerance", "is_tolerated"}
    assert true_of(whole, 0.01) == both | {"areas_add_up", "has_few_right_angles"}  # looser
    told = Case(replace(whole.puzzle, tolerance=0.02))
    assert true_of(told, 0.01) == both | on_a_grid | {"areas_add_up", "has_tolerance", "is_tolerated"}
    assert true_of(case_of(HALF)) == both | {"lacks_area", "lacks_only_a_piece"}
    assert true_of(case_of(DENTED)) == both | {"lacks_area"}
    assert true_of(case_of(ELL)) == {"always", "has_no_holes", "lacks_area"}
    assert true_of(case_of(FRAME)) == {"always"}
