"""Networks and puzzles small enough that training them takes a moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from sherd.core.geometry import Rotations
from sherd.generation.dataset import PuzzleKind
from sherd.generation.shapes import named_shape
from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.data.sets import draw_set
from sherd.learn.fan.learner import FanLearner, FanLossParams
from sherd.learn.fan.network import Fan, FanConfig

CPU = torch.device("cpu")


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _short_settling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherd.learn.training.train.SETTLING_BATCHES", 2)


@pytest.fixture
def tiny() -> FanConfig:
    return FanConfig(
        size_px=32, features=16, hidden=32, heads=2, code_channels=4, map_channels=4, dropout=0.0
    )


@pytest.fixture
def make_learner(tiny: FanConfig) -> Callable[..., FanLearner]:
    def make(seed: int = 0, losses: FanLossParams | None = None, **changes: Any) -> FanLearner:
        torch.manual_seed(seed)
        return FanLearner(Fan(replace(tiny, **changes)), losses)

    return make


@pytest.fixture
def draw() -> Callable[..., PuzzleBatch]:
    """Puzzles as the tiny network sees them."""

    def make(count: int = 4, pieces: int = 3, rotations: int = 1, seed: int = 0, **kind: Any) -> PuzzleBatch:
        shape = named_shape(kind.pop("shape", "square"))
        described = PuzzleKind(shape=shape, pieces=pieces, rotations=Rotations(rotations), **kind)
        return draw_set(described, seed, range(count), CPU, 32)

    return make
