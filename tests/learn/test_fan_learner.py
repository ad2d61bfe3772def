"""What FAN's learner does besides the network."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from sherd.dataset import PuzzleKind, make_samples
from sherd.errors import UnsupportedError
from sherd.learn.batch import PuzzleBatch
from sherd.learn.fan_learner import FanLearner, FanLossParams, peak_offsets
from sherd.solvers.fan import FanSolver
from sherd.solvers.stop import MaxEvaluations


def test_the_loss_is_the_weighted_sum(
    make_learner: Callable[..., FanLearner], draw: Callable[..., PuzzleBatch]
) -> None:
    puzzles = draw(rotations=4)
    learner = make_learner(rotates=True, losses=FanLossParams(position_weight=1000.0, rotation_weight=10.0))
    losses = learner(puzzles, torch.zeros_like(puzzles.centres))
    expected = losses["select"] + 1000.0 * losses["position"] + 10.0 * losses["rotation"]
    torch.testing.assert_close(losses["loss"], expected)


def test_weights_that_overflow_are_refused(make_learner: Callable[..., FanLearner]) -> None:
    learner = make_learner()
    with torch.no_grad():
        for value in learner.model.parameters():
            value.fill_(1e30)  # finite, but not what comes of it
    sample = next(make_samples(PuzzleKind(pieces=3), seed=0, stop=1))
    with pytest.raises(UnsupportedError, match="these weights make numbers that are not finite"):
        FanSolver(learner).solve(sample.puzzle, stop=MaxEvaluations(9), rng=np.random.default_rng(0))


def test_a_place_between_pixels_is_found() -> None:
    maps = torch.zeros(3, 16, 16)
    maps[0, 5, 7] = 1.0
    maps[1, 5, 7], maps[1, 5, 8] = 0.6, 0.4
    maps[2, 0, 15], maps[2, 1, 15], maps[2, 9, 2] = 0.4, 0.3, 0.3  # at the edge, and a rival far away
    peaks = torch.tensor([[7, 5], [7, 5], [15, 0]])
    expected = torch.tensor([[0.0, 0.0], [0.4, 0.0], [0.0, 3.0 / 7.0]])
    torch.testing.assert_close(peak_offsets(maps, peaks), expected, atol=1 / 128, rtol=0.0)
