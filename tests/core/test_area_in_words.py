"""Areas that differ, in words."""

from __future__ import annotations

import pytest
import shapely

from sherd.core.area_in_words import area_in_words
from sherd.core.puzzle import Fragment, Puzzle


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (0.5, "the pieces have 50.0 % less area than the target"),
        (1.02, "the pieces have 2.0 % more area than the target"),
        (0.995, ""),
    ],
)
def test_by_how_much_and_which_way(width: float, words: str) -> None:
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("f", shapely.box(0, 0, width, 1)),))
    assert area_in_words(puzzle, 0.01) == words
