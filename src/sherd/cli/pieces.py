"""Options of commands that take people's own pieces: drawings and pictures instead of puzzles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sherd.cli.console import say_note
from sherd.core.errors import ArgumentError

if TYPE_CHECKING:
    from sherd.core.geometry import Rotations
    from sherd.io.drawings import Drawing
    from sherd.workshop import Job, JobParams

TargetOption = Annotated[
    str | None,
    typer.Option(
        metavar="TARGET",
        help="The shape to fill: a file, rect:297x210, square:9, circle:8, ellipse:9x6 or polygon:6:100.",
    ),
]
NoTargetOption = Annotated[
    bool,
    typer.Option(
        "--no-target", help="No shape is known: every figure is a piece, and groups that fit are looked for."
    ),
]
OutlineOption = Annotated[
    str | None,
    typer.Option(
        metavar="SHAPE",
        help="With --roughly: the shape is known, not its size: rectangle, convex, or a file or plain shape "
        "as of --target, taken as large as the pieces are together.",
    ),
]
RoughlyOption = Annotated[bool, typer.Option("--roughly", help="The size of the --outline is to be found.")]
UnitOption = Annotated[
    str | None, typer.Option(metavar="UNIT", help="What one unit of the drawing is: mm, cm, in, pt ...")
]
MmPerPxOption = Annotated[
    float | None, typer.Option(metavar="MM", help="How large a pixel of the picture is.")
]
BackgroundOption = Annotated[
    str | None,
    typer.Option(metavar="COLOUR", help="Of a photograph: what pieces lie on, such as #20a040 or white."),
]
SheetOption = Annotated[
    str | None,
    typer.Option(
        metavar="SHEET",
        help="Of a photograph: the paper in it that tells its scale, a4, a3, a5, letter or marker "
        "(sherd marker prints that, and it is found by itself).",
    ),
]
PieceRotationsOption = Annotated[
    str | None,
    typer.Option("--rotations", metavar="BINS", help="How pieces may be turned: 1, 4 ... or free."),
]
TurnPieceOption = Annotated[
    list[str] | None,
    typer.Option(metavar="ID=BINS", help="How this piece may be turned, if in fewer ways; can be repeated."),
]
PieceMirrorOption = Annotated[bool | None, typer.Option("--mirror", help="All pieces may be turned over.")]
MirrorPieceOption = Annotated[
    list[str] | None, typer.Option(metavar="ID", help="This piece may be turned over; can be repeated.")
]
KerfOption = Annotated[
    float | None,
    typer.Option(
        metavar="MM", help="The width that the cut took: pieces grow by half of it; below 0 they shrink."
    ),
]
OffsetOption = Annotated[
    float | None, typer.Option(metavar="MM", help="Move outlines of pieces outward so far; inward below 0.")
]
ScaleOption = Annotated[
    float | None, typer.Option(metavar="FACTOR", help="Multiply the sizes of pieces, not of the target.")
]
PlayOption = Annotated[
    float | None, typer.Option(metavar="MM", help="By so much the target is wider than what fills it.")
]
ToleranceOption = Annotated[
    float | None,
    typer.Option(metavar="MM", help="How far outlines may be off; nothing looser counts as solved."),
]
PinOption = Annotated[
    list[str] | None,
    typer.Option(
        "--pin",
        metavar="ID=X,Y,DEG",
        help=(
            "This piece's centroid lies at X,Y of the target, turned by DEG (without it: not turned); "
            "only ID: it lies as drawn."
        ),
    ),
]
ForbidOption = Annotated[
    list[str] | None, typer.Option(metavar="ID", help="Do not use this piece; can be repeated.")
]
SettingsOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="These options as TOML; NAME.toml beside the drawing if there."),
]


@dataclass(frozen=True, kw_only=True)
class PieceOptions:
    """What the command line says of the options above; None, or an empty tuple, where it says nothing."""

    target: str | None = None
    no_target: bool | None = None
    outline: str | None = None
    unit: str | None = None
    mm_per_px: float | None = None
    background: str | None = None
    sheet: str | None = None
    rotations: str | None = None
    turn_piece: tuple[str, ...] = ()
    mirror: bool | None = None
    mirror_piece: tuple[str, ...] = ()
    kerf: float | None = None
    offset: float | None = None
    scale: float | None = None
    play: float | None = None
    tolerance: float | None = None
    pin: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    settings: Path | None = None

    def refuse_any(self) -> None:
        """`ValueError` if any is given: a file of puzzles says all of this itself.

        That its targets are not to be known it cannot.
        """
        for name, value in vars(self).items():
            if value not in (None, ()) and name != "no_target":
                raise ArgumentError(f"--{name.replace('_', '-')} goes with drawings and pictures only")


def are_drawn(file: Path) -> bool:
    """Whether a path is a drawing or a picture, not a file of puzzles."""
    if file.suffix.lower() in (".jsonl", ".ndjson") and not file.is_dir():
        return False  # without loading what reads drawings
    if is_project(file):
        return True
    from sherd.io.drawings import is_drawing

    return is_drawing(file)


def is_project(file: Path) -> bool:
    """Whether a path is a project file of the studio."""
    return file.suffix.lower() == ".sherd" and not file.is_dir()


def _read_project(file: Path) -> tuple[Drawing, JobParams]:
    """The drawing of a project file, and what was said about it; its files stay until the process ends."""
    import atexit
    import shutil
    import tempfile

    from sherd.workshop.project import read_project

    folder = Path(tempfile.mkdtemp(prefix="sherd-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return read_project(file, folder).read()


def read_pieces(
    file: Path, options: PieceOptions, is_over: Callable[[], bool] = lambda: False
) -> tuple[Drawing, JobParams]:
    """A drawing, and what is asked of it by the settings beside it and the options, which go first.

    A drawing that is not read when ``is_over`` says so is refused.
    """
    from sherd.core.geometry import Rotations
    from sherd.io.drawings import read_drawing
    from sherd.workshop import JobParams, Pin, read_settings, settings_beside

    drawing: Drawing | None = None
    if is_project(file):
        drawing, params = _read_project(file)
    else:
        beside = options.settings or settings_beside(file)
        params = JobParams() if beside is None else read_settings(beside)
    if (options.no_target or options.outline) and options.target is None:  # whatever the settings say
        params = replace(params, target=None)
    mirror: Any = options.mirror or (frozenset(options.mirror_piece) or None)
    params = params.changed(
        target=options.target,
        no_target=options.no_target,
        outline=options.outline,
        unit=options.unit,
        mm_per_px=options.mm_per_px,
        background=options.background,
        sheet=options.sheet,
        rotations=None if options.rotations is None else Rotations.parse(options.rotations),
        turns=dict(map(_turn_of, options.turn_piece)) or None,
        mirror=mirror,
        kerf=options.kerf,
        offset=options.offset,
        scale=options.scale,
        play=options.play,
        tolerance=options.tolerance,
        pins=dict(map(Pin.parse, options.pin)) or None,
        forbid=frozenset(options.forbid) or None,
    )
    return (read_drawing(file, params, is_over) if drawing is None else drawing), params


def _turn_of(text: str) -> tuple[str, Rotations]:
    """From ``id=bins``: how a piece may be turned."""
    from sherd.core.geometry import Rotations

    name, equals, bins = text.rpartition("=")
    if not equals:
        raise ArgumentError(f"how a piece may be turned is id=1, id=4 ... or id=free, not {text!r}")
    return name, Rotations.parse(bins)


def say_job(job: Job) -> None:
    """How many pieces there are, of what size, how much of the target they cover, and what looks wrong."""
    from sherd.workshop import summary, warnings_of

    say_note(summary(job))
    for line in warnings_of(job):
        say_note(f"note: {line}", indent="  ")
