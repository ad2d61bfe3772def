"""Measuring solvers on suites of broken things, all rows by the same processes, into a record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import islice

import numpy as np

from sherd.bench.contour_record import ContourFigures, ContourResult
from sherd.bench.contour_suites import AUTO, CONTOUR_SUITES, CONTOURS, ContourCell
from sherd.bench.contour_trial import ContourAttempts, ContourOutcome, contour_outcome_from_row
from sherd.bench.measure import Listener, Measurement, empty_record
from sherd.bench.run import RunParams
from sherd.bench.suites import REPORT_SEED, some_rows
from sherd.core.alignment import GroupScores
from sherd.core.errors import ArgumentError
from sherd.core.metrics import summarise
from sherd.many.shards import Keeping, Shards, json_lines, open_shards
from sherd.many.share import share
from sherd.solvers import make_solver
from sherd.solvers.base import GroupingSolver
from sherd.solvers.registry import OURS, is_known, known_solvers

TIME_LIMIT = 60.0


@dataclass(frozen=True, kw_only=True)
class ContourRequest:
    """A suite of broken things, of which ``rows`` are taken, for the solvers that are named, or their own.

    ``input`` stands in for what the rows say is seen; goals, set for what they say, are then left out.
    """

    suite: str
    rows: slice | None = None
    solvers: tuple[str, ...] = ()
    input: str | None = None
    count: int | None = None
    seed: int = REPORT_SEED
    time_limit: float = TIME_LIMIT
    workers: int | None = None
    keeping: Keeping | None = None

    def __post_init__(self) -> None:
        if self.suite not in CONTOUR_SUITES:
            raise ArgumentError(f"unknown suite {self.suite!r}: choose {', '.join(CONTOUR_SUITES)}")
        for name in self.solvers:
            if name != AUTO and not is_known(name):
                known = dict.fromkeys((AUTO, CONTOURS, *known_solvers()))
                raise ArgumentError(f"unknown solver {name!r}: choose {', '.join(known)}")
        if not self.cells:
            raise ArgumentError("without a target only contours can be measured: choose other rows")
        self.params  # noqa: B018  (checks them)

    @property
    def cells(self) -> tuple[ContourCell, ...]:
        """What is to be run, in order; rows without a target only for contours."""
        return tuple(cell for cell in self._all_cells if self._can_run(cell))

    @property
    def skipped(self) -> tuple[str, ...]:
        """What is left out, and why."""
        solvers = dict.fromkeys(cell.solver for cell in self._all_cells if not self._can_run(cell))
        return tuple(f"skipped rows without a target for {solver}" for solver in solvers)

    @property
    def _all_cells(self) -> tuple[ContourCell, ...]:
        cells = some_rows(self.suite, CONTOUR_SUITES[self.suite], self.rows)
        if self.input is not None:
            cells = tuple(replace(cell, input=self.input, goal=None) for cell in cells)
        cells = (replace(cell, solver=solver) for cell in cells for solver in self.solvers or (cell.solver,))
        return tuple(dict.fromkeys(cells))

    def _can_run(self, cell: ContourCell) -> bool:
        return cell.target or cell.solver == CONTOURS or _needs_no_target(cell.solver)

    @property
    def params(self) -> RunParams:
        """Which puzzles of each cell's set are run, and how."""
        return RunParams(
            count=CONTOUR_SUITES[self.suite][0].puzzles if self.count is None else self.count,
            seed=self.seed,
            time_limit=self.time_limit,
            workers=self.workers,
            keeping=self.keeping,
        )


@cache
def _needs_no_target(solver: str) -> bool:
    """Whether a solver of another package says that it can go without one."""
    return solver not in OURS and isinstance(make_solver(solver), GroupingSolver)


def measure_contours(request: ContourRequest, *, command: str, listener: Listener) -> Measurement:
    """Run all cells of a request; Ctrl-C ends it and keeps the puzzles that are finished."""
    params, cells = request.params, request.cells
    record, complete = empty_record(params.seed, command), True
    jobs = [(cell, number) for cell in cells for number in range(params.count)]
    # One set of processes for all rows: few puzzles a row would leave most of them idle at its end.
    shared = share(ContourAttempts(params), jobs, workers=params.workers, shards=_shards(params, cells))
    with closing(shared) as outcomes:
        for cell in cells:
            finished: list[ContourOutcome] = []
            try:
                for number, outcome in enumerate(islice(outcomes, params.count)):
                    finished.append(outcome)
                    listener.on_puzzle()
                    listener.on_row(asdict(cell) | {"puzzle": number} | asdict(outcome))
            except KeyboardInterrupt:
                complete = False
            if finished:
                record = replace(record, contours=(*record.contours, contour_result(cell, params, finished)))
                listener.on_record(record)
            if not complete:
                break
    return Measurement(record, request.skipped, len(jobs), complete)


def _shards(params: RunParams, cells: Sequence[ContourCell]) -> Shards[ContourOutcome] | None:
    if params.keeping is None:
        return None
    about = {"rows": cells, "seed": params.seed, "count": params.count, "time_limit": params.time_limit}
    codec = json_lines(asdict, contour_outcome_from_row)
    return open_shards(params.keeping, about, codec, total=len(cells) * params.count)


def contour_result(cell: ContourCell, params: RunParams, finished: Sequence[ContourOutcome]) -> ContourResult:
    """The figures of the puzzles that are finished, at least one."""
    groups = [outcome.groups for outcome in finished]
    covering = [outcome.covering for outcome in finished if outcome.covering is not None]
    summary = summarise(covering) if covering else None
    seconds = [outcome.seconds for outcome in finished]
    figures = ContourFigures(
        all_right=float(np.mean([one.all_right for one in groups])),
        largest_right=float(np.mean([one.largest_right for one in groups])),
        in_order=_mean_of_known(one.in_order for one in groups),
        overlap=float(np.mean([one.overlap for one in groups])),
        covered=float(np.mean([one.covered for one in groups])),
        joint_precision=_mean_of_known(one.joint_precision for one in groups),
        joint_recall=_mean_of_known(one.joint_recall for one in groups),
        cov95=None if summary is None else summary.cov95,
        cov90=None if summary is None else summary.cov90,
        cov=None if summary is None else summary.cov,
        iou=None if summary is None else summary.iou,
        solved=float(np.mean([outcome.solved for outcome in finished])),
        wrong=float(np.mean([outcome.solved and not is_right(cell, outcome.groups) for outcome in finished])),
        seconds_median=float(np.median(seconds)),
        seconds_p95=float(np.quantile(seconds, 0.95)),
    )
    return ContourResult(
        cell=cell, first=params.first, count=len(finished), time_limit=params.time_limit, figures=figures
    )


def is_right(cell: ContourCell, scores: GroupScores) -> bool:
    """Whether an answer may be called solved: where all pieces cannot lie right, they must lie in order."""
    return scores.all_right if cell.measure == "all_right" else scores.in_order


def _mean_of_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
