"""Where somebody, or a search that was stopped, has laid pieces, as an answer with the one verdict on it."""

from __future__ import annotations

from sherd.core.assembly import Assembly, Group
from sherd.core.puzzle import Puzzle
from sherd.core.verdict import Verdict
from sherd.solvers.base import Result
from sherd.workshop.job import Job
from sherd.workshop.judging import PINS, judge_job
from sherd.workshop.result import JobResult

BY_HAND = "by hand"
UNJUDGED = "time was up before the answer was judged"


def laid_by_hand(
    job: Job, assembly: Assembly, *, solver: str = BY_HAND, seconds: float = 0.0, remark: str = ""
) -> JobResult:
    """The answer that these placements are, in the puzzle's frame; hands are no finer than pins are.

    Without a target all pieces that lie somewhere are one group.
    """
    verdict = judge_job(job, assembly, PINS, {}, "" if len(assembly) else "no piece is placed")
    groups = () if job.puzzle.has_target or not len(assembly) else (Group(assembly),)
    result = Result(
        assembly=assembly,
        objective=0.0,
        evaluations=0,
        tolerance=PINS,
        groups=groups,
        remark="" if verdict.is_solved else remark,
        verdict=verdict,
        seconds=seconds,
        puzzle=job.puzzle,
    )
    return JobResult(job, solver, result, job.name)


def unjudged(puzzle: Puzzle, assembly: Assembly, *, seconds: float) -> Result:
    """What a search that was ended had laid by then, which is no solution until somebody judges it."""
    left_over = tuple(one.id for one in puzzle.fragments if one.id not in assembly)
    return Result(
        assembly=assembly,
        objective=0.0,
        evaluations=0,
        groups=() if puzzle.has_target or not len(assembly) else (Group(assembly),),
        verdict=Verdict(state="not solved", against=(UNJUDGED,), left_over=left_over),
        seconds=seconds,
        puzzle=puzzle,
    )


def left_unjudged(job: Job, assembly: Assembly, *, solver: str, seconds: float) -> JobResult:
    """The same of a job, with the pieces that are pinned."""
    loose = Assembly(tuple(one for one in assembly if one.id not in job.pinned))
    return JobResult(job, solver, unjudged(job.puzzle, job.complete(loose), seconds=seconds), job.name)
