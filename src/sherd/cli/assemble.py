"""``sherd assemble``: solve puzzles, and write the answers and pictures of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sherd.cli import pieces
from sherd.cli.answers import answer_to_save, remarks_on
from sherd.cli.console import INTERRUPTED, UNSOLVED, printable, progress, say, say_error, say_table
from sherd.cli.drawn import Wish, assemble_drawing
from sherd.cli.interrupt import Interrupted, stopping_on_interrupt
from sherd.cli.plans import ExportOption, PaperOption

if TYPE_CHECKING:
    import numpy as np

    from sherd.core.puzzle import Puzzle, Sample
    from sherd.io import SavedAssembly
    from sherd.solvers import Assembler, Solver
    from sherd.solvers.base import ExplainingSolver

# A longer table is cut here; the means below it are those of all puzzles.
MOST_ROWS = 50


@dataclass(frozen=True)
class Row:
    """One line of the table; ``whole`` is the coverage of the whole target, damage or not.

    ``remarks`` are what there is to say beside the figures, such as why the puzzle was not solved.
    """

    name: str
    pieces: int
    whole: float
    saved: SavedAssembly
    remarks: tuple[str, ...] = ()


def assemble(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Puzzles (JSON or JSONL); or your own pieces: SVG, DXF, GeoJSON, WKT, CSV, COCO, an image, "
            "or a folder of images.",
        ),
    ],
    solver: Annotated[
        str, typer.Option(help="A solver's name; auto takes search, be the pieces painted or not.")
    ] = "auto",
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            "--stop-after",
            metavar="SECONDS",
            help="At most so long a puzzle; the best is kept.",
        ),
    ] = 10.0,
    weights: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR",
            help="With --solver fan, matcher or matcher-beam: weights that sherd train wrote.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same answer.")] = 0,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for answers and pictures.")] = Path(
        "assembled"
    ),
    index: Annotated[int | None, typer.Option(help="Only this puzzle of the file, counted from 0.")] = None,
    all_: Annotated[
        int | None,
        typer.Option(
            "--all",
            metavar="K",
            help="Look for up to K different assemblies, and say if there are no others.",
        ),
    ] = None,
    refine: Annotated[
        bool, typer.Option("--refine", help="Then move the pieces a little to cover more, for as long again.")
    ] = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="With --solver fan or matcher: draw what it held likely, NAME.explain.svg."
        ),
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a puzzle was not solved.")] = False,
    target: pieces.Target = None,
    unit: pieces.Unit = None,
    mm_per_px: pieces.MmPerPx = None,
    rotations: pieces.PieceRotations = None,
    mirror: pieces.Mirror = None,
    mirror_piece: pieces.MirrorPiece = None,
    kerf: pieces.Kerf = None,
    tolerance: pieces.Tolerance = None,
    pin: pieces.PinPiece = None,
    forbid: pieces.Forbid = None,
    settings: pieces.Settings = None,
    export: ExportOption = "all",
    paper: PaperOption = "a4",
) -> None:
    """Put puzzles, or your own pieces, together.

    Prints a table, and writes NAME.assembly.json and NAME.svg for each puzzle (NAME-INDEX where there are
    several), and NAME.2.assembly.json and so on for further assemblies. Where the file holds the truth,
    coverage and IoU leave out what damage took away; whole is the coverage of the whole target.
    With --explain, NAME.explain.svg shows what the network held likely before each step, the piece that it
    then placed and how sure it was; this takes about as long again.

    \b
    Example:
      sherd assemble puzzles.jsonl --time-limit 5 --out answers
      sherd assemble tangram.json --all 10
      sherd assemble pieces.svg --kerf 0.2 --out plan
      sherd assemble scan.png --mm-per-px 0.1 --target rect:297x210
    """
    import numpy as np

    from sherd.solvers import Assembler, MaxSeconds

    MaxSeconds(time_limit)  # checks it before any work is done
    if seed < 0:
        raise ValueError(f"--seed must be at least 0, not {seed}")
    if all_ is not None:
        if all_ < 1:
            raise ValueError(f"--all must be at least 1, not {all_}")
        if refine:
            raise ValueError("--refine does not go with --all, whose assemblies are exact")
    options = pieces.PieceOptions(
        target=target,
        unit=unit,
        mm_per_px=mm_per_px,
        rotations=rotations,
        mirror=mirror or None,
        mirror_piece=tuple(mirror_piece or ()),
        kerf=kerf,
        tolerance=tolerance,
        pin=tuple(pin or ()),
        forbid=tuple(forbid or ()),
        settings=settings,
    )
    explainer = _explainer(solver, weights) if explain else None
    assembler = Assembler(solver, explainer or _with_weights(solver, weights))
    if pieces.are_drawn(file):
        if index is not None:
            raise ValueError("--index goes with files of puzzles only")
        if explain:
            raise ValueError("--explain goes with files of puzzles only")
        wish = Wish(
            solver=solver,
            seconds=time_limit,
            seed=seed,
            most=all_,
            refine=refine,
            check=check,
            export=export,
            paper=paper,
        )
        _refuse_file(out)
        assemble_drawing(file, options, wish, assembler, out)
        return
    options.refuse_any()
    total, items = _read(file, index)
    _make_folder(out)
    rows: list[Row] = []
    done = 0
    with (
        progress("puzzles", total) as advance,
        stopping_on_interrupt() as stop,
        contextlib.suppress(KeyboardInterrupt),  # pressed twice
    ):
        for number, item in items:
            name = file.stem if total == 1 and index is None else f"{file.stem}-{number}"
            rng = np.random.default_rng([seed, number])
            rows += _assemble_one(item, name, out, assembler, time_limit, all_, refine, explainer, rng, stop)
            done += 1
            advance()
            if stop.pressed:
                break
    if rows:
        _print_table(rows)
        for row in rows[:MOST_ROWS]:
            for remark in row.remarks:
                say(f"{row.name}: {remark}")
        written = "answer and its picture" if len(rows) == 1 else f"{len(rows):,} answers and their pictures"
        say(f"{written}: {out}/")
    if stop.pressed:
        say_error(f"interrupted: {done:,} of {total:,} puzzles are written, the last as far as it was")
        raise typer.Exit(INTERRUPTED)
    if check and not all(row.saved.solved for row in rows):
        unsolved = sum(not row.saved.solved for row in rows)
        say_error(f"{unsolved:,} of {total:,} puzzles not solved")
        raise typer.Exit(UNSOLVED)


def _with_weights(solver: str, weights: Path | None) -> Solver | None:
    """The network with these weights; None leaves the choice to the registry."""
    if weights is None:
        return None
    from sherd.solvers.registry import load_solver

    return load_solver(solver, weights)


def _explainer(solver: str, weights: Path | None) -> ExplainingSolver:
    """A solver that can say what it held likely."""
    from sherd.solvers import SOLVERS, make_solver
    from sherd.solvers.base import ExplainingSolver

    made = _with_weights(solver, weights) or (make_solver(solver) if solver in SOLVERS else None)
    if not isinstance(made, ExplainingSolver):
        raise ValueError(f"--explain goes with --solver fan or matcher, not with {solver}")
    return made


def _read(file: Path, index: int | None) -> tuple[int, Iterator[tuple[int, Puzzle | Sample]]]:
    """How many puzzles there are to solve, and those with their numbers; all are checked beforehand."""
    from sherd.io import read_all, read_one

    if index is not None:
        if index < 0:
            raise ValueError(f"--index must be at least 0, not {index}")
        return 1, iter([(index, read_one(file, index))])
    if not file.is_file():  # a pipe can be read only once
        items = list(read_all(file))
        return len(items), enumerate(items)
    return sum(1 for _ in read_all(file)), enumerate(read_all(file))


def _refuse_file(out: Path) -> None:
    if any(part.exists() and not part.is_dir() for part in (out, *out.parents)):
        raise ValueError(f"{out}: there is a file in the way of this folder")


def _make_folder(out: Path) -> None:
    _refuse_file(out)
    out.mkdir(parents=True, exist_ok=True)


def _assemble_one(
    item: Puzzle | Sample,
    name: str,
    out: Path,
    assembler: Assembler,
    seconds: float,
    most: int | None,
    refined: bool,
    explainer: ExplainingSolver | None,
    rng: np.random.Generator,
    stop: Interrupted,
) -> list[Row]:
    """Solve one puzzle and write two files for each of its assemblies, one unless more are asked for."""
    from sherd.core.metrics import Scores, measure, score
    from sherd.core.puzzle import Sample
    from sherd.draw import draw_assembly, write
    from sherd.draw.scores import draw_scores
    from sherd.io import write_assembly
    from sherd.solvers import AnyOf, MaxSeconds, refine_result

    puzzle = item.puzzle if isinstance(item, Sample) else item
    solver, result = assembler(puzzle, seconds=seconds, rng=rng, most=most, stop=stop)
    if explainer is not None and result.trace:
        maps = list(islice(explainer.explain(puzzle), len(result.trace)))
        seen = draw_scores(puzzle, result.trace, maps, result.certainty, result.chances)
        write(seen, out / f"{name}.explain.svg")
    if refined:
        result = refine_result(puzzle, result, stop=AnyOf((MaxSeconds(seconds), stop)))
    if stop.pressed and not result.solved:
        result = replace(result, remark="interrupted")
    rows: list[Row] = []
    for number, assembly in enumerate((result.assembly, *result.alternatives), start=1):
        own_name = name if number == 1 else f"{name}.{number}"
        found = score(assembly, item) if isinstance(item, Sample) else measure(assembly, puzzle)
        saved = answer_to_save(assembly, puzzle, solver, result, found, counted=most is not None)
        caption = f"{solver}: coverage {found.coverage:.3f}, IoU {found.iou:.3f}, {result.seconds:.2f} s"
        write(draw_assembly(puzzle, assembly, caption=caption), out / f"{own_name}.svg")
        write_assembly(out / f"{own_name}.assembly.json", saved)
        whole = found.coverage_whole if isinstance(found, Scores) else found.coverage
        remarks = remarks_on(puzzle, result, most) if number == 1 else ()
        rows.append(Row(own_name, len(puzzle.fragments), whole, saved, remarks))
    return rows


def _print_table(rows: list[Row]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(show_footer=len(rows) > 1)
    footer = (
        f"mean of {len(rows):,}",
        "",
        "",
        f"{_mean([row.saved.coverage for row in rows]):.3f}",
        f"{_mean([row.saved.iou for row in rows]):.3f}",
        f"{_mean([row.whole for row in rows]):.3f}",
        f"{_mean([row.saved.overlap for row in rows]):.3f}",
        f"{_mean([row.saved.seconds for row in rows]):.3f}",
        f"{sum(row.saved.solved for row in rows):,} of {len(rows):,}",
    )
    headings = ("name", "pieces", "solver", "coverage", "IoU", "whole", "overlap", "seconds", "solved")
    for heading, below in zip(headings, footer, strict=True):
        is_text = heading in ("name", "solver", "solved")
        table.add_column(heading, below, justify="left" if is_text else "right", overflow="fold")
    for row in rows[:MOST_ROWS]:
        saved = row.saved
        table.add_row(
            Text(printable(row.name)),
            str(row.pieces),
            saved.solver,
            f"{saved.coverage:.3f}",
            f"{saved.iou:.3f}",
            f"{row.whole:.3f}",
            f"{saved.overlap:.3f}",
            f"{saved.seconds:.3f}",
            "yes" if saved.solved else "no",
        )
    say_table(table)
    if len(rows) > MOST_ROWS:
        say(f"and {len(rows) - MOST_ROWS:,} more")


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
