"""Pieces that found no place are laid where they fit, and only there."""

from __future__ import annotations

from dataclasses import replace

import pytest
import shapely

from sherd.core.clock import working_seconds
from sherd.core.geometry import Pose, Rotations, make_polygon
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.completing.leftover import MOST_LEFTOVER, filled_in, lay_leftover
from sherd.solvers.search.completing.waiting import Filling
from sherd.solvers.stop import AnyOf, MaxEvaluations, MaxSeconds, Resumed


def placed(puzzle: Puzzle, truth: dict[str, Pose]) -> dict[int, Pose]:
    return {number: truth[fragment.id] for number, fragment in enumerate(puzzle.fragments)}


@pytest.mark.parametrize("rotations", [Rotations(1), Rotations(4), Rotations(None)], ids=str)
@pytest.mark.parametrize("shape", ["square", "hexagon", "mondrian"])
def test_a_piece_goes_into_the_gap_of_its_shape(shape: str, rotations: Rotations) -> None:
    params = FragmentationParams(pieces=12, rotations=rotations)
    for number, sample in enumerate(generate(named_shape(shape), params, count=4, seed=6)):
        poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
        some = {piece: pose for piece, pose in poses.items() if piece != number}
        laid = lay_leftover(sample.puzzle, some)
        assert laid.keys() == poses.keys()
        assert all(laid[piece] == pose for piece, pose in some.items())
        assert arrangement_of(sample.puzzle, laid).coverage == pytest.approx(1.0, abs=1e-6)
        assert rotations.allows(laid[number].theta, 1e-6)


def test_a_piece_that_fits_no_gap_stays_out() -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=8), count=1, seed=6)
    foreign = Fragment("foreign", shapely.box(-0.1, -0.1, 0.1, 0.1))
    puzzle = replace(sample.puzzle, fragments=(*sample.puzzle.fragments, foreign))
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    assert lay_leftover(puzzle, poses) == poses


def test_where_many_are_left_nothing_is_laid() -> None:
    (sample,) = generate(
        named_shape("square"), FragmentationParams(pieces=MOST_LEFTOVER + 2), count=1, seed=6
    )
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    one = {0: poses[0]}
    assert lay_leftover(sample.puzzle, one) == one
    assert lay_leftover(sample.puzzle, {}) == {}


@pytest.mark.parametrize("rotations", [Rotations(1), Rotations(None)], ids=str)
def test_half_of_many_pieces_are_filled_in(rotations: Rotations) -> None:
    params = FragmentationParams(pieces=32, rotations=rotations)
    (sample,) = generate(named_shape("pentagon"), params, count=1, seed=6)
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    begun = arrangement_of(sample.puzzle, {piece: pose for piece, pose in poses.items() if piece % 2})
    filled = filled_in(sample.puzzle, begun, Arrangement({}, 0.0), lambda: False)
    assert filled.coverage > 0.9 > begun.coverage
    assert all(rotations.allows(pose.theta, 1e-6) for pose in filled.poses.values())


def test_what_covers_more_stays() -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=8), count=1, seed=6)
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    best = arrangement_of(sample.puzzle, poses)
    begun = arrangement_of(sample.puzzle, {piece: pose for piece, pose in poses.items() if piece})
    assert filled_in(sample.puzzle, begun, best, lambda: False).coverage >= best.coverage
    nothing = Arrangement({}, 0.0)
    assert filled_in(sample.puzzle, begun, nothing, lambda: True) == nothing


def one_left_over() -> tuple[Puzzle, Arrangement]:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=8), count=1, seed=6)
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    return sample.puzzle, arrangement_of(
        sample.puzzle, {piece: pose for piece, pose in poses.items() if piece}
    )


def test_answers_wait_until_most_of_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, begun = one_left_over()
    limit, start = MaxSeconds(1000.0), working_seconds()
    filling = Filling(puzzle, AnyOf((Resumed(limit, 3), MaxEvaluations(5))))
    filling.add(begun)
    for passed, is_due in ((0.0, False), (750.0, False), (850.0, True)):
        monkeypatch.setattr("sherd.solvers.stop.working_seconds", lambda now=start + passed: now)
        assert filling.is_due(0) == is_due
    filling.fill(0)
    assert filling.best.coverage == pytest.approx(1.0, abs=1e-6)
    assert not filling.is_due(0)  # none waits any more


def test_no_answer_waits_where_the_time_is_not_known() -> None:
    puzzle, begun = one_left_over()
    filling = Filling(puzzle, MaxEvaluations(5))
    assert not filling.is_due(0)
    filling.add(begun)
    assert filling.is_due(0)


def test_nothing_waits_that_cannot_be_filled_in() -> None:
    puzzle, begun = one_left_over()
    whole = {number: Pose() for number in range(len(puzzle.fragments))}
    ell = make_polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
    for within, answer in (
        (puzzle, Arrangement({}, 0.0)),
        (puzzle, Arrangement(whole, 0.5)),
        (replace(puzzle, target=ell), begun),
    ):
        filling = Filling(within, MaxEvaluations(5))
        filling.add(answer)
        assert not filling.is_due(0)


def test_when_time_is_up_nothing_is_filled_in() -> None:
    puzzle, begun = one_left_over()
    filling = Filling(puzzle, MaxSeconds(0.0))
    filling.add(begun)
    filling.fill(0)
    assert filling.best == Arrangement({}, 0.0)


def test_a_piece_that_lies_on_others_is_laid_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=12), count=1, seed=6)
    poses = placed(sample.puzzle, {at.id: at.pose for at in sample.truth})
    # The smallest lies in the middle of the largest, and the next larger one is left over.
    wrong, left, *_, largest = sorted(poses, key=lambda piece: sample.puzzle.fragments[piece].polygon.area)
    on_it = poses | {wrong: replace(poses[wrong], x=poses[largest].x, y=poses[largest].y)}
    begun = arrangement_of(sample.puzzle, {piece: pose for piece, pose in on_it.items() if piece != left})
    nothing = Arrangement({}, 0.0)
    seated = filled_in(sample.puzzle, begun, nothing, lambda: False)
    monkeypatch.setattr("sherd.solvers.search.completing.leftover.SEATED_WRONG", ())
    unseated = filled_in(sample.puzzle, begun, nothing, lambda: False)
    assert seated.coverage == pytest.approx(1.0, abs=1e-6)
    assert unseated.coverage < seated.coverage - 0.01
