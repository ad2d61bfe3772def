"""Many jobs of the suite `real`: how many answers are right, honest and wrong, kind by kind."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

import numpy as np

from sherd.bench.real.drawings import KINDS as DRAWINGS
from sherd.bench.real.job import Outcome, RealJob, run_job
from sherd.bench.real.photographs import PHOTOGRAPHS
from sherd.core.clock import working_seconds
from sherd.core.errors import ArgumentError
from sherd.many.shards import Keeping, json_lines, open_shards
from sherd.many.share import share

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
            raise ArgumentError(f"unknown kinds of jobs: {', '.join(unknown)}")
        if self.count < 1 or self.seed < 0 or not self.time_limit > 0.0:
            raise ArgumentError("a count of 1 or more, a seed of 0 or more and some seconds are needed")


def try_jobs(
    request: RealRequest, *, workers: int | None = None, keeping: Keeping | None = None
) -> Iterator[TriedJob]:
    """Every job in turn; a job depends on its kind and seed alone."""
    seeds = range(request.seed, request.seed + request.count)
    jobs = [(kind, seed) for kind in request.kinds for seed in seeds]
    shards = None
    if keeping is not None:
        codec = json_lines(asdict, lambda row: TriedJob(**row))
        shards = open_shards(keeping, {"real": request}, codec, total=len(jobs))
    return share(_Tries(request.time_limit), jobs, workers=workers, shards=shards)


@dataclass(frozen=True)
class _Tries:
    """Each job by its kind and seed."""

    time_limit: float

    def __call__(self, job: tuple[str, int]) -> TriedJob:
        """What came of it."""
        kind, seed = job
        rng = np.random.default_rng([seed, list(KINDS).index(kind)])
        with tempfile.TemporaryDirectory() as folder:
            real = KINDS[kind](rng, Path(folder))
            started = working_seconds()
            outcome, found = run_job(real, self.time_limit)
        said = found.verdict.in_words + (f": {found.verdict.why}" if found.verdict.why else "")
        return TriedJob(kind, seed, outcome, said, working_seconds() - started)

    def lost(self, job: tuple[str, int], reason: str) -> TriedJob:
        """One that ends whoever tries it is at least not called solved."""
        return TriedJob(*job, "honest", f"not solved: {reason}", 0.0)


def counts_of(tried: Sequence[TriedJob]) -> Mapping[str, dict[Outcome, int]]:
    """How many jobs of each kind, in order, came out right, honest and wrong."""
    found: dict[str, dict[Outcome, int]] = {}
    for one in tried:
        found.setdefault(one.kind, dict.fromkeys(OUTCOMES, 0))[one.outcome] += 1
    return found
