from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sherd.core.errors import TrainingError
from sherd.core.metrics import score
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.data.sets import EndlessSet, FixedSet, batch_of_samples
from sherd.learn.fan.learner import FanLearner, FanLossParams, pixel_coverage
from sherd.learn.training.checkpoint import read_tensors
from sherd.learn.training.losses import position_loss
from sherd.learn.training.state import saved_step
from sherd.learn.training.train import Data, Outcome, Report, TrainParams, train
from sherd.solvers.learned.fan import FanSolver
from sherd.solvers.run import run as run_solver
from sherd.solvers.stop import MaxEvaluations

CPU = torch.device("cpu")
Make = Callable[..., FanLearner]
Draw = Callable[..., PuzzleBatch]


def run(learner: FanLearner, puzzles: PuzzleBatch, steps: int = 6, **options: Any) -> Outcome:
    params = options.pop("params", TrainParams(steps=steps, batch_puzzles=2, validations=2))
    data: Data = options.pop("data", FixedSet(puzzles, seed=0))
    return train(learner, data, puzzles, params, **options)


def weights(learner: FanLearner) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in learner.model.state_dict().items()}


def assert_equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert torch.equal(value, other[name]), name


@pytest.mark.parametrize(
    ("aggregation", "shared_encoder"),
    [
        ("fram", False),
        ("none", False),
        pytest.param("max", False, marks=pytest.mark.nightly),
        pytest.param("avg", False, marks=pytest.mark.nightly),
        ("fram", True),
    ],
)
def test_each_aggregation_trains(
    aggregation: str, shared_encoder: bool, make_learner: Make, draw: Draw
) -> None:
    learner = make_learner(aggregation=aggregation, shared_encoder=shared_encoder)
    assert_all_learn(learner, draw())


def test_rotations_train(make_learner: Make, draw: Draw) -> None:
    reports = assert_all_learn(make_learner(rotates=True), draw(rotations=4))
    assert set(reports[0].losses) == {"select", "position", "rotation", "loss"}


def test_rotations_train_without_attention(make_learner: Make, draw: Draw) -> None:
    assert_all_learn(make_learner(rotates=True, aggregation="max"), draw(rotations=4))


def test_textures_train(make_learner: Make, draw: Draw) -> None:
    assert_all_learn(make_learner(channels=4), draw(texture="checker"))


def test_dropout_trains(make_learner: Make, draw: Draw) -> None:
    assert_all_learn(make_learner(dropout=0.1), draw())


def assert_all_learn(learner: FanLearner, puzzles: PuzzleBatch) -> list[Report]:
    """Every weight moves, and the loss falls."""
    torch.nn.init.normal_(learner.model.decoder.logits.weight, std=0.1)
    before = {name: value.detach().clone() for name, value in learner.model.named_parameters()}
    reports: list[Report] = []
    params = TrainParams(steps=8, batch_puzzles=4, validations=1, learning_rate=3e-3)
    run(learner, puzzles, params=params, on_report=reports.append)
    still = [name for name, value in learner.model.named_parameters() if torch.equal(value, before[name])]
    assert still == []
    losses = [report.losses["loss"] for report in reports if report.validation is None]
    assert len(losses) == 8
    assert np.mean(losses[-2:]) < np.mean(losses[:2])
    return reports


@pytest.mark.parametrize("attention_rate", [0.3, 1.0])
def test_attention_learns_at_its_own_rate(attention_rate: float, make_learner: Make, draw: Draw) -> None:
    learner = FanLearner(make_learner().model, FanLossParams(attention_rate=attention_rate))
    before = weights(learner)
    params = TrainParams(steps=1, batch_puzzles=4, validations=1, learning_rate=1e-2, warm_up=0.0)
    run(learner, draw(), params=params)
    moved = {"fram": 0.0, "rest": 0.0}  # Adam's first step is as long as the rate, whatever the gradient
    for name, _ in learner.model.named_parameters():
        part = "fram" if name.startswith("fram.") else "rest"
        farthest = (learner.model.state_dict()[name] - before[name]).abs().max().item()
        moved[part] = max(moved[part], farthest)
    assert moved["rest"] == pytest.approx(1e-2, rel=1e-3)
    assert moved["fram"] == pytest.approx(attention_rate * 1e-2, rel=1e-3)


