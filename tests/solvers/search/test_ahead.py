"""Attempts made ahead by other processes give the same answer as attempts made in turn."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.ahead import Ahead
from sherd.solvers.search.ladder import LadderParams
from sherd.solvers.stop import MaxEvaluations, MaxSeconds


def rough_puzzle() -> Puzzle:
    """A puzzle whose corners are moved, for which several attempts are made."""
    kind = PuzzleKind(pieces=5, rotations=Rotations(None), noise=0.002)
    return next(iter(make_samples(kind, seed=3, stop=1))).puzzle


def test_the_answer_is_the_same_and_a_lost_process_costs_nothing_but_time() -> None:
    puzzle, rng = rough_puzzle(), np.random.default_rng(0)
    alone = SearchSolver().solve(puzzle, stop=MaxSeconds(60.0), rng=rng)
    assert len(alone.attempts) > 4  # more than are made in turn in any case
    solver = SearchSolver(workers=2)
    ahead = solver._ahead  # pyright: ignore[reportPrivateUsage]
    together = solver.solve(puzzle, stop=MaxSeconds(60.0), rng=rng)
    assert together == alone
    pool = ahead._pool  # pyright: ignore[reportPrivateUsage]
    assert pool is not None
    for process in list(pool._processes.values()):  # pyright: ignore[reportPrivateUsage]
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
    assert solver.solve(puzzle, stop=MaxSeconds(60.0), rng=rng) == alone
    assert ahead._pool is None  # pyright: ignore[reportPrivateUsage]


def test_limits_of_evaluations_are_kept_by_making_attempts_in_turn() -> None:
    ahead = Ahead(2, LadderParams())
    assert ahead.begin(rough_puzzle(), 3, MaxEvaluations(5)) is None
    assert Ahead(1, LadderParams()).begin(rough_puzzle(), 3, MaxSeconds(5.0)) is None


def test_there_is_at_least_one_worker() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        SearchSolver(workers=0)


def test_exact_puzzles_start_no_process() -> None:
    kind = PuzzleKind(pieces=8, rotations=Rotations(None))
    exact = next(iter(make_samples(kind, seed=3, stop=1))).puzzle
    solver = SearchSolver(workers=2)
    assert solver.solve(exact, stop=MaxSeconds(60.0), rng=np.random.default_rng(0)).objective > 0.999
    assert solver._ahead._pool is None  # pyright: ignore[reportPrivateUsage]
