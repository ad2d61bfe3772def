"""What is said of a whole when a search has ended."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sherd.core.geometry import Pose
from sherd.solvers.contours.ending import UNLIKELY, _doubt, _likeliest_pair
from sherd.solvers.contours.groups import TOO_ROUGH, TOO_WORN, TURNED, WORN_APART, FoundGroup, FoundJoint
from sherd.solvers.contours.guesses import Guess
from sherd.solvers.contours.params import ContoursParams


@pytest.mark.parametrize(
    ("guess", "parts", "rivals", "doubt"),
    [
        (Guess(0.006), 10, False, ""),
        (Guess(0.012), 10, False, TOO_ROUGH),
        (Guess(0.012), 8, False, ""),
        (Guess(0.01, 0.02), 8, False, ""),
        (Guess(0.01, 0.02), 9, False, TOO_WORN),
        (Guess(0.006), 1, True, TURNED),
    ],
)
def test_rough_or_worn_edges_that_are_straight_and_rivals_are_doubted(
    guess: Guess, parts: int, rivals: bool, doubt: str
) -> None:
    task = SimpleNamespace(params=ContoursParams())
    attempt: Any = SimpleNamespace(task=task, whole=True, guess=guess, has_rivals=rivals, fitted=None)
    end: Any = SimpleNamespace(parts=parts, scene=SimpleNamespace(has_target=True, pieces=16))
    assert _doubt(attempt, end) == doubt
    attempt.whole = False
    assert _doubt(attempt, end) == ""


@pytest.mark.parametrize(
    ("guessed", "told", "doubt"),
    [(0.0, None, ""), (0.0, 0.0, ""), (0.01, 0.0, ""), (0.0, 0.005, WORN_APART), (0.01, None, WORN_APART)],
)
def test_without_a_target_what_wear_took_away_is_a_guess(
    guessed: float, told: float | None, doubt: str
) -> None:
    fitted = None if told is None else SimpleNamespace(growth=told)
    attempt: Any = SimpleNamespace(whole=True, guess=Guess(0.01, guessed), has_rivals=False, fitted=fitted)
    end: Any = SimpleNamespace(parts=1, scene=SimpleNamespace(has_target=False, pieces=8))
    assert _doubt(attempt, end) == doubt


def test_where_nothing_holds_the_likeliest_two_lie_together() -> None:
    """So that no answer is empty where a joint is likely."""
    there = Pose(1.0, 2.0, 0.5)

    def joint(first: int | None, likelihood: float) -> FoundJoint:
        return FoundJoint(first, 2, there, 1.0, 1.0, 0.1, likelihood)

    every = (0, 1, 2)
    found = _likeliest_pair([joint(None, 0.9), joint(1, 0.4), joint(0, 0.3)], every)
    assert found == ((FoundGroup({1: Pose(0.0, 0.0, 0.0), 2: there}),), (0,))
    assert _likeliest_pair([joint(1, UNLIKELY / 2.0)], every) == ((), every)
    assert _likeliest_pair([], every) == ((), every)
