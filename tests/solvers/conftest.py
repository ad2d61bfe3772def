"""Whether a solver asks often enough whether to stop and ends soon when told to: counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType, TracebackType

import numpy as np
import pytest

from sherd.core import plain_at_first
from sherd.core.puzzle import Puzzle
from sherd.solvers import Result, Solver
from sherd.solvers.run import judged
from sherd.solvers.stop import MaxQuestions

# What a solver may call without asking whether to stop, and after it is told to: about a second's work.
CALLS = 400_000
# How often it may ask again after it is told.
QUESTIONS_AFTER = 10


class Told(MaxQuestions):
    """Says stop once it was asked so often, and counts the functions called before, between and after.

    Calls are the same on every machine, seconds are not; some 200,000 take about half a second. What compiled
    code does in one call is not seen. ``stretches`` are the calls up to each question and after the last,
    ``heard`` is the number of the question that was answered by stop.
    """

    def __init__(self, questions: int) -> None:
        super().__init__(questions)
        self.stretches = [0]
        self.heard: int | None = None

    def __call__(self, evaluations: int) -> bool:
        over = super().__call__(evaluations)
        if over and self.heard is None:
            self.heard = len(self.stretches) - 1
        self.stretches.append(0)
        return over

    def _count(self, frame: FrameType, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            self.stretches[-1] += 1

    def __enter__(self) -> Told:
        sys.setprofile(self._count)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.setprofile(None)


@pytest.fixture
def until_told(monkeypatch: pytest.MonkeyPatch) -> Callable[[Solver, Puzzle, int], tuple[Result, bool]]:
    """A solver's result when it is told to stop after so many questions, with all of that checked.

    And whether it was told at all, or ended before.
    """

    # Of plain Python each step would count.
    monkeypatch.setattr(plain_at_first.spent, "seconds", plain_at_first.MOST_SECONDS)

    def solve(solver: Solver, puzzle: Puzzle, questions: int) -> tuple[Result, bool]:
        # What is loaded or compiled at first use does not count.
        solver.solve(puzzle, stop=MaxQuestions(questions), rng=np.random.default_rng(0))
        with Told(questions) as stop:
            proposal = solver.solve(puzzle, stop=stop, rng=np.random.default_rng(0))
        assert max(stop.stretches) <= CALLS, "it did not ask for long"
        if stop.heard is not None:
            after = stop.stretches[stop.heard + 1 :]
            assert len(after) <= QUESTIONS_AFTER + 1, "it went on asking"
            assert sum(after) <= CALLS, "it went on working"
        return judged(puzzle, proposal, seconds=0.0), stop.heard is not None

    return solve
