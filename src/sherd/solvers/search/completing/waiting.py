"""Filling in: when left-over pieces are laid into what the guesses found."""

from __future__ import annotations

from functools import partial

from sherd.core.geometry import is_convex
from sherd.core.puzzle import Puzzle
from sherd.solvers.search.arrangement import Arrangement
from sherd.solvers.search.case import any_bends_inward
from sherd.solvers.search.completing.leftover import filled_in
from sherd.solvers.stop import Stop, share_spent

# Answers wait until this share of the time is over: filling them in takes seconds and solves nothing.
LATE = 0.8


class Filling:
    """The best answer with left-over pieces laid, and the answers that wait for that.

    Where the stop rule cannot tell how much of the time is over, none waits.
    """

    def __init__(self, puzzle: Puzzle, stop: Stop) -> None:
        self.best = Arrangement({}, 0.0)
        self._puzzle, self._stop = puzzle, stop
        self._can_be_filled = is_convex(puzzle.target) and not any_bends_inward(puzzle)
        self._waiting: list[Arrangement] = []

    def add(self, answer: Arrangement) -> None:
        """Let an answer wait, if there is something that can be filled in."""
        is_part = self._can_be_filled and 0 < len(answer.poses) < len(self._puzzle.fragments)
        if is_part and answer not in self._waiting:
            self._waiting.append(answer)

    def is_due(self, evaluations: int) -> bool:
        """Whether answers wait and the time for them has come; a stop rule for what is tried meanwhile."""
        share = share_spent(self._stop)
        return bool(self._waiting) and (share is None or share >= LATE)

    def fill(self, evaluations: int) -> None:
        """Fill in what waits, what covers most first, until time is up."""
        for answer in sorted(self._waiting, key=lambda one: -one.coverage):
            if self._stop(evaluations):
                break
            self.best = filled_in(self._puzzle, answer, self.best, partial(self._stop, evaluations))
        self._waiting.clear()
