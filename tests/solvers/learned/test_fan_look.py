"""FAN with a closer look as a solver."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch

from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Rotations
from sherd.core.metrics import score
from sherd.core.puzzle import Puzzle, Sample
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.learn.fan.learner import FanLearner
from sherd.learn.fan.look import LookParams
from sherd.learn.fan.network import Fan, FanConfig
from sherd.learn.training.checkpoint import save_network
from sherd.solvers import MaxEvaluations, Result
from sherd.solvers.learned.fan import FanSolver
from sherd.solvers.learned.fan_look import FanLookSolver
from sherd.solvers.registry import load_solver
from sherd.solvers.run import run


def make_fan(**config: bool | str) -> Fan:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    small = {"size_px": 32, "features": 16, "hidden": 32, "heads": 2, "code_channels": 4, "map_channels": 4}
    model = Fan(FanConfig(**small, **config))  # pyright: ignore[reportArgumentType]
    torch.nn.init.normal_(model.decoder.logits.weight, std=0.2)  # or every pixel would be as likely
    return model


def make_puzzle(bins: int | None = 1) -> Puzzle:
    kind = PuzzleKind(shape=named_shape("hexagon"), pieces=4, rotations=Rotations(bins))
    return next(make_samples(kind, seed=2, stop=1)).puzzle


def solve(model: Fan, puzzle: Puzzle, evaluations: int = 100_000, params: LookParams | None = None) -> Result:
    solver = FanLookSolver(FanSolver(FanLearner(model)), params or LookParams())
    return run(solver, puzzle, stop=MaxEvaluations(evaluations), rng=np.random.default_rng(0))


@pytest.mark.parametrize("aggregation", ["fram", "none", "max"])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("bins", [1, 5])
def test_every_piece_is_placed_once_where_the_puzzle_allows(
    bins: int, shared: bool, aggregation: str
) -> None:
    puzzle = make_puzzle(bins)
    result = solve(make_fan(rotates=bins > 1, shared_encoder=shared, aggregation=aggregation), puzzle)
    assert sorted(p.id for p in result.assembly) == sorted(f.id for f in puzzle.fragments)
    assert all(puzzle.rotations.allows(placement.pose.theta) for placement in result.assembly)
    assert [len(step) for step in result.trace] == [1, 2, 3, 4]
    assert result.trace[-1] == result.assembly
    assert all(0.0 < certainty <= 1.0 for certainty in result.certainty)


def test_several_at_once_come_out_as_one_by_one() -> None:
    kind = PuzzleKind(shape=named_shape("square"), pieces=5, rotations=Rotations(4))
    puzzles = [sample.puzzle for sample in make_samples(kind, seed=3, stop=3)]
    solver = FanLookSolver(FanSolver(FanLearner(make_fan(rotates=True))), LookParams())
    rngs = [np.random.default_rng(k) for k in range(3)]
    together = solver.solve_many(puzzles, stop=MaxEvaluations(10**6), rngs=rngs)
    alone = [
        solver.solve(puzzle, stop=MaxEvaluations(10**6), rng=np.random.default_rng(0)) for puzzle in puzzles
    ]
    for one, other in zip(together, alone, strict=True):
        assert [p.id for p in one.assembly] == [p.id for p in other.assembly]
        for a, b in zip(one.assembly, other.assembly, strict=True):
            assert np.allclose(
                (a.pose.x, a.pose.y, a.pose.theta), (b.pose.x, b.pose.y, b.pose.theta), atol=1e-4
            )


@pytest.mark.parametrize("evaluations", [0, 2])
def test_stopping_early_keeps_what_is_placed(evaluations: int) -> None:
    assert len(solve(make_fan(), make_puzzle(), evaluations).assembly) == evaluations


def test_pieces_that_turn_freely_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"^fan chooses among rotation bins"):
        solve(make_fan(), make_puzzle(None))


def test_weights_of_fan_are_its_weights(tmp_path: Path) -> None:
    model = make_fan()
    path = tmp_path / "weights.safetensors"
    save_network(path, "fan", model, asdict(model.config), {"train_puzzles": 5, "train_minutes": 3.0})
    loaded = load_solver("fan-look", path, torch.device("cpu"))
    assert isinstance(loaded, FanLookSolver)
    assert (loaded.train_puzzles, loaded.train_minutes) == (5, 3.0)


def test_looking_covers_more_than_the_first_guess() -> None:
    kind = PuzzleKind(shape=named_shape("square"), pieces=8)
    samples: list[Sample] = list(make_samples(kind, seed=21, stop=6))

    def covered(solver: FanSolver | FanLookSolver) -> float:
        found = [
            solver.solve(sample.puzzle, stop=MaxEvaluations(10**6), rng=np.random.default_rng(0))
            for sample in samples
        ]
        return float(np.mean([score(f.assembly, s).coverage for f, s in zip(found, samples, strict=True)]))

    assert covered(FanLookSolver.shipped()) > covered(FanSolver.shipped()) + 0.005
