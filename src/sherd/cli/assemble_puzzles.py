"""``sherd assemble`` for files of puzzles: a table, and an answer and a picture of each."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sherd.cli.answers import assemblies_in_words, attempts_in_words, remarks_on
from sherd.cli.console import INTERRUPTED, UNSOLVED, printable, progress, say, say_error, say_note, say_table
from sherd.cli.deadline import LateError, Times, ending_when_over, left_out_when_over
from sherd.cli.groups import hints_in_words, right_in_words
from sherd.cli.interrupt import Interrupted, stopping_on_interrupt
from sherd.cli.many import say_shard
from sherd.cli.one_writer import alone_in
from sherd.cli.request import AssembleRequest
from sherd.core.clock import working_seconds
from sherd.core.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np

    from sherd.core.puzzle import Puzzle, Sample
    from sherd.io import SavedAssembly
    from sherd.solvers import Assembler, Result
    from sherd.solvers.base import ExplainingSolver

# A longer table is cut here; the means below it are those of all puzzles.
MOST_ROWS = 50
# Larger files are read twice, since all puzzles are checked before the first is solved.
MOST_KEPT_BYTES = 2**24


@dataclass(frozen=True)
class AnswerRow:
    """One line of the table; ``whole`` is the coverage of the whole target, damage or not.

    ``remarks`` are what there is to say beside the figures, such as why the puzzle was not solved. Not the
    answer but another assembly of the puzzle before it is ``is_other``, and does not count.
    """

    name: str
    pieces: int
    whole: float
    saved: SavedAssembly
    remarks: tuple[str, ...] = ()
    is_other: bool = False


def assemble_puzzles(request: AssembleRequest) -> None:
    """Solve the puzzles of a file; Ctrl-C ends the one at hand, and those before it are kept."""
    import numpy as np

    request.pieces.refuse_any()
    if request.start is not None:
        raise ArgumentError("--start goes with drawings and pictures only")
    if request.writes_nothing and (request.is_shared or request.explain or request.hints is not None):
        raise ArgumentError("--export none writes nothing: not for several workers, --explain or --hints")
    assembler, explainer = request.make_all()
    file = request.file
    total, items = _read(file, request.index)
    request.refuse_file_in_the_way()
    if request.is_shared and request.index is None and (total > 1 or request.keeping is not None):
        # Parts of one run may go into one folder side by side.
        request.out.mkdir(parents=True, exist_ok=True)
        with alone_in(request.out) if request.keeping is None else contextlib.nullcontext():
            _assemble_shared(request, total, items)
        return
    rows: list[AnswerRow] = []
    done = 0
    with (
        progress("puzzles", total) as advance,
        stopping_on_interrupt() as stop,
        contextlib.suppress(KeyboardInterrupt),  # pressed twice
        alone_in(request.out),
    ):
        for number, item in items:
            name = file.stem if total == 1 and request.index is None else f"{file.stem}-{number}"
            rng = np.random.default_rng([request.seed, number])
            rows += assemble_one(request, item, name, assembler, explainer, rng, stop, say_note)
            done += 1
            advance()
            if stop.pressed:
                break
    if stop.pressed:
        _end(request, rows, total, f"{done:,} of {total:,} puzzles are written, the last as far as it was")
    _end(request, rows, total)


def _assemble_shared(
    request: AssembleRequest, total: int, items: Iterator[tuple[int, Puzzle | Sample]]
) -> None:
    """The same by several workers; Ctrl-C ends those at hand, and the puzzles before them are kept."""
    from sherd.cli.assemble_many import answer_all
    from sherd.io import read_assembly
    from sherd.many.engine import using

    stem = request.file.stem
    named = ((number, f"{stem}-{number}" if total > 1 else stem, item) for number, item in items)
    rows: list[AnswerRow] = []
    done = 0
    try:
        with using(request.engine), progress("puzzles", total) as advance:
            for number, name, pieces, whole, remarks in answer_all(request, named, total):
                saved = read_assembly(request.out / f"{name}.assembly.json")
                rows.append(AnswerRow(name, pieces, whole, saved, remarks, is_other=number == done))
                if number > done:
                    done = number
                    advance()
    except KeyboardInterrupt:
        _end(request, rows, total, f"{done:,} of {total:,} puzzles are written")
    if request.keeping is not None and request.keeping.shard[1] > 1:
        say_shard(request.keeping)
        return
    _end(request, rows, total)


def _end(request: AssembleRequest, rows: list[AnswerRow], total: int, interrupted: str | None = None) -> None:
    """Say what came of the puzzles, and end as that wants it."""
    if rows:
        _say_rows(rows, None if request.writes_nothing else request.out)
    if interrupted is not None:
        say_error(f"interrupted: {interrupted}")
        raise typer.Exit(INTERRUPTED)
    unsolved = sum(not row.saved.solved for row in rows if not row.is_other)
    if request.check and unsolved:
        say_error(f"{unsolved:,} of {total:,} puzzles not solved")
        raise typer.Exit(UNSOLVED)


def _read(file: Path, index: int | None) -> tuple[int, Iterator[tuple[int, Puzzle | Sample]]]:
    """How many puzzles there are to solve, and those with their numbers; all are checked beforehand."""
    from sherd.io import read_all, read_one
    from sherd.io.puzzle_sets import PuzzleSet, is_set

    if index is not None:
        return 1, iter([(index, read_one(file, index))])
    if is_set(file):
        return len(PuzzleSet(file)), enumerate(read_all(file))
    # A pipe can be read only once, and what is small, or one puzzle, is kept.
    if not file.is_file() or file.stat().st_size <= MOST_KEPT_BYTES or file.suffix.lower() == ".json":
        items = list(read_all(file))
        return len(items), enumerate(items)
    return sum(1 for _ in read_all(file)), enumerate(read_all(file))


def assemble_one(
    request: AssembleRequest,
    item: Puzzle | Sample,
    name: str,
    assembler: Assembler,
    explainer: ExplainingSolver | None,
    rng: np.random.Generator,
    stop: Interrupted,
    tell: Callable[[str], None] | None = None,
) -> list[AnswerRow]:
    """Solve one puzzle and write two files for each of its assemblies, one unless more are asked for.

    How many there are is told before they are written; what there is no time to write is left out.
    """
    from sherd.core.metrics import Scores, measure, score
    from sherd.core.puzzle import Sample
    from sherd.draw import draw_assembly, write
    from sherd.draw.score_maps import draw_scores
    from sherd.io import write_assembly
    from sherd.solvers import AnyOf, MaxSeconds, refine_result
    from sherd.solvers.run import each_judged
    from sherd.workshop.hints import write_hints
    from sherd.workshop.saving import answer_to_save

    out, most, seconds = request.out, request.most, request.seconds
    puzzle = item.puzzle if isinstance(item, Sample) else item
    if request.pieces.no_target:
        puzzle = puzzle.without_target()
    times = Times.within(seconds, assembler.load())  # which takes as long as networks are large
    solver, result = _solved(puzzle, request, assembler, rng, stop, times)
    if not puzzle.has_target:
        return [_write_groups(request, item, puzzle, name, solver, result, times)]
    if explainer is not None and result.trace:
        maps = list(islice(explainer.explain(puzzle), len(result.trace)))
        seen = draw_scores(puzzle, result.trace, maps, result.certainty, result.chances)
        write(seen, out / f"{name}.explain.svg")
    if request.refine:
        result = refine_result(puzzle, result, stop=AnyOf((MaxSeconds(seconds), stop)))
    if explainer is not None or request.refine:  # which may take as long again
        times = Times.within(0.0)
    if stop.pressed and not result.solved:
        result = replace(result, remark="interrupted")
    if most is not None and result.solved and tell is not None:
        tell(f"{name}: {assemblies_in_words(result, most)}")  # before all that takes time to write
    rows: list[AnswerRow] = []
    for number, one in enumerate(each_judged(puzzle, result), start=1):
        if number > 1 and (request.writes_nothing or times.written.seconds_left <= 0.0):
            break
        assembly = one.assembly
        own_name = name if number == 1 else f"{name}.{number}"
        found = score(assembly, item) if isinstance(item, Sample) else measure(assembly, puzzle)
        saved = answer_to_save(puzzle, solver, one, found, counted=most is not None)
        if not request.writes_nothing:
            write_assembly(out / f"{own_name}.assembly.json", saved)
            caption = f"{solver}: coverage {found.coverage:.3f}, IoU {found.iou:.3f}, {result.seconds:.2f} s"
            with left_out_when_over(times.written, f"{own_name}.svg"):
                write(draw_assembly(puzzle, assembly, caption=caption), out / f"{own_name}.svg")
        whole = found.coverage_whole if isinstance(found, Scores) else found.coverage
        said = most if tell is None else None
        remarks = remarks_on(puzzle, one, said) if number == 1 or not one.solved else ()
        if request.verbose and number == 1:
            remarks = (*remarks, *attempts_in_words(result))
        if request.hints is not None and number == 1:
            remarks = (*remarks, *hints_in_words(result, request.hints))
            with left_out_when_over(times.written, "pictures of the hints"):
                write_hints(puzzle, result, request.hints, out, name)
        rows.append(AnswerRow(own_name, len(puzzle.fragments), whole, saved, remarks, is_other=number > 1))
    if (left := len(result.alternatives) + 1 - len(rows)) and not request.writes_nothing:
        words = "assembly" if left == 1 else "assemblies"
        told = f"{left:,} further {words} left out for want of time; a longer limit, or --export none"
        rows[0] = replace(rows[0], remarks=(*rows[0].remarks, told))
    return rows


def _solved(
    puzzle: Puzzle,
    request: AssembleRequest,
    assembler: Assembler,
    rng: np.random.Generator,
    stop: Interrupted,
    times: Times,
) -> tuple[str, Result]:
    """Who solved the puzzle, and the answer; of a search that does not end, the one with most pieces."""
    from sherd.workshop.by_hand import SoFar, judged_before, judged_late, lies_exactly, unjudged

    heard, started = SoFar(), working_seconds()
    try:
        with ending_when_over(times.solved, "solving"):
            return assembler(
                puzzle,
                seconds=times.limit.seconds,
                rng=rng,
                most=request.most,
                stop=stop,
                on_progress=heard,
            )
    except LateError:
        seconds = working_seconds() - started
        with contextlib.suppress(LateError), ending_when_over(times.written, "judging"):
            for known in (lies_exactly, judged_before):
                if (whole := known(puzzle, heard, seconds=seconds)) is not None:
                    return request.solver, whole
            return request.solver, judged_late(puzzle, heard, seconds=seconds)
        return request.solver, unjudged(puzzle, heard, seconds=seconds)


def _write_groups(
    request: AssembleRequest,
    item: Puzzle | Sample,
    puzzle: Puzzle,
    name: str,
    solver: str,
    result: Result,
    times: Times,
) -> AnswerRow:
    """Write the groups found without a target, and what there is to say of them."""
    from sherd.core.puzzle import Sample
    from sherd.draw import draw_assembly, write
    from sherd.io import write_assembly
    from sherd.layout.side_by_side import side_by_side
    from sherd.workshop.groups import groups_in_words, groups_to_save
    from sherd.workshop.hints import write_hints

    if request.refine:
        raise ArgumentError("--refine moves pieces to cover more of a target, and there is none")
    saved = groups_to_save(puzzle, solver, result)
    words = groups_in_words(puzzle, result)
    write_assembly(request.out / f"{name}.assembly.json", saved)
    caption = f"{solver}: {words}, {result.seconds:.2f} s"
    with left_out_when_over(times.written, f"{name}.svg"):
        write(
            draw_assembly(puzzle, side_by_side(puzzle, result.groups), caption=caption),
            request.out / f"{name}.svg",
        )
    remarks = [words]
    if isinstance(item, Sample):
        remarks.append(right_in_words(item, result))
    remarks += remarks_on(puzzle, result, None)
    if request.hints is not None:
        remarks += hints_in_words(result, request.hints)
        with left_out_when_over(times.written, "pictures of the hints"):
            write_hints(puzzle, result, request.hints, request.out, name)
    return AnswerRow(name, len(puzzle.fragments), 0.0, saved, tuple(remarks))


def _say_rows(rows: list[AnswerRow], out: Path | None) -> None:
    """The table, what else there is to say of each, and where the answers are, if they were written."""
    _print_table(rows)
    for row in rows[:MOST_ROWS]:
        for remark in row.remarks:
            say_note(f"{row.name}: {remark}")
    if out is None:
        return
    say(f"{_written_in_words(rows, out)}: {out}/")


def _written_in_words(rows: list[AnswerRow], out: Path) -> str:
    """What was written: pictures may have been left out for want of time."""
    drawn = sum((out / f"{row.name}.svg").exists() for row in rows)
    if len(rows) == 1:
        return "answer and its picture" if drawn else "answer, without a picture"
    pictures = "their pictures" if drawn == len(rows) else f"{drawn:,} pictures"
    return f"{len(rows):,} answers and {pictures}"


def _print_table(rows: list[AnswerRow]) -> None:
    from rich.table import Table
    from rich.text import Text

    counted = [row for row in rows if not row.is_other]
    table = Table(show_footer=len(counted) > 1)
    aimed = [row for row in counted if row.saved.has_target]
    footer = (
        f"mean of {len(counted):,}",
        "",
        "",
        _mean_share([row.saved.coverage for row in aimed]),
        _mean_share([row.saved.iou for row in aimed]),
        _mean_share([row.whole for row in aimed]),
        f"{_mean([row.saved.overlap for row in counted]):.3f}",
        f"{_mean([row.saved.seconds for row in counted]):.3f}",
        f"{sum(row.saved.solved for row in counted):,} of {len(counted):,}",
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
            f"{saved.coverage:.3f}" if saved.has_target else "-",
            f"{saved.iou:.3f}" if saved.has_target else "-",
            f"{row.whole:.3f}" if saved.has_target else "-",
            f"{saved.overlap:.3f}",
            f"{saved.seconds:.3f}",
            "yes" if saved.solved else "no",
        )
    say_table(table)
    if len(rows) > MOST_ROWS:
        say(f"and {len(rows) - MOST_ROWS:,} more")


def _mean_share(values: list[float]) -> str:
    return f"{_mean(values):.3f}" if values else "-"


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
