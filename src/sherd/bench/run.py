"""Running a cell: every puzzle of it, one by one, in batches or by several processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Protocol, runtime_checkable

import numpy as np

from sherd.bench.cell import Cell
from sherd.bench.published import published_for
from sherd.bench.record import CellResult, Figures, RasterFigures, Recipe, Training
from sherd.bench.trial import (
    Trial,
    TrialOutcome,
    attempt,
    failed,
    make_trial,
    outcome_from_row,
    outcome_of,
    try_trial,
)
from sherd.core.clock import working_seconds
from sherd.core.errors import ArgumentError, UnsupportedError
from sherd.core.metrics import summarise
from sherd.core.puzzle import Sample
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.many.shards import Keeping, Shards, json_lines, open_shards
from sherd.many.share import share
from sherd.solvers import BatchSolver, MaxSeconds, Solver, run_many

MOST_PUZZLES = 100_000


@dataclass(frozen=True, kw_only=True)
class RunParams:
    """Which puzzles of a set a cell is run on, how long for each, and by how many processes.

    ``keeping`` says where outcomes are kept, chunk by chunk, if they are.
    """

    count: int = 200
    seed: int = 7
    first: int = 0
    time_limit: float = 10.0
    workers: int | None = None
    keeping: Keeping | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST_PUZZLES:
            raise ArgumentError(f"count must be between 1 and {MOST_PUZZLES:,}, not {self.count:,}")
        if self.seed < 0:
            raise ArgumentError(f"the seed must be at least 0, not {self.seed}")
        if self.first < 0:
            raise ArgumentError(f"the first puzzle must be at least 0, not {self.first}")
        if not self.time_limit > 0.0:
            raise ArgumentError(f"the time limit must be above 0 seconds, not {self.time_limit}")
        if self.workers is not None and self.workers < 1:
            raise ArgumentError(f"workers must be at least 1, not {self.workers}")


@runtime_checkable
class LearnedSolver(Protocol):
    """A solver that can say how it was trained, in the terms of `Training`."""

    train_puzzles: int
    train_minutes: float
    parameters: int


@runtime_checkable
class TrainedForRow(LearnedSolver, Protocol):
    """One that can be trained for a row of a table, and then says more of it."""

    shared_encoder: bool
    train_steps: int | None
    batch_puzzles: int | None
    dropout: float | None
    train_seed: int | None
    weights_sha256: str | None
    recipe: Recipe | None


def outcomes(cell: Cell, params: RunParams, solver: Solver, row: int = 0) -> Iterator[TrialOutcome]:
    """The outcome of every puzzle in turn; a caller that is interrupted keeps those it has.

    A solver that takes batches is left to use the whole machine by itself. What is kept of a cell lies in a
    folder that is named after its row.
    """
    if isinstance(solver, BatchSolver):
        if params.keeping is not None:
            raise UnsupportedError("it solves many puzzles at once, of which no shards are kept")
        return _in_batches(cell, params, solver)
    numbers = range(params.first, params.first + params.count)
    shards = None if params.keeping is None else _shards(cell, params, params.keeping, row)
    return share(_Attempts(cell, params, solver), numbers, workers=params.workers, shards=shards)


def _shards(cell: Cell, params: RunParams, keeping: Keeping, row: int) -> Shards[TrialOutcome]:
    about = {"row": cell, "seed": params.seed, "first": params.first, "time_limit": params.time_limit}
    codec = json_lines(asdict, outcome_from_row)
    return open_shards(keeping, about, codec, total=params.count, within=f"row-{row:03}")


def trials(cell: Cell, params: RunParams) -> Iterator[Trial]:
    """The trials of a cell, in order."""
    for number, sample in _samples(cell, params):
        yield make_trial(sample, cell.input, seed=params.seed, number=number, size_px=cell.size_px)


def _tried(cell: Cell, params: RunParams) -> Iterator[Trial | TrialOutcome]:
    """The same, with a failed outcome in the place of a trial that cannot be made."""
    for number, sample in _samples(cell, params):
        yield try_trial(sample, cell, seed=params.seed, number=number)


def _samples(cell: Cell, params: RunParams) -> Iterator[tuple[int, Sample]]:
    """The samples of a cell and their numbers in the set."""
    stop = params.first + params.count
    samples = make_samples(cell.kind, seed=params.seed, start=params.first, stop=stop)
    return enumerate(samples, start=params.first)


def _in_batches(cell: Cell, params: RunParams, solver: BatchSolver) -> Iterator[TrialOutcome]:
    waiting = _tried(cell, params)
    while batch := list(islice(waiting, solver.batch_size)):
        sound = [trial for trial in batch if isinstance(trial, Trial)]
        finished = iter(_batch(sound, params, solver))
        for trial in batch:
            yield trial if isinstance(trial, TrialOutcome) else next(finished)


def _batch(batch: Sequence[Trial], params: RunParams, solver: BatchSolver) -> list[TrialOutcome]:
    """The outcomes of some trials at once; one by one if one of them breaks the solver."""
    if not batch:
        return []
    stop = MaxSeconds(params.time_limit * len(batch))
    puzzles, rngs = [trial.observation.puzzle for trial in batch], [trial.rng for trial in batch]
    started = working_seconds()
    try:
        results = run_many(solver, puzzles, stop=stop, rngs=rngs)
    except UnsupportedError:
        raise
    except Exception as error:
        if len(batch) == 1:
            return [failed(batch[0].sample, error, working_seconds() - started)]
        return [outcome for trial in batch for outcome in _batch([trial], params, solver)]
    return [outcome_of(trial, result) for trial, result in zip(batch, results, strict=True)]


@dataclass(frozen=True)
class _Attempts:
    """A solver's attempt at each puzzle of a cell, by its number."""

    cell: Cell
    params: RunParams
    solver: Solver

    def __call__(self, job: int) -> TrialOutcome:
        """What came of the puzzle."""
        trial = try_trial(self._sample(job), self.cell, seed=self.params.seed, number=job)
        if isinstance(trial, TrialOutcome):
            return trial
        return attempt(trial, self.solver, MaxSeconds(self.params.time_limit))

    def lost(self, job: int, reason: str) -> TrialOutcome:
        """A puzzle that ends whoever tries it is not solved."""
        return failed(self._sample(job), MemoryError(reason), 0.0)

    def _sample(self, number: int) -> Sample:
        stop = self.params.first + self.params.count
        return _set_of(self.cell.kind, self.params.seed, stop).sample(number)


