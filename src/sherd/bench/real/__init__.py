"""The suite `real`: drawings and photographs such as people bring, made by a seed, solved and counted.

`KINDS` of jobs by name make them.
"""

from __future__ import annotations

from sherd.bench.real.drawings import KINDS as DRAWINGS
from sherd.bench.real.job import Outcome, RealJob, judge_answer, run_job
from sherd.bench.real.measure import KINDS, RealRequest, TriedJob, counts_of, try_jobs
from sherd.bench.real.photographs import PHOTOGRAPHS

__all__ = [
    "DRAWINGS",
    "KINDS",
    "PHOTOGRAPHS",
    "Outcome",
    "RealJob",
    "RealRequest",
    "TriedJob",
    "counts_of",
    "judge_answer",
    "run_job",
    "try_jobs",
]
