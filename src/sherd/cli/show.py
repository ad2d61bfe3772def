"""``sherd show``: draw a puzzle, an answer to it, or what was read of a drawing or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sherd.cli import pieces
from sherd.cli.console import PIECES_WIDTH, printable, say, say_note, say_table
from sherd.core.errors import ArgumentError

if TYPE_CHECKING:
    from sherd.core.assembly import Assembly
    from sherd.core.puzzle import Puzzle


def show(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Puzzles, JSON or JSONL; or a drawing, a picture or a folder of pictures."
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="PICTURE", help="The picture to write: .svg, .png or, step by step, .gif.")
    ],
    index: Annotated[int, typer.Option(help="Which puzzle of the file, counted from 0.")] = 0,
    truth: Annotated[bool, typer.Option("--truth", help="Show the answer that the file holds.")] = False,
    assembly: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Show this answer, as sherd assemble writes it.")
    ] = None,
    steps: Annotated[
        bool, typer.Option("--steps", help="Show the answer step by step, on one page.")
    ] = False,
    unit: pieces.UnitOption = None,
    mm_per_px: pieces.MmPerPxOption = None,
    background: pieces.BackgroundOption = None,
    sheet: pieces.SheetOption = None,
    settings: pieces.SettingsOption = None,
) -> None:
    """Draw a puzzle, an answer to it, or what was read of a drawing or a picture.

    An animation (.gif) or --steps shows the answer in --assembly, or else the one that the file holds. Of a
    drawing or a picture, the outlines that were read are shown with their names, over the scan where there
    is one, and a table tells their sizes.

    \b
    Example:
      sherd show puzzles.jsonl --index 3 --out puzzle.svg
      sherd show scan.png --out read.png
    """
    from sherd.core.puzzle import Sample
    from sherd.draw import draw_assembly, draw_puzzle, draw_steps, write, write_gif
    from sherd.io import read_one

    ending = out.suffix.lower()
    if ending not in (".svg", ".png", ".gif"):
        raise ArgumentError(f"{out}: a picture's file must end in .svg, .png or .gif")
    if index < 0:
        raise ArgumentError(f"--index must be at least 0, not {index}")
    if truth and assembly is not None:
        raise ArgumentError("--truth and --assembly are two different answers: choose one")
    if pieces.are_drawn(file):
        if ending == ".gif" or truth or steps or assembly is not None or index:
            raise ArgumentError("of a drawing or a picture only what was read is shown, as .svg or .png")
        options = pieces.PieceOptions(
            unit=unit, mm_per_px=mm_per_px, background=background, sheet=sheet, settings=settings
        )
        _show_read(file, options, out)
        return
    item = read_one(file, index)
    puzzle = item.puzzle if isinstance(item, Sample) else item
    answer: Assembly | None = None
    if not puzzle.has_target and (steps or ending == ".gif"):
        raise ArgumentError("steps are shown in a target, and this puzzle has none")
    if assembly is not None:
        answer = _read_answer(assembly, puzzle)
    elif truth or steps or ending == ".gif":
        if not isinstance(item, Sample):
            raise ArgumentError(
                f"{file}: puzzle {index} comes without an answer: give one with --assembly FILE"
            )
        answer = item.truth
    if answer is None:
        write(draw_puzzle(puzzle), out)
    elif ending == ".gif" or steps:
        made = _steps_of(answer)
        if ending == ".gif":
            write_gif(puzzle, made, out)
        else:
            write(draw_steps(puzzle, made), out)
    else:
        write(draw_assembly(puzzle, answer), out)
    say(f"{out}: written")


def _show_read(file: Path, options: pieces.PieceOptions, out: Path) -> None:
    """Draw what was read of somebody's own pieces, and say it in a table."""
    from rich.table import Table
    from rich.text import Text

    from sherd.draw import write
    from sherd.draw.reading import in_words
    from sherd.workshop.reading import picture_of

    drawing, _ = pieces.read_pieces(file, options)
    picture = picture_of(drawing)
    write(picture, out)
    table = Table("piece", "size and area", box=None)
    unit = "" if drawing.unit == "unknown" else drawing.unit
    for figure in drawing.figures:
        table.add_row(Text(printable(figure.id)), in_words(figure.polygon, unit))
    say_table(table, PIECES_WIDTH)
    say(picture.title)
    for note in drawing.notes:
        say_note(f"note: {note}", indent="  ")
    say(f"{out}: written")


def _read_answer(path: Path, puzzle: Puzzle) -> Assembly:
    """The answer in a file, if it is one to this puzzle."""
    from sherd.io import read_assembly
    from sherd.layout.side_by_side import side_by_side

    saved = read_assembly(path)
    answer = saved.assembly
    known = {fragment.id for fragment in puzzle.fragments}
    placements = [placement for group in saved.groups for placement in group.assembly]
    for placement in placements or answer:
        if placement.id not in known:
            raise ArgumentError(f"{path}: the puzzle has no fragment {placement.id!r}")
    return answer if saved.has_target else side_by_side(puzzle, saved.groups)


def _steps_of(answer: Assembly) -> list[Assembly]:
    """The answer after each of its placements."""
    from sherd.core.assembly import Assembly

    if not len(answer):
        raise ArgumentError("the answer places no fragment, so there are no steps to show")
    return [Assembly(answer.placements[:count]) for count in range(1, len(answer) + 1)]
