"""``sherd bench``: measure solvers on sets of puzzles."""

from __future__ import annotations

import re
import shlex
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sherd.cli import bench_options as own
from sherd.cli import many, options
from sherd.cli.bench_growth import GROWTH, bench_growth
from sherd.cli.bench_real import REAL, bench_real
from sherd.cli.bench_tables import tables_of
from sherd.cli.console import INTERRUPTED, Terminals, progress, say, say_error, say_table
from sherd.cli.while_training import display, interruptions
from sherd.core.errors import ArgumentError, UnsupportedError

if TYPE_CHECKING:
    import torch

    from sherd.bench.cell import Cell
    from sherd.bench.contour_measure import ContourRequest
    from sherd.bench.measure import Measurement, Watch
    from sherd.bench.request import BenchRequest
    from sherd.bench.train import TrainingPlan
    from sherd.learn.fan.settings import FanSettings

# What describes puzzles: a suite says all of it itself.
PUZZLE_OPTIONS = (
    *("shape", "pieces", "rotations", "degradation", "strength", "order", "noise", "texture", "dissection"),
    "mirror",
)
# What describes the training of a network.
TRAINING_OPTIONS = (
    *("minutes", "steps", "endless", "shared_encoder", "batch", "dropout", "train_seed", "recipe"),
    "checkpoints",
)
# Where things are written, which a record does not say.
PLACES = frozenset(("json_path", "each", "whole", "checkpoints"))
# What broken things are not measured with.
NOT_FOR_CONTOURS = ("size_px", "train", "weights")
NO_ACCELERATOR = "no accelerator here: the CPU trains, slowly if the network is large; --recipe names another"


def bench(
    context: typer.Context,
    solver: own.SolversOption = None,
    suite: own.SuiteOption = None,
    rows: own.RowsOption = None,
    shape: own.ShapeOption = "square",
    pieces: options.PiecesOption = 8,
    rotations: options.RotationsOption = "1",
    degradation: options.DegradationOption = options.Degradation.NONE,
    strength: options.StrengthOption = 1.0,
    order: options.OrderOption = options.Order.BOTTOM_LEFT,
    noise: options.NoiseOption = 0.0,
    texture: options.TextureOption = None,
    dissection: options.DissectionOption = options.Dissection.CUTS,
    mirror: options.MirrorOption = False,
    shown: own.InputOption = "polygons",
    size_px: own.SizeOption = None,
    count: own.CountOption = None,
    seed: own.SeedOption = None,
    time_limit: own.TimeLimitOption = None,
    workers: own.WorkersOption = None,
    engine: many.EngineOption = "local",
    shards: many.ShardsOption = None,
    shard: many.ShardOption = None,
    whole: many.WholeOption = False,
    each: many.EachOption = None,
    train: own.TrainOption = False,
    weights: options.WeightsOption = None,
    minutes: own.MinutesOption = 2.5,
    steps: own.StepsOption = None,
    endless: own.EndlessOption = False,
    shared_encoder: own.SharedEncoderOption = False,
    batch: own.BatchOption = None,
    dropout: own.DropoutOption = None,
    train_seed: own.TrainSeedOption = None,
    recipe: own.RecipeOption = None,
    checkpoints: own.CheckpointsOption = None,
    device: options.DeviceOption = "auto",
    json_path: own.JsonOption = None,
) -> None:
    """Measure solvers on sets of puzzles, with the paper's figures beside ours where it has them.

    Name a solver and describe its puzzles, or take a suite. Unless a solver is named, tables of the paper are
    measured with the paper's methods, as far as they exist here, broken things by their contours, and other
    suites with the search.

    Seeds below 1000 are for training and tuning, seeds from 8000 on for figures that are reported. A suite
    takes the test split of its sets, puzzles 4000 to 4999; one of broken things the first puzzles. Ctrl-C
    keeps the puzzles that are finished, and with --shards so does anything else that ends it.

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
    Of drawings and photographs such as people bring (real), how many answers are:
      right         solved, and every piece lies where it belongs; or what cannot be solved is not
      honest        not called solved
      wrong         called solved, and not right: then the exit code is 1

    \b
    Of the whole command as pieces become more (growth), one puzzle a row:
      seconds       from start to end, and how much of it solving took
      MiB           the most memory that it had
      tries         nodes of a search, or joints that were weighed

    \b
    Examples:
      sherd bench --solver search --shape hexagon --pieces 16 --rotations free
      sherd bench --suite table1 --solver random --json table1.json
      sherd bench --suite damage --rows 0:4 --workers 2
      sherd bench --suite broken --rows 0:6 --count 10 --workers 2
      sherd bench --suite exact --engine dask://10.0.0.7:8786 --shards run --each rows.parquet
      sherd bench --suite real --count 8 --time-limit 10
      sherd bench --suite growth --time-limit 60 --json growth.json
    """
    asked: dict[str, Any] = dict(locals())  # all options by name; the context has them as text

    from sherd.bench.contour_suites import CONTOUR_SUITES
    from sherd.bench.record import check_writable
    from sherd.io.folder_lock import claimed
    from sherd.many.engine import using

    _refuse_mixed(context)
    if json_path is not None:
        check_writable(json_path)
    if each is not None:
        check_writable(each)
    if json_path is not None and each is not None and json_path.resolve() == each.resolve():
        raise ArgumentError(f"{each}: --json and --each are two files, not one")
    given = {name: asked[name] for name in context.params if _is_given(context, name)}
    asked["keeping"] = given["keeping"] = many.keeping_of(context, shards, shard, whole)
    with using(engine), ExitStack() as written:
        for path in (one for one in (json_path, each) if one is not None):
            written.enter_context(claimed(path))
        if suite == REAL:
            bench_real(given, _parse_rows(rows), json_path)
        elif suite == GROWTH:
            bench_growth(given, _parse_rows(rows), json_path)
        elif suite in CONTOUR_SUITES:
            _measure(_contour_request(given), _command_line(context), json_path, each)
        else:
            _measure(_request(asked, given), _command_line(context), json_path, each)


