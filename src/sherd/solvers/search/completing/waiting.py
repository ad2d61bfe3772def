"""Answers that wait: what guesses have laid in part is filled in with left-over pieces, but late."""

from __future__ import annotations

from functools import partial

from sherd.solvers.search.arrangement import Arrangement
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing.leftover import fill_in
from sherd.solvers.search.constants.completing import LATE
from sherd.solvers.stop import Stop, share_spent


class WaitingAnswers:
    """The best answer with left-over pieces laid, and the answers that wait for that.

    Where the stop rule cannot tell how much of the time is over, none waits.
    """

    def __init__(self, case: Case, stop: Stop) -> None:
        self.best = Arrangement({}, 0.0)
        self._case, self._stop = case, stop
        self._waiting: list[Arrangement] = []

    def add(self, answer: Arrangement) -> None:
        """Let an answer wait, if there is something that can be filled in."""
        is_part = 0 < len(answer.poses) < self._case.pieces and answer not in self._waiting
        if is_part and self._case.has_convex_target and not self._case.any_cut_bent:
            self._waiting.append(answer)

    def is_due(self, evaluations: int) -> bool:
        """Whether answers wait and the time for them has come; a stop rule for what is tried meanwhile."""
        if not self._waiting:
            return False
        share = share_spent(self._stop)
        return share is None or share >= LATE

    def fill(self, evaluations: int) -> None:
        """Fill in what waits, what covers most first, until time is up."""
        for answer in sorted(self._waiting, key=lambda one: -one.coverage):
            if self._stop(evaluations):
                break
            self.best = fill_in(self._case, answer, self.best, partial(self._stop, evaluations))
        self._waiting.clear()
