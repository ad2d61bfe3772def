"""Whether an arrangement fits: by area, by discs, and by how far pieces reach out."""

from __future__ import annotations

import pytest
import shapely

from sherd.core.geometry import Pose, Rotations
from sherd.core.in_target import lies_tightly, lies_within
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.tolerance import Tolerance
from sherd.solvers.search.arrangement import arrangement_of


def test_narrow_overlaps_lie_tightly_and_wide_ones_do_not() -> None:
    half = shapely.box(-0.25, -0.5, 0.25, 0.5)
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("left", half), Fragment("right", half)))
    for overlap, tight in ((0.0, True), (0.001, True), (0.01, False)):
        answer = arrangement_of(puzzle, {0: Pose(0.25, 0.5), 1: Pose(0.75 - overlap, 0.5)})
        assert lies_tightly(puzzle, answer.coverage) == tight


def test_a_small_piece_on_a_large_one_is_not_solved() -> None:
    small, large = shapely.box(-0.1, -0.05, 0.1, 0.05), shapely.box(-0.5, -0.5, 0.5, 0.5)
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("large", large), Fragment("small", small)))
    on_it = arrangement_of(puzzle, {0: Pose(0.5, 0.5), 1: Pose(0.5, 0.5)})
    assert on_it.coverage == pytest.approx(1.0)
    assert lies_within(puzzle, on_it.coverage, 0.02)  # by area alone it would do
    assert not on_it.fits(puzzle, Tolerance(0.02, 0.02))
    assert not on_it.fits(puzzle, Tolerance(0.02, 0.06))  # too thin for the disc, but it lies there whole


def test_pieces_that_overlap_a_little_are_solved() -> None:
    half = shapely.box(-0.26, -0.5, 0.26, 0.5)
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("left", half), Fragment("right", half)))
    answer = arrangement_of(puzzle, {0: Pose(0.26, 0.5), 1: Pose(0.74, 0.5)})
    assert answer.coverage == pytest.approx(1.0)
    assert answer.fits(puzzle, Tolerance(0.02, 0.0201))
    assert not answer.fits(puzzle, Tolerance(0.02, 0.0199))


def test_a_piece_beside_the_target_is_not_solved() -> None:
    small, large = shapely.box(-0.1, -0.05, 0.1, 0.05), shapely.box(-0.5, -0.45, 0.5, 0.45)
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("large", large), Fragment("small", small)))
    outside = arrangement_of(puzzle, {0: Pose(0.5, 0.45), 1: Pose(1.1, 0.95)})
    assert lies_within(puzzle, outside.coverage, 0.02)
    assert not outside.fits(puzzle, Tolerance(0.02, 0.02))


def test_a_thin_piece_that_reaches_far_out_of_the_target_is_not_solved() -> None:
    halves = (
        Fragment("most", shapely.box(-0.5, -0.49, 0.5, 0.49)),
        Fragment("strip", shapely.box(-0.5, -0.01, 0.5, 0.01)),
    )
    puzzle = Puzzle(target=shapely.box(0.0, 0.0, 1.0, 1.0), fragments=halves)
    a_little, far = ({0: Pose(0.5, 0.49), 1: Pose(0.5 + out, 0.99)} for out in (0.09, 0.11))
    assert arrangement_of(puzzle, a_little).fits(puzzle, Tolerance(0.02, 0.02))
    assert not arrangement_of(puzzle, far).fits(puzzle, Tolerance(0.02, 0.02))


def test_a_needle_that_reaches_far_out_is_not_solved_though_it_has_next_to_no_area() -> None:
    pieces = (
        Fragment("most", shapely.box(-0.5, -0.4995, 0.5, 0.4995)),
        Fragment("needle", shapely.box(-0.65, -0.0005, 0.65, 0.0005)),
    )
    puzzle = Puzzle(shapely.box(0.0, 0.0, 1.0, 1.0), pieces, Rotations(1))
    answer = arrangement_of(puzzle, {0: Pose(0.5, 0.4995), 1: Pose(0.65, 0.9995)})
    assert lies_within(puzzle, answer.coverage, 0.001)  # what is wasted is too little for any disc
    assert not answer.fits(puzzle, Tolerance(0.001, 0.02))
