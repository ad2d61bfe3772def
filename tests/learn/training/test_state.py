from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from sherd.core.errors import FileFormatError
from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.data.sets import FixedSet
from sherd.learn.fan.learner import FanLearner, FanLossParams
from sherd.learn.training.checkpoint import read_tensors, save_tensors
from sherd.learn.training.state import saved_step
from sherd.learn.training.train import Data, Outcome, TrainParams, train

Make = Callable[..., FanLearner]
Draw = Callable[..., PuzzleBatch]


def run(learner: FanLearner, puzzles: PuzzleBatch, steps: int = 6, **options: Any) -> Outcome:
    params = options.pop("params", TrainParams(steps=steps, batch_puzzles=2, validations=2))
    data: Data = options.pop("data", FixedSet(puzzles, seed=0))
    return train(learner, data, puzzles, params, **options)


def test_a_state_of_other_settings_is_refused(make_learner: Make, draw: Draw, tmp_path: Path) -> None:
    run(make_learner(), draw(), steps=6, folder=tmp_path)
    with pytest.raises(FileFormatError, match="other settings: steps is 6 there and 8 here"):
        run(make_learner(), draw(), steps=8, folder=tmp_path, resume=True)
    with pytest.raises(FileFormatError, match=r"or is broken: model\.\S+ is \[.*\] there and \[.*\] here"):
        run(make_learner(features=32), draw(), steps=6, folder=tmp_path, resume=True)


def test_a_missing_or_broken_state_is_refused(make_learner: Make, draw: Draw, tmp_path: Path) -> None:
    state = tmp_path / "state.safetensors"
    with pytest.raises(FileFormatError, match="there is no such file"):
        run(make_learner(), draw(), folder=tmp_path, resume=True)
    run(make_learner(), draw(), folder=tmp_path)
    state.write_bytes(state.read_bytes()[:-100])
    for use in (lambda: run(make_learner(), draw(), folder=tmp_path, resume=True), lambda: saved_step(state)):
        with pytest.raises(FileFormatError, match="truncated or not a safetensors file"):
            use()


def test_moments_of_another_grouping_are_refused(make_learner: Make, draw: Draw, tmp_path: Path) -> None:
    """Groups of the optimizer number the weights: those of one group are others in two."""
    puzzles = draw(count=2)
    params = TrainParams(steps=2, batch_puzzles=2, validations=1)
    one, two = (make_learner(losses=FanLossParams(attention_rate=rate)) for rate in (1.0, 0.3))
    train(one, FixedSet(puzzles, seed=3), puzzles, params, folder=tmp_path)
    with pytest.raises(FileFormatError, match=r"state\.safetensors: was saved by a run with other settings"):
        train(two, FixedSet(puzzles, seed=3), puzzles, params, folder=tmp_path, resume=True)


BEST, MOMENT = "best.decoder.dense.weight", "adam.0.exp_avg_sq"
BROKEN = r"was saved by a run with other settings, or is broken: "


def without_moment(tensors: dict[str, torch.Tensor]) -> None:
    del tensors[MOMENT]


def without_moments_of_a_weight(tensors: dict[str, torch.Tensor]) -> None:
    for name in ("step", "exp_avg", "exp_avg_sq"):
        del tensors[f"adam.2.{name}"]


def without_best(tensors: dict[str, torch.Tensor]) -> None:
    del tensors[BEST]


def put(name: str, value: torch.Tensor | float) -> Callable[[dict[str, torch.Tensor]], None]:
    """A tensor of this name, or one number within the one that is there."""

    def change(tensors: dict[str, torch.Tensor]) -> None:
        if isinstance(value, torch.Tensor):
            tensors[name] = value
        else:
            tensors[name].view(-1)[-1] = value

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put("foo.bar", torch.ones(3)), rf"{BROKEN}foo\.bar is \[3\] there and None here"),
        (put("foo", torch.ones(())), rf"{BROKEN}foo is \[\] there and None here"),
        (put("adam.x.step", torch.ones(())), rf"{BROKEN}adam\.x\.step is \[\] there and None here"),
        (put("adam.01.step", torch.ones(())), rf"{BROKEN}adam\.01\.step is "),
        (without_moment, rf"{BROKEN}adam\.0\.exp_avg_sq is None there and "),
        (without_moments_of_a_weight, rf"{BROKEN}adam\.2\.step is None there and \[\] here"),
        (without_best, rf"{BROKEN}best\.decoder\.dense\.weight is None there and "),
        (put(BEST, torch.ones(2)), rf"{BROKEN}best\.decoder\.dense\.weight is \[2\] there and "),
        (put(BEST, float("nan")), "holds numbers that are not finite"),
        (put("adam.0.exp_avg", float("nan")), "holds numbers that are not finite"),
        (put(MOMENT, float("inf")), "holds numbers that are not finite"),
        (put(MOMENT, -1.0), r"adam\.0\.exp_avg_sq must be at least 0"),
        (put("adam.0.step", -1.0), r"adam\.0\.step must be at least 0"),
        (
            put("adam.0.step", torch.tensor(3)),
            r"adam\.0\.step must hold floating-point numbers, not int64",
        ),
    ],
)
def test_a_state_with_other_tensors_is_refused(
    change: Callable[[dict[str, torch.Tensor]], None],
    reason: str,
    make_learner: Make,
    draw: Draw,
    tmp_path: Path,
) -> None:
    run(make_learner(), draw(), steps=2, folder=tmp_path)
    state = tmp_path / "state.safetensors"
    tensors, about = read_tensors(state)
    change(tensors)
    save_tensors(state, tensors, about)
    with pytest.raises(FileFormatError, match=rf"state\.safetensors: {reason}"):
        run(make_learner(), draw(), steps=2, folder=tmp_path, resume=True)


NO_STATE = "not the state of a training run"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"state": None}, NO_STATE),
        ({"state": [3]}, NO_STATE),
        ({"mood": 1}, "state: unknown key 'mood': there are step, puzzles, seconds, validations, best"),
        ({"puzzles": ...}, "state: puzzles is missing"),
        ({"step": True}, "state: step must be a whole number, not True"),
        ({"step": -1}, "state: step must be from 0 to 9,223,372,036,854,775,807, not -1"),
        ({"step": 10**400}, "state: step must be from 0 to "),
        ({"seconds": None}, "state: seconds must be a number, not None"),
        ({"seconds": float("nan")}, "state: seconds must be from 0 to .*, not nan"),
        ({"best": {"cov": "all"}}, "state: best must be a number by each name, not {'cov': 'all'}"),
        ({"best": {"cov95": 0.5}}, "state: best must have cov"),
        (
            {"best": {"cov": 0.5, "cov95": float("nan")}},
            "state: best must have cov, and finite figures alone",
        ),
    ],
)
def test_a_state_that_tells_something_else_is_refused(
    change: dict[str, Any], reason: str, make_learner: Make, draw: Draw, tmp_path: Path
) -> None:
    run(make_learner(), draw(), steps=2, folder=tmp_path)
    path = tmp_path / "state.safetensors"
    tensors, about = read_tensors(path)
    told = {key: value for key, value in {**about["state"], **change}.items() if value is not ...}
    save_tensors(path, tensors, {**about, **(change if reason == NO_STATE else {"state": told})})
    for use in (
        lambda: run(make_learner(), draw(), steps=2, folder=tmp_path, resume=True),
        lambda: saved_step(path),
    ):
        with pytest.raises(FileFormatError, match=rf"state\.safetensors: {reason}"):
            use()
