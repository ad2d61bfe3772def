"""``sherd bench``: measure solvers on sets of puzzles."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from sherd.cli import options
from sherd.cli.console import INTERRUPTED, progress, say, say_error, say_table
from sherd.core.errors import UnsupportedError

if TYPE_CHECKING:
    from rich.table import Table

    from sherd.bench.cell import Cell, Input
    from sherd.bench.contour_measure import ContourRequest
    from sherd.bench.contour_record import ContourResult
    from sherd.bench.measure import Measurement
    from sherd.bench.record import CellResult
    from sherd.bench.request import BenchRequest
    from sherd.learn.training.train import Report

# What describes puzzles: a suite says all of it itself.
PUZZLE_OPTIONS = (
    *("shape", "pieces", "rotations", "degradation", "strength", "order", "noise", "texture", "dissection"),
    "mirror",
)
# What describes the training of a network.
TRAINING_OPTIONS = ("minutes", "steps", "endless", "shared_encoder", "batch", "dropout")
# What broken things are not measured with.
NOT_FOR_CONTOURS = ("size_px", "train", "weights")
# So that the columns of all tables stand in line.
SOLVER_WIDTH = 20
CONTOUR_SOLVER_WIDTH = 9
GOAL_WIDTH = len("all right 0.99")


SolversOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A solver to measure: search, matcher, matcher-beam, fan, annealing, annealing-joint, "
        "bayesopt, vgan, nesting or random, and contours for suites of broken things; may be given "
        "repeatedly.",
    ),
]
SuiteOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The puzzles of a table of the paper: table1 to table7, or paper for all. Beyond it: exact, "
        "masks, binary, damage, noise, merged, tangram, strength or resolution. Broken things: broken, "
        "jigsaw, crosscut or voronoi.",
    ),
]
RowsOption = Annotated[
    str | None,
    typer.Option(metavar="START:STOP", help="Only these rows of the suite, counted from 0, STOP left out."),
]
ShapeOption = Annotated[
    str,
    typer.Option(
        metavar="NAME|polygon:N",
        help="The target: square, pentagon, hexagon, mondrian; of merged pieces also star, cross, ell, "
        f"tee or arrow. {options.SILHOUETTES_HELP}",
    ),
]
InputOption = Annotated[
    str,
    typer.Option(
        "--input",
        metavar="WORDS",
        help="What a solver is shown: exact outlines (polygons), or those traced from masks, grey (masks) or "
        "black and white (binary). With a suite: instead of its own. Of broken things: exact, or moved-P, "
        "worn-P, level-K, grey-N, binary-N, missing-N and foreign-N, joined by +.",
    ),
]
SizeOption = Annotated[
    int | None,
    typer.Option(
        metavar="PIXELS",
        help="How many pixels of a mask the target spans.",
        show_default="128, or as the suite says",
    ),
]
CountOption = Annotated[
    int | None, typer.Option(help="Puzzles a row.", show_default="200, or as the suite says")
]
SeedOption = Annotated[
    int | None, typer.Option(help="Which set of puzzles.", show_default="7, or 8000 for a suite")
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS", help="At most this many a puzzle.", show_default="10, or 60 for broken things"
    ),
]
WorkersOption = Annotated[int, typer.Option(help="Processes that share the puzzles.")]
TrainOption = Annotated[
    bool, typer.Option("--train", help="Train the paper's network for each of its rows first.")
]
MinutesOption = Annotated[float, typer.Option(help="With --train: how long to train for a row.")]
StepsOption = Annotated[
    int | None, typer.Option(min=1, help="With --train: steps of training for a row, instead of minutes.")
]
EndlessOption = Annotated[
    bool, typer.Option("--endless", help="With --train: on fresh puzzles, not on the paper's 3,200.")
]
SharedEncoderOption = Annotated[
    bool, typer.Option("--shared-encoder", help="With --train: one encoder for both networks, not two.")
]
BatchOption = Annotated[
    int | None, typer.Option(min=1, help="With --train: puzzles a step.", show_default="some 1,000 images")
]
DropoutOption = Annotated[
    float | None,
    typer.Option(
        min=0.0, max=0.49, help="With --train: the share left out by chance.", show_default="the paper's"
    ),
]
JsonOption = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Also write the figures there, after every row.")
]


def bench(
    context: typer.Context,
    solver: SolversOption = None,
    suite: SuiteOption = None,
    rows: RowsOption = None,
    shape: ShapeOption = "square",
    pieces: options.PiecesOption = 8,
    rotations: options.RotationsOption = "1",
    degradation: options.DegradationOption = options.Degradation.NONE,
    strength: options.StrengthOption = 1.0,
    order: options.OrderOption = options.Order.BOTTOM_LEFT,
    noise: options.NoiseOption = 0.0,
    texture: options.TextureOption = None,
    dissection: options.DissectionOption = options.Dissection.CUTS,
    mirror: options.MirrorOption = False,
    shown: InputOption = "polygons",
    size_px: SizeOption = None,
    count: CountOption = None,
    seed: SeedOption = None,
    time_limit: TimeLimitOption = None,
    workers: WorkersOption = 1,
    train: TrainOption = False,
    weights: options.WeightsOption = None,
    minutes: MinutesOption = 2.5,
    steps: StepsOption = None,
    endless: EndlessOption = False,
    shared_encoder: SharedEncoderOption = False,
    batch: BatchOption = None,
    dropout: DropoutOption = None,
    device: options.DeviceOption = "auto",
    json_path: JsonOption = None,
) -> None:
    """Measure solvers on sets of puzzles, with the paper's figures beside ours where it has them.

    Name a solver and describe its puzzles, or take a suite. Unless a solver is named, tables of the paper are
    measured with the paper's methods, as far as they exist here, broken things by their contours, and other
    suites with the search.

    Seeds below 1000 are for training and tuning, seeds from 8000 on for figures that are reported. A suite
    takes the test split of its sets, puzzles 4000 to 4999; one of broken things the first puzzles. Ctrl-C
    keeps the puzzles that are finished.

    \b
    What the columns say of the puzzles of a row:
      cov95, cov90  share that is covered to at least 95 %, 90 %
      cov, iou      mean coverage and IoU, leaving out what damage took away
      whole         mean coverage of the whole target
      right         mean share of pieces that lie where they should
      solved        share in which all pieces lie in the target and fit, by the verdict
      seconds       median time

    \b
    Of broken things, which may come without a target (pieces are right within 1 % of the side, 2 degrees):
      all right     share in which all pieces lie right to each other
      overlap       mean IoU of pieces with their places, after one rigid alignment
      largest       mean share of pieces in the largest group that is right
      precision     mean share of the answer's joints that are right
      recall        mean share of the true joints that are found
      goal          what is aimed at, and in which column

    \b
    Examples:
      sherd bench --solver search --shape hexagon --pieces 16 --rotations free
      sherd bench --suite table1 --solver random --json table1.json
      sherd bench --suite damage --rows 0:4 --workers 2
      sherd bench --suite broken --rows 0:6 --count 10 --workers 2
    """
    from sherd.bench.cell import DEFAULT_SIZE_PX, Cell
    from sherd.bench.contour_measure import ContourRequest
    from sherd.bench.contour_suites import CONTOUR_SUITES
    from sherd.bench.record import check_writable
    from sherd.bench.request import BenchRequest
    from sherd.core.geometry import Rotations

    _refuse_mixed(context)
    if json_path is not None:
        check_writable(json_path)
    if suite in CONTOUR_SUITES:
        assert suite is not None
        chosen: dict[str, Any] = {"seed": seed, "time_limit": time_limit, "solvers": tuple(solver or ())}
        contours = ContourRequest(
            suite=suite,
            rows=None if rows is None else _parse_rows(rows),
            input=shown if _is_given(context, "shown") else None,
            count=count,
            workers=workers,
            **{name: value for name, value in chosen.items() if value not in (None, ())},
        )
        _run_contours(contours, _command_line(context), json_path)
        return
    puzzles, training, used = None, None, None
    if suite is None:
        puzzles = Cell(
            solver="",
            shape=shape,
            pieces=pieces,
            rotations=Rotations.parse(rotations),
            degradation=degradation.value,
            strength=strength,
            order=order.value,
            noise=noise,
            texture=texture,
            dissection=dissection.value,
            mirror=mirror,
            input=cast("Input", shown),
            size_px=size_px or DEFAULT_SIZE_PX,
        )
    if train or weights is not None:
        from sherd.learn.training.device import choose_device

        used = choose_device(device)
    if train:
        from sherd.bench.train import TrainingPlan

        assert used is not None
        training = TrainingPlan(
            minutes=minutes if steps is None else None,
            steps=steps,
            endless=endless,
            shared_encoder=shared_encoder,
            batch_puzzles=batch,
            dropout=dropout,
            device=used,
        )
    request = BenchRequest(
        solvers=tuple(solver or ()),
        suite=suite,
        rows=None if rows is None else _parse_rows(rows),
        puzzles=puzzles,
        input=cast("Input", shown) if _is_given(context, "shown") else None,
        size_px=size_px,
        count=count,
        seed=seed,
        time_limit=10.0 if time_limit is None else time_limit,
        workers=workers,
        training=training,
        weights=weights,
        device=used,
    )
    _run(request, _command_line(context), json_path)


def _refuse_mixed(context: typer.Context) -> None:
    """Raise for options that do not go together."""
    from sherd.bench.contour_suites import CONTOUR_SUITES
    from sherd.solvers import SOLVERS

    given = {name for name in context.params if _is_given(context, name)}
    if context.params["suite"] in CONTOUR_SUITES:
        for name in NOT_FOR_CONTOURS:
            if name in given:
                raise ValueError(f"{_option(name)} does not go with suites of broken things")
    if "suite" in given:
        for name in PUZZLE_OPTIONS:
            if name in given:
                raise ValueError(f"{_option(name)} does not go with --suite, which has puzzles of its own")
    elif "rows" in given:
        raise ValueError("--rows goes with --suite only")
    elif "solver" not in given:
        raise ValueError(f"name a --solver ({', '.join(SOLVERS)}) or a --suite")
    if "train" in given:
        if "weights" in given:
            raise ValueError("--weights does not go with --train")
        if {"steps", "minutes"} <= given:
            raise ValueError("give --steps or --minutes, not both")
        return
    for name in TRAINING_OPTIONS:
        if name in given:
            raise ValueError(f"{_option(name)} goes with --train only")
    if "device" in given and "weights" not in given:
        raise ValueError("--device goes with --train or --weights only")


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


def _run(request: BenchRequest, command: str, json_path: Path | None) -> None:
    """Measure, say how it goes and what came of it, and write the record after every row."""
    from sherd.bench.measure import Listener, measure, runnable_cells
    from sherd.bench.record import Record, write_record

    def on_record(record: Record) -> None:
        if json_path is not None:
            write_record(json_path, record)

    with progress("puzzles", len(runnable_cells(request)) * request.params.count) as advance:
        listener = Listener(
            on_puzzle=advance, on_record=on_record, on_training=_say_training, on_report=_say_report
        )
        measured = measure(request, command=command, listener=listener)
    _say_results(measured, request)
    _end(measured)
    if not measured.record.cells:
        raise UnsupportedError("nothing could be measured")


def _run_contours(request: ContourRequest, command: str, json_path: Path | None) -> None:
    """The same for broken things."""
    from sherd.bench.contour_measure import measure_contours
    from sherd.bench.measure import Listener
    from sherd.bench.record import Record, write_record

    def on_record(record: Record) -> None:
        if json_path is not None:
            write_record(json_path, record)

    with progress("puzzles", len(request.cells) * request.params.count) as advance:
        listener = Listener(on_puzzle=advance, on_record=on_record)
        measured = measure_contours(request, command=command, listener=listener)
    if measured.record.contours:
        say(_how(measured, request.time_limit))
    for label in dict.fromkeys(result.cell.label for result in measured.record.contours):
        say("")
        say_table(_contour_table([one for one in measured.record.contours if one.cell.label == label]))
    _end(measured)


def _end(measured: Measurement) -> None:
    """Say what was left out, and end the command if it was interrupted."""
    for note in measured.skipped:
        say_error(note)
    if not measured.complete:
        say_error(f"interrupted: {measured.done:,} of {measured.wanted:,} puzzles are done")
        raise typer.Exit(INTERRUPTED)


def _say_training(cell: Cell) -> None:
    say_error(f"training {cell.solver_label} on {cell.puzzle_label}")


def _say_report(report: Report) -> None:
    """A line for each validation."""
    if report.validation is not None:
        figures = ", ".join(f"{name} {value:.3f}" for name, value in report.validation.items())
        say_error(f"{report.seconds:.0f} s, step {report.step:,}: {figures} (validation, in pixels)")


def _say_results(measured: Measurement, request: BenchRequest) -> None:
    record = measured.record
    if record.cells:
        say(_how(measured, request.time_limit))
    for puzzle in dict.fromkeys(result.cell.puzzle for result in record.cells):
        say("")
        say_table(_table([result for result in record.cells if result.cell.puzzle == puzzle]))


def _how(measured: Measurement, time_limit: float) -> str:
    record = measured.record
    return f"seed {record.seed}, at most {time_limit:g} s a puzzle, commit {record.commit}"


def _contour_table(results: Sequence[ContourResult]) -> Table:
    """Figures on one kind of broken things, with what is aimed at beside them."""
    from rich.table import Table
    from rich.text import Text

    title = Text(results[0].cell.label)
    table = Table(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0))
    table.add_column("solver", min_width=CONTOUR_SOLVER_WIDTH)
    figures = ("all right", "overlap", "goal", "largest", "precision", "recall", "cov", "solved", "seconds")
    for name in ("count", *figures):
        table.add_column(name, justify="right", no_wrap=True, min_width=GOAL_WIDTH if name == "goal" else 6)
    for result in results:
        ours, cell = result.figures, result.cell
        goal = "" if cell.goal is None else f"{cell.measure.replace('_', ' ')} {cell.goal:.3g}"
        parts = (ours.largest_right, ours.joint_precision, ours.joint_recall, ours.cov, ours.solved)
        shown = ("" if share is None else f"{share:.3f}" for share in parts)
        reached = (f"{ours.all_right:.3f}", f"{ours.overlap:.3f}", goal)
        table.add_row(cell.solver, f"{result.count:,}", *reached, *shown, f"{ours.seconds_median:.2g}")
    return table


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
