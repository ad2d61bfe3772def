"""The matcher as a solver."""

from __future__ import annotations

from dataclasses import asdict, replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import shapely
import torch

from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import score
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.learn.matcher.learner import MatcherLearner
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.training.checkpoint import save_network
from sherd.solvers import MaxEvaluations, Progress, Result
from sherd.solvers.learned.matcher import SHIPPED, MatcherSolver
from sherd.solvers.registry import load_solver
from sherd.solvers.run import run, run_many

NEVER = MaxEvaluations(1000)


def make_solver() -> MatcherSolver:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Matcher(MatcherConfig(size_px=32, features=6, widths=(8, 12), judge_widths=(6, 8)))
    torch.nn.init.normal_(model.shape_head.weight, std=0.2)  # or every pixel would be as likely
    return MatcherSolver(MatcherLearner(model))


def make_puzzle(pieces: int = 4, bins: int | None = 1, shape: str = "square") -> Puzzle:
    kind = PuzzleKind(shape=named_shape(shape), pieces=pieces, rotations=Rotations(bins))
    return next(make_samples(kind, seed=2, stop=1)).puzzle


def solve(solver: MatcherSolver, puzzle: Puzzle, evaluations: int = 1000) -> Result:
    return run(solver, puzzle, stop=MaxEvaluations(evaluations), rng=np.random.default_rng(0))


@pytest.mark.parametrize("bins", [1, 5])
def test_every_piece_is_placed_once_where_the_puzzle_allows(bins: int) -> None:
    puzzle = make_puzzle(bins=bins, shape="hexagon")
    result = solve(make_solver(), puzzle)
    assert sorted(p.id for p in result.assembly) == sorted(f.id for f in puzzle.fragments)
    assert all(puzzle.rotations.allows(placement.pose.theta) for placement in result.assembly)
    assert [len(step) for step in result.trace] == [1, 2, 3, 4]
    assert result.trace[-1] == result.assembly
    assert len(result.certainty) == 4
    assert all(0.0 < certainty <= 1.0 for certainty in result.certainty)
    assert result.solved or "of the target" in result.reason


def test_answers_refer_to_the_frames_of_the_file() -> None:
    puzzle = make_puzzle(bins=4)
    solver = make_solver()
    moved = replace(
        puzzle,
        fragments=tuple(
            Fragment(f.id, Pose(3.0 * k - 4.0, 7.0 - 2.0 * k).apply(f.polygon))
            for k, f in enumerate(puzzle.fragments)
        ),
    )
    for one, other in zip(solve(solver, puzzle).assembly, solve(solver, moved).assembly, strict=True):
        assert one.id == other.id
        here, there = one.pose.apply(puzzle[one.id].polygon), other.pose.apply(moved[one.id].polygon)
        assert shapely.hausdorff_distance(here, there) < 1e-6


@pytest.mark.parametrize("evaluations", [0, 1, 3])
def test_stopping_early_keeps_what_is_placed(evaluations: int) -> None:
    result = solve(make_solver(), make_puzzle(), evaluations)
    assert len(result.assembly) == len(result.trace) == evaluations
    assert not result.solved
    assert result.reason == "stopped before all were placed"


def test_progress_is_reported_step_by_step() -> None:
    heard: list[Progress] = []
    rng = np.random.default_rng(0)
    result = make_solver().solve(make_puzzle(), stop=NEVER, rng=rng, on_progress=heard.append)
    told = [progress.assembly for progress in heard]
    *first_try, last = told
    assert [len(step) for step in first_try] == [1, 2, 3, 4]
    assert all(list(more)[:-1] == list(step) for step, more in pairwise(first_try))
    assert last == result.assembly  # of any try, refined


def test_side_by_side_is_one_by_one() -> None:
    puzzles = [sample.puzzle for sample in make_samples(PuzzleKind(pieces=4), seed=0, stop=4)]
    solver = make_solver()
    together = solver.solve_many(puzzles, stop=NEVER, rngs=[np.random.default_rng(0)] * 4)
    for puzzle, result in zip(puzzles, together, strict=True):
        alone = solve(solver, puzzle)
        assert [p.id for p in alone.assembly] == [p.id for p in result.assembly]
        for one, other in zip(alone.assembly, result.assembly, strict=True):
            assert one.pose.is_close(other.pose, 1e-3)


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="cannot turn pieces freely"):
        solve(make_solver(), make_puzzle(bins=None))
    with pytest.raises(UnsupportedError, match="cannot turn pieces over"):
        solve(make_solver(), replace(make_puzzle(), mirror=True))


def test_weights_of_ones_own(tmp_path: Path) -> None:
    solver, path = make_solver(), tmp_path / "w.safetensors"
    model = solver.learner.model
    save_network(path, "matcher", model, asdict(model.config), {"train_minutes": 3.0})
    puzzle = make_puzzle()
    loaded = load_solver("matcher", path)
    assert isinstance(loaded, MatcherSolver)
    assert loaded.train_minutes == 3.0
    assert solve(loaded, puzzle).assembly == solve(solver, puzzle).assembly
    with pytest.raises(ValueError, match="weights of one's own go with the solvers fan, fan-look, matcher"):
        load_solver("search", path)


def test_it_says_how_large_it_is() -> None:
    solver = make_solver()
    assert solver.parameters == sum(p.numel() for p in solver.learner.model.parameters())


def test_it_says_what_it_saw() -> None:
    solver, puzzle = make_solver(), make_puzzle(bins=4)
    maps = solver.explain(puzzle)
    assert [one.shape for one in maps] == [(32, 32)] * 4
    assert all(one.max() <= 0.0 for one in maps)


@pytest.mark.parametrize(
    ("shape", "bins"),
    [
        ("square", 1),
        pytest.param("mondrian", 1, marks=pytest.mark.nightly),
        pytest.param("pentagon", 4, marks=pytest.mark.nightly),
    ],
)
def test_the_weights_that_ship_have_learnt_to_assemble(shape: str, bins: int) -> None:
    kind = PuzzleKind(shape=named_shape(shape), pieces=8, rotations=Rotations(bins))
    samples = list(make_samples(kind, seed=11, stop=4))
    solver = MatcherSolver.shipped()
    rngs = [np.random.default_rng(0)] * len(samples)
    results = run_many(solver, [sample.puzzle for sample in samples], stop=NEVER, rngs=rngs)
    coverage = [score(r.assembly, sample).coverage for r, sample in zip(results, samples, strict=True)]
    assert np.mean(coverage) > 0.95
    assert sum(r.solved for r in results) >= 3


def test_the_weights_that_ship_are_small() -> None:
    assert MatcherSolver.shipped().parameters <= 4_000_000
    assert (Path(str(files("sherd"))) / "weights" / SHIPPED).stat().st_size <= 8 * 2**20