def _contour_request(given: Mapping[str, Any]) -> ContourRequest:
    """What is asked for of a suite of broken things; what is not given is as the suite says."""
    from sherd.bench.contour_measure import ContourRequest

    names = {"suite": "suite", "shown": "input", "count": "count", "workers": "workers"}
    names |= {"seed": "seed", "time_limit": "time_limit", "keeping": "keeping"}
    chosen = {ours: given[name] for name, ours in names.items() if name in given}
    if given.get("solver"):
        chosen["solvers"] = tuple(given["solver"])
    return ContourRequest(**chosen, rows=_parse_rows(given.get("rows")))


def _request(asked: Mapping[str, Any], given: Mapping[str, Any]) -> BenchRequest:
    """What is asked for of other suites, or of puzzles that the options describe."""
    from sherd.bench.request import BenchRequest

    device = None
    if asked["train"] or asked["weights"] is not None:
        from sherd.learn.training.device import choose_device

        device = choose_device(asked["device"])
    request = BenchRequest(
        solvers=tuple(asked["solver"] or ()),
        suite=asked["suite"],
        rows=_parse_rows(asked["rows"]),
        puzzles=_puzzles(asked) if asked["suite"] is None else None,
        input=given.get("shown"),
        size_px=asked["size_px"],
        count=asked["count"],
        seed=asked["seed"],
        time_limit=10.0 if asked["time_limit"] is None else asked["time_limit"],
        workers=asked["workers"],
        keeping=asked["keeping"],
        training=_training_plan(asked, device) if asked["train"] and device is not None else None,
        weights=asked["weights"],
        device=device,
    )
    if asked["train"] and asked["device"] == "auto" and device is not None and device.type == "cpu":
        say_error(NO_ACCELERATOR)
    return request


def _puzzles(asked: Mapping[str, Any]) -> Cell:
    """The puzzles that the options describe, for no solver yet."""
    from sherd.bench.cell import DEFAULT_SIZE_PX, Cell
    from sherd.core.geometry import Rotations

    own = {name: asked[name] for name in PUZZLE_OPTIONS}
    own |= {name: own[name].value for name in ("degradation", "order", "dissection")}
    own["rotations"] = Rotations.parse(own["rotations"])
    return Cell(solver="", **own, input=asked["shown"], size_px=asked["size_px"] or DEFAULT_SIZE_PX)


def _training_plan(asked: Mapping[str, Any], device: torch.device) -> TrainingPlan:
    from sherd.bench.train import TrainingPlan

    own = {name: asked[name] for name in ("steps", "endless", "shared_encoder", "dropout")}
    own |= {"batch_puzzles": asked["batch"], "seed": asked["train_seed"]}
    own["checkpoints"] = asked["checkpoints"]
    minutes = asked["minutes"] if asked["steps"] is None else None
    recipe = None if asked["recipe"] is None else _fan_settings(asked["recipe"])
    return TrainingPlan(**own, minutes=minutes, recipe=recipe, device=device)


def _fan_settings(path: Path) -> FanSettings:
    from sherd.learn.fan.settings import FanSettings
    from sherd.learn.training.settings import read_settings

    settings = read_settings(path, steps=1)
    assert isinstance(settings, FanSettings)
    return settings


