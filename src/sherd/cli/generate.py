"""``sherd generate``: make a set of puzzles."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sherd.cli import options
from sherd.cli.console import INTERRUPTED, progress, say, say_error
from sherd.cli.many import ENDING, EngineOption, ShardOption, ShardsOption, WholeOption, keeping_of, say_shard
from sherd.core.errors import ArgumentError

if TYPE_CHECKING:
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
    context: typer.Context,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write: one puzzle a line (.jsonl), or compact, for large sets (.arrow).",
        ),
    ],
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
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that make puzzles.", show_default="1")
    ] = None,
    engine: EngineOption = "local",
    shards: ShardsOption = None,
    shard: ShardOption = None,
    whole: WholeOption = False,
) -> None:
    """Make a set of puzzles with their answers.

    \b
    Example:
      sherd generate puzzles.jsonl --shape hexagon --pieces 16 --rotations free --count 1000
      sherd generate million.arrow --count 1000000 --workers 2
      sherd generate torn.jsonl --dissection broken --straight 0.5 --input binary-300+missing-1
    """
    from sherd.core.geometry import Rotations
    from sherd.generation.dataset import PuzzleKind, target_shape
    from sherd.generation.fragmentation import split as parts
    from sherd.generation.frame_words import FREELY
    from sherd.generation.observation import observation
    from sherd.generation.polyominoes import PENTOMINO_BOXES
    from sherd.io.atomic import LINES, check_ending
    from sherd.io.folder_lock import claimed
    from sherd.io.puzzle_files import ARROW
    from sherd.io.puzzle_sets import is_set
    from sherd.many.engine import using
    from sherd.many.generating import MakePuzzles
    from sherd.many.shards import frames, open_shards
    from sherd.many.share import share

    if not 1 <= count <= MOST_PUZZLES:
        raise ArgumentError(f"--count must be between 1 and {MOST_PUZZLES:,}, not {count:,}")
    if seed < 0:
        raise ArgumentError(f"--seed must be at least 0, not {seed}")
    if dissection is options.Dissection.LATTICE:
        shape = shape if _is_given(context, "shape") else FREELY
        if shape in PENTOMINO_BOXES and not _is_given(context, "pieces"):
            pieces = len(PENTOMINO_BOXES[shape].letters)
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
        raise ArgumentError(f"the {split.value} part of {count} puzzles is empty: ask for a larger --count")
    check_ending(out, LINES, ARROW)
    work = MakePuzzles(kind, seed, seen, compact=is_set(out))
    jobs = work.jobs(part)
    keeping, kept = keeping_of(context, shards, shard, whole), None
    if keeping is not None:
        plain = replace(work, compact=False)
        about = {"puzzles": plain, "part": part, ENDING: ARROW if work.compact else LINES}
        kept = open_shards(keeping, about, frames(), total=len(jobs))
    if keeping is not None and keeping.shard[1] > 1:
        with using(engine), progress("blocks", len(jobs)) as advance:
            for _ in share(work, jobs, workers=workers, shards=kept):
                advance()
        say_shard(keeping)
        return
    interrupted = False
    with (
        using(engine),
        claimed(out),
        _writing(out, kind) as add,
        progress("blocks", len(jobs)) as advance,
        closing(share(work, jobs, workers=workers, shards=kept)) as blocks,
    ):
        done = 0
        try:
            for job, block in zip(jobs, blocks, strict=True):
                add(block)
                done += len(job)
                advance()
        except KeyboardInterrupt:
            if not done:
                raise
            interrupted = True
    if interrupted:
        say_error(f"interrupted: {out} holds the first {done:,} of {len(part):,} puzzles")
        raise typer.Exit(INTERRUPTED)
    if out.is_file():  # and not the terminal or a pipe, into which the puzzles themselves have gone
        say(f"{out}: {done:,} {'puzzle' if done == 1 else 'puzzles'}")


@contextmanager
def _writing(out: Path, kind: PuzzleKind) -> Generator[Callable[[bytes], None]]:
    """A function that adds a block of puzzles to the file."""
    from sherd.io import writing_lines
    from sherd.io.puzzle_sets import is_set, writing_set

    if is_set(out):
        with writing_set(out, kind.shape.outline, kind.rotations) as rows:
            yield rows.write
        return
    with writing_lines(out) as lines:
        yield lines.write_block


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether an option was written in the command, and is not what it is by default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _find_shape(name: str) -> Shape:
    from sherd.generation.shapes import SHAPES, named_shape
    from sherd.io import read_shape

    is_file = name not in SHAPES and (Path(name).suffix != "" or "/" in name or Path(name).is_file())
    return read_shape(name) if is_file else named_shape(name)
