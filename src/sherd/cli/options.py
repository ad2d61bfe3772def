"""Options that several commands share, each declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

SILHOUETTES_HELP = (
    "Of a tangram: square, triangle, house, boat, arrow, cat, swan or runner. On a grid: frame, rectilinear, "
    "equal, polyomino, or 12 pentominoes in 6x10, 5x12, 4x15 or 3x20; with the size of a box, up to 100x65, "
    "4 to 45 corners, or convex pieces: frame:60x40+corners-12, rectilinear:corners-8, polyomino:10x9, "
    "frame:80x50+convex."
)


class Order(StrEnum):
    """In which order the truth places the pieces."""

    BOTTOM_LEFT = "bottom-left"
    RANDOM = "random"
    RELEASED = "released"
    RELEASED_RANDOM = "released-random"


class Degradation(StrEnum):
    """What has happened to the pieces."""

    NONE = "none"
    MISSING = "missing"
    ERODED = "eroded"
    DISTORTED = "distorted"


class Dissection(StrEnum):
    """How a target comes apart."""

    CUTS = "cuts"
    MERGED = "merged"
    TANGRAM = "tangram"
    LATTICE = "lattice"
    BROKEN = "broken"
    CRACKS = "cracks"
    BOWED = "bowed"
    JIGSAW = "jigsaw"
    SECTORS = "sectors"
    VORONOI = "voronoi"
    CROSSCUT = "crosscut"


PiecesOption = Annotated[int, typer.Option(help="Pieces a puzzle.")]
RotationsOption = Annotated[
    str, typer.Option(metavar="BINS|free", help="How many angles a piece may be turned by, 1 for none.")
]
DissectionOption = Annotated[
    Dissection,
    typer.Option(
        help="Convex pieces as they are cut, neighbours of them merged at random, the pieces of a tangram "
        "(with --pieces 7 --rotations free), with all corners on a grid (see --shape), "
        "torn along jagged lines, cracked, cut along arcs, a jigsaw, "
        "sectors of a disc (with --shape disc), Voronoi cells, or cut all across (2 to 12 pieces)."
    ),
]
RoughnessOption = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="How jagged torn and cracked edges are, up to 0.2: 0.1 is jagged, 0.03 wavy, 0 straight.",
        show_default="0.1 torn, 0 cracked",
    ),
]
StraightOption = Annotated[
    float, typer.Option(metavar="SHARE", help="Of torn pieces: which share of the tears are straight cuts.")
]
SeenOption = Annotated[
    str,
    typer.Option(
        "--input",
        metavar="WORDS",
        help="How pieces are seen: exact, or moved-P and worn-P (by P hundredths of the side), level-K "
        "(noise of the published protocols), grey-N and binary-N (traced from scans of N pixels), missing-N "
        "and foreign-N, joined by +. A puzzle with foreign pieces is written without its answer.",
    ),
]
MirrorOption = Annotated[
    bool,
    typer.Option(
        "--mirror", help="Of merged pieces, tangrams and grids: pieces may be turned over, and some are."
    ),
]
OrderOption = Annotated[
    Order,
    typer.Option(
        help="Order of assembly, which a learned solver is taught: from the bottom left or random, or either "
        "as the code has it that the paper's authors released."
    ),
]
DegradationOption = Annotated[Degradation, typer.Option(help="Damage to the pieces.")]
StrengthOption = Annotated[
    float, typer.Option(help="Of eroded and distorted pieces: how many times the usual damage.")
]
NoiseOption = Annotated[float, typer.Option(help="Move every vertex by this share of the side.")]
TextureOption = Annotated[
    str | None,
    typer.Option(metavar="NAME|DIR", help="Paint the puzzles: a built-in texture or a folder of images."),
]
WeightsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE|DIR",
        help="With --solver fan, fan-look, matcher or matcher-beam: weights that sherd train wrote.",
    ),
]
DeviceOption = Annotated[str, typer.Option(help="Where networks compute, such as cpu or cuda.")]
