"""Puzzles refuse what is none, and know what their truth covers."""

from __future__ import annotations

from dataclasses import replace

import pytest
import shapely

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import InvalidPuzzleError
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle, Sample, without_slivers

UNIT = shapely.box(0, 0, 1, 1)
HALF = shapely.box(-0.25, -0.5, 0.25, 0.5)


def test_fragments_are_found_by_id(two_halves: Sample) -> None:
    puzzle = two_halves.puzzle
    assert puzzle["right"] is puzzle.fragments[1]
    with pytest.raises(KeyError, match="middle"):
        puzzle["middle"]


def test_placed_outlines_follow_the_assembly(two_halves: Sample) -> None:
    backwards = Assembly(two_halves.truth.placements[::-1])
    placed = two_halves.puzzle.placed(backwards)
    assert [outline.bounds for outline in placed] == [(0.5, 0.0, 1.0, 1.0), (0.0, 0.0, 0.5, 1.0)]
    assert two_halves.puzzle.placed(Assembly()) == []


def test_a_placed_stranger_is_an_error(two_halves: Sample) -> None:
    with pytest.raises(KeyError, match="nobody"):
        two_halves.puzzle.placed(Assembly().place("nobody", Pose()))


def test_a_puzzle_needs_fragments() -> None:
    with pytest.raises(InvalidPuzzleError, match="no fragments"):
        Puzzle(UNIT, ())


def test_ids_are_unique() -> None:
    with pytest.raises(InvalidPuzzleError, match="two fragments have the id 'b'"):
        Puzzle(UNIT, (Fragment("a", HALF), Fragment("b", HALF), Fragment("b", HALF)))


def test_a_fragment_larger_than_the_target_is_refused() -> None:
    slightly, clearly = shapely.box(0, 0, 1.04, 1), shapely.box(0, 0, 1.06, 1)
    assert len(Puzzle(UNIT, (Fragment("a", slightly),)).fragments) == 1
    with pytest.raises(InvalidPuzzleError, match="fragment 'b' is larger than the target"):
        Puzzle(UNIT, (Fragment("a", HALF), Fragment("b", clearly)))


def test_a_fragment_far_longer_than_the_target_is_refused() -> None:
    slightly, clearly = shapely.box(0, 0, 2.1, 0.1), shapely.box(0, 0, 0.1, 2.2)
    assert len(Puzzle(UNIT, (Fragment("a", slightly),)).fragments) == 1
    with pytest.raises(InvalidPuzzleError, match="fragment 'b' is longer than the target"):
        Puzzle(UNIT, (Fragment("a", HALF), Fragment("b", clearly)))


def test_the_truth_places_exactly_the_fragments(two_halves: Sample) -> None:
    left, right = two_halves.truth.placements
    for wrong in ((left,), (left, right, Placement("third", Pose())), (left, Placement("other", Pose()))):
        with pytest.raises(InvalidPuzzleError, match="exactly the puzzle's fragments"):
            Sample(two_halves.puzzle, Assembly(wrong))


def test_the_reference_is_what_the_truth_covers_of_the_target(
    two_halves: Sample, square_of_four: Sample
) -> None:
    for whole in (two_halves, square_of_four):
        assert whole.reference.equals(whole.puzzle.target)
    # One half lies a quarter outside the target, and overlaps nothing else.
    left, _ = two_halves.truth.placements
    shifted = Sample(two_halves.puzzle, Assembly((left, Placement("right", Pose(1.0, 0.5)))))
    assert shifted.reference.equals(shapely.union(shapely.box(0, 0, 0.5, 1), shapely.box(0.75, 0, 1, 1)))
    # Both in one place count once.
    stacked = Sample(two_halves.puzzle, Assembly((left, Placement("right", left.pose))))
    assert stacked.reference.area == pytest.approx(0.5, abs=1e-12)


def test_puzzles_compare_by_what_a_solver_sees(two_halves: Sample) -> None:
    assert replace(two_halves.puzzle) == two_halves.puzzle
    assert replace(two_halves.puzzle, mirror=True) != two_halves.puzzle


def test_pieces_may_be_turned_over_one_by_one(two_halves: Sample) -> None:
    one = replace(two_halves.puzzle, mirror=frozenset(["left"]))
    assert (one.may_mirror("left"), one.may_mirror("right")) == (True, False)
    assert replace(one, mirror=frozenset(["left", "right"])).mirror is True
    assert replace(one, mirror=frozenset(["right"]), fragments=one.fragments[:1]).mirror is False


def test_a_tolerance_is_a_length(two_halves: Sample) -> None:
    assert replace(two_halves.puzzle, tolerance=0.1).tolerance == 0.1
    with pytest.raises(InvalidPuzzleError, match="tolerance must be above 0, not -1"):
        replace(two_halves.puzzle, tolerance=-1.0)


@pytest.mark.parametrize("height", [0.0, 1e-9, 1e-6, 9e-6])
def test_a_sliver_is_told_by_its_width(two_halves: Sample, height: float) -> None:
    sliver = Fragment("sliver", shapely.box(-0.5, 0.0, 0.5, height))
    puzzle = replace(two_halves.puzzle, fragments=(*two_halves.puzzle.fragments, sliver))
    assert without_slivers(puzzle) == replace(two_halves.puzzle, set_aside=("sliver",))


def test_small_pieces_and_thin_ones_are_no_slivers(two_halves: Sample) -> None:
    small = Fragment("small", shapely.box(0.0, 0.0, 1e-4, 1e-4))
    thin = Fragment("thin", shapely.box(-0.5, 0.0, 0.5, 1e-4))
    puzzle = replace(two_halves.puzzle, fragments=(*two_halves.puzzle.fragments, small, thin))
    assert without_slivers(puzzle) is puzzle
