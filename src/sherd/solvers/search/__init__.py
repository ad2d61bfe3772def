"""The geometric search: a ladder of attempts, from exact tiling and gluing to beliefs and filling."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from sherd.core.assembly import Assembly
from sherd.core.puzzle import Puzzle, without_slivers
from sherd.core.verdict import EXACT, Tolerance, lies_within
from sherd.solvers.base import OnProgress, Progress, Proposal
from sherd.solvers.search.arrangement import Arrangement, arrangement_of, assembly_of, proposal_of
from sherd.solvers.search.completing.leftover import LITTLE, begin, complete
from sherd.solvers.search.completing.waiting import Filling
from sherd.solvers.search.ladder import SearchParams, make_ladder
from sherd.solvers.search.reason import reason
from sherd.solvers.search.tiling.alternatives import Further, find_all
from sherd.solvers.search.tiling.tile_corners import areas_add_up
from sherd.solvers.stop import AnyOf, Resumed, Stop

__all__ = ["SearchParams", "SearchSolver"]


class SearchSolver:
    """Finds assemblies by geometry alone; nothing about it is random."""

    def __init__(self, params: SearchParams | None = None) -> None:
        self.params = params or SearchParams()
        self._ladder = make_ladder(self.params)

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        """Climb the ladders until all pieces lie within a rung's tolerance; else the best partial answer.

        Where the puzzle tells its own tolerance, nothing looser counts.
        """
        return self._climb(without_slivers(puzzle), stop, on_progress)[0]

    def _climb(self, puzzle: Puzzle, stop: Stop, on_progress: OnProgress | None) -> tuple[Proposal, bool]:
        """What is proposed, and whether it fits, so that the climb ended there."""
        best, filling, evaluations = Arrangement({}, 0.0), Filling(puzzle, stop), 0
        interrupted, begun = AnyOf((stop, filling.is_due)), not stop(0)
        ended: set[tuple[bool, float]] = set()
        for rung in self._ladder:
            if stop(evaluations):
                break
            guess = rung.guess
            if guess is not None and (guess.traced, guess.size) in ended:
                continue
            poses, tried = rung.attempt(puzzle, rung.corners, Resumed(interrupted, evaluations))
            evaluations += tried
            is_whole = len(poses) == len(puzzle.fragments) and not interrupted(evaluations)
            if guess is not None and tried < guess.joints and is_whole:
                ended.add((guess.traced, guess.size))  # with more joints it would end with the same
            answer = arrangement_of(puzzle, poses)
            if answer.coverage > best.coverage:
                best = answer
                if on_progress is not None:
                    assembly = assembly_of(puzzle, best.poses)
                    on_progress(Progress(assembly=assembly, objective=best.coverage, evaluations=evaluations))
            # What covers most may hide a piece on another, where what fits better covers less.
            for one in (best, answer):
                if one.fits(puzzle, rung.tolerance):
                    return proposal_of(puzzle, one, evaluations, rung.tolerance), True
            if guess is not None:
                # Only area speaks for pieces laid so, so that no attempt is left out for them.
                filling.add(answer)
            if filling.is_due(evaluations):
                filling.fill(evaluations)
        filling.fill(evaluations)
        exact = self.params.tile[0]
        if begun and max(best.coverage, filling.best.coverage) < LITTLE:
            # Of rough pieces, the loosest rung lays the most.
            best = max(best, begin(puzzle, (exact, *self.params.loose[-1:])), key=lambda one: one.coverage)
        best = max(complete(puzzle, best), filling.best, key=lambda one: one.coverage)
        if areas_add_up(puzzle, exact) and best.fits(puzzle, Tolerance.of_corners(exact)):
            return proposal_of(puzzle, best, evaluations), True  # what was laid last fills the target
        why = reason(puzzle, best.poses, tries=evaluations, stopped=stop(evaluations))
        return proposal_of(puzzle, best, evaluations, EXACT, why), False

    def solve_all(
        self,
        puzzle: Puzzle,
        *,
        most: int,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        """The first assembly and, of exact puzzles, others until there are ``most`` or none are left."""
        if most < 1:
            raise ValueError(f"at least 1 assembly must be asked for, not {most}")
        puzzle = without_slivers(puzzle)
        first, does_fit = self._climb(puzzle, stop, on_progress)
        if not does_fit:
            return first
        assemblies: tuple[Assembly, ...] = (first.assembly,)
        all_found, evaluations = False, first.evaluations
        # Rounded outlines may lie within a rung in one assembly and not in another, so that all are known
        # only when a looser rung shows no more.
        is_exhausted = False
        for rung in (rung for rung in self.params.tile if lies_within(puzzle, first.objective, rung)):
            make, rest = partial(assembly_of, puzzle), Resumed(stop, evaluations)
            assemblies, others, tried = find_all(puzzle, assemblies, rung, make, most=most, stop=rest)
            evaluations += tried
            all_found = is_exhausted and others is Further.NONE
            if all_found or others is Further.MAYBE:
                break
            is_exhausted = others is Further.NONE
        return replace(first, alternatives=assemblies[1:], all_found=all_found, evaluations=evaluations)
