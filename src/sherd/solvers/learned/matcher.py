"""The matcher as a solver: the best placement of any fragment, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from sherd.core.errors import UnsupportedError
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import OnProgress, Progress, Proposal
from sherd.solvers.learned.refining import refined
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

    from sherd.learn.matcher.greedy import Assemblies
    from sherd.learn.matcher.learner import MatcherLearner
    from sherd.learn.matcher.network import Matcher

SHIPPED = "matcher.safetensors"


class MatcherSolver(NetworkSolver):
    """Assembles greedily from masks that it draws of the fragments."""

    name, weights_file, batch_size = "matcher", SHIPPED, 100

    def __init__(
        self, learner: MatcherLearner, *, train_puzzles: int = 0, train_minutes: float = 0.0
    ) -> None:
        self.learner = learner
        self.train_puzzles, self.train_minutes = train_puzzles, train_minutes
        self.parameters = sum(value.numel() for value in learner.model.parameters())

    @classmethod
    def load(cls, path: Path, device: torch.device | None = None) -> Self:
        from sherd.learn.matcher.learner import MatcherLearner
        from sherd.learn.matcher.weights import load_matcher

        model, training = load_matcher(path, device)
        return cls(MatcherLearner(model), **training_told(training))

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Proposal]:
        return self._solve(puzzles, stop)

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """One assembly; its steps are told as they are made, and the refined one afterwards."""
        return self._solve([puzzle], stop, on_progress)[0]

    def _solve(
        self, puzzles: Sequence[Puzzle], stop: Stop, on_progress: OnProgress | None = None
    ) -> list[Proposal]:
        from sherd.learn.matcher.again import TRIES
        from sherd.learn.matcher.greedy import assemble

        def tell(found: Proposal) -> None:
            if on_progress is not None and len(found.assembly):
                told = Progress(
                    assembly=found.assembly, objective=found.objective, evaluations=found.evaluations
                )
                on_progress(told)

        def tell_step(so_far: Assemblies) -> None:
            if on_progress is not None:
                tell(proposals_of(steps_of(so_far, target), puzzles, middles)[0])

        with enough_memory(puzzles[0]):
            images, target, middles = seen(self.learner.model, puzzles, self.name)
            answer = assemble(self.learner.model, images, target, stop, TRIES, tell_step)
        proposals = proposals_of(steps_of(answer, target), puzzles, middles)
        found = [refined(*each, stop) for each in zip(puzzles, proposals, strict=True)]
        tell(found[0])
        return found

    def explain(self, puzzle: Puzzle) -> list[NDArray[np.float32]]:
        """What its assembly held likely before each step, for `draw_scores`: maps (H, W).

        The logarithm of the probability that some fragment's middle lies at a pixel, the likeliest of all.
        """
        from sherd.learn.matcher.again import TRIES
        from sherd.learn.matcher.greedy import explain

        with enough_memory(puzzle):
            images, target, _ = seen(self.learner.model, [puzzle], self.name)
            maps = explain(self.learner.model, images, target, TRIES)
        return [one.float().cpu().numpy() for one in maps]


def seen(model: Matcher, puzzles: Sequence[Puzzle], name: str) -> Images:
    """What a matcher sees of puzzles, which is no paint; the name is that of the solver, if it cannot."""
    for puzzle in puzzles:
        _check(puzzle, name)
    return draw(puzzles, model.config.size_px, 1, model.device)


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


def _check(puzzle: Puzzle, name: str) -> None:
    if puzzle.rotations.bins is None:
        raise UnsupportedError(
            f"{name} chooses among rotation bins; it cannot turn pieces freely: give them 20 rotations, or "
            "choose search"
        )
    if puzzle.mirror:
        raise UnsupportedError(f"{name} cannot turn pieces over: choose search")
