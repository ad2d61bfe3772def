"""Teaching the matcher: labels, training states and the loss."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from sherd.core.metrics import score
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.learn.data.batch import PuzzleBatch, cells_at
from sherd.learn.data.sets import FixedSet, batch_of_samples
from sherd.learn.matcher.beam import BeamParams
from sherd.learn.matcher.learner import MatcherLearner, MatcherLossParams, NearPixels, fine_pixel_coverage
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.training.state import saved_step
from sherd.learn.training.train import Outcome, Report, TrainParams, train
from sherd.solvers.learned.beam import BeamSolver
from sherd.solvers.learned.matcher import MatcherSolver
from sherd.solvers.stop import MaxEvaluations

CPU = torch.device("cpu")
Draw = Callable[..., PuzzleBatch]


def make_learner(seed: int = 0, **params: object) -> MatcherLearner:
    torch.manual_seed(seed)
    model = Matcher(MatcherConfig(size_px=32, features=8, widths=(12, 16), judge_widths=(6, 8)))
    return MatcherLearner(model, MatcherLossParams(**params))  # type: ignore[arg-type]


def test_the_label_is_where_the_point_is() -> None:
    centres = torch.rand(50, 2) * 20.0 + 3.0
    around = NearPixels.around(centres)
    assert torch.allclose(around.weights.sum(dim=-1), torch.ones(50), atol=1e-5)
    mean = ((around.cells + 0.5) * around.weights[..., None]).sum(dim=-2)
    torch.testing.assert_close(mean, centres, atol=1e-4, rtol=0.0)


@pytest.mark.parametrize("any_order", [True, False])
def test_the_loss_counts_what_is_right_and_what_is_allowed(any_order: bool, draw: Draw) -> None:
    batch = draw(count=2, pieces=3)
    learner = make_learner(any_order=any_order, spread_px=0.0)
    loss = learner(batch, torch.zeros_like(batch.centres))["loss"].detach()
    # Every pixel is as likely at first; with k fragments left there are k times as many places.
    left = [1, 2, 3]
    right = left if any_order else [1, 1, 1]
    expected = np.mean([np.log(k * 32 * 32 / r) for k, r in zip(left, right, strict=True)])
    assert float(loss) == pytest.approx(expected, rel=1e-4)


def test_an_absent_fragment_is_no_candidate(draw: Draw) -> None:
    batch = draw(count=2, pieces=3)
    batch.images[:, 0] = 0  # absent ones come first
    learner = make_learner(spread_px=0.0)
    loss = learner(batch, torch.zeros_like(batch.centres))["loss"].detach()
    expected = np.log(32 * 32)  # 2, 2 and 1 are left, and all of them right
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    answer = learner.assemble(batch.images, batch.target)
    assert sorted(answer.chosen[0].tolist()) == [0, 1, 2]
    assert answer.chosen[:, 2].tolist() == [0, 0]


def test_the_judge_is_taught_which_of_the_likeliest_are_right(
    draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, learner = draw(count=2, pieces=3), make_learner(spread_px=0.0)

    def scores(*given: object) -> Tensor:
        """Every fragment is held as likely in its place as 8 pixels beside it."""
        maps = torch.full((2, 3, 3, 1, 4, 16, 16), -20.0)
        for puzzle, pieces in enumerate(batch.centres.long().tolist()):
            for piece, (column, row) in enumerate(pieces):
                for beside in (column, (column + 8) % 32):
                    maps[puzzle, :, piece, 0, 2 * (row % 2) + beside % 2, row // 2, beside // 2] = 5.0
        return maps

    monkeypatch.setattr("sherd.learn.matcher.learner.placement_scores", scores)
    judge = learner.model.judge
    optimizer = torch.optim.Adam(judge.parameters(), lr=1e-2)
    losses: list[float] = []
    for _ in range(40):
        torch.manual_seed(0)
        loss = learner(batch, torch.zeros_like(batch.centres))["judge"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[0] > 0.1
    assert losses[-1] < 0.3 * losses[0]


@pytest.mark.parametrize("rotations", [1, 4])
def test_all_weights_learn(rotations: int, draw: Draw) -> None:
    puzzles, learner = draw(count=4, rotations=rotations), make_learner()
    before = {name: value.detach().clone() for name, value in learner.model.named_parameters()}
    params = TrainParams(steps=6, batch_puzzles=4, validations=1, learning_rate=3e-3)
    reports: list[Report] = []
    train(learner, FixedSet(puzzles, seed=0), puzzles, params, on_report=reports.append)
    still = [n for n, value in learner.model.named_parameters() if torch.equal(value, before[n])]
    assert still == []
    assert reports[-2].losses["loss"] < reports[0].losses["loss"]


def test_one_puzzle_is_learnt_by_heart() -> None:
    sample = next(make_samples(PuzzleKind(pieces=4), seed=6, stop=1))
    batch = batch_of_samples([sample] * 2, CPU, 32)
    learner = make_learner(spread_px=0.1, any_order=False)
    params = TrainParams(steps=60, batch_puzzles=2, learning_rate=5e-3, validations=1)
    outcome = train(learner, FixedSet(batch, seed=0), batch, params)
    assert outcome.best["cov95"] == 1.0
    assert (fine_pixel_coverage(batch, learner.assemble(batch.images, batch.target)) > 0.95).all()
    greedy = MatcherSolver(learner)
    for solver in (greedy, BeamSolver(greedy, BeamParams(ways=2))):
        result = solver.solve(sample.puzzle, stop=MaxEvaluations(200), rng=np.random.default_rng(0))
        assert score(result.assembly, sample).coverage > 0.93  # the pixels are a 32nd of the side


def test_a_resumed_run_ends_as_an_unbroken_one(draw: Draw, tmp_path: Path) -> None:
    params = TrainParams(steps=6, batch_puzzles=2, validations=2, seed=5)
    puzzles = draw(count=4)
    (tmp_path / "whole").mkdir()
    (tmp_path / "parts").mkdir()

    def go(folder: str, seed: int, **options: object) -> tuple[MatcherLearner, Outcome]:
        learner = make_learner(seed=seed)
        data = FixedSet(puzzles, seed=3)
        return learner, train(learner, data, {"a": puzzles}, params, folder=tmp_path / folder, **options)  # type: ignore[arg-type]

    unbroken, outcome = go("whole", 0)
    asked = iter(range(100))
    go("parts", 0, interrupted=lambda: next(asked) >= 3)
    assert saved_step(tmp_path / "parts" / "state.safetensors") < 6
    resumed, last = go("parts", 7, resume=True)
    assert (last.steps, last.puzzles, last.best) == (6, outcome.puzzles, outcome.best)
    for name, value in unbroken.model.state_dict().items():
        assert torch.equal(resumed.model.state_dict()[name], value), name


def test_the_truth_covers_all(draw: Draw) -> None:
    batch = draw(count=2, pieces=3)
    learner = make_learner()
    answer = learner.assemble(batch.images, batch.target)
    number = torch.arange(3).expand(2, 3)
    truth = type(answer)(number, batch.centres, batch.turns, answer.certainty, answer.remaining)
    assert (fine_pixel_coverage(batch, truth) > 0.999).all()
    assert cells_at(truth.centres, 32).max() < 32


@pytest.mark.parametrize("changes", [{"steps": 0}, {"spread_px": -1.0}, {"judge_weight": float("nan")}])
def test_bad_loss_params(changes: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be at least"):
        MatcherLossParams(**changes)  # type: ignore[arg-type]
