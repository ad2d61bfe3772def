"""Pieces that found no place are laid where they fit, and only there."""

from __future__ import annotations

from dataclasses import replace

import pytest
import shapely

from sherd.core.geometry import Pose, Rotations
from sherd.core.in_target import misplaced_shares
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing import leftover
from sherd.solvers.search.completing.leftover import begin, complete, fill_in, lay_flush, lay_leftover
from sherd.solvers.search.constants.completing import LAST_POLISH, MOST_LEFTOVER
from sherd.solvers.stop import MaxEvaluations


def placed(puzzle: Puzzle, truth: dict[str, Pose]) -> dict[int, Pose]:
    return {number: truth[fragment.id] for number, fragment in enumerate(puzzle.fragments)}


@pytest.mark.parametrize("rotations", [Rotations(1), Rotations(4), Rotations(None)], ids=str)
@pytest.mark.parametrize("shape", ["square", "hexagon", "mondrian"])
def test_a_piece_goes_into_the_gap_of_its_shape(shape: str, rotations: Rotations) -> None:
    params = FragmentationParams(pieces=12, rotations=rotations)
    for number, sample in enumerate(generate(named_shape(shape), params, count=4, seed=6)):
        poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
        some = {piece: pose for piece, pose in poses.items() if piece != number}
        laid = lay_leftover(Case(sample.puzzle), some)
        assert laid.keys() == poses.keys()
        assert all(laid[piece] == pose for piece, pose in some.items())
        assert arrangement_of(sample.puzzle, laid).coverage == pytest.approx(1.0, abs=1e-6)
        assert rotations.allows(laid[number].theta, 1e-6)


@pytest.mark.parametrize(("off", "is_a_hair"), [(3e-6, True), (3e-3, False)])
def test_a_piece_that_sticks_out_by_a_hair_is_laid_flush(off: float, is_a_hair: bool) -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=8), count=1, seed=6)
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    lowest = min(
        poses, key=lambda number: poses[number].apply(sample.puzzle.fragments[number].polygon).bounds[1]
    )
    moved = poses[lowest]
    before = arrangement_of(sample.puzzle, {**poses, lowest: replace(moved, y=moved.y - off)})
    after = lay_flush(Case(sample.puzzle), before)
    if is_a_hair:
        assert max(misplaced_shares(sample.puzzle, after.poses).values()) < 1e-8
        assert after.coverage > before.coverage
    else:
        assert after is before


def test_a_piece_that_fits_no_gap_stays_out() -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=8), count=1, seed=6)
    foreign = Fragment("foreign", shapely.box(-0.1, -0.1, 0.1, 0.1))
    puzzle = replace(sample.puzzle, fragments=(*sample.puzzle.fragments, foreign))
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    assert lay_leftover(Case(puzzle), poses) == poses


def test_where_many_are_left_nothing_is_laid() -> None:
    (sample,) = generate(
        named_shape("square"), FragmentationParams(pieces=MOST_LEFTOVER + 2), count=1, seed=6
    )
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    one = {0: poses[0]}
    assert lay_leftover(Case(sample.puzzle), one) == one


def test_where_nothing_is_laid_anything_is_better() -> None:
    """However many pieces are left over, so that no answer is empty."""
    for pieces in (8, MOST_LEFTOVER + 2):
        (sample,) = generate(named_shape("square"), FragmentationParams(pieces=pieces), count=1, seed=6)
        laid = lay_leftover(Case(sample.puzzle), {})
        assert arrangement_of(sample.puzzle, laid).coverage > 0.5


@pytest.mark.parametrize("rotations", [Rotations(1), Rotations(None)], ids=str)
def test_half_of_many_pieces_are_filled_in(rotations: Rotations) -> None:
    params = FragmentationParams(pieces=32, rotations=rotations)
    (sample,) = generate(named_shape("pentagon"), params, count=1, seed=6)
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    begun = arrangement_of(sample.puzzle, {piece: pose for piece, pose in poses.items() if piece % 2})
    filled = fill_in(Case(sample.puzzle), begun, Arrangement({}, 0.0), lambda: False)
    assert filled.coverage > 0.9 > begun.coverage
    assert all(rotations.allows(pose.theta, 1e-6) for pose in filled.poses.values())


