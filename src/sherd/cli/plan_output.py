"""What ``sherd assemble`` says about a drawing's pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from sherd.cli.answers import assemblies_in_words
from sherd.cli.console import PIECES_WIDTH, printable, say, say_table

if TYPE_CHECKING:
    from sherd.plan import Plan
    from sherd.workshop import JobResult

# A longer table is cut here; the CSV file has all rows.
MOST_ROWS = 50
MOST_NAMES = 10

ExportOption = Annotated[
    str,
    typer.Option(
        "--export",
        metavar="LIST",
        help="All; none, to be told alone what is found; or, for a drawing, some of "
        "json,svg,dxf,geojson,png,pdf,csv,gaps,photo.",
    ),
]
PaperOption = Annotated[
    str, typer.Option("--paper", metavar="SIZE", help="Paper of the plan at full size: a4, a3 or letter.")
]


def say_found(found: JobResult, most: int | None) -> None:
    """The table of pieces, whether that is all, what is set aside and what stays open.

    ``most`` is how many assemblies were looked for, None if what came of it was told before.
    """
    plan = found.plan
    if plan.steps:
        _say_pieces(plan)
    say(_verdict_in_words(found))
    for line in _remarks(plan):
        say(line)
    if found.solved and most is not None:
        say(assemblies_in_words(found.result, most))


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
    say_table(table, PIECES_WIDTH)
    if len(plan.steps) > MOST_ROWS:
        say(f"and {len(plan.steps) - MOST_ROWS:,} more")


def _verdict_in_words(found: JobResult) -> str:
    """How many pieces are placed, and what stands against it where that is no solution."""
    from sherd.plan.table import counted, measured

    if not found.solved:
        return f"{found.verdict.in_words}: {found.result.reason}"
    plan = found.plan
    placed, every = len(plan.steps), counted(len(plan.layout.pieces), "piece")
    pieces = f"all {every}" if placed == len(plan.layout.pieces) else f"{placed:,} of {every}"
    how = "fit, but do not fill the target" if plan.gaps else "fill the target"
    deepest = max((hold.overlap for hold in plan.holds.values()), default=0.0)
    unit = f" {plan.layout.unit}" if plan.layout.unit else ""
    # Less than what is shown of lengths is rounding.
    overlap = f", and overlap by up to {measured(deepest)}{unit}" if measured(deepest) != "0" else ""
    within = f"; {found.verdict.within_in_words}" if found.verdict.within else ""
    return f"solved: {pieces} placed; they {how}{overlap}{within}"


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
