"""``sherd assemble`` for a drawing or a picture: what is in it, its answer, and what to build from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sherd.cli.console import INTERRUPTED, UNSOLVED, say, say_error, telling
from sherd.cli.interrupt import Interrupted, stopping_on_interrupt
from sherd.cli.pieces import PieceOptions, read_job, say_job
from sherd.cli.plans import (
    ASSEMBLIES,
    check_export_options,
    export_job,
    export_others,
    say_exported,
)
from sherd.core.errors import UnsupportedError

if TYPE_CHECKING:
    from sherd.io.drawings import Job
    from sherd.solvers import Assembler, Progress, Result

# These look for further assemblies of themselves; others give one.
THOROUGH = ("auto", "search")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """How a drawing is to be solved, and what is to be written about it."""

    solver: str
    seconds: float
    seed: int
    most: int | None
    refine: bool
    check: bool
    export: str
    paper: str


def assemble_drawing(file: Path, options: PieceOptions, wish: Wish, assembler: Assembler, out: Path) -> None:
    """Solve one drawing; Ctrl-C ends the search, and what was found by then is written, all of it."""
    formats, paper = check_export_options(wish.export, wish.paper)
    name = file.stem or file.resolve().name or "pieces"
    job = read_job(file, options)
    say_job(job)
    with stopping_on_interrupt() as stop:
        solver, result = _solved(job, wish, assembler, stop)
        if formats:
            out.mkdir(parents=True, exist_ok=True)
        exported = export_job(job, solver, result, name=name, out=out, formats=formats, paper=paper)
        say_exported(exported, wish.most or ASSEMBLIES)
        if wish.most is not None and exported.result.solved:
            others = export_others(job, solver, result, name=name, out=out, formats=formats, paper=paper)
            if others:
                say(f"the others as {name}.2 and so on: {len(others):,} files")
    if stop.pressed:
        say_error("interrupted: what was found by then is written")
        raise typer.Exit(INTERRUPTED)
    if wish.check and not exported.result.solved:
        raise typer.Exit(UNSOLVED)


def _solved(job: Job, wish: Wish, assembler: Assembler, stop: Interrupted) -> tuple[str, Result]:
    """The solver that served, and its result."""
    import numpy as np

    from sherd.core.assembly import Assembly
    from sherd.core.geometry import size_of
    from sherd.core.verdict import Verdict
    from sherd.layout.layout import TOUCH_SHARE
    from sherd.plan.table import counted
    from sherd.solvers import MaxSeconds, Result, refine_result
    from sherd.workshop.foreign import assemble_own
    from sherd.workshop.pinned import assemble_pinned

    try:
        puzzle, is_parted = job.to_solve(), False
    except UnsupportedError:
        puzzle, is_parted = job.puzzle, True
    if puzzle is None:
        return "pins", Result(
            assembly=Assembly(), objective=0.0, evaluations=0, verdict=Verdict(state="solved")
        )
    most = wish.most if wish.most is not None or wish.solver not in THOROUGH or wish.refine else ASSEMBLIES
    every = len(puzzle.fragments)
    with telling(f"putting {counted(every, 'piece')} together") as tell:

        def on_progress(so_far: Progress) -> None:
            placed = len(so_far.assembly)
            tell(
                f"{placed} of {every} pieces are placed"
                if placed < every
                else f"all {every} pieces are placed; looking for other assemblies (Ctrl-C: enough)"
            )

        rng = np.random.default_rng([wish.seed, 0])
        if is_parted:
            touch = job.tolerance or TOUCH_SHARE * size_of(puzzle.target)
            assemble = partial(assemble_pinned, assembler, puzzle, job.pinned, touch)
        else:
            assemble = partial(assemble_own, assembler, puzzle, most=most)
        solver, result = assemble(seconds=wish.seconds, rng=rng, stop=stop, on_progress=on_progress)
        if wish.refine and not stop.pressed:
            result = refine_result(puzzle, result, stop=MaxSeconds(wish.seconds))
    if stop.pressed and not result.solved:
        result = replace(result, remark=f"interrupted with {len(result.assembly)} of {every} pieces placed")
    return solver, result