def test_what_covers_more_stays() -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=8), count=1, seed=6)
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    best = arrangement_of(sample.puzzle, poses)
    begun = arrangement_of(sample.puzzle, {piece: pose for piece, pose in poses.items() if piece})
    assert fill_in(Case(sample.puzzle), begun, best, lambda: False).coverage >= best.coverage
    nothing = Arrangement({}, 0.0)
    assert fill_in(Case(sample.puzzle), begun, nothing, lambda: True) == nothing


def test_what_covers_less_once_it_is_refined_stays_as_it_was_laid(monkeypatch: pytest.MonkeyPatch) -> None:
    """More time for refining would make the answer worse otherwise."""

    def aside(puzzle: Puzzle, poses: dict[int, Pose], stop: object) -> dict[int, Pose]:
        return {number: Pose(pose.x + 0.05, pose.y, pose.theta) for number, pose in poses.items()}

    monkeypatch.setattr(leftover, "polish", aside)
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=8), count=1, seed=6)
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    begun = arrangement_of(sample.puzzle, {piece: pose for piece, pose in poses.items() if piece != 3})
    filled = fill_in(Case(sample.puzzle), begun, Arrangement({}, 0.0), lambda: False)
    assert filled.coverage == pytest.approx(1.0, abs=1e-6)


def test_a_piece_that_lies_on_others_is_laid_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=12), count=1, seed=6)
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    # The smallest lies in the middle of the largest, and the next larger one is left over.
    wrong, left, *_, largest = sorted(poses, key=lambda piece: sample.puzzle.fragments[piece].polygon.area)
    on_it = poses | {wrong: replace(poses[wrong], x=poses[largest].x, y=poses[largest].y)}
    begun = arrangement_of(sample.puzzle, {piece: pose for piece, pose in on_it.items() if piece != left})
    nothing = Arrangement({}, 0.0)
    seated = fill_in(Case(sample.puzzle), begun, nothing, lambda: False)
    monkeypatch.setattr("sherd.solvers.search.completing.leftover.SEATED_WRONG", ())
    unseated = fill_in(Case(sample.puzzle), begun, nothing, lambda: False)
    assert seated.coverage == pytest.approx(1.0, abs=1e-6)
    assert unseated.coverage < seated.coverage - 0.01


def test_what_cannot_be_completed_is_left_as_it_is() -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=8), count=1, seed=6)
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    whole = arrangement_of(sample.puzzle, poses)
    assert complete(Case(sample.puzzle), whole) is whole
    some = arrangement_of(sample.puzzle, {piece: pose for piece, pose in poses.items() if piece})
    assert complete(Case(sample.puzzle), some).coverage == pytest.approx(1.0, abs=1e-6)


def test_a_beginning_lays_pieces_that_do_not_overlap() -> None:
    (sample,) = generate(named_shape("hexagon"), FragmentationParams(pieces=16), count=1, seed=6)
    begun = begin(Case(sample.puzzle), (1e-8,))
    laid = sum(sample.puzzle.fragments[number].polygon.area for number in begun.poses)
    assert begun.poses
    assert begun.coverage == pytest.approx(laid / sample.puzzle.target.area, abs=1e-6)


def test_what_is_laid_last_is_refined_less_the_more_corners_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is over then, and a move of many corners takes long."""
    asked: list[int] = []

    def counted(puzzle: Puzzle, poses: dict[int, Pose], stop: MaxEvaluations) -> dict[int, Pose]:
        asked.append(stop.evaluations)
        return poses

    monkeypatch.setattr(leftover, "polish", counted)
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=8), count=1, seed=6)
    for longest in (1.0, 0.01):
        fine = tuple(
            Fragment(one.id, shapely.segmentize(one.polygon, longest)) for one in sample.puzzle.fragments
        )
        complete(Case(replace(sample.puzzle, fragments=fine)), Arrangement({}, 0.0))
    few, many = asked
    assert few == LAST_POLISH
    assert many < LAST_POLISH / 10
