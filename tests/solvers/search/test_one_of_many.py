"""Right angles leave many arrangements where a piece is lost; oblique ones that differ do not."""

from __future__ import annotations

import shapely

from sherd.core.puzzle import Fragment, Puzzle
from sherd.solvers.search.case import Case
from sherd.solvers.search.one_of_many import leaves_many, lies_on_a_grid


def case_of(*pieces: shapely.Polygon) -> Case:
    fragments = tuple(Fragment(f"p{k}", piece) for k, piece in enumerate(pieces))
    return Case(Puzzle(shapely.box(0, 0, 4, 4), fragments))


def test_squares_on_a_grid_are_one_of_many_where_area_is_missing() -> None:
    square = shapely.box(0, 0, 2, 2)
    assert leaves_many(case_of(*[square] * 3))
    assert not leaves_many(case_of(*[square] * 4))


def test_right_angles_off_the_grid_are_one_of_many_too() -> None:
    odd = shapely.box(0, 0, 2, 1.2345678)
    case = case_of(shapely.box(0, 0, 2, 2), odd)
    assert leaves_many(case)
    assert lies_on_a_grid(case, 0) and not lies_on_a_grid(case, 1)


def test_oblique_pieces_whose_angles_do_not_recur_are_not() -> None:
    kite = shapely.Polygon([(0, 0), (2, 0.3), (2.5, 1.9), (0.4, 1.7)])
    thorn = shapely.Polygon([(0, 0), (1, 0.15), (0.35, 2.2)])
    assert not leaves_many(case_of(kite, thorn))
