"""``sherd assemble`` for a drawing or a picture: what is in it, its answer, and what to build from."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import typer

from sherd.cli.answers import assemblies_in_words, attempts_in_words
from sherd.cli.console import INTERRUPTED, UNSOLVED, say, say_error, say_note, telling
from sherd.cli.deadline import LateError, Times, ending_when_over, left_out_when_over
from sherd.cli.groups import say_groups, say_hints, say_unplaced
from sherd.cli.interrupt import Interrupted, stopping_on_interrupt
from sherd.cli.one_writer import alone_in
from sherd.cli.pieces import read_pieces, say_job
from sherd.cli.plan_output import say_found
from sherd.cli.request import AssembleRequest
from sherd.core.clock import working_seconds
from sherd.core.errors import ArgumentError

if TYPE_CHECKING:
    from sherd.io import SavedAssembly
    from sherd.solvers import Assembler, Progress
    from sherd.workshop import Job, JobResult


# Files take about 0.4 s to write, and more for each corner of a drawing and each pixel of a piece.
# A limit may be passed by a second: what takes no longer needs none of it. However long reading took, this
# share of it is for solving.
SECONDS_TO_WRITE = 0.4
SECONDS_A_CORNER = 4e-5
SECONDS_A_PIXEL = 4e-7
SPARE = 0.8
LEAST_SHARE = 0.1
# The picture of what was read has no more than this share of the time that is left after reading.
PICTURE_SHARE = 0.25
# How busy a machine is, is told by reading: seconds for each second of work, if that was no moment.
LEAST_WORKED, MOST_BUSY = 0.1, 8.0
# The first answer of a machine, before what takes long without machine code.
FIRST_USE = "{} placed; whether they may lie otherwise takes longer this once: nothing is compiled yet"


def assemble_drawing(request: AssembleRequest) -> None:
    """Solve one drawing; Ctrl-C ends the search, and what was found by then is written, all of it."""
    from sherd.io import read_assembly
    from sherd.solvers import MaxSeconds
    from sherd.workshop import ASSEMBLIES, make_job
    from sherd.workshop.hints import write_hints
    from sherd.workshop.reading import write_reading
    from sherd.workshop.result import check_export, export_others

    if request.index is not None:
        raise ArgumentError("--index goes with files of puzzles only")
    if request.explain:
        raise ArgumentError("--explain goes with files of puzzles only")
    request.refuse_file_in_the_way()
    check_export(request.export, request.paper)
    assembler = request.make_assembler()
    # For loading, reading, solving and writing together.
    times = Times.within(request.seconds, working_seconds() - request.began)
    limit, begun = times.limit, process_time()
    start = None if request.start is None else read_assembly(request.start)  # before what takes longer
    with ending_when_over(limit, f"{request.file}: reading it (leave out what is no piece, or allow more)"):
        drawing, params = read_pieces(request.file, request.pieces, lambda: limit(0))
        job = make_job(drawing, params)
    kinds, _ = check_export(
        request.export, request.paper, has_target=job.puzzle.has_target or bool(job.outline)
    )
    say_job(job)
    if "png" in kinds:
        with left_out_when_over(MaxSeconds(PICTURE_SHARE * limit.seconds_left), "a picture of what was read"):
            shown = write_reading(drawing, request.out, job.name, no_target=params.no_target)
            say(f"what was read: {shown}")
    with stopping_on_interrupt() as stop:
        spent, worked = request.seconds - limit.seconds_left, process_time() - begun
        busy = min(max(spent / max(worked, LEAST_WORKED), 1.0), MOST_BUSY)
        seconds = max(LEAST_SHARE * request.seconds, limit.seconds_left - _to_write(job, request, busy))
        found = _assembled(job, request, start, assembler, stop, seconds, times)
        if request.most is not None and found.solved:  # before all that takes time to write
            say_note(assemblies_in_words(found.result, request.most))
        if request.refine:  # which may take as long again
            times = Times.within(_to_write(job, request, busy))
        files: tuple[Path, ...] = ()
        if not request.writes_nothing:
            with alone_in(request.out):  # what one process writes belongs together
                files = _written(found, request, times)
        job = found.job  # with the target that its pieces imply, where only the shape was known
        unit = "" if job.unit == "unknown" else job.unit
        if found.remark:
            say_note(found.remark)
        if not job.puzzle.has_target:
            say_groups(job.puzzle, found.result, unit)
        else:
            is_said = False
            if found.is_planned or not files:
                with left_out_when_over(times.written, "a table of the pieces"):
                    say_found(found, ASSEMBLIES if request.most is None else None)
                    is_said = True
            if not is_said and not found.solved:  # why it is not is known without a plan
                say_note(f"{found.verdict.in_words}: {found.result.reason}")
            if not found.solved:
                say_unplaced(found.result)
        if request.hints is not None:
            say_hints(found.result, request.hints, unit)
            with left_out_when_over(times.written, "pictures of the hints"):
                files += write_hints(job.puzzle, found.result, request.hints, request.out, found.name, unit)
        if request.verbose:
            for line in attempts_in_words(found.result):
                say_note(line)
        if files:
            say_note(f"written into {files[0].parent}/: {', '.join(path.name for path in files)}")
        if request.most is not None and found.solved:
            with left_out_when_over(times.written, "the other assemblies"):
                if others := export_others(found, request.out, request.export):
                    say_note(f"the others: {', '.join(path.name for path in others)}")
        say_note(in_one_line(found, files))
    if stop.pressed:
        say_error("interrupted: what was found by then is written")
        raise typer.Exit(INTERRUPTED)
    if request.check and not found.solved:
        raise typer.Exit(UNSOLVED)


def _written(found: JobResult, request: AssembleRequest, times: Times) -> tuple[Path, ...]:
    """Write what was asked for, the answer first; what there is no time for is left out, and that is said."""
    from sherd.workshop import export_plan
    from sherd.workshop.result import check_export, export_bare

    has_target = found.job.puzzle.has_target
    # Where nothing implied an outline, what needs a target is left out.
    formats = "all" if found.job.outline and not has_target else request.export
    kinds, _ = check_export(formats, request.paper, has_target=has_target)
    files: tuple[Path, ...] = ()
    left_out: list[str] = []
    for kind in kinds:
        try:
            with ending_when_over(times.written, kind):
                files += export_plan(found, request.out, kind, request.paper)
        except LateError:
            if kind == "json":
                files += (export_bare(found, request.out),)
                left_out.append("how pieces are held")
            else:
                left_out.append(kind)
    if left_out:
        say_note(f"left out for want of time: {', '.join(left_out)}")
    return files


def _to_write(job: Job, request: AssembleRequest, busy: float) -> float:
    """How many seconds files take to write, beyond those that any limit may be passed by.

    On a ``busy`` machine all takes so many times as long.
    """
    if request.writes_nothing:
        return 0.0
    pixels = sum(one.texture.grid.size_px**2 for one in job.figures if one.texture is not None)
    expected = SECONDS_TO_WRITE + SECONDS_A_CORNER * job.corners + SECONDS_A_PIXEL * pixels
    return min(max(busy * expected - SPARE, 0.0), request.seconds / 2.0)


def progress_in_words(so_far: Progress, every: int, seconds: float, *, has_target: bool) -> str:
    """How many pieces are placed, what is being tried, and how long that may take."""
    placed = len(so_far.assembly)
    limit = f"limit {seconds:g} s"
    if placed >= every and has_target:
        return f"all {every} pieces are placed; looking for other assemblies (Ctrl-C: enough); {limit}"
    trying = f"; trying {so_far.trying}" if so_far.trying else ""
    return f"{placed} of {every} pieces are placed{trying}; {limit}"


def in_one_line(found: JobResult, files: Sequence[Path]) -> str:
    """The verdict, how many pieces are placed, how long it took, and the file to open first."""
    job, result = found.job, found.result
    every = len(job.puzzle.fragments)
    placed = len(result.assembly) if job.puzzle.has_target else sum(len(group) for group in result.groups)
    first = next((path for path in files if path.suffix == ".pdf"), files[0] if files else None)
    see = "" if first is None else f"; see {first}"
    return f"{found.name}: {found.verdict.in_words}, {placed} of {every} pieces, {result.seconds:.1f} s{see}"


def _assembled(
    job: Job,
    request: AssembleRequest,
    start: SavedAssembly | None,
    assembler: Assembler,
    stop: Interrupted,
    seconds: float,
    times: Times,
) -> JobResult:
    """The answer; a line on the terminal tells how many pieces are placed so far.

    A search that does not end when asked is ended, and what it told with most pieces is the answer, beside
    the groups and joints that it told.
    """
    from sherd.core.plain_at_first import is_first_use
    from sherd.plan.table import counted
    from sherd.solvers import MaxSeconds
    from sherd.workshop import assemble_job
    from sherd.workshop.by_hand import SoFar, job_judged_before, job_that_lies_exactly, left_unjudged

    every = len(job.puzzle.fragments) - len(job.pinned)
    heard, is_told = SoFar(), False
    until = MaxSeconds(times.solved.seconds_left + (request.seconds if request.refine else 0.0))
    with telling(f"putting {counted(every, 'piece')} together") as tell:

        def on_progress(so_far: Progress) -> None:
            nonlocal is_told
            heard(so_far)
            if not is_told and len(heard.assembly) >= every and is_first_use():
                is_told = True
                say_error(FIRST_USE.format(counted(every, "piece")))
            tell(progress_in_words(so_far, every, request.seconds, has_target=job.puzzle.has_target))

        try:
            with ending_when_over(until, "solving"):
                return assemble_job(
                    job,
                    solver=assembler,
                    seconds=seconds,
                    seed=request.seed,
                    most=request.most,
                    refine=request.refine,
                    start=start,
                    keep=request.keep,
                    stop=stop,
                    on_progress=on_progress,
                )
        except LateError:
            solver, spent = request.solver, until.seconds
            with contextlib.suppress(LateError), ending_when_over(times.written, "judging"):
                for known in (job_that_lies_exactly, job_judged_before):
                    if (whole := known(job, heard, solver=solver, seconds=spent)) is not None:
                        return whole
            return left_unjudged(job, heard, solver=solver, seconds=spent)
