from __future__ import annotations

import numpy as np
import pytest

from sherd.errors import UnsupportedError
from sherd.puzzle import Puzzle, Sample
from sherd.solvers import SOLVERS, Assembler, MaxSeconds, Result, Solver, assemble, run, solver_names
from sherd.solvers.random import RandomSolver


def refuse() -> Solver:
    raise UnsupportedError("no weights here")


def test_auto_stands_for_registered_solvers() -> None:
    names = solver_names("auto")
    assert names
    assert set(names) <= set(SOLVERS)


def test_an_unknown_solver_is_refused_with_a_list() -> None:
    with pytest.raises(ValueError, match=r"unknown solver 'magic': choose auto, .*random"):
        solver_names("magic")


def test_the_clock_is_filled_in(two_halves: Sample, rng: np.random.Generator) -> None:
    result = run(RandomSolver(), two_halves.puzzle, stop=MaxSeconds(10.0), rng=rng)
    assert result.seconds > 0.0
    assert len(result.assembly) == 2


def test_no_time_places_nothing(two_halves: Sample, rng: np.random.Generator) -> None:
    assert len(run(RandomSolver(), two_halves.puzzle, stop=MaxSeconds(0.0), rng=rng).assembly) == 0


def test_auto_passes_over_a_solver_that_cannot_serve(
    two_halves: Sample, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    for preferred in ("search", "matcher", "fan"):
        monkeypatch.setitem(SOLVERS, preferred, refuse)
    name, result = Assembler()(two_halves.puzzle, seconds=1.0, rng=rng)
    assert name == "random"
    assert len(result.assembly) == 2
    with pytest.raises(UnsupportedError, match="no weights"):
        Assembler("fan")(two_halves.puzzle, seconds=1.0, rng=rng)


def test_a_solver_is_made_once_for_many_puzzles(
    two_halves: Sample, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Solver] = []

    def make() -> Solver:
        made.append(RandomSolver())
        return made[-1]

    monkeypatch.setitem(SOLVERS, "random", make)
    assembler = Assembler("random")
    for _ in range(3):
        assembler(two_halves.puzzle, seconds=1.0, rng=rng)
    assert len(made) == 1


def test_assemble_is_one_call(two_halves: Sample) -> None:
    def answer(puzzle: Puzzle, seed: int) -> Result:
        return assemble(puzzle, "random", seconds=1.0, seed=seed)

    assert answer(two_halves.puzzle, 1).assembly == answer(two_halves.puzzle, 1).assembly
    assert answer(two_halves.puzzle, 1).assembly != answer(two_halves.puzzle, 2).assembly
