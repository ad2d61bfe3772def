"""The geometric search: a ladder of attempts, from exact tiling and gluing to beliefs and filling."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from sherd.core.assembly import Assembly, StepByStep
from sherd.core.errors import ArgumentError
from sherd.core.geometry import Pose
from sherd.core.in_target import LEAST_HELD, lengths_held, lies_tightly, lies_within
from sherd.core.overlaps import listed
from sherd.core.puzzle import Puzzle, without_slivers
from sherd.core.symmetry import are_same
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import ROUNDED
from sherd.solvers.base import OnProgress, Proposal
from sherd.solvers.paint.decide import decide_by_paint
from sherd.solvers.refitted import DOUBT, with_fitted_edges
from sherd.solvers.search.ahead import Ahead
from sherd.solvers.search.arrangement import assembly_of
from sherd.solvers.search.attempt import Evidence
from sherd.solvers.search.case import Case
from sherd.solvers.search.climb import Climbed, climb
from sherd.solvers.search.completing.lay_somewhere import lay_somewhere
from sherd.solvers.search.completing.leftover import begin, complete, lay_flush
from sherd.solvers.search.conditions import seems_to_lie_on_a_grid
from sherd.solvers.search.constants.beliefs import FEW_PIECES, MOST_TOLD, ROUGH_FOR_MANY
from sherd.solvers.search.constants.completing import FLUSH, LAST_POLISH, MOST_COMPLETED
from sherd.solvers.search.constants.tiling import SAME_ASSEMBLY
from sherd.solvers.search.ladder import LadderParams, make_attempts
from sherd.solvers.search.lattice.all_on_grid import AllOnGrid, find_all_on_grid
from sherd.solvers.search.one_of_many import lies_on_a_grid
from sherd.solvers.search.polish import polish
from sherd.solvers.search.reason import reason
from sherd.solvers.search.tiling.alternatives import Further, find_all
from sherd.solvers.stop import MaxEvaluations, Resumed, Stop
from sherd.solvers.turned_blocks import doubting_turned_blocks

__all__ = ["LadderParams", "SearchSolver"]

LACKING = "more area lacks than such outlines explain, and beside a lost piece others may lie elsewhere"
UNWEIGHED = "not all that may be meant as well was weighed against it"
TOO_ROUGH = "outlines are so rough that so many pieces may lie otherwise as well"


class SearchSolver:
    """Finds assemblies by geometry, and by paint where there is any; nothing about it is random."""

    def __init__(self, params: LadderParams | None = None, workers: int = 1) -> None:
        """With several ``workers`` attempts are made side by side, and the answer is the same."""
        self.params = params or LadderParams()
        self._ahead = Ahead(workers, self.params)

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """Climb the ladder until all pieces fit in an attempt's tolerance; else the best partial answer.

        Where the puzzle tells its own tolerance, nothing looser counts.
        """
        begun, given = not stop(0), without_slivers(puzzle)
        case = Case(with_fitted_edges(given, stop))
        found, fits = self._solve(case, begun, stop, on_progress)
        if case.puzzle is not given and found.doubt == found.remark:
            found = replace(found, doubt=DOUBT)
            if fits and not found.elsewhere:
                found = _all_named(found)
        return decide_by_paint(case.puzzle, found, stop)

    def lay_to_show(self, puzzle: Puzzle) -> Proposal:
        """Some pieces laid within the target, all of them doubtful, in bounded time: better than nothing."""
        case = Case(without_slivers(puzzle))
        laid = lay_somewhere(case)
        climbed = Climbed(best=laid, filled=laid, is_makeshift=True)
        why = reason(case, laid.poses, tries=0, stopped=True, is_makeshift=True)
        return _with_doubts(case, _proposal(case.puzzle, climbed, why), climbed)

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
            raise ArgumentError(f"at least 1 assembly must be asked for, not {most}")
        begun, case = not stop(0), Case(without_slivers(puzzle))
        first, fits = self._solve(case, begun, stop, on_progress)
        if not fits or first.doubt:
            return decide_by_paint(case.puzzle, first, stop)
        assemblies: tuple[Assembly, ...] = (first.assembly,)
        all_found, evaluations = False, first.evaluations
        # Rounded outlines may lie within a tolerance in one assembly and not in another, so that all are
        # known only when a looser one shows no more.
        is_exhausted, all_on_grid = False, 0
        on_grid = self._all_on_grid(case, first.assembly, most, Resumed(stop, evaluations))
        if on_grid is not None:
            evaluations += on_grid.tried
            assemblies, all_on_grid = on_grid.assemblies, on_grid.number_on_grid
            if on_grid.all_found or len(assemblies) == most or stop(evaluations):
                return replace(
                    first,
                    alternatives=assemblies[1:],
                    all_found=on_grid.all_found,
                    all_on_grid=all_on_grid,
                    evaluations=evaluations,
                )
        for off in (off for off in self.params.exact if lies_within(case.puzzle, first.objective, off)):
            make, rest = partial(assembly_of, case.puzzle), Resumed(stop, evaluations)
            assemblies, others, tried = find_all(case, assemblies, off, make, most=most, stop=rest)
            evaluations += tried
            all_found = is_exhausted and others is Further.NONE
            if all_found or others is Further.MAYBE:
                break
            is_exhausted = others is Further.NONE
        found = replace(
            first,
            alternatives=assemblies[1:],
            all_found=all_found,
            all_on_grid=all_on_grid,
            evaluations=evaluations,
        )
        return decide_by_paint(case.puzzle, found, stop)

    def _all_on_grid(self, case: Case, first: Assembly, most: int, stop: Stop) -> AllOnGrid | None:
        """Assemblies on the grid, the first one first, if the puzzle lies on one and this does."""
        off = self.params.exact[0]
        if not seems_to_lie_on_a_grid(case, off):
            return None
        found = find_all_on_grid(case, off, most=most, stop=stop)
        if found is None:
            return None
        tolerance = SAME_ASSEMBLY * off * case.size
        every = found.assemblies
        like = next((k for k, one in enumerate(every) if are_same(one, first, case.puzzle, tolerance)), None)
        if like is None:
            return replace(found, assemblies=(first, *every)[:most], all_found=False)
        return replace(found, assemblies=(first, *every[:like], *every[like + 1 :]))

    def _solve(
        self, case: Case, begun: bool, stop: Stop, on_progress: OnProgress | None
    ) -> tuple[Proposal, bool]:
        """What is proposed, and whether it fits; nothing is laid unless there was time to begin."""
        climbed = self._climb(case, stop, on_progress)
        if not climbed.fits:
            climbed = self._completed(case, climbed, begun)
        if not climbed.fits:  # what fits and is doubted is better than what does not, though it cover less
            climbed = climbed.ended()
        if climbed.fits:
            found = _with_rivals(case, _proposal(case.puzzle, climbed), climbed.evidence)
            if case.lacks_area and not found.doubt and found.tolerance.seam <= ROUNDED:
                found = doubting_turned_blocks(case.puzzle, found)
            return (_all_named(found) if climbed.is_loose else found), not climbed.is_loose
        tries = climbed.evaluations
        why = reason(
            case,
            climbed.best.poses,
            tries=tries,
            stopped=stop(tries),
            is_makeshift=climbed.is_makeshift,
            is_proven=climbed.none_within > 0.0,
        )
        return _with_doubts(case, _proposal(case.puzzle, climbed, why), climbed), False

    def _climb(self, case: Case, stop: Stop, on_progress: OnProgress | None) -> Climbed:
        attempts = make_attempts(self.params, case.pixel)
        run = self._ahead.begin(case.puzzle, len(attempts), stop)
        if run is None:
            return climb(attempts, case, stop, on_progress)
        try:
            return climb(attempts, case, stop, on_progress, run)
        finally:
            run.end()

    def _completed(self, case: Case, climbed: Climbed, begun: bool) -> Climbed:
        """The climb with left-over pieces laid, which may happen to fill the target."""
        exact, bases = self.params.exact[0], climbed.bests[-MOST_COMPLETED:]
        if begun:
            bases = (*bases, begin(case, self.params.last))
        # What covers most may leave no room for the others, where what covers less does.
        completed = (complete(case, base) for base in bases)
        fullest = max((climbed.best, climbed.filled, *completed), key=lambda one: one.coverage)
        if begun and not fullest.poses:
            return replace(climbed, best=lay_somewhere(case), is_makeshift=True)
        best = lay_flush(case, fullest)
        fits = case.areas_add_up(exact) and best.fits(case.puzzle, Tolerance.of_corners(exact))
        evidence = climbed.evidence if fullest is climbed.best else None
        return replace(climbed, best=best, fits=fits, evidence=evidence)


def _with_doubts(case: Case, found: Proposal, climbed: Climbed) -> Proposal:
    """An answer that does not fit, with the pieces that may lie elsewhere: where area alone speaks, all.

    Exact pieces that lie flush were laid so for a reason: where none overlap and none is lost, only those are
    named that are apart from others and from the border along most of their outlines, and those on a grid, as
    all is flush there.
    """
    laid = sorted(climbed.best.poses)
    if not laid:
        return found
    pieces = tuple(case.puzzle.fragments[number] for number in laid)
    if climbed.is_makeshift:
        elsewhere = laid
    elif lies_tightly(replace(case.puzzle, fragments=pieces), climbed.best.coverage):
        placed = [climbed.best.poses[number].apply(case.outlines[number]) for number in laid]
        held = lengths_held(placed, case.puzzle.target, FLUSH * case.size)
        elsewhere = [
            number
            for number, piece, along in zip(laid, placed, held, strict=True)
            if along < LEAST_HELD * piece.exterior.length
        ]
        if case.lacks_area or 2 * len(elsewhere) > len(laid):  # then those that are held lie so by chance
            elsewhere = laid
        else:
            elsewhere = [n for n in laid if n in elsewhere or lies_on_a_grid(case, n)]
    else:
        elsewhere = laid if climbed.evidence is None else sorted(climbed.evidence.elsewhere)
    return replace(found, elsewhere=tuple(case.puzzle.fragments[number].id for number in elsewhere))


def _all_named(found: Proposal) -> Proposal:
    """The proposal with all of its pieces named as such that may lie elsewhere."""
    return replace(found, elsewhere=tuple(sorted(one.id for one in found.assembly)))


def _with_rivals(case: Case, found: Proposal, evidence: Evidence | None) -> Proposal:
    """The proposal with assemblies that are about as likely, and the pieces that they have elsewhere."""
    if evidence is None or not evidence.elsewhere:
        is_rough = case.pixel is None and found.tolerance.seam > ROUGH_FOR_MANY
        are_held = evidence is not None and 2 * evidence.exact >= case.pieces
        is_doubted = is_rough and case.pieces > FEW_PIECES and not are_held
        return replace(found, doubt=found.doubt or TOO_ROUGH) if is_doubted else found
    puzzle = case.puzzle
    rivals: Iterable[dict[int, Pose]] = evidence.rivals[:MOST_TOLD]
    if evidence.noise:  # what was counted lies exactly
        rivals = (polish(puzzle, poses, MaxEvaluations(LAST_POLISH)) for poses in rivals)
    elsewhere = [puzzle.fragments[number].id for number in sorted(evidence.elsewhere)]
    alternatives = tuple(assembly_of(puzzle, poses) for poses in rivals)
    if alternatives:
        others = "another arrangement fits" if len(alternatives) == 1 else "other arrangements fit"
        doubt = f"ambiguous: {listed(elsewhere)} may lie elsewhere, for {others} about as well"
    elif evidence.lacks_a_piece:
        doubt = LACKING
    elif not evidence.is_whole:
        doubt = UNWEIGHED
    else:
        doubt = "only the area that is covered speaks for the places, and outlines are too rough for that"
    return replace(found, alternatives=alternatives, elsewhere=tuple(elsewhere), doubt=doubt)


def _proposal(puzzle: Puzzle, climbed: Climbed, remark: str = "") -> Proposal:
    """What the search proposes of a climb."""
    assembly = assembly_of(puzzle, climbed.best.poses)
    return Proposal(
        assembly=assembly,
        objective=climbed.best.coverage,
        evaluations=climbed.evaluations,
        tolerance=climbed.tolerance,
        trace=StepByStep(assembly),
        remark=remark,
        doubt=remark,
        set_aside=puzzle.set_aside,
        attempts=climbed.tried,
    )
