"""Running a solver by name, with a clock."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from sherd.errors import UnsupportedError
from sherd.puzzle import Puzzle
from sherd.solvers.base import OnProgress, Result, Solver
from sherd.solvers.registry import SOLVERS
from sherd.solvers.stop import MaxSeconds

AUTO = "auto"
# What "auto" tries, the best first, as far as it is registered.
PREFERRED = ("search", "fan", "random")


def solver_names(name: str = AUTO) -> tuple[str, ...]:
    """The registered solvers that a name stands for, the first that can serve to be taken.

    >>> solver_names("random")
    ('random',)
    """
    if name == AUTO:
        return tuple(preferred for preferred in PREFERRED if preferred in SOLVERS)
    if name not in SOLVERS:
        raise ValueError(f"unknown solver {name!r}: choose {', '.join((AUTO, *SOLVERS))}")
    return (name,)


def run(
    solver: Solver,
    puzzle: Puzzle,
    *,
    seconds: float,
    rng: np.random.Generator,
    on_progress: OnProgress | None = None,
) -> Result:
    """Let a solver work for so many seconds, and say in the result how many it took."""
    stop = MaxSeconds(seconds)
    started = time.perf_counter()
    result = solver.solve(puzzle, stop=stop, rng=rng, on_progress=on_progress)
    return replace(result, seconds=time.perf_counter() - started)


class Assembler:
    """A solver by name, made once for many puzzles; "auto" takes the best that can serve each."""

    def __init__(self, name: str = AUTO) -> None:
        self._names = solver_names(name)
        self._made: dict[str, Solver] = {}

    def __call__(self, puzzle: Puzzle, *, seconds: float, rng: np.random.Generator) -> tuple[str, Result]:
        """The name of the solver that served, and its result."""
        for name in self._names:
            try:
                if name not in self._made:
                    self._made[name] = SOLVERS[name]()
                return name, run(self._made[name], puzzle, seconds=seconds, rng=rng)
            except UnsupportedError:
                if name == self._names[-1]:
                    raise
        raise AssertionError("unreachable: there is always a solver to try")


def assemble(puzzle: Puzzle, solver: str = AUTO, *, seconds: float = 10.0, seed: int = 0) -> Result:
    """Put a puzzle together: the best assembly that the solver finds within the time limit."""
    return Assembler(solver)(puzzle, seconds=seconds, rng=np.random.default_rng(seed))[1]