def _refuse_mixed(context: typer.Context) -> None:
    """Raise for options that do not go together."""
    from sherd.bench.contour_suites import CONTOUR_SUITES
    from sherd.solvers import SOLVERS

    given = {name for name in context.params if _is_given(context, name)}
    if context.params["suite"] in CONTOUR_SUITES:
        for name in NOT_FOR_CONTOURS:
            if name in given:
                raise ArgumentError(f"{_option(name)} does not go with suites of broken things")
    if "suite" in given:
        for name in PUZZLE_OPTIONS:
            if name in given:
                raise ArgumentError(f"{_option(name)} does not go with --suite, which has puzzles of its own")
    elif "rows" in given:
        raise ArgumentError("--rows goes with --suite only")
    elif "solver" not in given:
        raise ArgumentError(f"name a --solver ({', '.join(SOLVERS)}) or a --suite")
    if "train" in given:
        if "weights" in given:
            raise ArgumentError("--weights does not go with --train")
        if {"steps", "minutes"} <= given:
            raise ArgumentError("give --steps or --minutes, not both")
        return
    for name in TRAINING_OPTIONS:
        if name in given:
            raise ArgumentError(f"{_option(name)} goes with --train only")
    if "device" in given and "weights" not in given:
        raise ArgumentError("--device goes with --train or --weights only")


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line, even with its default value."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _command_line(context: typer.Context) -> str:
    """The command as it was given, but for the place of its output."""
    return shlex.join(["sherd", "bench", *many.given_words(context, PLACES)])


def _parse_rows(text: str | None) -> slice | None:
    if text is None:
        return None
    start, colon, stop = text.partition(":")
    if colon and all(re.fullmatch("[0-9]{0,9}", part) for part in (start, stop)):
        return slice(int(start) if start else None, int(stop) if stop else None)
    raise ArgumentError(f"--rows must be START:STOP, such as 0:3, not {text!r}")


def _measure(
    request: BenchRequest | ContourRequest, command: str, json_path: Path | None, each: Path | None
) -> None:
    """Measure, say how it goes and what came of it, and write the record after every row."""
    keeping = request.keeping
    of_part = keeping is not None and keeping.shard[1] > 1
    from sherd.bench.contour_measure import ContourRequest, measure_contours
    from sherd.bench.measure import Listener, Watch, measure, runnable_cells
    from sherd.bench.record import Record, write_record
    from sherd.io.rows import writing_rows

    unwritten: OSError | None = None

    def on_record(record: Record) -> None:
        nonlocal unwritten
        if json_path is None or of_part:
            return
        try:
            write_record(json_path, record)
            unwritten = None
        except OSError as error:  # a full disk: what is measured is told all the same
            unwritten = error

    cells = request.cells if isinstance(request, ContourRequest) else runnable_cells(request)
    with (
        progress("puzzles", len(cells) * request.params.count) as advance,
        nullcontext(_ignore) if each is None else writing_rows(each) as on_row,
    ):

        @contextmanager
        def training(cell: Cell) -> Generator[Watch]:
            say_error(f"training {cell.solver_label} on {cell.puzzle_label}")
            terminals = Terminals()
            with (
                advance.aside(),
                interruptions(terminals, speaks=True) as interrupted,
                display(True, terminals) as show,
            ):
                yield Watch(on_report=show, on_work=show, interrupted=interrupted)

        listener = Listener(on_puzzle=advance, on_row=on_row, on_record=on_record, training=training)
        if isinstance(request, ContourRequest):
            measured = measure_contours(request, command=command, listener=listener)
        else:
            measured = measure(request, command=command, listener=listener)
    if keeping is not None and of_part and measured.complete:
        many.say_shard(keeping)
        return
    _say_results(measured, request.time_limit)
    if unwritten is not None:
        raise unwritten
    if measured.lost is not None:
        raise measured.lost
    if not measured.complete:
        left = f"; {measured.left}" if measured.left else ""
        say_error(f"interrupted: {measured.done:,} of {measured.wanted:,} puzzles are done{left}")
        raise typer.Exit(INTERRUPTED)
    if not measured.done:
        raise UnsupportedError("nothing could be measured")


def _ignore(row: Mapping[str, Any]) -> None:
    pass


def _say_results(measured: Measurement, time_limit: float) -> None:
    """How it was measured, the tables, and what was left out."""
    record = measured.record
    if measured.done:
        say(f"seed {record.seed}, at most {time_limit:g} s a puzzle, commit {record.commit}")
    for table in tables_of(record):
        say("")
        say_table(table)
    for note in measured.skipped:
        say_error(note)
