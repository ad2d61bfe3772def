from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from sherd.learn.fan.learner import FanLearner
from sherd.learn.fan.weights import load_fan, save_fan

CPU = torch.device("cpu")


@pytest.fixture
def saved(tmp_path: Path, make_learner: Callable[..., FanLearner]) -> Path:
    path = tmp_path / "weights.safetensors"
    save_fan(path, make_learner().model, {"steps": 7})
    return path


def test_weights_come_back_as_they_were(saved: Path, make_learner: Callable[..., FanLearner]) -> None:
    model, training = load_fan(saved, CPU)
    original = make_learner().model
    assert model.config == original.config
    assert not model.training
    assert training == {"steps": 7}
    for name, value in original.state_dict().items():
        assert torch.equal(model.state_dict()[name], value)


def test_half_precision_halves_the_file(
    saved: Path, tmp_path: Path, make_learner: Callable[..., FanLearner]
) -> None:
    small = tmp_path / "small.safetensors"
    original = make_learner().model
    save_fan(small, original, {}, torch.float16)
    assert small.stat().st_size < 0.55 * saved.stat().st_size
    model, _ = load_fan(small, CPU)
    for name, value in original.state_dict().items():
        again = model.state_dict()[name]
        assert again.dtype == torch.float32
        assert torch.equal(again, value.half().float())


def test_the_description_is_json_with_the_config(
    saved: Path, make_learner: Callable[..., FanLearner]
) -> None:
    about = json.loads(saved.with_suffix(".json").read_text())
    assert (about["format"], about["version"], about["network"]) == ("sherd.weights", 1, "fan")
    assert about["config"] == asdict(make_learner().model.config)
