"""sherd bench: solvers measured on sets of puzzles."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from sherd.errors import UnsupportedError

if TYPE_CHECKING:
    from sherd.bench.cell import Cell, Input
    from sherd.bench.record import CellResult, Record
    from sherd.bench.run import RunParams
    from sherd.fragmentation import Order

# What describes puzzles: a suite says all of it itself.
PUZZLE_OPTIONS = ("shape", "pieces", "rotations", "degradation", "order", "noise", "texture")
EXIT_INTERRUPTED = 130
# So that the columns of all tables stand in line.
SOLVER_WIDTH = 20


def bench(
    context: typer.Context,
    solver: Annotated[
        list[str] | None, typer.Option(help="A solver to measure; may be given more than once.")
    ] = None,
    suite: Annotated[str | None, typer.Option(help="A table of the paper: table1 to table7.")] = None,
    rows: Annotated[str | None, typer.Option(help="Some rows of the suite only, as 0:3.")] = None,
    shape: Annotated[str, typer.Option(help="square, pentagon, hexagon, mondrian or polygon:N.")] = "square",
    pieces: Annotated[int, typer.Option(help="Pieces a puzzle.")] = 8,
    rotations: Annotated[str, typer.Option(help="Allowed angles: a number of bins, or free.")] = "1",
    degradation: Annotated[str, typer.Option(help="none, missing, eroded or distorted.")] = "none",
    order: Annotated[
        str, typer.Option(help="Order of assembly that learners are taught: bottom-left or random.")
    ] = "bottom-left",
    noise: Annotated[float, typer.Option(help="Move every vertex by up to this share of the side.")] = 0.0,
    texture: Annotated[
        str | None, typer.Option(help="Paint the puzzles: a built-in texture, or a folder of images.")
    ] = None,
    shown: Annotated[
        str, typer.Option("--input", help="What the solver sees: polygons, masks or binary.")
    ] = "polygons",
    count: Annotated[
        int | None, typer.Option(help="Puzzles a row.", show_default="200; 1000 with --suite")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Which puzzles.", show_default="7; 7000 with --suite")
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds that a solver has for a puzzle.")] = 10.0,
    workers: Annotated[int, typer.Option(help="Processes that share the puzzles.")] = 1,
    json_path: Annotated[
        Path | None, typer.Option("--json", help="Also write the figures there.", dir_okay=False)
    ] = None,
) -> None:
    """Measure solvers, with the paper's figures beside ours where it has them.

    Seeds below 1000 are for training and tuning, seeds from 7000 on for figures that are reported. A suite
    takes the test split (puzzles 4000 to 4999) of its sets. Ctrl-C keeps the puzzles that are finished.

    Example: sherd bench --solver random --shape hexagon --pieces 8 --rotations 20 --count 100
    """
    from sherd.bench.cell import Cell
    from sherd.bench.run import RunParams
    from sherd.bench.suites import DEFAULT_SEED, REPORT_SEED, TEST_SPLIT, suite_cells
    from sherd.geometry import Rotations
    from sherd.solvers import SOLVERS

    solvers = tuple(solver or ())
    for name in solvers:
        if name not in SOLVERS:
            raise ValueError(f"unknown solver {name!r}: choose {', '.join(SOLVERS)}")
    if suite is None:
        if not solvers:
            raise ValueError("name a --solver or a --suite")
        if rows is not None:
            raise ValueError("--rows goes with --suite")
        puzzles = Cell(
            solver="",
            shape=shape,
            pieces=pieces,
            rotations=Rotations.parse(rotations),
            degradation=degradation,
            order=cast("Order", order),
            noise=noise,
            texture=texture,
        )
        cells = tuple(dict.fromkeys(puzzles.with_solver(name) for name in solvers))
        params = RunParams(
            count=200 if count is None else count,
            seed=DEFAULT_SEED if seed is None else seed,
            time_limit=time_limit,
            workers=workers,
        )
    else:
        for name in PUZZLE_OPTIONS:
            if _is_given(context, name):
                raise ValueError(f"--{name} does not go with --suite, which has puzzles of its own")
        cells = suite_cells(suite, rows=None if rows is None else _parse_rows(rows), solvers=solvers)
        if count is not None and count > len(TEST_SPLIT):
            raise ValueError(f"a suite has {len(TEST_SPLIT):,} test puzzles a row, not {count:,}")
        params = RunParams(
            count=len(TEST_SPLIT) if count is None else count,
            seed=REPORT_SEED if seed is None else seed,
            first=TEST_SPLIT.start,
            time_limit=time_limit,
            workers=workers,
        )
    cells = tuple(replace(cell, input=cast("Input", shown)) for cell in cells)
    if json_path is not None:
        _check_writable(json_path)
    _run(cells, params, json_path, _command_line(context))


def _parse_rows(text: str) -> slice:
    start, colon, stop = text.partition(":")
    if colon and all(not part or part.isdecimal() for part in (start, stop)):
        return slice(int(start) if start else None, int(stop) if stop else None)
    raise ValueError(f"rows must be given as START:STOP, such as 0:3, not {text!r}")


def _check_writable(path: Path) -> None:
    """Raise `OSError` now if the file cannot be written later."""
    if path.exists() and not path.is_file():
        return  # a pipe or a device: nothing to try out
    with tempfile.TemporaryFile(dir=path.parent):
        pass


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line, even with its default value."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _command_line(context: typer.Context) -> str:
    """The command as it was given, without the place of its output."""
    words = ["sherd", "bench"]
    for parameter in context.command.params:
        name = parameter.name or ""
        if _is_given(context, name) and name != "json_path":
            value = context.params[name]
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [parameter.opts[-1], str(one)]
    return shlex.join(words)


def _run(cells: Sequence[Cell], params: RunParams, json_path: Path | None, command: str) -> None:
    from sherd.bench.provenance import commit, machine, versions
    from sherd.bench.record import Record, to_json
    from sherd.io import write_atomically
    from sherd.solvers import SOLVERS

    known = [cell for cell in cells if cell.registered_name in SOLVERS]
    unknown = list(dict.fromkeys(cell.registered_name for cell in cells if cell not in known))
    notes = [f"skipped (no such solver here): {', '.join(unknown)}"] if unknown else []
    if not known:
        raise UnsupportedError(
            f"there is no solver {', '.join(unknown)} here: name one with --solver ({', '.join(SOLVERS)})"
        )
    if params.workers > 1:
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # processes that share cores need no threads
    record = Record(
        machine=machine(),
        commit=commit(),
        versions=versions(),
        seed=params.seed,
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        command=command,
        cells=(),
    )
    complete = True
    with _progress(len(known) * params.count) as advance:
        for number, cell in enumerate(known, start=1):
            label = f"{number}/{len(known)} {cell.solver_label}: {cell.puzzle_label}"
            try:
                result, complete = _run_cell(cell, params, lambda label=label: advance(label))
            except UnsupportedError as error:
                notes.append(f"skipped {cell.solver_label} on {cell.puzzle_label}: {error}")
                continue
            if result is not None:
                record = replace(record, cells=(*record.cells, result))
                if json_path is not None:  # after every cell, so that a later failure loses none
                    write_atomically(json_path, to_json(record))
            if not complete:
                break
    _show(record, notes, params, complete=complete)
    if not complete:
        raise typer.Exit(EXIT_INTERRUPTED)
    if not record.cells:
        raise UnsupportedError("no row could be run")


def _run_cell(
    cell: Cell, params: RunParams, on_progress: Callable[[], None]
) -> tuple[CellResult | None, bool]:
    """The cell's result, None if it has no finished puzzle, and whether it was run to the end."""
    from sherd.bench.run import cell_result, make_solver, outcomes
    from sherd.bench.trial import Outcome

    solver = make_solver(cell)
    finished: list[Outcome] = []
    complete = True
    try:
        for outcome in outcomes(cell, params, solver):
            finished.append(outcome)
            on_progress()
    except KeyboardInterrupt:
        complete = False
    return cell_result(cell, params, solver, finished) if finished else None, complete


