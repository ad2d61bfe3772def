"""The matcher along several ways: the best of a few assemblies, once they are refined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from sherd.core.puzzle import Puzzle
from sherd.solvers.base import Proposal
from sherd.solvers.learned.matcher import MatcherSolver, seen, steps_of
from sherd.solvers.learned.refining import refined
from sherd.solvers.learned.steps import NetworkSolver, enough_memory, proposals_of
from sherd.solvers.stop import Stop

if TYPE_CHECKING:
    import torch

    from sherd.learn.matcher.beam import BeamParams


class BeamSolver(NetworkSolver):
    """Assembles with a matcher along several ways; it cannot explain one as the greedy solver does."""

    name, weights_file, batch_size = "matcher", MatcherSolver.weights_file, MatcherSolver.batch_size

    def __init__(self, matcher: MatcherSolver, params: BeamParams) -> None:
        self.learner, self.params = matcher.learner, params
        self.train_puzzles, self.train_minutes = matcher.train_puzzles, matcher.train_minutes
        self.parameters = matcher.parameters

    @classmethod
    def load(cls, path: Path, device: torch.device | None = None) -> Self:
        from sherd.learn.matcher.beam import BeamParams

        return cls(MatcherSolver.load(path, device), BeamParams())

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Proposal]:
        """One puzzle after the other."""
        return [self._best_of_several(puzzle, stop) for puzzle in puzzles]

    def _best_of_several(self, puzzle: Puzzle, stop: Stop) -> Proposal:
        """Of the assemblies that overlap least the one that covers most once it is refined."""
        from sherd.learn.matcher.beam import beam

        with enough_memory(puzzle):
            images, target, middles = seen(self.learner.model, [puzzle], "matcher-beam")
            answer = beam(self.learner.model, images, target, self.params, stop)
        several = len(answer.chosen)
        proposals = proposals_of(
            steps_of(answer, target.expand(several, -1, -1, -1)),
            [puzzle] * several,
            middles.repeat(several, 0),
        )
        better = (refined(puzzle, proposal, stop) for proposal in proposals)
        return max(better, key=lambda proposal: proposal.objective)
