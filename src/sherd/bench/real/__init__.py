"""The suite `real`: drawings such as people bring, made by a seed, solved as the workshop does, and counted.

`KINDS` of jobs by name make them; another module adds kinds of its own by putting them there.
"""

from __future__ import annotations

from sherd.bench.real.drawings import KINDS
from sherd.bench.real.job import Outcome, RealJob, judge_answer, run_job

__all__ = ["KINDS", "Outcome", "RealJob", "judge_answer", "run_job"]
