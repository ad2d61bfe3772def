"""Where somebody, or a search that was stopped, has laid pieces, as an answer with the one verdict on it."""

from __future__ import annotations

from sherd.core.assembly import Assembly, Group
from sherd.solvers.base import Result
from sherd.workshop.job import Job
from sherd.workshop.judging import PINS, judge_job
from sherd.workshop.result import JobResult

BY_HAND = "by hand"


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
