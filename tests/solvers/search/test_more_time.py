"""More time never gives a worse answer, and none ends before its limit while a way is left."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples, target_shape
from sherd.generation.drawn_tangram import drawn_tangram
from sherd.solvers import MaxEvaluations, run
from sherd.solvers.search import SearchSolver

FREE = Rotations(None)
LIMITS = (250, 500, 1000, 2000)


def on_grid(name: str, pieces: int, seed: int) -> Puzzle:
    kind = PuzzleKind(
        shape=target_shape(name, "lattice"), pieces=pieces, rotations=FREE, dissection="lattice", mirror=True
    )
    return next(make_samples(kind, seed=seed, stop=1)).puzzle


PUZZLES = {
    **{f"{name} {seed}": on_grid(name, 20, seed) for name in ("equal", "rectilinear") for seed in (1, 2)},
    **{f"drawn {seed}": drawn_tangram(np.random.default_rng(seed), closing=4e-3).puzzle for seed in range(2)},
}


@pytest.mark.parametrize("name", PUZZLES)
def test_twice_the_time_is_never_worse(name: str) -> None:
    covered, solved = 0.0, False
    for limit in LIMITS:
        result = run(SearchSolver(), PUZZLES[name], stop=MaxEvaluations(limit), rng=np.random.default_rng(0))
        assert result.solved >= solved
        assert result.objective >= covered - 1e-9
        assert result.solved or result.evaluations >= limit
        covered, solved = result.objective, result.solved
        if solved:
            break
