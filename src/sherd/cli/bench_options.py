"""Options of ``sherd bench`` alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sherd.cli.options import SILHOUETTES_HELP

SolversOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A solver to measure: search, matcher, matcher-beam, fan, fan-look, annealing, "
        "annealing-joint, bayesopt, vgan, nesting or random, and contours for suites of broken things; may "
        "be given repeatedly.",
    ),
]
SuiteOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The puzzles of a table of the paper: table1 to table7, or paper for all. Beyond it: exact, "
        "masks, binary, damage, noise, heavy, merged, tangram, lattice, strength, resolution or painted. "
        "Broken things: broken, jigsaw, crosscut, voronoi or colour. Drawings and photographs: real. "
        "What the whole command costs from 4 to 16,384 pieces: growth.",
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
        help="The target: square, pentagon, hexagon, mondrian or released-hexagon; of merged pieces also "
        f"star, cross, ell, tee or arrow. {SILHOUETTES_HELP}",
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
WorkersOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Processes that share the puzzles; of another engine, how many chunks are out at a time.",
        show_default="1, or all of the engine",
    ),
]
TrainOption = Annotated[
    bool, typer.Option("--train", help="Train the paper's network for each of its rows first.")
]
MinutesOption = Annotated[float, typer.Option(help="With --train: how long to train for a row.")]
StepsOption = Annotated[
    int | None, typer.Option(min=1, help="With --train: steps of training for a row, instead of minutes.")
]
EndlessOption = Annotated[
    bool, typer.Option("--endless", help="With --train: on fresh puzzles, not on 3,200 as the paper.")
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
TrainSeedOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="With --train: of the fresh weights and of the order of the puzzles, not of the puzzles.",
        show_default="as --seed",
    ),
]
RecipeOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.toml",
        help="With --train: settings of sherd train that say how. The row and these options say on what and "
        "for how long: the file's shapes, pieces, rotations, degradation, texture, aggregation, numbers of "
        "puzzles, seeds and duration have no effect.",
    ),
]
CheckpointsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="With --train: keep the network of each row there, and what training needs to go on; the same "
        "command then goes on from it.",
    ),
]
JsonOption = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Also write the figures there, after every row.")
]
