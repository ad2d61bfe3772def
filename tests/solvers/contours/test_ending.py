"""What is said of a whole when a search has ended."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sherd.solvers.contours.ending import _doubt
from sherd.solvers.contours.groups import TOO_WORN, TURNED, WORN_APART
from sherd.solvers.contours.guesses import Guess


@pytest.mark.parametrize(
    ("growth", "parts", "rivals", "doubt"),
    [(0.0, 10, False, ""), (0.02, 8, False, ""), (0.02, 9, False, TOO_WORN), (0.0, 1, True, TURNED)],
)
def test_worn_edges_that_are_straight_and_rivals_are_doubted(
    growth: float, parts: int, rivals: bool, doubt: str
) -> None:
    attempt: Any = SimpleNamespace(whole=True, guess=Guess(0.01, growth), has_rivals=rivals, fitted=None)
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
