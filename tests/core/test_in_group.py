"""Puzzles without a target, and the verdict on groups."""

from __future__ import annotations

import math

import pytest
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import InvalidPuzzleError
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import judge

ROUGH = Tolerance.of_corners(0.01)


def moved(assembly: Assembly, name: str, x: float, y: float = 0.0) -> Assembly:
    return Assembly(tuple(Placement(p.id, Pose(x, y) @ p.pose if p.id == name else p.pose) for p in assembly))


@pytest.mark.parametrize("target", [None, Polygon()])
def test_no_target_is_an_empty_one(target: Polygon | None, square_of_four: Sample) -> None:
    fragments = square_of_four.puzzle.fragments
    puzzle = Puzzle(target, fragments)  # pyright: ignore[reportArgumentType]
    assert not puzzle.has_target
    assert puzzle.target.is_empty
    assert puzzle == Puzzle.of_pieces(fragments, puzzle.rotations)


def test_lengths_are_compared_with_the_target_or_with_all_pieces() -> None:
    half = Fragment("half", shapely.box(-1, -2, 1, 2))
    assert Puzzle(shapely.box(0, 0, 4, 5), (half,)).size == 5.0
    assert Puzzle.of_pieces((half, Fragment("other", half.polygon))).size == pytest.approx(4.0)


def test_a_piece_larger_than_others_belongs_to_no_target() -> None:
    large, small = Fragment("large", shapely.box(0, 0, 9, 9)), Fragment("small", shapely.box(0, 0, 1, 1))
    with pytest.raises(InvalidPuzzleError, match="larger than the target"):
        Puzzle(small.polygon, (large, small))
    assert len(Puzzle.of_pieces((large, small)).fragments) == 2


def test_without_its_target_a_sample_refers_to_what_pieces_cover(square_of_four: Sample) -> None:
    bare = Sample(square_of_four.puzzle.without_target(), square_of_four.truth)
    assert bare.reference.symmetric_difference(square_of_four.puzzle.target).area < 1e-9


def test_one_group_of_all_pieces_is_solved_wherever_it_lies(square_of_four: Sample) -> None:
    puzzle = square_of_four.puzzle.without_target()
    turned = Pose(30.0, -7.0, 1.0)
    assembly = Assembly(tuple(Placement(p.id, turned @ p.pose) for p in square_of_four.truth))
    assert judge(puzzle, assembly, ROUGH).is_solved
    assert judge(puzzle, square_of_four.truth, ROUGH, doubt="it may be wrong").why == "it may be wrong"


def test_what_is_left_over_or_alone_is_not_solved(square_of_four: Sample) -> None:
    puzzle, truth = square_of_four.puzzle.without_target(), square_of_four.truth
    pair = judge(puzzle, Assembly(truth.placements[:2]), ROUGH)
    assert (pair.state, pair.why) == ("partly", "2 of 4 pieces not in the largest group")
    assert judge(puzzle, Assembly(truth.placements[:1]), ROUGH).state == "not solved"
    assert judge(puzzle, Assembly(), ROUGH).state == "not solved"


def test_overlaps_and_pieces_apart_are_not_solved(square_of_four: Sample) -> None:
    puzzle, truth = square_of_four.puzzle.without_target(), square_of_four.truth
    into = judge(puzzle, moved(truth, "d", -0.1), ROUGH)
    assert into.state == "not solved"
    assert "overlap by up to 0.1" in into.why
    assert judge(puzzle, moved(truth, "d", 0.3), ROUGH).why == "pieces lie apart"
    assert judge(puzzle, moved(truth, "d", 0.001), ROUGH).is_solved


def test_the_puzzle_s_own_tolerance_counts(square_of_four: Sample) -> None:
    bare = square_of_four.puzzle.without_target()
    strict = Puzzle.of_pieces(bare.fragments, bare.rotations, tolerance=1e-4)
    near = moved(square_of_four.truth, "d", -0.001)
    assert judge(bare, near, ROUGH).is_solved
    assert not judge(strict, near, ROUGH).is_solved
    assert math.isclose(strict.size, 1.0)
