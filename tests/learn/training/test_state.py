from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherd.core.errors import FileFormatError
from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.data.sets import FixedSet
from sherd.learn.fan.learner import FanLearner, FanLossParams
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
    with pytest.raises(FileFormatError, match="other settings"):
        run(make_learner(), draw(), steps=8, folder=tmp_path, resume=True)
    with pytest.raises(FileFormatError, match="another config"):
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
