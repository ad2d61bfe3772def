"""``sherd bench``: measure solvers on sets of puzzles."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sherd.cli.console import INTERRUPTED, progress, say, say_error, say_table
from sherd.cli.generate import (
    DISSECTION_HELP,
    MIRROR_HELP,
    SILHOUETTES_HELP,
    Degradation,
    Dissection,
    Order,
)
from sherd.core.errors import UnsupportedError

if TYPE_CHECKING:
    import torch
    from rich.table import Table

    from sherd.bench.cell import Cell
    from sherd.bench.record import CellResult, Record
    from sherd.bench.run import RunParams
    from sherd.bench.train import TrainingPlan
    from sherd.solvers import Solver

# What describes puzzles: a suite says all of it itself.
PUZZLE_OPTIONS = (
    *("shape", "pieces", "rotations", "degradation", "order", "noise", "texture", "dissection", "mirror"),
)
# What describes the training of a network.
TRAINING_OPTIONS = ("minutes", "steps", "endless", "shared_encoder", "batch", "dropout")
# So that the columns of all tables stand in line.
SOLVER_WIDTH = 20


class Input(StrEnum):
    """What a solver is shown."""

    POLYGONS = "polygons"
    MASKS = "masks"
    BINARY = "binary"


def bench(
    context: typer.Context,
    solver: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A solver to measure: search, matcher, matcher-beam, fan, annealing, annealing-joint, "
            "bayesopt, vgan, nesting or random; may be given repeatedly.",
        ),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The puzzles of a table of the paper: table1 to table7, or paper for all. Beyond it: exact, "
            "masks, binary, damage, noise, merged or tangram.",
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            metavar="START:STOP", help="Only these rows of the suite, counted from 0, STOP left out."
        ),
    ] = None,
    shape: Annotated[
        str,
        typer.Option(
            metavar="NAME|polygon:N",
            help="The target: square, pentagon, hexagon, mondrian; of merged pieces also star, cross, ell, "
            f"tee or arrow. {SILHOUETTES_HELP}",
        ),
    ] = "square",
    pieces: Annotated[int, typer.Option(help="Pieces a puzzle.")] = 8,
    rotations: Annotated[
        str, typer.Option(metavar="BINS|free", help="How many angles a piece may be turned by, 1 for none.")
    ] = "1",
    degradation: Annotated[Degradation, typer.Option(help="Damage to the pieces.")] = Degradation.NONE,
    order: Annotated[
        Order, typer.Option(help="Order of assembly that a learned solver was taught.")
    ] = Order.BOTTOM_LEFT,
    noise: Annotated[float, typer.Option(help="Move every vertex by this share of the side.")] = 0.0,
    texture: Annotated[
        str | None,
        typer.Option(metavar="NAME|DIR", help="Paint the puzzles: a built-in texture or a folder of images."),
    ] = None,
    dissection: Annotated[Dissection, typer.Option(help=DISSECTION_HELP)] = Dissection.CUTS,
    mirror: Annotated[bool, typer.Option("--mirror", help=MIRROR_HELP)] = False,
    shown: Annotated[
        Input,
        typer.Option(
            "--input",
            help="What a solver is shown: exact outlines, or those traced from masks of 128 pixels, grey or "
            "black and white (binary). With a suite: instead of its own.",
        ),
    ] = Input.POLYGONS,
    count: Annotated[
        int | None, typer.Option(help="Puzzles a row.", show_default="200, or 1000 for a table of the paper")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Which set of puzzles.", show_default="7, or 7000 for a suite")
    ] = None,
    time_limit: Annotated[float, typer.Option(metavar="SECONDS", help="At most so long a puzzle.")] = 10.0,
    workers: Annotated[int, typer.Option(help="Processes that share the puzzles.")] = 1,
    train: Annotated[
        bool, typer.Option("--train", help="Train the paper's network for each of its rows first.")
    ] = False,
    weights: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR", help="With fan, matcher or matcher-beam: weights that sherd train wrote."
        ),
    ] = None,
    minutes: Annotated[float, typer.Option(help="With --train: how long to train for a row.")] = 2.5,
    steps: Annotated[
        int | None, typer.Option(min=1, help="With --train: steps of training for a row, instead of minutes.")
    ] = None,
    endless: Annotated[
        bool, typer.Option("--endless", help="With --train: on fresh puzzles, not on the paper's 3,200.")
    ] = False,
    shared_encoder: Annotated[
        bool, typer.Option("--shared-encoder", help="With --train: one encoder for both networks, not two.")
    ] = False,
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="With --train: puzzles a step.", show_default="some 1,000 images"),
    ] = None,
    dropout: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=0.49, help="With --train: the share left out by chance.", show_default="the paper's"
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(help="With --train or --weights: where to compute, such as cpu or cuda.")
    ] = "auto",
    json_path: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Also write the figures there, after every row."),
    ] = None,
) -> None:
    """Measure solvers on sets of puzzles, with the paper's figures beside ours where it has them.

    Name a solver and describe its puzzles, or take a suite. Unless a solver is named, tables of the paper are
    measured with the paper's methods, as far as they exist here, and other suites with the search.

    Seeds below 1000 are for training and tuning, seeds from 7000 on for figures that are reported. A suite
    takes the test split of its sets, puzzles 4000 to 4999. Ctrl-C keeps the puzzles that are finished.

    \b
    What the columns say of the puzzles of a row:
      cov95, cov90  share that is covered to at least 95 %, 90 %
      cov, iou      mean coverage and IoU, leaving out what damage took away
      whole         mean coverage of the whole target
      right         mean share of pieces that lie where they should
      solved        share that the solver itself calls solved
      seconds       median time

    \b
    Examples:
      sherd bench --solver search --shape hexagon --pieces 16 --rotations free
      sherd bench --suite table1 --solver random --json table1.json
      sherd bench --suite damage --rows 0:4 --workers 2
    """
    from sherd.bench.cell import Cell
    from sherd.bench.run import RunParams
    from sherd.bench.suites import BEYOND, DEFAULT_SEED, REPORT_SEED, TEST_SPLIT, suite_cells
    from sherd.core.geometry import Rotations
    from sherd.solvers import SOLVERS, make_solver
    from sherd.solvers.registry import load_solver

    solvers = tuple(solver or ())
    for name in solvers:
        if name not in SOLVERS:
            raise ValueError(f"unknown solver {name!r}: choose {', '.join(SOLVERS)}")
    if suite is not None:
        for name in PUZZLE_OPTIONS:
            if _is_given(context, name):
                raise ValueError(f"--{name} does not go with --suite, which has puzzles of its own")
        cells = suite_cells(suite, rows=None if rows is None else _parse_rows(rows), solvers=solvers)
        if count is not None and count > len(TEST_SPLIT):
            raise ValueError(f"--count must be at most {len(TEST_SPLIT):,} with --suite, not {count:,}")
        first, default_seed = TEST_SPLIT.start, REPORT_SEED
        default_count = 200 if suite in BEYOND else len(TEST_SPLIT)
    else:
        if rows is not None:
            raise ValueError("--rows goes with --suite only")
        if not solvers:
            raise ValueError(f"name a --solver ({', '.join(SOLVERS)}) or a --suite")
        puzzles = Cell(
            solver="",
            shape=shape,
            pieces=pieces,
            rotations=Rotations.parse(rotations),
            degradation=degradation.value,
            order=order.value,
            noise=noise,
            texture=texture,
            dissection=dissection.value,
            mirror=mirror,
        )
        cells = tuple(dict.fromkeys(puzzles.with_solver(name) for name in solvers))
        # What a network is trained on comes before the test split of the same set.
        first, default_count, default_seed = TEST_SPLIT.start if train else 0, 200, DEFAULT_SEED
    params = RunParams(
        count=default_count if count is None else count,
        seed=default_seed if seed is None else seed,
        first=first,
        time_limit=time_limit,
        workers=workers,
    )
    if suite is None or _is_given(context, "shown"):
        cells = tuple(replace(cell, input=shown.value) for cell in cells)
    if json_path is not None:
        _check_writable(json_path)
    plan = None
    if train:
        from sherd.bench.train import TrainingPlan
        from sherd.learn.training.device import choose_device

        cells = tuple(cell for cell in cells if cell.solver == "fan")
        if not cells:
            raise ValueError(
                "--train is for the paper's network: name --solver fan, or rows of a suite with it"
            )
        if steps is not None and _is_given(context, "minutes"):
            raise ValueError("give --steps or --minutes, not both")
        plan = TrainingPlan(
            minutes=minutes if steps is None else None,
            steps=steps,
            endless=endless,
            shared_encoder=shared_encoder,
            batch_puzzles=batch,
            dropout=dropout,
            device=choose_device(device),
        )
    else:
        for name in TRAINING_OPTIONS:
            if _is_given(context, name):
                raise ValueError(f"{_option(name)} goes with --train only")
        if weights is None and _is_given(context, "device"):
            raise ValueError("--device goes with --train or --weights only")
    if train and weights is not None:
        raise ValueError("--weights does not go with --train")

    def make(cell: Cell) -> Solver:
        if plan is not None:
            return _train(cell, params, plan)
        if weights is None:
            return make_solver(cell.registered_name)
        return load_solver(cell.registered_name, weights, used)

    used = None
    if weights is not None:
        from sherd.learn.training.device import choose_device

        used = choose_device(device)
    _run(cells, params, json_path, _command_line(context), make, plan, used)


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line, even with its default value."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _command_line(context: typer.Context) -> str:
    """The command as it was given, but for the place of its output."""
    words = ["sherd", "bench"]
    for parameter in context.command.params:
        name = parameter.name or ""
        if _is_given(context, name) and name != "json_path":
            value = context.params[name]
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [parameter.opts[-1]] if one is True else [parameter.opts[-1], str(one)]
    return shlex.join(words)


def _parse_rows(text: str) -> slice:
    start, colon, stop = text.partition(":")
    if colon and all(not part or (part.isascii() and part.isdecimal()) for part in (start, stop)):
        return slice(int(start) if start else None, int(stop) if stop else None)
    raise ValueError(f"--rows must be START:STOP, such as 0:3, not {text!r}")


def _check_writable(path: Path) -> None:
    """Raise now, before hours of work, if the file could not be written after them."""
    if path.is_dir():
        raise ValueError(f"{path}: is a folder, not a file")
    if path.exists() and not path.is_file():
        return  # a pipe or a device: there is nothing to try out
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist")
    try:
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            pass
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror or error}") from None


def _run(
    cells: Sequence[Cell],
    params: RunParams,
    json_path: Path | None,
    command: str,
    make: Callable[[Cell], Solver],
    plan: TrainingPlan | None,
    device: torch.device | None,
) -> None:
    from sherd.bench.provenance import commit, machine, versions
    from sherd.bench.record import Record, to_json
    from sherd.io import write_atomically
    from sherd.solvers import SOLVERS

    used = device if plan is None else plan.device
    known = [cell for cell in cells if plan is not None or cell.registered_name in SOLVERS]
    unknown = ", ".join(dict.fromkeys(cell.registered_name for cell in cells if cell not in known))
    if not known:
        raise UnsupportedError(
            f"no such solver here: {unknown}; name one with --solver: {', '.join(SOLVERS)}"
        )
    notes = [f"skipped, no such solver here: {unknown}"] if unknown else []
    if params.workers > 1:
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # processes that share the cores need no threads
    record = Record(
        machine=machine() if used is None else f"{machine()}, {_name_of(used)}",
        commit=commit(),
        versions=versions(),
        seed=params.seed,
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        command=command,
        cells=(),
    )
    complete = True
    with progress("puzzles", len(known) * params.count) as advance:
        for cell in known:
            try:
                result, complete = _run_cell(cell, params, make, advance)
            except UnsupportedError as error:
                notes.append(f"skipped {cell.solver_label} on {cell.puzzle_label}: {error}")
                continue
            if result is not None:
                record = replace(record, cells=(*record.cells, result))
                if json_path is not None:  # after every cell, so that a later failure loses none
                    write_atomically(json_path, to_json(record))
            if not complete:
                break
    _say_results(record, params)
    for note in notes:
        say_error(note)
    if not complete:
        done = sum(result.count for result in record.cells)
        say_error(f"interrupted: {done:,} of {len(known) * params.count:,} puzzles are done")
        raise typer.Exit(INTERRUPTED)
    if not record.cells:
        raise UnsupportedError("nothing could be measured")


def _name_of(device: torch.device) -> str:
    from sherd.learn.training.device import device_name

    return device_name(device)


def _run_cell(
    cell: Cell, params: RunParams, make: Callable[[Cell], Solver], on_progress: Callable[[], None]
) -> tuple[CellResult | None, bool]:
    """The result, None without a finished puzzle, and whether the cell was run to its end."""
    from sherd.bench.run import cell_result, outcomes
    from sherd.bench.trial import Outcome

    finished: list[Outcome] = []
    complete = True
    solver: Solver | None = None
    try:
        solver = make(cell)
        for outcome in outcomes(cell, params, solver):
            finished.append(outcome)
            on_progress()
    except KeyboardInterrupt:
        complete = False
    return cell_result(cell, params, solver, finished) if solver and finished else None, complete


def _train(cell: Cell, params: RunParams, plan: TrainingPlan) -> Solver:
    """The paper's network, trained for the cell; says how it goes, a line for each validation."""
    from sherd.bench.train import train_fan
    from sherd.learn.training.train import Report

    def on_report(report: Report) -> None:
        if report.validation is not None:
            figures = ", ".join(f"{name} {value:.3f}" for name, value in report.validation.items())
            say_error(f"{report.seconds:.0f} s, step {report.step:,}: {figures} (validation, in pixels)")

    say_error(f"training {cell.solver_label} on {cell.puzzle_label}")
    return train_fan(cell, plan, seed=params.seed, on_report=on_report)


