"""The verdict on an answer to a whole job, pinned pieces included."""

from __future__ import annotations

from collections.abc import Mapping

from sherd.core.assembly import Assembly
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import Verdict, judge
from sherd.workshop.job import Job

# Pins are off by as much, as a share of the target's size: people measure them, or write fewer digits.
PINS = Tolerance.of_corners(0.005)


def judge_job(
    job: Job, assembly: Assembly, tolerance: Tolerance, excused: Mapping[str, str], doubt: str = ""
) -> Verdict:
    """Whether the answer solves the job, by the tolerance of what was proposed; no finer than pins are."""
    if not doubt and job.is_one_piece:
        doubt = "the only piece is the target itself: were the cuts read?"
    if len(job.pinned):
        tolerance = Tolerance(max(tolerance.seam, PINS.seam), max(tolerance.depth, PINS.depth))
    return judge(
        job.puzzle,
        assembly,
        tolerance,
        pinned=job.pinned,
        forbidden=job.forbidden,
        excused=excused,
        doubt=doubt,
    )