def least_position_loss(batch: PuzzleBatch) -> float:
    """Of the best map that there is, by descent from one that is sure of the right pixels."""
    points = batch.centres.flatten(0, 1)
    column, row = points.long().unbind(dim=1)
    logits = torch.zeros(len(points), 32, 32)
    logits[torch.arange(len(points)), row, column] = 10.0
    logits.requires_grad_()
    descent = torch.optim.Adam([logits], lr=0.1)
    for _ in range(200):
        loss = position_loss(logits, points)
        descent.zero_grad()
        loss.backward()
        descent.step()
    return position_loss(logits, points).item()


def test_one_puzzle_is_learnt_by_heart(make_learner: Make) -> None:
    sample = next(make_samples(PuzzleKind(pieces=4), seed=6, stop=1))
    batch = batch_of_samples([sample] * 2, CPU, 32)
    learner = make_learner(features=32, losses=FanLossParams(spread_px=0.0))
    reports: list[Report] = []
    outcome = run(
        learner,
        batch,
        params=TrainParams(steps=80, batch_puzzles=2, learning_rate=5e-3, validations=1),
        on_report=reports.append,
    )
    assert reports[0].losses["loss"] > 10.0
    # What is left is the true place's: it lies between pixels, which count in shares.
    assert reports[-2].losses["select"] < 0.1
    assert reports[-2].losses["position"] < least_position_loss(batch) + 0.5
    assert outcome.best["cov95"] == 1.0
    assert (pixel_coverage(batch, learner.assemble(batch.images, batch.target)) > 0.95).all()
    solver = FanSolver(learner)
    result = run_solver(solver, sample.puzzle, stop=MaxEvaluations(10), rng=np.random.default_rng(0))
    scores = score(result.assembly, sample)
    assert result.solved
    assert scores.coverage > 0.9  # the pixels are a 32nd of the side
    assert scores.iou > 0.85
    assert [p.id for p in result.assembly] == [p.id for p in sample.truth]


def make_data(kind: str, puzzles: PuzzleBatch) -> Data:
    if kind == "fixed":
        return FixedSet(puzzles, seed=3, mirrors=("columns", "rows"))
    return EndlessSet((PuzzleKind(pieces=3), PuzzleKind(pieces=3, order="random")), 3, CPU, 32)


@dataclass
class StopFrom:
    """Says that it is time to stop from some question on, and counts them."""

    moment: int
    asked: int = 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked > self.moment


@pytest.mark.parametrize(
    ("kind", "threads", "moments"),
    [
        ("fixed", 1, 3),
        pytest.param("fixed", 1, 14, marks=pytest.mark.nightly),
        ("endless", 1, 3),
        ("fixed", 2, 1),
    ],
)
def test_a_run_that_is_stopped_at_any_moment_ends_as_an_unbroken_one(
    kind: str, threads: int, moments: int, make_learner: Make, draw: Draw, tmp_path: Path
) -> None:
    """Between steps, in a layer of one, forwards or backwards, while settling, while validating."""
    params = TrainParams(steps=2, batch_puzzles=2, validations=1, seed=5)
    puzzles = draw(count=3)

    def go(name: str, seed: int, **options: Any) -> tuple[FanLearner, Outcome, list[tuple[Any, ...]]]:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        learner = make_learner(seed=seed, dropout=0.1)
        heard: list[tuple[Any, ...]] = []

        def on_report(report: Report) -> None:
            heard.append((report.step, dict(report.losses), report.validation, report.improved))

        data = make_data(kind, puzzles)
        outcome = train(learner, data, puzzles, params, folder=folder, on_report=on_report, **options)
        return learner, outcome, heard

    torch.set_num_threads(threads)
    try:
        never = StopFrom(10**9)
        unbroken, outcome, wanted = go("whole", 0, interrupted=never)
        assert never.asked > 150  # of which all but some 20 within steps
        for moment in np.random.default_rng(threads).choice(never.asked, moments, replace=False).tolist():
            stop = StopFrom(moment)
            _, first, heard = go(f"{moment}", 0, interrupted=stop)
            assert not first.finished
            assert stop.asked <= moment + 10  # each of 3 puzzles hears it for itself
            assert saved_step(tmp_path / f"{moment}" / "state.safetensors") == first.steps
            resumed, last, heard_after = go(f"{moment}", 77, resume=True)  # all weights are replaced
            assert (last.finished, last.steps, last.best) == (True, 2, outcome.best)
            assert_equal(weights(resumed), weights(unbroken))
            states = (
                read_tensors(tmp_path / name / "state.safetensors")[0] for name in (f"{moment}", "whole")
            )
            assert_equal(*states)
            assert heard + heard_after == wanted
    finally:
        torch.set_num_threads(1)


