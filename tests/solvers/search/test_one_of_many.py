"""Right angles leave many arrangements where a piece is lost; oblique ones that differ do not."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.geometry import FREE, Rotations
from sherd.core.metrics import POSE_TOLERANCE
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.dataset import PuzzleKind, make_observed, target_shape
from sherd.layout.holding import moved_pieces
from sherd.solvers.run import run
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.completing import LOOSEST_DRAWN
from sherd.solvers.search.one_of_many import lacks_a_piece, leaves_many, lies_on_a_grid
from sherd.solvers.stop import MaxEvaluations


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


def test_a_lost_small_piece_is_no_seam_of_exact_ones() -> None:
    """However loosely corners are taken: 59 squares of 60 have nearly the area of the box."""
    squares = [shapely.box(0, 0, 1, 1)] * 60
    box = shapely.box(0, 0, 10, 6)
    fragments = tuple(Fragment(f"p{k}", piece) for k, piece in enumerate(squares))
    assert not lacks_a_piece(Case(Puzzle(box, fragments)))
    case = Case(Puzzle(box, fragments[1:]))
    assert case.areas_add_up(LOOSEST_DRAWN) and lacks_a_piece(case) and leaves_many(case)


LOST = [
    ("lattice", "3x20", 12, Rotations(4), False, 31001),
    ("tangram", "arrow", 7, FREE, False, 36020),
    ("merged", "ell", 4, Rotations(4), False, 36237),
    ("lattice", "frame:40x30+convex", 9, FREE, True, 31237),
]


@pytest.mark.parametrize(("dissection", "shape", "pieces", "rotations", "mirror", "seed"), LOST)
def test_beside_a_lost_piece_none_is_laid_elsewhere_untold(
    dissection: str, shape: str, pieces: int, rotations: Rotations, mirror: bool, seed: int
) -> None:
    kind = PuzzleKind(
        shape=target_shape(shape, dissection),
        pieces=pieces,
        rotations=rotations,
        dissection=dissection,
        mirror=mirror,
    )
    (seen,) = make_observed(kind, "missing-1", seed=seed, stop=1)
    stop = MaxEvaluations(300)
    result = run(SearchSolver(), seen.puzzle, stop=stop, rng=np.random.default_rng(0))
    wrong = moved_pieces(seen.puzzle, result.assembly, [seen.truth], POSE_TOLERANCE * seen.puzzle.size)
    assert wrong <= set(result.elsewhere)
    assert not (wrong and result.solved)
