"""The matcher along several ways as a solver."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch

from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.learn.matcher.beam import BeamParams
from sherd.learn.matcher.learner import MatcherLearner
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.training.checkpoint import save_network
from sherd.solvers import MaxEvaluations, Result
from sherd.solvers.base import ExplainingSolver
from sherd.solvers.learned.beam import BeamSolver
from sherd.solvers.learned.matcher import MatcherSolver
from sherd.solvers.registry import load_solver
from sherd.solvers.run import run


def make_matcher() -> MatcherSolver:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Matcher(MatcherConfig(size_px=32, features=6, widths=(8, 12), judge_widths=(6, 8)))
    torch.nn.init.normal_(model.shape_head.weight, std=0.2)  # or every pixel would be as likely
    return MatcherSolver(MatcherLearner(model), train_puzzles=5, train_minutes=3.0)


def make_puzzle(bins: int | None = 1, shape: str = "square") -> Puzzle:
    kind = PuzzleKind(shape=named_shape(shape), pieces=4, rotations=Rotations(bins))
    return next(make_samples(kind, seed=2, stop=1)).puzzle


def solve(puzzle: Puzzle, evaluations: int = 1000) -> Result:
    solver = BeamSolver(make_matcher(), BeamParams(ways=2, looks=2))
    return run(solver, puzzle, stop=MaxEvaluations(evaluations), rng=np.random.default_rng(0))


@pytest.mark.parametrize("bins", [1, 5])
def test_every_piece_is_placed_once_where_the_puzzle_allows(bins: int) -> None:
    puzzle = make_puzzle(bins, "hexagon")
    result = solve(puzzle)
    assert sorted(p.id for p in result.assembly) == sorted(f.id for f in puzzle.fragments)
    assert all(puzzle.rotations.allows(placement.pose.theta) for placement in result.assembly)
    assert [len(step) for step in result.trace] == [1, 2, 3, 4]
    assert result.trace[-1] == result.assembly
    assert all(0.0 < certainty <= 1.0 for certainty in result.certainty)
    assert result.solved or "of the target" in result.reason


@pytest.mark.parametrize("evaluations", [0, 1, 3])
def test_stopping_early_keeps_what_is_placed(evaluations: int) -> None:
    result = solve(make_puzzle(), evaluations)
    assert len(result.assembly) == len(result.trace) == evaluations
    assert result.reason == "stopped before all were placed"


def test_what_it_cannot_do_is_refused_by_its_name() -> None:
    with pytest.raises(UnsupportedError, match=r"^matcher-beam chooses among rotation bins"):
        solve(make_puzzle(bins=None))


def test_it_knows_where_its_matcher_comes_from_and_does_not_explain(tmp_path: Path) -> None:
    matcher, path = make_matcher(), tmp_path / "w.safetensors"
    solver = BeamSolver(matcher, BeamParams())
    assert (solver.train_puzzles, solver.train_minutes) == (5, 3.0)
    assert solver.parameters == matcher.parameters
    assert isinstance(matcher, ExplainingSolver) and not isinstance(solver, ExplainingSolver)
    save_network(path, "matcher", matcher.learner.model, asdict(matcher.learner.model.config), {})
    loaded = load_solver("matcher-beam", path, torch.device("cpu"))
    assert isinstance(loaded, BeamSolver)
    assert loaded.params == BeamParams()