def test_nobody_is_asked_before_a_first_step_is_taken(make_learner: Make, draw: Draw, tmp_path: Path) -> None:
    puzzles, told = draw(count=2), list[str]()
    params = TrainParams(steps=3, batch_puzzles=2, validations=1)
    data = FixedSet(puzzles, seed=0)
    outcome = train(
        make_learner(),
        data,
        puzzles,
        params,
        folder=tmp_path,
        on_work=lambda work: told.append(work.what),
        on_report=lambda report: told.append(f"step {report.step}"),
        interrupted=lambda: bool(told.append("asked")) or True,
    )
    assert (outcome.finished, outcome.steps, outcome.best) == (False, 1, {})
    assert told == ["taking the first step", "asked", "step 1"]
    assert saved_step(tmp_path / "state.safetensors") == 1


class Killed(BaseException):
    """Stands for a signal that cannot be caught: nothing is saved after it."""


@dataclass
class KillingSet:
    """Data that end the run when the batch of some step is asked for."""

    data: Data
    step: int

    def batch(self, step: int, size: int) -> PuzzleBatch:
        if step == self.step:
            raise Killed
        return self.data.batch(step, size)

    def examples(self, size: int) -> list[PuzzleBatch]:
        return self.data.examples(size)


# The clock is read once before the run, before each step and after the state was saved. If that is due after
# 2.5 ticks, it is saved before the third step, and then before every third.
@pytest.mark.parametrize(
    ("killed_at", "saved_at"),
    [
        (1, None),
        pytest.param(2, 2, marks=pytest.mark.nightly),
        pytest.param(4, 2, marks=pytest.mark.nightly),
        (7, 5),
    ],
)
def test_a_killed_run_goes_on_from_what_was_saved_last(
    killed_at: int,
    saved_at: int | None,
    make_learner: Make,
    draw: Draw,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = count()
    monkeypatch.setattr("sherd.learn.training.train.time.perf_counter", lambda: float(next(ticks)))
    monkeypatch.setattr("sherd.learn.training.train.SAVING_SECONDS", 2.5)
    params = TrainParams(steps=8, batch_puzzles=4, validations=1, seed=5)
    puzzles, state = draw(count=6), tmp_path / "state.safetensors"
    said: list[tuple[int, dict[str, float]]] = []

    def go(data: Data, seed: int = 0, **options: Any) -> FanLearner:
        learner = make_learner(seed=seed, dropout=0.1)
        train(
            learner,
            data,
            puzzles,
            params,
            on_report=lambda report: said.append((report.step, dict(report.losses))),
            **options,
        )
        return learner

    unbroken = go(make_data("fixed", puzzles))
    wanted = list(said)
    said.clear()
    with pytest.raises(Killed):
        go(KillingSet(make_data("fixed", puzzles), killed_at), folder=tmp_path)
    if saved_at is None:
        assert not state.exists()
        return
    assert saved_step(state) == saved_at
    said[:] = [report for report in said if report[0] <= saved_at]  # as `RunLog` drops the others
    resumed = go(make_data("fixed", puzzles), seed=77, folder=tmp_path, resume=True)
    assert_equal(weights(resumed), weights(unbroken))
    assert said == wanted


def test_a_finished_run_is_not_run_again(make_learner: Make, draw: Draw, tmp_path: Path) -> None:
    learner = make_learner()
    outcome = run(learner, draw(), folder=tmp_path)
    reports: list[Report] = []
    again = make_learner(seed=9)
    once_more = run(again, draw(), folder=tmp_path, resume=True, on_report=reports.append)
    assert replace(once_more, minutes=outcome.minutes) == outcome
    assert reports == []
    assert_equal(weights(again), weights(learner))


def test_the_best_weights_are_kept(make_learner: Make, draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    coverages = iter([0.5, 0.9, 0.7])
    monkeypatch.setattr("sherd.learn.training.train.validate", lambda *arguments: {"cov": next(coverages)})
    learner, kept = make_learner(), []

    def on_report(report: Report) -> None:
        if report.improved:
            kept.append((report.step, weights(learner)))

    params = TrainParams(steps=6, batch_puzzles=2, validations=3)
    outcome = run(learner, draw(), params=params, on_report=on_report)
    assert outcome.best == {"cov": 0.9}
    assert [step for step, _ in kept] == [2, 4]
    assert_equal(weights(learner), kept[-1][1])


@pytest.mark.parametrize("seconds", [1, 3])
def test_training_by_the_clock(
    seconds: float, make_learner: Make, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter(np.arange(0.0, 1000.0, 0.5).tolist())
    monkeypatch.setattr("sherd.learn.training.train.time.perf_counter", lambda: next(ticks))
    params = TrainParams(minutes=seconds / 60.0, batch_puzzles=2, validations=1)
    outcome = run(make_learner(), draw(), params=params)
    assert (outcome.finished, outcome.steps) == (True, 2 * seconds - 1)


def test_a_loss_that_is_not_finite_stops_the_run(make_learner: Make, draw: Draw, tmp_path: Path) -> None:
    learner = make_learner(losses=FanLossParams(position_weight=1e39))  # beyond float32
    with pytest.raises(TrainingError, match="the loss loss is not finite at step 1"):
        run(learner, draw(), folder=tmp_path)
    assert not (tmp_path / "state.safetensors").exists()


def test_the_rate_rises_and_falls() -> None:
    params = TrainParams(steps=100, learning_rate=2.0, warm_up=0.1)
    rates = [params.rate(k / 100) for k in range(101)]
    assert rates[0] < 0.05
    assert max(rates) == pytest.approx(2.0, rel=0.03)
    assert 9 <= int(np.argmax(rates)) <= 11
    assert rates[-1] == pytest.approx(0.0, abs=1e-9)
    assert all(a >= b for a, b in pairwise(rates[11:]))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "either minutes or steps"),
        ({"steps": 1, "minutes": 1.0}, "either minutes or steps"),
        ({"steps": 0}, "must last longer than 0"),
        ({"minutes": float("nan")}, "must last longer than 0 and not for ever, not nan"),
        ({"minutes": float("inf")}, "not for ever, not inf"),
        ({"steps": 1, "batch_puzzles": 0}, "at least 1"),
        ({"steps": 1, "learning_rate": -1.0}, "learning_rate must be greater than 0 and finite, not -1.0"),
        ({"steps": 1, "clip": float("inf")}, "clip must be at least 0 .for none. and finite, not inf"),
        ({"steps": 1, "warm_up": 2.0}, "share of the run, not 2.0"),
        ({"steps": 1, "seed": -1}, "at least 0, not -1"),
    ],
)
def test_bad_params(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        TrainParams(**changes)


def test_statistics_are_settled_without_dropout(make_learner: Make, draw: Draw) -> None:
    """What a trained network computes from a batch it has seen is normalised by that batch's figures."""
    learner = make_learner(dropout=0.3, losses=FanLossParams(spread_px=0.0))
    puzzles = draw()
    run(learner, puzzles, params=TrainParams(steps=4, batch_puzzles=4, validations=1))
    norm = learner.model.pose_mlp.norms[0]
    seen: list[torch.Tensor] = []
    norm.register_forward_pre_hook(lambda module, arguments: seen.append(arguments[0]))
    learner.eval()
    learner(puzzles, torch.zeros_like(puzzles.centres))
    rows = seen[0].detach()
    torch.testing.assert_close(norm.running_mean, rows.mean(dim=0), atol=1e-4, rtol=1e-3)
    torch.testing.assert_close(norm.running_variance, rows.var(dim=0, correction=0), atol=1e-4, rtol=1e-3)


def test_several_processes_share_a_batch_evenly(
    make_learner: Make, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sherd.learn.training.train.DistributedDataParallel", lambda module: module)
    monkeypatch.setattr("sherd.learn.training.train._shared", lambda: True)
    monkeypatch.setattr("torch.distributed.get_rank", lambda: 0)
    monkeypatch.setattr("torch.distributed.get_world_size", lambda: 2)
    with pytest.raises(ValueError, match="2 processes cannot share a batch of 3 puzzles evenly"):
        run(make_learner(), draw(), params=TrainParams(steps=1, batch_puzzles=3))
