"""Running a solver by name, with a clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

import numpy as np

from sherd.core.clock import working_seconds
from sherd.core.errors import ArgumentError, UnsupportedError
from sherd.core.puzzle import Puzzle
from sherd.core.threads import using_threads
from sherd.core.turning import turned_as_told
from sherd.core.verdict import ROUNDED, Verdict, judge
from sherd.solvers.arcs import laying as arcs
from sherd.solvers.base import (
    BatchSolver,
    GroupingSolver,
    OnProgress,
    Progress,
    Proposal,
    Result,
    Solver,
    ThoroughSolver,
)
from sherd.solvers.choosing import best_of, told_of
from sherd.solvers.near import bring_near
from sherd.solvers.plugins import refuse_nonsense
from sherd.solvers.refitted import fitting_once, with_fitted_edges
from sherd.solvers.registry import SOLVERS, is_known, known_solvers
from sherd.solvers.stop import AnyOf, MaxSeconds, Stop
from sherd.solvers.straightness import are_exact, are_straight

AUTO = "auto"
# What "auto" tries, the best first, as far as it is registered; search serves every puzzle, painted or not.
SEARCH = "search"
PREFERRED = (SEARCH, "matcher", "fan", "random")
# What it tries before, of pieces that are not straight, for this share of the time; without a target, alone.
CONTOURS = "contours"
CONTOURS_SHARE = 0.75
# Of straight pieces that are not exact the search is tried first, which solves most at once, then contours,
# which tell cracks that meet in threes, then the search for the rest of the time: shares of the time, and for
# how many pieces. Not swept. Contours have more of those that were traced pixel by pixel, of which the search
# solves few: Y-cracks of 12 and cuts of 8 at 300 px, seeds 640 and 641, contours 4 of 5, search 0 of 5.
SEARCH_FIRST, CRACKS_SHARE, TRACED_SHARE, MOST_CRACKED = 0.05, 0.25, 0.5, 64
# Corners off by more than this share of the size: what the search calls solved so is held against cuts that
# go all the way across, where pieces may be what such leave, for a share of the time; and what these say
# counts unless corners are off by so many times more then.
ROUGH, CROSSING_SHARE, ROUGHER = 4e-3, 0.25, 1.25
# What it tries before anything else, of pieces between straight edges and arcs, for this share of the time.
ARCS_SHARE = 0.5


def solver_names(name: str = AUTO) -> tuple[str, ...]:
    """The registered solvers that a name stands for, the first that can serve to be taken.

    >>> solver_names("random")
    ('random',)
    """
    if name == AUTO:
        return tuple(preferred for preferred in PREFERRED if preferred in SOLVERS)
    if not is_known(name):
        raise ArgumentError(f"unknown solver {name!r}: choose {', '.join((AUTO, *known_solvers()))}")
    return (name,)


def make_solver(name: str) -> Solver:
    """A new solver of a registered name; `UnsupportedError` if there is none."""
    if not is_known(name):
        raise UnsupportedError(f"there is no solver {name!r} here: choose {', '.join(known_solvers())}")
    return SOLVERS[name]()


def run(
    solver: Solver,
    puzzle: Puzzle,
    *,
    stop: Stop,
    rng: np.random.Generator,
    on_progress: OnProgress | None = None,
) -> Result:
    """Let a solver work until it stops, judge what it proposes, and say how many seconds it took.

    `UnsupportedError` if there is no target, and the solver needs one.
    """
    started = working_seconds()
    if puzzle.has_target:
        proposal = solver.solve(puzzle, stop=stop, rng=rng, on_progress=on_progress)
    elif isinstance(solver, GroupingSolver):
        proposal = solver.solve_groups(puzzle, stop=stop, rng=rng, on_progress=on_progress)
    else:
        raise UnsupportedError(f"this solver needs a target; without one take {CONTOURS}")
    refuse_nonsense(solver, puzzle, proposal)
    return judged(puzzle, proposal, working_seconds() - started)


def run_many(
    solver: BatchSolver, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
) -> list[Result]:
    """The same for many puzzles at once, each of which took an equal share of the time."""
    started = working_seconds()
    proposals = solver.solve_many(puzzles, stop=stop, rngs=rngs)
    share = (working_seconds() - started) / len(puzzles)
    for puzzle, one in zip(puzzles, proposals, strict=True):
        refuse_nonsense(solver, puzzle, one)
    return [judged(puzzle, one, share) for puzzle, one in zip(puzzles, proposals, strict=True)]


def run_thoroughly(
    solver: Solver,
    puzzle: Puzzle,
    *,
    most: int,
    stop: Stop,
    rng: np.random.Generator,
    on_progress: OnProgress | None = None,
) -> Result:
    """The same for up to ``most`` assemblies; `UnsupportedError` if the solver knows only one."""
    if not isinstance(solver, ThoroughSolver):
        raise UnsupportedError("this solver gives one assembly of a puzzle, not all: choose search")
    started = working_seconds()
    proposal = solver.solve_all(puzzle, most=most, stop=stop, rng=rng, on_progress=on_progress)
    return judged(puzzle, proposal, working_seconds() - started)


def judged(puzzle: Puzzle, proposal: Proposal, seconds: float) -> Result:
    """A proposal with the verdict on it, turned so that pieces lie as they may.

    Of what is solved no piece is named that may lie elsewhere, but where paint was too faint to decide.
    """
    if puzzle.turns:
        first, *others = turned_as_told(puzzle, (proposal.assembly, *proposal.alternatives))
        proposal = replace(proposal, assembly=first, alternatives=tuple(others))
    verdict = judge(
        puzzle, proposal.assembly, proposal.tolerance, excused=proposal.excused, doubt=proposal.doubt
    )
    if verdict.is_solved and proposal.by_paint != "undecided":
        proposal = replace(proposal, elsewhere=())
    return replace(with_verdict(proposal, verdict, seconds), puzzle=puzzle)


def each_judged(puzzle: Puzzle, result: Result) -> Iterator[Result]:
    """The result, and each further assembly of it as a result of its own with the verdict on it, in turn."""
    yield result
    every = (result.assembly, *result.alternatives)
    for assembly in result.alternatives:
        yield replace(
            result,
            assembly=assembly,
            alternatives=tuple(other for other in every if other is not assembly),
            remark="",
            verdict=judge(puzzle, assembly, result.tolerance, doubt=result.doubt),
        )


def with_verdict(proposal: Proposal, verdict: Verdict, seconds: float) -> Result:
    """What was proposed, what the verdict on it is, and how long it took."""
    found = {field.name: getattr(proposal, field.name) for field in fields(Proposal)}
    return Result(**found, verdict=verdict, seconds=seconds)


def refine_result(puzzle: Puzzle, result: Result, *, stop: Stop) -> Result:
    """The result with its assembly refined, judged anew, and the time for that added."""
    started = working_seconds()
    return judged(puzzle, refined(puzzle, result, stop=stop), result.seconds + working_seconds() - started)


def refined(puzzle: Puzzle, proposal: Proposal, *, stop: Stop) -> Proposal:
    """The proposal with its pieces moved a little, to cover more."""
    if not puzzle.has_target:
        raise UnsupportedError("pieces are refined to cover more of a target, and there is none")
    from sherd.solvers.refine import refine  # numba takes a moment to load

    assembly = refine(puzzle, proposal.assembly, stop=stop)
    if proposal.certainty:  # a network's objective is what is covered
        from sherd.solvers.learned.steps import refined_proposal

        return refined_proposal(puzzle, proposal, assembly)
    remark = proposal.remark
    if remark and assembly != proposal.assembly and len(assembly) == len(puzzle.fragments):
        remark = f"{remark} (before refinement)"
    return replace(proposal, assembly=assembly, trace=(*proposal.trace, assembly), remark=remark)


class Assembler:
    """A solver by name, made once for many puzzles; "auto" takes the best that can serve each."""

    def __init__(
        self, name: str = AUTO, solver: Solver | None = None, *, ignore_colour: bool = False, workers: int = 1
    ) -> None:
        """``solver`` stands in for the registered one of that name, such as one with other weights.

        With ``ignore_colour`` painted pieces are taken for bare ones. With several ``workers`` the search
        makes attempts at a puzzle side by side, and contours are compared by as many threads, to the same
        answer.
        """
        self._ignores_colour, self._workers = ignore_colour, workers
        self._is_auto = name == AUTO
        self._names = solver_names(name)
        self._made: dict[str, Solver] = {} if solver is None else {name: solver}

    @property
    def is_thorough(self) -> bool:
        """Whether the solver that is tried first can look for further assemblies."""
        return isinstance(self._solver(self._names[0]), ThoroughSolver)

    def load(self) -> float:
        """Make the solver that was named, and say how many seconds that took; "auto" makes its as it goes."""
        started = working_seconds()
        if not self._is_auto:
            self._solver(self._names[0])
        return working_seconds() - started

    def _solver(self, name: str) -> Solver:
        if name not in self._made:
            self._made[name] = (
                make_solver(name) if self._workers == 1 or name != SEARCH else self._side_by_side()
            )
        return self._made[name]

    def _side_by_side(self) -> Solver:
        from sherd.solvers.search import SearchSolver

        return SearchSolver(workers=self._workers)

    def __call__(
        self,
        puzzle: Puzzle,
        *,
        seconds: float,
        rng: np.random.Generator,
        most: int | None = None,
        stop: Stop | None = None,
        on_progress: OnProgress | None = None,
    ) -> tuple[str, Result]:
        """The name of the solver that served, and its result, with up to ``most`` assemblies if asked for.

        It ends after ``seconds``, or as soon as ``stop`` says so. "auto" goes by what the pieces are:
        those that are not straight are matched by their contours first, those without a target only so; those
        that are straight and not exact by their contours, too, if the search does not soon solve them.
        """
        started = working_seconds()
        near, taken_back, told_back = bring_near(puzzle)

        def tell(so_far: Progress) -> None:
            if on_progress is not None:
                on_progress(told_back(so_far))

        told = None if on_progress is None else tell
        begun = seconds > 0.0 and (stop is None or not stop(0))
        with using_threads(self._workers), fitting_once():
            name, result = self._assemble(near, seconds, rng, most, stop, told)
            if begun and not result.assembly and self._is_auto and near.has_target:
                name, result = SEARCH, _laid_to_show(near, result)
        if self._is_auto:
            result = replace(result, seconds=working_seconds() - started)
        return name, taken_back(result)

    def _assemble(
        self,
        puzzle: Puzzle,
        seconds: float,
        rng: np.random.Generator,
        most: int | None,
        stop: Stop | None,
        on_progress: OnProgress | None,
    ) -> tuple[str, Result]:
        """The same for a puzzle that is near the origin."""
        names = self._names
        if self._ignores_colour:
            puzzle = puzzle.without_paint()
        if not puzzle.has_target:
            if most is not None:
                raise UnsupportedError("without a target one answer is looked for, not all")
            names = (CONTOURS,) if self._is_auto else names
            for name in names:
                if not isinstance(self._solver(name), GroupingSolver):
                    raise UnsupportedError(f"{name} needs a target; without one take {CONTOURS}")
        whole = MaxSeconds(seconds)
        fitted = with_fitted_edges(puzzle, whole) if self._is_auto and puzzle.has_target else puzzle
        seconds = whole.seconds_left
        # Traced from straight edges, as it seems; wavy ones of few pixels look the same, so both are asked.
        is_traced = fitted is not puzzle and are_straight(fitted)
        if self._is_auto and not is_traced and arcs.serves(puzzle):
            limit = MaxSeconds(ARCS_SHARE * seconds)
            either = limit if stop is None else AnyOf((limit, stop))
            laid = run(arcs.ArcsSolver(), puzzle, stop=either, rng=rng, on_progress=on_progress)
            if laid.solved:
                return arcs.NAME, laid
            seconds = max(seconds - laid.seconds, 0.0)
        is_straight = is_traced or are_straight(puzzle)
        if not self._is_auto or not puzzle.has_target or (is_straight and not _may_be_cracked(puzzle)):
            return self._first_of(names, puzzle, seconds, rng, most, stop, on_progress)
        limit, found = MaxSeconds(seconds), list[tuple[str, Result]]()
        share = CONTOURS_SHARE * seconds
        if is_straight:
            share = (TRACED_SHARE if is_traced else CRACKS_SHARE) * seconds
            soon = self._first_of(names, puzzle, SEARCH_FIRST * seconds, rng, None, stop, on_progress)
            if on_progress is not None:  # what comes next may not end in time
                on_progress(told_of(soon[1]))
            are_others = bool(soon[1].elsewhere and soon[1].alternatives)  # which are as likely
            if (crossed := self._crossed(puzzle, soon, CROSSING_SHARE * seconds, rng, stop)) is not None:
                return crossed
            is_exact = _fits_exactly(puzzle, soon[1])
            is_told = soon[1].solved or (are_others and (is_exact or not _are_cells(puzzle)))
            if is_told or is_exact:
                if most is None and is_told:
                    return soon
                return self._first_of(names, puzzle, limit.seconds_left, rng, most, stop, on_progress)
            found.append(soon)
        try:
            found.append(self._first_of((CONTOURS,), puzzle, share, rng, None, stop, on_progress))
        except UnsupportedError:  # such as painted pieces that may be turned over
            if not puzzle.mirror:
                raise
        if on_progress is not None and found:  # what is found is told, should the rest not end in time
            on_progress(told_of(found[-1][1]))
        if found and (found[-1][1].solved or (stop is not None and stop(found[-1][1].evaluations))):
            return best_of(puzzle, found)
        found.append(self._first_of(names, puzzle, limit.seconds_left, rng, most, stop, on_progress))
        return best_of(puzzle, found, is_over=limit(0))

    def _crossed(
        self,
        puzzle: Puzzle,
        soon: tuple[str, Result],
        seconds: float,
        rng: np.random.Generator,
        stop: Stop | None,
    ) -> tuple[str, Result] | None:
        """What cuts all the way across tell of rough pieces, after what the search found; None if nothing."""
        from sherd.solvers.cells import crossing  # numba takes a moment to load

        before = soon[1]
        is_rough = before.tolerance.seam > ROUGH
        if (before.solved and not is_rough) or not crossing.serves(puzzle):
            return None
        limit = MaxSeconds(seconds)
        either = limit if stop is None else AnyOf((limit, stop))
        result = run(crossing.CrossingSolver(), puzzle, stop=either, rng=rng)
        has_evidence = before.solved or (before.elsewhere and before.alternatives)
        if not result.assembly or (has_evidence and result.tolerance.seam > ROUGHER * before.tolerance.seam):
            return None
        return crossing.NAME, result

    def _first_of(
        self,
        names: Sequence[str],
        puzzle: Puzzle,
        seconds: float,
        rng: np.random.Generator,
        most: int | None,
        stop: Stop | None,
        on_progress: OnProgress | None,
    ) -> tuple[str, Result]:
        """The result of the first solver that serves the puzzle."""
        for name in names:
            try:
                solver, limit = self._solver(name), MaxSeconds(seconds)
                either = limit if stop is None else AnyOf((limit, stop))
                if most is None:
                    return name, run(solver, puzzle, stop=either, rng=rng, on_progress=on_progress)
                return name, run_thoroughly(
                    solver, puzzle, most=most, stop=either, rng=rng, on_progress=on_progress
                )
            except UnsupportedError:
                if name == names[-1]:
                    raise
        raise AssertionError("unreachable: there is always a solver to try")


def _fits_exactly(puzzle: Puzzle, result: Result) -> bool:
    """Whether all pieces lie as exact ones do, however doubtful, so that contours tell less: they are off."""
    is_whole = result.verdict.state != "not solved" and len(result.assembly) == len(puzzle.fragments)
    return is_whole and result.tolerance.seam <= ROUNDED


def _may_be_cracked(puzzle: Puzzle) -> bool:
    """Whether contours are worth a try at straight pieces."""
    return (
        CONTOURS in SOLVERS
        and len(puzzle.fragments) <= MOST_CRACKED
        and not puzzle.mirror
        and not are_exact(puzzle)
    )


def _are_cells(puzzle: Puzzle) -> bool:
    """Whether pieces may share whole edges, so that contours weigh arrangements by their corners."""
    from sherd.solvers.cells.search import are_cells  # numba takes a moment to load

    return are_cells([fragment.polygon for fragment in puzzle.fragments])


def _laid_to_show(puzzle: Puzzle, empty: Result) -> Result:
    """Pieces laid for want of better in place of an answer that has none, with what else was found."""
    from sherd.solvers.search import SearchSolver

    laid = SearchSolver().lay_to_show(puzzle)
    apart = tuple(one for one in empty.groups if not any(p.id in laid.assembly for p in one.assembly))
    laid = replace(
        laid,
        evaluations=max(empty.evaluations, laid.evaluations),
        attempts=empty.attempts,
        groups=apart,
        joints=empty.joints,
    )
    return judged(puzzle, laid, empty.seconds)


def assemble(
    puzzle: Puzzle,
    solver: str = AUTO,
    *,
    seconds: float = 10.0,
    seed: int = 0,
    ignore_colour: bool = False,
) -> Result:
    """Put a puzzle together: the best assembly that the solver finds within the time limit."""
    return Assembler(solver, ignore_colour=ignore_colour)(
        puzzle, seconds=seconds, rng=np.random.default_rng(seed)
    )[1]
