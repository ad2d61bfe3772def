"""The matcher as a solver: the best placement of any fragment, again and again."""

from __future__ import annotations

from collections.abc import Sequence
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

    from sherd.learn.matcher.assembly import Assemblies
    from sherd.learn.matcher.learner import MatcherLearner
    from sherd.learn.matcher.network import Matcher

SHIPPED = "matcher.safetensors"


class MatcherSolver:
    """Assembles greedily from masks that it draws of the fragments."""

    batch_size = 100

    def __init__(
        self, learner: MatcherLearner, *, train_puzzles: int = 0, train_minutes: float = 0.0
    ) -> None:
        self.learner = learner
        self.train_puzzles, self.train_minutes = train_puzzles, train_minutes
        self.parameters = sum(value.numel() for value in learner.model.parameters())

    @classmethod
    def shipped(cls) -> MatcherSolver:
        """The matcher whose weights come with the package, on the CPU."""
        with shipped_weights("matcher", SHIPPED) as path:
            return cls.load(path)

    @classmethod
    def load(cls, path: Path, device: torch.device | None = None) -> MatcherSolver:
        """The matcher whose weights `sherd train` wrote there, on the CPU unless another device is named."""
        from sherd.learn.matcher.learner import MatcherLearner
        from sherd.learn.matcher.weights import load_matcher

        model, training = load_matcher(path, device)
        return cls(
            MatcherLearner(model),
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
        """One assembly; nothing about it is random."""
        return solve_one(self, puzzle, stop=stop, rng=rng, on_progress=on_progress)

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Proposal]:
        """Assemble puzzles side by side: they must have one target, equally many fragments and rotations."""
        from sherd.learn.matcher.assembly import assemble

        with enough_memory(puzzles[0]):
            images, target, middles = draw(self.learner.model, puzzles, "matcher")
            answer = assemble(self.learner.model, images, target, stop)
        return proposals_of(steps_of(answer, target), puzzles, middles)

    def explain(self, puzzle: Puzzle) -> list[NDArray[np.float32]]:
        """What a greedy assembly holds likely before each step, for `draw_scores`: maps (H, W).

        The logarithm of the probability that some fragment's middle lies at a pixel, the likeliest of all.
        """
        from sherd.learn.matcher.assembly import explain

        with enough_memory(puzzle):
            images, target, _ = draw(self.learner.model, [puzzle], "matcher")
            maps = explain(self.learner.model, images, target)
        return [seen.float().cpu().numpy() for seen in maps]


def draw(
    model: Matcher, puzzles: Sequence[Puzzle], name: str
) -> tuple[torch.Tensor, torch.Tensor, NDArray[np.float64]]:
    """Images of the fragments and targets on the network's device, as `PuzzleBatch` has them.

    Also where the middle of each image lies from the fragment's origin, (B, N, R, 2) in world units. The
    name is that of the solver that draws, for what it cannot do.
    """
    import torch

    from sherd.learn.data.sets import puzzle_images

    for puzzle in puzzles:
        _check(puzzle, name)
    names = [[fragment.id for fragment in puzzle.fragments] for puzzle in puzzles]
    images, target, middles = puzzle_images(puzzles, names, model.config.size_px)
    masks = np.ascontiguousarray(images[:, :, :, :1])  # paint says nothing to the matcher
    return torch.from_numpy(masks).to(model.device), torch.from_numpy(target[:, :1]).to(model.device), middles


def steps_of(answer: Assemblies, target: torch.Tensor) -> Steps:
    """What the network did with puzzles of these targets (B, 1, H, W)."""
    areas_px = target[:, 0].double().sum(dim=(1, 2)).cpu().numpy() / 255.0
    left = answer.remaining.double().sum(dim=(1, 2)).cpu().numpy()
    return Steps(
        chosen=answer.chosen.cpu().numpy(),
        places=answer.centres.double().cpu().numpy(),
        turns=answer.turns.cpu().numpy(),
        certainty=answer.certainty.cpu().numpy(),
        coverage=1.0 - left / areas_px,
        size_px=answer.remaining.shape[-1],
    )


def enough_memory(puzzle: Puzzle) -> AbstractContextManager[None]:
    """Says in one line if the memory does not suffice for a puzzle."""
    from sherd.learn.training.device import clear_memory_errors

    pieces, angles = len(puzzle.fragments), puzzle.rotations.bins or 0
    return clear_memory_errors(f"{pieces} pieces at {angles} angles are too many for it")


def _check(puzzle: Puzzle, name: str) -> None:
    if puzzle.rotations.bins is None:
        raise UnsupportedError(
            f"{name} chooses among rotation bins; it cannot turn pieces freely: give them 20 rotations, or "
            "choose search"
        )
    if puzzle.mirror:
        raise UnsupportedError(f"{name} cannot turn pieces over: choose search")
