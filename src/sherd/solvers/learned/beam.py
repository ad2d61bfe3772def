"""The matcher along several ways: the best of a few assemblies, once they are refined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sherd.core.puzzle import Puzzle
from sherd.solvers.base import OnProgress, Proposal
from sherd.solvers.learned.matcher import MatcherSolver, draw, enough_memory, steps_of
from sherd.solvers.learned.steps import proposals_of, refined_proposal, solve_one
from sherd.solvers.stop import Stop

if TYPE_CHECKING:
    import torch

    from sherd.learn.matcher.beam import BeamParams

# The first step of refinement, of the target's size: a quarter of a pixel, about as far as places are off.
# With larger ones pieces drift into the gap that a lost piece leaves. No piece goes farther than 4 pixels.
REFINE_STEP, REFINE_REACH = 1.0 / 512.0, 1.0 / 32.0


class BeamSolver:
    """Assembles with a matcher along several ways; it cannot explain one as the greedy solver does."""

    batch_size = MatcherSolver.batch_size

    def __init__(self, matcher: MatcherSolver, params: BeamParams) -> None:
        self.learner, self.params = matcher.learner, params
        self.train_puzzles, self.train_minutes = matcher.train_puzzles, matcher.train_minutes
        self.parameters = matcher.parameters

    @classmethod
    def shipped(cls) -> BeamSolver:
        """With the matcher whose weights come with the package, on the CPU."""
        return cls._of(MatcherSolver.shipped())

    @classmethod
    def load(cls, path: Path, device: torch.device | None = None) -> BeamSolver:
        """With the matcher whose weights `sherd train` wrote there, on the CPU if no device is named."""
        return cls._of(MatcherSolver.load(path, device))

    @classmethod
    def _of(cls, matcher: MatcherSolver) -> BeamSolver:
        from sherd.learn.matcher.beam import BeamParams

        return cls(matcher, BeamParams())

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
        """One puzzle after the other."""
        return [self._best_of_several(puzzle, stop) for puzzle in puzzles]

    def _best_of_several(self, puzzle: Puzzle, stop: Stop) -> Proposal:
        """Of the assemblies that overlap least the one that covers most once it is refined."""
        from sherd.learn.matcher.beam import beam

        with enough_memory(puzzle):
            images, target, middles = draw(self.learner.model, [puzzle], "matcher-beam")
            answer = beam(self.learner.model, images, target, self.params, stop)
        several = len(answer.chosen)
        proposals = proposals_of(
            steps_of(answer, target.expand(several, -1, -1, -1)),
            [puzzle] * several,
            middles.repeat(several, 0),
        )
        if not proposals[0].trace:
            return proposals[0]
        refined = (_refined(puzzle, proposal, stop) for proposal in proposals)
        return max(refined, key=lambda proposal: proposal.objective)


def _refined(puzzle: Puzzle, proposal: Proposal, stop: Stop) -> Proposal:
    from sherd.solvers.refine import RefineParams, refine  # numba takes a moment to load

    params = RefineParams(first_step=REFINE_STEP, reach=REFINE_REACH)
    assembly = refine(puzzle, proposal.assembly, stop=stop, params=params)
    return refined_proposal(puzzle, proposal, assembly)
