"""What FAN's learner does besides the network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from sherd.core.errors import UnsupportedError
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.learn.data.batch import PuzzleBatch, place
from sherd.learn.fan.learner import FanLearner, FanLossParams, peak_offsets
from sherd.learn.fan.network import OtherCandidates
from sherd.solvers.learned.fan import FanSolver
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


@pytest.mark.parametrize("rotations", [1, 4])
@pytest.mark.parametrize(
    "changes", [{}, {"shared_encoder": True}, {"pose_sees_others": False}, {"aggregation": "none"}], ids=str
)
def test_an_assembly_is_its_steps_with_the_pieces_left_alone(
    rotations: int,
    changes: dict[str, Any],
    make_learner: Callable[..., FanLearner],
    draw: Callable[..., PuzzleBatch],
) -> None:
    """Each step anew, from the pieces that are left and nothing else."""
    learner, puzzle = make_learner(rotates=rotations > 1, **changes), draw(1, 5, rotations)
    model = learner.model.eval()
    torch.nn.init.normal_(model.decoder.logits.weight)
    answer, maps = (
        learner.assemble(puzzle.images, puzzle.target),
        learner.explain(puzzle.images, puzzle.target),
    )
    images, target = puzzle.images[0].float() / 255.0, puzzle.target[0].float() / 255.0
    left = list(range(5))
    for k, seen in enumerate(maps):
        with torch.no_grad():
            present = torch.ones(1, len(left), dtype=torch.bool)
            codes = model.select_encoder(images[left, 0]).code[None]
            scores = model.select(codes, model.select_encoder(target[None]).code, present)
            chosen = left.pop(int(scores.argmax()))
            shape, copies = model.pose_encoder(target[None]), model.pose_encoder(images[chosen]).code
            turn = int(model.rotate(copies[None], shape.code).argmax()) if rotations > 1 else 0
            others = OtherCandidates(
                model.pose_encoder(images[left, 0]).code[None] if left else codes[:, :0], present[:, 1:]
            )
            logits = model.locate(copies[turn : turn + 1], shape, others)
        assert (int(answer.chosen[0, k]), int(answer.turns[0, k])) == (chosen, turn)
        probability = logits.flatten(1).softmax(dim=1).view_as(logits)
        torch.testing.assert_close(seen.exp(), probability[0], atol=1e-5, rtol=1e-3)
        row, column = divmod(int(probability.argmax()), 32)
        assert answer.cells[0, k].tolist() == [column, row]
        assert torch.equal(answer.offsets[:, k], peak_offsets(probability, answer.cells[:, k]))
        target = target - place(images[chosen, turn], torch.tensor([[column, row]]))
        target = target.clamp_min(0.0)
    assert not left


def test_earlier_pieces_are_moved_by_the_noise(
    make_learner: Callable[..., FanLearner], draw: Callable[..., PuzzleBatch]
) -> None:
    puzzles = draw()
    noise = 4.0 * torch.ones_like(puzzles.centres)
    still, spread = (make_learner(losses=FanLossParams(spread_px=px)).eval() for px in (0.0, 1.0))
    assert torch.equal(still(puzzles, noise)["select"], still(puzzles, 0.0 * noise)["select"])
    assert not torch.equal(spread(puzzles, noise)["select"], spread(puzzles, 0.0 * noise)["select"])


def test_places_between_pixels_or_not(
    make_learner: Callable[..., FanLearner], draw: Callable[..., PuzzleBatch]
) -> None:
    puzzles = draw(count=2)
    for between in (True, False):
        learner = make_learner(between_pixels=between)
        torch.nn.init.normal_(learner.model.decoder.logits.weight, std=0.5)
        found = learner.assemble(puzzles.images, puzzles.target)
        assert bool((found.offsets != 0.0).any()) == between
