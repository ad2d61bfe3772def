"""``sherd generate``: make a set of puzzles."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sherd.cli import options
from sherd.cli.console import INTERRUPTED, progress, say, say_error

if TYPE_CHECKING:
    from sherd.core.puzzle import Puzzle, Sample
    from sherd.generation.dataset import PuzzleKind
    from sherd.generation.shapes import Shape

MOST_PUZZLES = 1_000_000_000
EXACT = "exact"


class Split(StrEnum):
    """Which part of the set is written."""

    ALL = "all"
    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


def generate(
    out: Annotated[Path, typer.Argument(metavar="OUT.jsonl", help="The file to write, one puzzle a line.")],
    shape: Annotated[
        str,
        typer.Option(
            metavar="NAME|polygon:N|FILE",
            help="square, pentagon, hexagon, mondrian, released-hexagon, a regular polygon of N sides, with "
            "merged pieces also star, cross, ell, tee, arrow, or a file with an outline: "
            '{"exterior": [[x, y], ...]}. '
            f"{options.SILHOUETTES_HELP}",
        ),
    ] = "square",
    pieces: options.PiecesOption = 8,
    rotations: options.RotationsOption = "1",
    count: Annotated[int, typer.Option(help="Puzzles in the set.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same set.")] = 0,
    dissection: options.DissectionOption = options.Dissection.CUTS,
    roughness: options.RoughnessOption = None,
    straight: options.StraightOption = 0.0,
    seen: options.SeenOption = EXACT,
    mirror: options.MirrorOption = False,
    order: options.OrderOption = options.Order.BOTTOM_LEFT,
    degradation: options.DegradationOption = options.Degradation.NONE,
    strength: options.StrengthOption = 1.0,
    noise: options.NoiseOption = 0.0,
    texture: options.TextureOption = None,
    split: Annotated[
        Split, typer.Option(help="Write only the first 64 %, the next 16 % or the last 20 % of the set.")
    ] = Split.ALL,
) -> None:
    """Make a set of puzzles with their answers.

    \b
    Example:
      sherd generate puzzles.jsonl --shape hexagon --pieces 16 --rotations free --count 1000
      sherd generate torn.jsonl --dissection broken --straight 0.5 --input binary-300+missing-1
    """
    from sherd.core.geometry import Rotations
    from sherd.generation.dataset import PuzzleKind, target_shape
    from sherd.generation.fragmentation import split as parts
    from sherd.generation.observation import observation
    from sherd.io import puzzle_to_line, writing_lines

    if not 1 <= count <= MOST_PUZZLES:
        raise ValueError(f"--count must be between 1 and {MOST_PUZZLES:,}, not {count:,}")
    if seed < 0:
        raise ValueError(f"--seed must be at least 0, not {seed}")
    kind = PuzzleKind(
        shape=target_shape(shape, dissection.value)
        if dissection in (options.Dissection.TANGRAM, options.Dissection.LATTICE)
        else _find_shape(shape),
        pieces=pieces,
        rotations=Rotations.parse(rotations),
        order=order.value,
        degradation=degradation.value,
        strength=strength,
        noise=noise,
        texture=texture,
        dissection=dissection.value,
        mirror=mirror,
        roughness=roughness,
        straight=straight,
    )
    observation(seen)  # which checks it
    part = range(count) if split is Split.ALL else parts(count)[split.value]
    if not part:
        raise ValueError(f"the {split.value} part of {count} puzzles is empty: ask for a larger --count")
    interrupted = False
    with writing_lines(out) as lines, progress("puzzles", len(part)) as advance:
        try:
            for item in _puzzles(kind, seen, seed, part):
                lines.write(puzzle_to_line(item))
                advance()
        except KeyboardInterrupt:
            if not lines.count:
                raise
            interrupted = True
    if interrupted:
        say_error(f"interrupted: {out} holds the first {lines.count:,} of {len(part):,} puzzles")
        raise typer.Exit(INTERRUPTED)
    if out.is_file():  # and not the terminal or a pipe, into which the puzzles themselves have gone
        say(f"{out}: {lines.count:,} {'puzzle' if lines.count == 1 else 'puzzles'}")


def _puzzles(kind: PuzzleKind, seen: str, seed: int, part: range) -> Iterator[Sample | Puzzle]:
    """The puzzles with their answers, but for those with pieces that belong nowhere."""
    from sherd.core.puzzle import Sample
    from sherd.generation.dataset import make_observed, make_samples

    if seen == EXACT:
        yield from make_samples(kind, seed=seed, start=part.start, stop=part.stop)
        return
    for found in make_observed(kind, seen, seed=seed, start=part.start, stop=part.stop):
        yield found.puzzle if found.foreign else Sample(found.puzzle, found.truth)


def _find_shape(name: str) -> Shape:
    from sherd.generation.shapes import SHAPES, named_shape
    from sherd.io import read_shape

    is_file = name not in SHAPES and (Path(name).suffix != "" or "/" in name or Path(name).is_file())
    return read_shape(name) if is_file else named_shape(name)
