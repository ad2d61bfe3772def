"""``sherd assemble``: solve puzzles, or put one's own pieces together, and write the answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sherd.cli import pieces
from sherd.cli.assemble_drawing import assemble_drawing
from sherd.cli.assemble_puzzles import assemble_puzzles
from sherd.cli.many import EngineOption, ShardOption, ShardsOption, WholeOption, keeping_of
from sherd.cli.options import WeightsOption
from sherd.cli.plan_output import ExportOption, PaperOption
from sherd.cli.request import AssembleRequest
from sherd.core.errors import ArgumentError

FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Puzzles (JSON or JSONL); or your own pieces: SVG, DXF, GeoJSON, WKT, CSV, COCO, an image, "
        "a folder of images, or a project of the studio (.sherd).",
    ),
]
SolverOption = Annotated[
    str,
    typer.Option(
        help="A solver's name; auto takes search, of pieces that are torn or curved contours before it, and "
        "without a target contours alone."
    ),
]
TimeLimitOption = Annotated[
    float,
    typer.Option(
        "--time-limit", "--stop-after", metavar="SECONDS", help="At most so long a puzzle; the best is kept."
    ),
]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same answer, unless time runs out.")]
OutOption = Annotated[Path, typer.Option(metavar="DIR", help="The folder for answers and pictures.")]
IndexOption = Annotated[int | None, typer.Option(help="Only this puzzle of the file, counted from 0.")]
AllOption = Annotated[
    int | None,
    typer.Option(
        "--all", metavar="K", help="Look for up to K different assemblies, and say if there are no others."
    ),
]
RefineOption = Annotated[
    bool, typer.Option("--refine", help="Then move the pieces a little to cover more, for as long again.")
]
ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain", help="With --solver fan or matcher: draw what it held likely, NAME.explain.svg."
    ),
]
CheckOption = Annotated[bool, typer.Option("--check", help="Exit with 1 if a puzzle was not solved.")]

HintsOption = Annotated[
    int | None,
    typer.Option(
        "--hints",
        metavar="K",
        help="With contours: the K likeliest joints of two pieces, in the answer or not, and drawn, "
        "NAME.hints.svg and .png.",
    ),
]
StartOption = Annotated[
    Path | None,
    typer.Option(
        "--start",
        metavar="ANSWER",
        help="A NAME.assembly.json to start from: what it has placed is kept, and the rest is tried again.",
    ),
]
KeepOption = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="ID", help="With --start: keep this piece, not all; can be repeated."),
]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", help="Say what the search tried in turn, and what each attempt cost.")
]
IgnoreColourOption = Annotated[
    bool, typer.Option("--ignore-colour", help="Go by outlines alone, though pieces are painted.")
]

WorkersOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Processes: they share the puzzles of a set, or the search's attempts at one puzzle. "
        "The answer is the same.",
        show_default="1",
    ),
]


def assemble(
    context: typer.Context,
    file: FileArgument,
    solver: SolverOption = "auto",
    time_limit: TimeLimitOption = 10.0,
    weights: WeightsOption = None,
    seed: SeedOption = 0,
    out: OutOption = Path("assembled"),
    index: IndexOption = None,
    all_: AllOption = None,
    refine: RefineOption = False,
    explain: ExplainOption = False,
    check: CheckOption = False,
    verbose: VerboseOption = False,
    hints: HintsOption = None,
    start: StartOption = None,
    keep: KeepOption = None,
    ignore_colour: IgnoreColourOption = False,
    target: pieces.TargetOption = None,
    no_target: pieces.NoTargetOption = False,
    outline: pieces.OutlineOption = None,
    roughly: pieces.RoughlyOption = False,
    unit: pieces.UnitOption = None,
    mm_per_px: pieces.MmPerPxOption = None,
    background: pieces.BackgroundOption = None,
    sheet: pieces.SheetOption = None,
    rotations: pieces.PieceRotationsOption = None,
    turn_piece: pieces.TurnPieceOption = None,
    mirror: pieces.PieceMirrorOption = None,
    mirror_piece: pieces.MirrorPieceOption = None,
    kerf: pieces.KerfOption = None,
    offset: pieces.OffsetOption = None,
    scale: pieces.ScaleOption = None,
    play: pieces.PlayOption = None,
    tolerance: pieces.ToleranceOption = None,
    pin: pieces.PinOption = None,
    forbid: pieces.ForbidOption = None,
    settings: pieces.SettingsOption = None,
    export: ExportOption = "all",
    paper: PaperOption = "a4",
    workers: WorkersOption = None,
    engine: EngineOption = "local",
    shards: ShardsOption = None,
    shard: ShardOption = None,
    whole: WholeOption = False,
) -> None:
    """Put puzzles, or your own pieces, together.

    Prints a table, and writes NAME.assembly.json and NAME.svg for each puzzle (NAME-INDEX where there are
    several), and NAME.2.assembly.json and so on for further assemblies. Where the file holds the truth,
    coverage and IoU leave out what damage took away; whole is the coverage of the whole target.
    With --explain, NAME.explain.svg shows what the network held likely before each step, the piece that it
    then placed and how sure it was; this takes about as long again.
    With --no-target pieces are put together in groups, and the table tells in which joints.

    \b
    Example:
      sherd assemble puzzles.jsonl --time-limit 5 --out answers
      sherd assemble tangram.json --all 10
      sherd assemble tangram.json --all 10000 --export none
      sherd assemble puzzles.jsonl --workers 2 --shards run --out answers
      sherd assemble pieces.svg --kerf 0.2 --out plan
      sherd assemble scan.png --mm-per-px 0.1 --target rect:297x210
      sherd assemble scraps.png --no-target --hints 20
      sherd assemble scraps.png --no-target --start assembled/scraps.assembly.json --keep "piece 3"
    """
    if roughly != (outline is not None):
        raise ArgumentError("--outline SHAPE goes with --roughly; a shape of known size is a --target")
    request = AssembleRequest(
        file=file,
        out=out,
        solver=solver,
        seconds=time_limit,
        weights=weights,
        seed=seed,
        index=index,
        most=all_,
        refine=refine,
        explain=explain,
        check=check,
        verbose=verbose,
        hints=hints,
        start=start,
        keep=tuple(keep or ()),
        ignore_colour=ignore_colour,
        export=export,
        paper=paper,
        workers=workers,
        engine=engine,
        keeping=keeping_of(context, shards, shard, whole),
        pieces=pieces.PieceOptions(
            target=target,
            no_target=no_target or None,
            outline=outline,
            unit=unit,
            mm_per_px=mm_per_px,
            background=background,
            sheet=sheet,
            rotations=rotations,
            turn_piece=tuple(turn_piece or ()),
            mirror=mirror or None,
            mirror_piece=tuple(mirror_piece or ()),
            kerf=kerf,
            offset=offset,
            scale=scale,
            play=play,
            tolerance=tolerance,
            pin=tuple(pin or ()),
            forbid=tuple(forbid or ()),
            settings=settings,
        ),
    )
    if pieces.are_drawn(file):
        if request.engine != "local" or request.keeping is not None:
            raise ArgumentError("--engine and --shards go with sets of puzzles")
        assemble_drawing(request)
    else:
        assemble_puzzles(request)
