"""Many jobs of the suite `real`: how many answers are right, honest and wrong, kind by kind."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np

from sherd.bench.real.drawings import KINDS as DRAWINGS
from sherd.bench.real.job import Outcome, RealJob, run_job
from sherd.bench.real.photographs import PHOTOGRAPHS
from sherd.core.clock import working_seconds

KINDS: dict[str, Callable[[np.random.Generator, Path], RealJob]] = {**DRAWINGS, **PHOTOGRAPHS}
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class TriedJob:
    """What came of one job: its kind and seed, the verdict in words and the seconds that solving took."""

    kind: str
    seed: int
    outcome: Outcome
    verdict: str
    seconds: float


@dataclass(frozen=True)
class RealRequest:
    """Which jobs: ``count`` of each kind, from ``seed`` on, each within ``time_limit`` seconds."""

    kinds: tuple[str, ...] = tuple(KINDS)
    count: int = 8
    seed: int = 0
    time_limit: float = 10.0

    def __post_init__(self) -> None:
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown:
            raise ValueError(f"unknown kinds of jobs: {', '.join(unknown)}")
        if self.count < 1 or self.seed < 0 or not self.time_limit > 0.0:
            raise ValueError("a count of 1 or more, a seed of 0 or more and some seconds are needed")


def try_jobs(request: RealRequest) -> Iterator[TriedJob]:
    """Every job in turn; a job depends on its kind and seed alone."""
    numbers = {kind: number for number, kind in enumerate(KINDS)}
    for kind in request.kinds:
        for seed in range(request.seed, request.seed + request.count):
            rng = np.random.default_rng([seed, numbers[kind]])
            with tempfile.TemporaryDirectory() as folder:
                job = KINDS[kind](rng, Path(folder))
                started = working_seconds()
                outcome, found = run_job(job, request.time_limit)
            said = found.verdict.in_words + (f": {found.verdict.why}" if found.verdict.why else "")
            yield TriedJob(kind, seed, outcome, said, working_seconds() - started)


def counts_of(tried: Sequence[TriedJob]) -> Mapping[str, dict[Outcome, int]]:
    """How many jobs of each kind, in order, came out right, honest and wrong."""
    found: dict[str, dict[Outcome, int]] = {}
    for one in tried:
        found.setdefault(one.kind, dict.fromkeys(OUTCOMES, 0))[one.outcome] += 1
    return found