class _Following:
    """A set of which puzzles are mostly asked for one after the other, and so made many at once."""

    def __init__(self, kind: PuzzleKind, seed: int, stop: int) -> None:
        self._set = kind, seed, stop
        self._next = 0
        self._samples: Iterator[Sample] = iter(())

    def sample(self, number: int) -> Sample:
        """Puzzle ``number`` of the set."""
        kind, seed, stop = self._set
        if number != self._next or number == 0:
            self._samples = make_samples(kind, seed=seed, start=number, stop=stop)
        self._next = number + 1
        return next(self._samples)


_set_of = lru_cache(maxsize=1)(_Following)


def cell_result(
    cell: Cell, params: RunParams, solver: Solver, finished: Sequence[TrialOutcome]
) -> CellResult:
    """The figures of the puzzles that are finished, at least one."""
    weighed = all(outcome.decidable is not None for outcome in finished)
    decided = [bool(outcome.decidable) and outcome.solved for outcome in finished]
    return CellResult(
        cell=cell,
        first=params.first,
        count=len(finished),
        time_limit=params.time_limit,
        figures=_figures(finished),
        raster=_raster(finished),
        training=_training(solver),
        published=published_for(cell),
        ambiguous=float(np.mean([outcome.ambiguous for outcome in finished])),
        decidable=float(np.mean([bool(one.decidable) for one in finished])) if weighed else None,
        decidable_solved=float(np.mean(decided)) if weighed else None,
    )


def _training(solver: Solver) -> Training | None:
    if not isinstance(solver, LearnedSolver):
        return None
    training = Training(
        train_puzzles=solver.train_puzzles, train_minutes=solver.train_minutes, parameters=solver.parameters
    )
    if not isinstance(solver, TrainedForRow):
        return training
    return replace(
        training,
        shared_encoder=solver.shared_encoder,
        train_steps=solver.train_steps,
        batch_puzzles=solver.batch_puzzles,
        dropout=solver.dropout,
        train_seed=solver.train_seed,
        weights_sha256=solver.weights_sha256,
        recipe=solver.recipe,
    )


def _raster(finished: Sequence[TrialOutcome]) -> RasterFigures:
    coverage = np.array([outcome.raster.coverage for outcome in finished])
    return RasterFigures(
        raster_cov95=float((coverage >= 0.95).mean()),
        raster_cov90=float((coverage >= 0.90).mean()),
        raster_cov=float(coverage.mean()),
        raster_iou=float(np.mean([outcome.raster.iou for outcome in finished])),
    )


def _figures(finished: Sequence[TrialOutcome]) -> Figures:
    summary = asdict(summarise(outcome.scores for outcome in finished))
    summary.pop("count")  # stands beside the figures
    seconds = [outcome.seconds for outcome in finished]
    return Figures(
        **summary,
        solved=float(np.mean([outcome.solved for outcome in finished])),
        seconds_median=float(np.median(seconds)),
        seconds_p95=float(np.quantile(seconds, 0.95)),
    )