def _say_results(record: Record, params: RunParams) -> None:
    if record.cells:
        say(f"seed {record.seed}, at most {params.time_limit:g} s a puzzle, commit {record.commit}")
    for puzzle in dict.fromkeys(result.cell.puzzle for result in record.cells):
        say("")
        say_table(_table([result for result in record.cells if result.cell.puzzle == puzzle]))


def _table(results: Sequence[CellResult]) -> Table:
    """Our figures on one kind of puzzle, and below them those that the paper reports for it."""
    from rich.table import Table
    from rich.text import Text

    title = Text(results[0].cell.puzzle_label)
    table = Table(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0))
    table.add_column("solver", min_width=SOLVER_WIDTH)
    for name in ("count", "cov95", "cov90", "cov", "iou", "whole", "right", "solved", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        ours = result.figures
        shares = (ours.cov95, ours.cov90, ours.cov, ours.iou, ours.coverage_whole, ours.posed_right)
        shown = (f"{share:.3f}" for share in (*shares, ours.solved))
        table.add_row(result.cell.solver_label, f"{result.count:,}", *shown, f"{ours.seconds_median:.2g}")
    for paper in dict.fromkeys(result.published for result in results):
        if paper is not None:
            shown = (f"{share:.3f}" for share in (paper.cov95, paper.cov90, paper.cov, paper.iou))
            seconds = "" if paper.seconds is None else str(paper.seconds)
            table.add_row(f"{paper.method}, published", "", *shown, "", "", "", seconds, style="dim")
    return table