@contextmanager
def _progress(total: int) -> Generator[Callable[[str], None]]:
    """A bar on a terminal, nothing elsewhere; what it gives is called once a finished puzzle."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("starting", total=total)
        yield lambda label: progress.update(task, advance=1, description=label)


def _show(record: Record, notes: Sequence[str], params: RunParams, *, complete: bool) -> None:
    if record.cells:
        typer.echo(f"seed {record.seed}, {params.time_limit:g} s a puzzle, commit {record.commit}")
        console = Console()
        for puzzle in dict.fromkeys(result.cell.puzzle for result in record.cells):
            typer.echo()
            console.print(_table([result for result in record.cells if result.cell.puzzle == puzzle]))
    for note in notes:
        typer.echo(note, err=True)
    if not complete:
        done = sum(result.count for result in record.cells)
        typer.echo(f"interrupted: the {done:,} puzzles that were finished are kept", err=True)


def _table(results: Sequence[CellResult]) -> Table:
    """Our figures on one kind of puzzle, and below them those that the paper reports for it."""
    title = results[0].cell.puzzle_label
    table = Table(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0))
    table.add_column("solver", min_width=SOLVER_WIDTH)
    for name in ("count", "cov95", "cov90", "cov", "iou", "right", "solved", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        ours = result.figures
        shares = (ours.cov95, ours.cov90, ours.cov, ours.iou, ours.posed_right, ours.solved)
        shown = (f"{share:.3f}" for share in shares)
        table.add_row(result.cell.solver_label, f"{result.count:,}", *shown, f"{ours.seconds_median:.2g}")
    for paper in dict.fromkeys(result.published for result in results):
        if paper is not None:
            shown = (f"{share:.3f}" for share in (paper.cov95, paper.cov90, paper.cov, paper.iou))
            seconds = "" if paper.seconds is None else str(paper.seconds)
            table.add_row(f"{paper.method}, published", "", *shown, "", "", seconds, style="dim")
    return table
