"""The matcher as a solver: the best placement of any fragment again and again, or along several ways."""

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
from sherd.solvers.learned.steps import Steps, proposals_of, refined_proposal, shipped_weights, solve_one
from sherd.solvers.stop import Stop

if TYPE_CHECKING:
    import torch

    from sherd.learn.matcher.assembly import Answer
    from sherd.learn.matcher.beam import BeamParams
    from sherd.learn.matcher.learner import MatcherLearner

SHIPPED = "matcher.safetensors"
# The first step of refinement, of the target's size: a quarter of a pixel, about as far as places are off.
# With larger ones pieces drift into the gap that a lost piece leaves. No piece goes farther than 4 pixels.
REFINE_STEP, REFINE_REACH = 1.0 / 512.0, 1.0 / 32.0


class MatcherSolver:
    """Assembles from masks that it draws of the fragments: greedily, or along several ways, refined."""

    batch_size = 100

    def __init__(
        self,
        learner: MatcherLearner,
        *,
        beam: BeamParams | None = None,
        train_puzzles: int = 0,
        train_minutes: float = 0.0,
    ) -> None:
        self.learner, self.beam = learner, beam
        self.train_puzzles, self.train_minutes = train_puzzles, train_minutes
        self.parameters = sum(value.numel() for value in learner.model.parameters())

    @property
    def name(self) -> str:
        """The name under which it is registered."""
        return "matcher" if self.beam is None else "matcher-beam"

    @classmethod
    def shipped(cls, *, follows_several: bool = False) -> MatcherSolver:
        """The matcher whose weights come with the package, on the CPU."""
        with shipped_weights("matcher", SHIPPED) as path:
            return cls.load(path, follows_several=follows_several)

    @classmethod
    def load(
        cls,
        path: Path,
        device: torch.device | None = None,
        *,
        follows_several: bool = False,
    ) -> MatcherSolver:
        """The matcher whose weights `sherd train` wrote there, on the CPU unless another device is named."""
        import torch

        from sherd.learn.matcher.beam import BeamParams
        from sherd.learn.matcher.learner import MatcherLearner
        from sherd.learn.training.checkpoint import load_matcher

        model, training = load_matcher(path, device or torch.device("cpu"))
        return cls(
            MatcherLearner(model),
            beam=BeamParams() if follows_several else None,
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
        if self.beam is not None:
            return [self._best_of_several(puzzle, self.beam, stop) for puzzle in puzzles]
        from sherd.learn.matcher.assembly import assemble

        with _enough_memory(puzzles[0]):
            images, target, middles = self.draw(puzzles)
            answer = assemble(self.learner.model, images, target, stop)
        return proposals_of(_steps(answer, target), puzzles, middles)

    def _best_of_several(self, puzzle: Puzzle, params: BeamParams, stop: Stop) -> Proposal:
        """Of the assemblies that overlap least the one that covers most once it is refined."""
        from sherd.learn.matcher.beam import beam

        with _enough_memory(puzzle):
            images, target, middles = self.draw([puzzle])
            answer = beam(self.learner.model, images, target, params, stop)
        several = len(answer.chosen)
        results = proposals_of(
            _steps(answer, target.expand(several, -1, -1, -1)), [puzzle] * several, middles.repeat(several, 0)
        )
        if not results[0].trace:
            return results[0]
        return max(
            (_refined(puzzle, result, stop) for result in results), key=lambda result: result.objective
        )

    def explain(self, puzzle: Puzzle) -> list[NDArray[np.float32]]:
        """What a greedy assembly holds likely before each step, for `draw_scores`: maps (H, W).

        The logarithm of the probability that some fragment's middle lies at a pixel, the likeliest of all.
        """
        from sherd.learn.matcher.assembly import explain

        with _enough_memory(puzzle):
            images, target, _ = self.draw([puzzle])
            maps = explain(self.learner.model, images, target)
        return [seen.float().cpu().numpy() for seen in maps]

    def draw(self, puzzles: Sequence[Puzzle]) -> tuple[torch.Tensor, torch.Tensor, NDArray[np.float64]]:
        """Images of the fragments and targets on the network's device, as `PuzzleBatch` has them.

        Also where the middle of each image lies from the fragment's origin, (B, N, R, 2) in world units.
        """
        import torch

        from sherd.learn.data.sets import puzzle_images

        for puzzle in puzzles:
            _check(puzzle, self.name)
        names = [[fragment.id for fragment in puzzle.fragments] for puzzle in puzzles]
        images, target, middles = puzzle_images(puzzles, names, self.learner.model.config.size_px)
        device = self.learner.model.device
        masks = np.ascontiguousarray(images[:, :, :, :1])  # paint tells the matcher nothing
        return torch.from_numpy(masks).to(device), torch.from_numpy(target[:, :1]).to(device), middles


def _steps(answer: Answer, target: torch.Tensor) -> Steps:
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


def _enough_memory(puzzle: Puzzle) -> AbstractContextManager[None]:
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


def _refined(puzzle: Puzzle, result: Proposal, stop: Stop) -> Proposal:
    from sherd.solvers.refine import RefineParams, refine  # numba takes a moment to load

    params = RefineParams(first_step=REFINE_STEP, reach=REFINE_REACH)
    assembly = refine(puzzle, result.assembly, stop=stop, params=params)
    return refined_proposal(puzzle, result, assembly)
