"""The paper's network as a solver: one fragment after the other, each placed where it is likeliest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from sherd.core.errors import UnsupportedError
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import Proposal
from sherd.solvers.learned.steps import (
    Images,
    NetworkSolver,
    Steps,
    draw,
    enough_memory,
    proposals_of,
    training_told,
)
from sherd.solvers.stop import Stop

if TYPE_CHECKING:
    import torch

    from sherd.learn.fan.learner import FanLearner

SHIPPED = "fan-compact.safetensors"


class FanSolver(NetworkSolver):
    """Assembles greedily from masks that it draws of the fragments.

    Steps, batch, dropout, seed and recipe are known of a network that was trained for the row of a benchmark,
    the hash of its weights of one that was read, too.
    """

    name, weights_file, batch_size = "fan", SHIPPED, 250

    def __init__(
        self,
        learner: FanLearner,
        *,
        train_puzzles: int = 0,
        train_minutes: float = 0.0,
        train_steps: int | None = None,
        batch_puzzles: int | None = None,
        dropout: float | None = None,
        train_seed: int | None = None,
        weights_sha256: str | None = None,
        recipe: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.learner = learner
        self.train_puzzles, self.train_minutes = train_puzzles, train_minutes
        self.shared_encoder = learner.model.config.shared_encoder
        self.parameters = sum(value.numel() for value in learner.model.parameters())
        self.train_steps, self.batch_puzzles, self.dropout = train_steps, batch_puzzles, dropout
        self.train_seed, self.weights_sha256, self.recipe = train_seed, weights_sha256, recipe

    @classmethod
    def load(cls, path: Path, device: torch.device | None = None) -> Self:
        from sherd.learn.fan.learner import FanLearner
        from sherd.learn.fan.weights import load_fan
        from sherd.learn.training.checkpoint import sha256_of

        model, training = load_fan(path, device)
        return cls(FanLearner(model), weights_sha256=sha256_of(model), **training_told(training))

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Proposal]:
        with enough_memory(puzzles[0]):
            images, target, middles = self.draw(puzzles)
            answer = self.learner.assemble(images, target, stop)
        areas_px = target[:, 0].double().sum(dim=(1, 2)).cpu().numpy() / 255.0
        left = answer.remaining.sum(dim=(1, 2)).double().cpu().numpy()
        piece, angle, pixel = answer.confidence.cpu().unbind(dim=2)
        steps = Steps(
            chosen=answer.chosen.cpu().numpy(),
            places=(answer.cells + answer.offsets).cpu().double().numpy() + 0.5,
            turns=answer.turns.cpu().numpy(),
            certainty=(piece * angle * pixel).numpy(),
            coverage=1.0 - left / areas_px,
            size_px=images.shape[-1],
            chances={"piece": piece.numpy()}
            | ({} if puzzles[0].rotations.bins == 1 else {"angle": angle.numpy()})
            | {"pixel": pixel.numpy()},
        )
        return proposals_of(steps, puzzles, middles)

    def explain(self, puzzle: Puzzle) -> Iterator[NDArray[np.float32]]:
        """What a greedy assembly holds likely before each step, for `draw_scores`: maps (H, W).

        The logarithm of the probability that the middle of the piece it then places lies at a pixel.
        """
        with enough_memory(puzzle):
            images, target, _ = self.draw([puzzle])
        steps = self.learner.explain(images, target)
        while True:
            with enough_memory(puzzle):  # not while whoever asked looks at a step
                seen = next(steps, None)
            if seen is None:
                return
            yield seen.cpu().numpy()

    def draw(self, puzzles: Sequence[Puzzle]) -> Images:
        """What the network sees of puzzles that it can take, as `sherd.solvers.learned.steps.draw` has it."""
        for puzzle in puzzles:
            self._check(puzzle)
        config = self.learner.model.config
        return draw(puzzles, config.size_px, config.channels, self.learner.model.device)

    def _check(self, puzzle: Puzzle) -> None:
        config = self.learner.model.config
        if puzzle.rotations.bins is None:
            raise UnsupportedError(
                "fan chooses among rotation bins; it cannot turn pieces freely: choose search"
            )
        if puzzle.rotations.bins > 1 and not config.rotates:
            raise UnsupportedError(
                "these weights of fan were trained without rotations: choose matcher or search, or train "
                "with rotations and name those weights"
            )
        if config.channels == 4 and puzzle.texture is None:
            raise UnsupportedError("these weights of fan were trained on painted pieces, and these are not")
