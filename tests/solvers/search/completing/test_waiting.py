"""Answers wait for most of the time to be over before they are filled in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sherd.core.clock import working_seconds
from sherd.core.geometry import Pose
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Puzzle
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing.waiting import WaitingAnswers
from sherd.solvers.stop import AnyOf, MaxEvaluations, MaxSeconds, Resumed


def one_left_over() -> tuple[Puzzle, Arrangement]:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=8), count=1, seed=6)
    poses = {number: sample.truth[one.id] for number, one in enumerate(sample.puzzle.fragments)}
    return sample.puzzle, arrangement_of(
        sample.puzzle, {piece: pose for piece, pose in poses.items() if piece}
    )


def test_answers_wait_until_most_of_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, begun = one_left_over()
    limit, start = MaxSeconds(1000.0), working_seconds()
    waiting = WaitingAnswers(Case(puzzle), AnyOf((Resumed(limit, 3), MaxEvaluations(5))))
    waiting.add(begun)
    for passed, is_due in ((0.0, False), (750.0, False), (850.0, True)):
        monkeypatch.setattr("sherd.solvers.stop.working_seconds", lambda now=start + passed: now)
        assert waiting.is_due(0) == is_due
    waiting.fill(0)
    assert waiting.best.coverage == pytest.approx(1.0, abs=1e-6)
    assert not waiting.is_due(0)  # none waits any more


def test_no_answer_waits_where_the_time_is_not_known() -> None:
    puzzle, begun = one_left_over()
    waiting = WaitingAnswers(Case(puzzle), MaxEvaluations(5))
    assert not waiting.is_due(0)
    waiting.add(begun)
    assert waiting.is_due(0)


def test_nothing_waits_that_cannot_be_filled_in() -> None:
    puzzle, begun = one_left_over()
    whole = {number: Pose() for number in range(len(puzzle.fragments))}
    ell = make_polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
    for within, answer in (
        (puzzle, Arrangement({}, 0.0)),
        (puzzle, Arrangement(whole, 0.5)),
        (replace(puzzle, target=ell), begun),
    ):
        waiting = WaitingAnswers(Case(within), MaxEvaluations(5))
        waiting.add(answer)
        assert not waiting.is_due(0)


def test_when_time_is_up_nothing_is_filled_in() -> None:
    puzzle, begun = one_left_over()
    waiting = WaitingAnswers(Case(puzzle), MaxSeconds(0.0))
    waiting.add(begun)
    waiting.fill(0)
    assert waiting.best == Arrangement({}, 0.0)


class HalfOver:
    """A rule of one's own that tells how much of the time is over."""

    share = 0.5

    def __call__(self, evaluations: int) -> bool:
        return False

    def share_spent(self) -> float:
        return self.share


def test_a_rule_of_ones_own_can_tell_the_time() -> None:
    puzzle, begun = one_left_over()
    rule = HalfOver()
    waiting = WaitingAnswers(Case(puzzle), Resumed(rule, 7))
    waiting.add(begun)
    assert not waiting.is_due(0)
    rule.share = 0.9
    assert waiting.is_due(0)
