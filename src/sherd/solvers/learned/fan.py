"""The paper's network as a solver: one fragment after the other, each placed where it is likeliest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sherd.core.errors import UnsupportedError
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import OnProgress, Proposal
from sherd.solvers.learned.steps import Steps, proposals_of, shipped_weights, solve_one
from sherd.solvers.stop import Stop

if TYPE_CHECKING:
    import torch

    from sherd.learn.fan.learner import FanLearner

SHIPPED = "fan-compact.safetensors"


class FanSolver:
    """Assembles greedily from masks that it draws of the fragments.

    Steps, batch and dropout are known of a network that was trained for the row of a benchmark.
    """

    batch_size = 250

    def __init__(
        self,
        learner: FanLearner,
        *,
        train_puzzles: int = 0,
        train_minutes: float = 0.0,
        train_steps: int | None = None,
        batch_puzzles: int | None = None,
        dropout: float | None = None,
    ) -> None:
        self.learner = learner
        self.train_puzzles, self.train_minutes = train_puzzles, train_minutes
        self.shared_encoder = learner.model.config.shared_encoder
        self.parameters = sum(value.numel() for value in learner.model.parameters())
        self.train_steps, self.batch_puzzles, self.dropout = train_steps, batch_puzzles, dropout

    @classmethod
    def shipped(cls) -> FanSolver:
        """The compact FAN whose weights come with the package, on the CPU."""
        with shipped_weights("fan", SHIPPED) as path:
            return cls.load(path)

    @classmethod
    def load(cls, path: Path, device: torch.device | None = None) -> FanSolver:
        """The FAN whose weights `sherd train` wrote there, on the CPU unless another device is named."""
        from sherd.learn.fan.learner import FanLearner
        from sherd.learn.fan.weights import load_fan

        model, training = load_fan(path, device)
        return cls(
            FanLearner(model),
            train_puzzles=int(training.get("train_puzzles", 0)),
            train_minutes=float(training.get("train_minutes", 0.0)),
        )

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        """One greedy assembly; nothing about it is random."""
        return solve_one(self, puzzle, stop=stop, rng=rng, on_progress=on_progress)

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Proposal]:
        """Assemble puzzles side by side: they must have one target, equally many fragments and rotations."""
        with _clear_memory_errors(puzzles[0]):
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
        with _clear_memory_errors(puzzle):
            images, target, _ = self.draw([puzzle])
        steps = self.learner.explain(images, target)
        while True:
            with _clear_memory_errors(puzzle):  # not while whoever asked looks at a step
                seen = next(steps, None)
            if seen is None:
                return
            yield seen.cpu().numpy()

    def draw(self, puzzles: Sequence[Puzzle]) -> tuple[torch.Tensor, torch.Tensor, NDArray[np.float64]]:
        """Images of the fragments and targets on the network's device, as `PuzzleBatch` has them.

        Also where the middle of each image lies from the fragment's origin, (B, N, R, 2) in world units.
        """
        import torch

        from sherd.learn.data.sets import puzzle_images

        for puzzle in puzzles:
            self._check(puzzle)
        names = [[fragment.id for fragment in puzzle.fragments] for puzzle in puzzles]
        config, device = self.learner.model.config, self.learner.model.device
        images, target, middles = puzzle_images(puzzles, names, config.size_px)
        if config.channels == 1:
            images, target = images[:, :, :, :1], target[:, :1]
        return torch.from_numpy(images).to(device), torch.from_numpy(target).to(device), middles

    def _check(self, puzzle: Puzzle) -> None:
        config = self.learner.model.config
        if puzzle.rotations.bins is None:
            raise UnsupportedError(
                "fan chooses among rotation bins; it cannot turn pieces freely: choose search"
            )
        if puzzle.rotations.bins > 1 and not config.rotates:
            raise UnsupportedError(
                "these weights of fan were trained without rotations: choose matcher or search, or train "
                "with rotations and name those --weights"
            )
        if config.channels == 4 and puzzle.texture is None:
            raise UnsupportedError("these weights of fan were trained on painted pieces, and these are not")


def _clear_memory_errors(puzzle: Puzzle) -> AbstractContextManager[None]:
    from sherd.learn.training.device import clear_memory_errors

    pieces, angles = len(puzzle.fragments), puzzle.rotations.bins
    return clear_memory_errors(f"{pieces} pieces at {angles} angles are too many for it")
