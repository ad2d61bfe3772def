"""What ``sherd assemble`` writes and says about a drawing's pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sherd.cli.answers import answer_to_save, assemblies_in_words
from sherd.cli.console import printable, say, say_table

if TYPE_CHECKING:
    from sherd.io.drawings import Job
    from sherd.plan import Plan
    from sherd.solvers import Result

# A longer table is cut here; the CSV file has all rows.
MOST_ROWS = 50
MOST_NAMES = 10
# How many assemblies of a drawing to look for, unless --all says so: one more is enough to doubt a place.
ASSEMBLIES = 5

ExportOption = Annotated[
    str,
    typer.Option(
        "--export",
        metavar="LIST",
        help="For a drawing: all, none, or some of json,svg,dxf,geojson,png,pdf,csv,gaps.",
    ),
]
PaperOption = Annotated[
    str, typer.Option("--paper", metavar="SIZE", help="Paper of the plan at full size: a4, a3 or letter.")
]


@dataclass(frozen=True)
class Exported:
    """What was written for one answer, pinned pieces included, and the plan behind it."""

    plan: Plan
    result: Result
    files: tuple[Path, ...]


def check_export_options(export: str, paper: str) -> tuple[tuple[str, ...], str]:
    """The formats and the paper asked for; `ValueError` before any work is done if there are no such."""
    from sherd.plan.files import parse_formats
    from sherd.plan.paper import PAPERS

    if paper.casefold() not in PAPERS:
        raise ValueError(f"--paper must be one of {', '.join(PAPERS)}, not {paper!r}")
    return parse_formats(export), paper.casefold()


def export_job(
    job: Job,
    solver: str,
    result: Result,
    *,
    name: str,
    out: Path,
    formats: tuple[str, ...],
    paper: str = "a4",
) -> Exported:
    """Write an answer to ``job.to_solve()`` into a folder, pinned pieces included; it says nothing."""
    from sherd.core.metrics import measure
    from sherd.plan import plan_result
    from sherd.plan.files import export
    from sherd.workshop.job_layout import lay_out_job

    whole = replace(
        result,
        assembly=job.complete(result.assembly),
        alternatives=tuple(job.complete(other) for other in result.alternatives),
    )
    plan = plan_result(lay_out_job(job, whole.assembly, name=name), job.puzzle, whole)
    whole = _judged(whole, plan, job)
    found = measure(whole.assembly, job.puzzle)
    saved = answer_to_save(whole.assembly, job.puzzle, solver, whole, found, counted=True)
    caption = f"{name}: {found.coverage:.1%} of the target is covered"
    return Exported(plan, whole, export(plan, saved, out, formats, paper=paper, caption=caption))


def _judged(result: Result, plan: Plan, job: Job) -> Result:
    """The result, not solved if pins cannot be kept, or a piece lies deeper in others than is tolerated."""
    from sherd.io.drawings import about_pins
    from sherd.plan.table import measured

    against = about_pins(job)
    deepest = max((hold.overlap for hold in plan.holds.values()), default=0.0)
    if job.puzzle.tolerance is not None and deepest > job.puzzle.tolerance:
        unit = f" {plan.layout.unit}" if plan.layout.unit else ""
        against.append(f"pieces overlap, or stick out, by up to {measured(deepest)}{unit}")
    if not against or not result.solved:
        return result
    verdict = replace(result.verdict, state="not solved", against=tuple(against))
    return replace(result, verdict=verdict, remark="")


def export_others(
    job: Job,
    solver: str,
    result: Result,
    *,
    name: str,
    out: Path,
    formats: tuple[str, ...],
    paper: str = "a4",
) -> tuple[Path, ...]:
    """Write the further assemblies of a result in the same way, as NAME.2 and so on."""
    every = (result.assembly, *result.alternatives)
    files: list[Path] = []
    for k, assembly in enumerate(every[1:], start=1):
        turned = replace(result, assembly=assembly, alternatives=(*every[:k], *every[k + 1 :]))
        files += export_job(
            job, solver, turned, name=f"{name}.{k + 1}", out=out, formats=formats, paper=paper
        ).files
    return tuple(files)


def say_exported(exported: Exported, most: int = ASSEMBLIES) -> None:
    """The table of pieces, whether that is all, what is set aside and what stays open, and the files.

    ``most`` is how many assemblies were asked for.
    """
    plan, result = exported.plan, exported.result
    if plan.steps:
        _say_pieces(plan)
    say(_verdict(plan, result))
    for line in _remarks(plan):
        say(line)
    if result.solved:
        say(assemblies_in_words(result, most))
    if exported.files:
        names = ", ".join(path.name for path in exported.files)
        say(f"written into {exported.files[0].parent}/: {names}")


def _say_pieces(plan: Plan) -> None:
    from rich.table import Table
    from rich.text import Text

    from sherd.plan.table import measured

    unit = f", {plan.layout.unit}" if plan.layout.unit else ""
    table = Table()
    for heading in ("no.", "piece", "held", f"along{unit}", f"gap{unit}", f"overlap{unit}", "sure"):
        table.add_column(
            heading, justify="left" if heading in ("piece", "sure") else "right", overflow="fold"
        )
    for step in plan.steps[:MOST_ROWS]:
        hold = plan.holds[step.id]
        table.add_row(
            str(step.number),
            Text(printable(step.id)),
            f"{hold.share:.0%}",
            measured(hold.contact),
            measured(hold.gap),
            measured(hold.overlap),
            hold.band + (", may lie elsewhere" if hold.elsewhere else ", slides" if hold.slides else ""),
        )
    say_table(table)
    if len(plan.steps) > MOST_ROWS:
        say(f"and {len(plan.steps) - MOST_ROWS:,} more")


def _verdict(plan: Plan, result: Result) -> str:
    """How many pieces are placed, and what stands against it where that is no solution."""
    from sherd.plan.table import counted

    if not result.solved:
        return f"not solved: {result.reason}"
    placed, every = len(plan.steps), counted(len(plan.layout.pieces), "piece")
    pieces = f"all {every}" if placed == len(plan.layout.pieces) else f"{placed:,} of {every}"
    how = "fit, but do not fill the target" if plan.gaps else "fill the target"
    return f"solved: {pieces} placed; they {how}"


def _remarks(plan: Plan) -> Iterator[str]:
    from sherd.io.drawings.figures import some_of
    from sherd.plan.table import counted, measured

    reasons: dict[str, list[str]] = {}
    for name, reason in plan.layout.set_aside.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        yield f"set aside ({reason}): {some_of(names, MOST_NAMES)}"
    if plan.gaps:
        square = f" {plan.layout.unit}²" if plan.layout.unit else ""
        areas = ", ".join(f"{measured(gap.area)}{square}" for gap in plan.gaps[:MOST_NAMES])
        yield f"open: {counted(len(plan.gaps), 'gap')} of {areas}{', ...' * (len(plan.gaps) > MOST_NAMES)}"
