"""Measuring what a request asks for, row by row, into a record."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sherd.bench.cell import Cell
from sherd.bench.provenance import commit, machine, versions
from sherd.bench.record import CellResult, Record
from sherd.bench.request import BenchRequest
from sherd.bench.run import cell_result, outcomes
from sherd.bench.trial import TrialOutcome
from sherd.core.errors import InterruptedTrainingError, LostDeviceError, UnsupportedError
from sherd.many.shards import name_run
from sherd.solvers import SOLVERS, Solver, make_solver

if TYPE_CHECKING:
    import torch

    from sherd.learn.training.interruption import Work
    from sherd.learn.training.train import Report


@dataclass(frozen=True, kw_only=True)
class Watch:
    """Who hears how the training of a row goes, and says whether it is ``interrupted``."""

    on_report: Callable[[Report], None] = lambda report: None
    on_work: Callable[[Work], None] = lambda work: None
    interrupted: Callable[[], bool] = lambda: False


@dataclass(frozen=True, kw_only=True)
class Listener:
    """Who hears of each finished puzzle and what came of it, of the record after each row, of training.

    A row is trained within ``training``.
    """

    on_puzzle: Callable[[], None] = lambda: None
    on_row: Callable[[dict[str, Any]], None] = lambda row: None
    on_record: Callable[[Record], None] = lambda record: None
    training: Callable[[Cell], AbstractContextManager[Watch]] = lambda cell: nullcontext(Watch())


@dataclass(frozen=True)
class Measurement:
    """What came of a request: the rows measured, those skipped and why, and whether it was run to its end.

    ``wanted`` is how many puzzles it was to have, ``lost`` what ended it if an accelerator failed, ``left``
    what is kept of a training that was interrupted.
    """

    record: Record
    skipped: tuple[str, ...]
    wanted: int
    complete: bool
    lost: LostDeviceError | None = None
    left: str = ""

    @property
    def done(self) -> int:
        """How many puzzles are finished."""
        return sum(result.count for result in (*self.record.cells, *self.record.contours))


def runnable_cells(request: BenchRequest) -> tuple[Cell, ...]:
    """The cells whose solver is here or is trained; an `UnsupportedError` if there are none."""
    if request.training is not None:
        return request.cells
    here = tuple(cell for cell in request.cells if cell.registered_name in SOLVERS)
    if not here:
        missing = ", ".join(dict.fromkeys(cell.registered_name for cell in request.cells))
        raise UnsupportedError(f"no such solver here: {missing}; there are {', '.join(SOLVERS)}")
    return here


def measure(request: BenchRequest, *, command: str, listener: Listener) -> Measurement:
    """Run all cells of a request; Ctrl-C ends it and keeps the puzzles that are finished."""
    params, cells = request.params, runnable_cells(request)
    record = empty_record(params.seed, command, request.device)
    unknown = ", ".join(dict.fromkeys(cell.registered_name for cell in request.cells if cell not in cells))
    skipped = [f"skipped, no such solver here: {unknown}"] if unknown else []
    complete, lost, left = True, None, ""
    if params.keeping is not None:
        name_run(params.keeping.folder, {"request": _what_counts(request)}, params.keeping.arguments)
    for row, cell in enumerate(cells):
        try:
            result, complete = _measure_cell(cell, row, request, listener)
        except InterruptedTrainingError as error:
            complete, left = False, str(error)
            break
        except LostDeviceError as error:  # the rows after it would fail, too
            lost, complete = _told(error, cell, record, request), False
            break
        except UnsupportedError as error:
            skipped.append(f"skipped {cell.solver_label} on {cell.puzzle_label}: {error}")
            continue
        if result is not None:
            record = replace(record, cells=(*record.cells, result))
            listener.on_record(record)
        if not complete:
            break
    return Measurement(record, tuple(skipped), len(cells) * params.count, complete, lost, left)


def empty_record(seed: int, command: str, device: torch.device | None = None) -> Record:
    """The record of a run that has not measured anything yet."""
    return Record(
        machine=machine() if device is None else f"{machine()}, {_name_of(device)}",
        commit=commit(),
        versions=versions(),
        seed=seed,
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        command=command,
        cells=(),
    )


def _told(error: LostDeviceError, cell: Cell, record: Record, request: BenchRequest) -> LostDeviceError:
    """The same error with where it happened, and what is kept."""
    rows = len(record.cells)
    kept = f"{rows} row{'' if rows == 1 else 's'} before it kept"
    plan = request.training
    if plan is not None and plan.checkpoints is not None:
        kept += f"; the same command goes on from what lies in {plan.checkpoints}"
    return LostDeviceError(f"{cell.solver_label} on {cell.puzzle_label}: {error}; {kept}")


def _what_counts(request: BenchRequest) -> BenchRequest:
    """The request without what changes no outcome."""
    training = request.training and replace(request.training, checkpoints=None)
    return replace(request, workers=None, keeping=None, training=training)


def _measure_cell(
    cell: Cell, row: int, request: BenchRequest, listener: Listener
) -> tuple[CellResult | None, bool]:
    """The result, None without a finished puzzle, and whether the cell was run to its end."""
    finished: list[TrialOutcome] = []
    complete = True
    solver: Solver | None = None
    try:
        solver = _make_solver(cell, request, listener)
        for outcome in outcomes(cell, request.params, solver, row):
            number = request.params.first + len(finished)
            finished.append(outcome)
            listener.on_puzzle()
            listener.on_row(asdict(cell) | {"puzzle": number} | asdict(outcome))
    except KeyboardInterrupt:
        complete = False
    result = cell_result(cell, request.params, solver, finished) if solver and finished else None
    return result, complete


def _make_solver(cell: Cell, request: BenchRequest, listener: Listener) -> Solver:
    """The solver of a cell: trained for it, read from a file, or as it is registered."""
    if request.training is not None:
        from sherd.bench.train import train_fan

        with listener.training(cell) as watch:
            return train_fan(cell, request.training, seed=request.params.seed, watch=watch)
    if request.weights is not None:
        from sherd.solvers.registry import load_solver

        return load_solver(cell.registered_name, request.weights, request.device)
    return make_solver(cell.registered_name)


def _name_of(device: torch.device) -> str:
    from sherd.learn.training.device import device_name

    return device_name(device)
