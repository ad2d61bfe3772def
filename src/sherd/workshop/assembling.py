"""Somebody's pieces put together: foreign ones, pins and kerf minded, and the whole judged once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from sherd.core.assembly import Assembly
from sherd.core.clock import working_seconds
from sherd.core.errors import ArgumentError, UnsupportedError
from sherd.core.puzzle import Puzzle
from sherd.core.tolerance import EXACT
from sherd.io import SavedAssembly
from sherd.solvers.base import OnProgress, Proposal
from sherd.solvers.run import Assembler, judged, refined, with_verdict
from sherd.solvers.stop import AnyOf, MaxSeconds, Stop
from sherd.solvers.straightness import are_straight
from sherd.workshop.foreign import assemble_own
from sherd.workshop.job import Job
from sherd.workshop.judging import judge_job
from sherd.workshop.kept import Kept, assemble_kept, kept_of
from sherd.workshop.proposal import JobProposal
from sherd.workshop.result import JobResult
from sherd.workshop.roughly import in_implied_outline

# How many assemblies to look for unless it is said: one more is enough to doubt a place.
ASSEMBLIES = 5
# Who put pieces together that lie in their places already.
DRAWN = "drawn"
# Where the shape is known but not its size, groups are looked for in this share of the time.
GROUPS_SHARE = 0.7
# Why a piece needs no place beside pinned ones.
NO_ROOM = "the pinned pieces leave no room for it"


def assemble_job(
    job: Job,
    *,
    solver: str | Assembler = "auto",
    seconds: float = 10.0,
    seed: int = 0,
    most: int | None = None,
    refine: bool = False,
    start: SavedAssembly | None = None,
    keep: Collection[str] = (),
    stop: Stop | None = None,
    on_progress: OnProgress | None = None,
) -> JobResult:
    """Put a job's pieces together: the best assembly within the time limit, or before ``stop`` says so.

    A solver that can is asked for up to ``most`` assemblies, `ASSEMBLIES` unless it is said, so that places
    can be doubted. With ``refine`` pieces are then moved a little to cover more, for as long again. Of an
    earlier answer to ``start`` from, the pieces to ``keep``, or all, stay as they lie to each other, and
    where they lie in the target, and the rest is tried again. Without a target the result has groups.
    """
    assembler = Assembler(solver) if isinstance(solver, str) else solver
    started = working_seconds()
    if keep and start is None:
        raise ArgumentError("pieces are kept as they lie in an answer to start from, and there is none")
    kept = None if start is None else kept_of(job, start, keep)
    in_target = kept is not None and kept.in_target and job.puzzle.has_target
    if kept is not None and in_target and (len(job.pinned) or are_straight(job.puzzle)):
        # Straight pieces are laid into what others leave of the target.
        more = tuple(one for one in kept.assembly if one.id not in job.pinned)
        job, kept = replace(job, pinned=Assembly((*job.pinned, *more))), None
    if not job.puzzle.has_target:
        if refine:
            raise UnsupportedError("pieces are refined to cover more of a target, and there is none")
        return _grouped(job, assembler, seconds, seed, most, kept, stop, on_progress)
    if most is None and assembler.is_thorough and not refine:
        most = ASSEMBLIES
    found, puzzle = _propose(job, assembler, seconds, seed, most, kept, stop, on_progress)
    proposal = found.proposal
    is_stopped = stop is not None and stop(proposal.evaluations)
    if refine and puzzle is not None and not is_stopped:
        limit = MaxSeconds(seconds)
        proposal = refined(puzzle, proposal, stop=limit if stop is None else AnyOf((limit, stop)))
    whole = replace(
        proposal,
        assembly=job.complete(proposal.assembly),
        alternatives=tuple(job.complete(other) for other in proposal.alternatives),
    )
    verdict = judge_job(job, whole.assembly, whole.tolerance, found.excused, whole.doubt)
    if verdict.is_solved or len(verdict.against) > 1 or not verdict.missing:
        remark = ""  # the verdict says more than the solver knew
    elif is_stopped and puzzle is not None:
        remark = f"interrupted with {len(proposal.assembly)} of {len(puzzle.fragments)} pieces placed"
    else:
        remark = proposal.remark
    spent = working_seconds() - started
    return JobResult(
        job,
        found.solver,
        with_verdict(replace(whole, remark=remark), verdict, spent),
        job.name,
        found.taken_for and f"the places were found with pieces taken for {found.taken_for}",
    )


def _grouped(
    job: Job,
    assembler: Assembler,
    seconds: float,
    seed: int,
    most: int | None,
    kept: Kept | None,
    stop: Stop | None,
    on_progress: OnProgress | None,
) -> JobResult:
    """What comes together without a target; where its shape is known, as an answer in the outline implied."""
    limit, started = MaxSeconds(seconds), working_seconds()
    share = GROUPS_SHARE * seconds if job.outline else seconds
    rng = np.random.default_rng([seed, 0])
    if kept is None:
        name, result = assembler(
            job.puzzle, seconds=share, rng=rng, most=most, stop=stop, on_progress=on_progress
        )
    else:
        found = assemble_kept(
            assembler, job.puzzle, kept, seconds=share, rng=rng, stop=stop, on_progress=on_progress
        )
        name, result = found.solver, judged(job.puzzle, found.proposal, working_seconds() - started)
    groups = JobResult(job, name, result, job.name)
    if not job.outline:
        return groups
    return in_implied_outline(
        groups, assembler, seconds=limit.seconds_left, rng=rng, stop=stop, on_progress=on_progress
    )


def _propose(
    job: Job,
    assembler: Assembler,
    seconds: float,
    seed: int,
    most: int | None,
    kept: Kept | None,
    stop: Stop | None,
    on_progress: OnProgress | None,
) -> tuple[JobProposal, Puzzle | None]:
    """What is proposed beside the pinned pieces, and for which puzzle; None if pins leave nothing to do."""
    rng = np.random.default_rng([seed, 0])
    if kept is not None:
        found = assemble_kept(
            assembler, job.puzzle, kept, seconds=seconds, rng=rng, stop=stop, on_progress=on_progress
        )
        return found, job.puzzle
    if job.lies_in_target and judge_job(job, job.as_drawn, EXACT, {}).is_solved:
        loose = Assembly(tuple(one for one in job.as_drawn if one.id not in job.pinned))
        return JobProposal(DRAWN, Proposal(assembly=loose, objective=1.0, evaluations=0)), None
    puzzle = job.to_solve()
    fitting = () if puzzle is None else puzzle.fragments
    known = {*(pin.id for pin in job.pinned), *(fragment.id for fragment in fitting)}
    no_room = {one.id: NO_ROOM for one in job.puzzle.fragments if one.id not in known}
    if puzzle is None:
        nothing = Proposal(assembly=Assembly(), objective=0.0, evaluations=0)
        return JobProposal("pins", nothing, no_room), None
    found = assemble_own(
        assembler, puzzle, seconds=seconds, rng=rng, most=most, stop=stop, on_progress=on_progress
    )
    return replace(found, excused={**no_room, **found.excused}), puzzle
