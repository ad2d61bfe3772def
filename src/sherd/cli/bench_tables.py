"""What ``sherd bench`` says of what was measured: a table a kind of puzzle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from sherd.bench.contour_record import ContourResult
    from sherd.bench.record import CellResult, Record

# So that the columns of all tables stand in line.
SOLVER_WIDTH = 20
CONTOUR_SOLVER_WIDTH = 9
GOAL_WIDTH = len("all right 0.99")


def tables_of(record: Record) -> list[Table]:
    """A table for each kind of puzzle, in the order in which they were measured."""
    cells, contours = record.cells, record.contours
    return [
        *(
            cell_table([one for one in cells if one.cell.puzzle == puzzle])
            for puzzle in dict.fromkeys(one.cell.puzzle for one in cells)
        ),
        *(
            contour_table([one for one in contours if one.cell.label == label])
            for label in dict.fromkeys(one.cell.label for one in contours)
        ),
    ]


def _titled(title: str, solver_width: int) -> Table:
    """An empty table with its title and first column."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0))
    table.add_column("solver", min_width=solver_width)
    return table


def contour_table(results: Sequence[ContourResult]) -> Table:
    """Figures on one kind of broken things, with what is aimed at beside them."""
    table = _titled(results[0].cell.label, CONTOUR_SOLVER_WIDTH)
    figures = (
        "all right",
        "overlap",
        "goal",
        "largest",
        "precision",
        "recall",
        "cov",
        "solved",
        "wrong",
        "seconds",
    )
    for name in ("count", *figures):
        table.add_column(name, justify="right", no_wrap=True, min_width=GOAL_WIDTH if name == "goal" else 6)
    for result in results:
        ours, cell = result.figures, result.cell
        goal = "" if cell.goal is None else f"{cell.measure.replace('_', ' ')} {cell.goal:.3g}"
        parts = (
            ours.largest_right,
            ours.joint_precision,
            ours.joint_recall,
            ours.cov,
            ours.solved,
            ours.wrong,
        )
        shown = ("" if share is None else f"{share:.3f}" for share in parts)
        reached = (f"{ours.all_right:.3f}", f"{ours.overlap:.3f}", goal)
        table.add_row(cell.solver, f"{result.count:,}", *reached, *shown, f"{ours.seconds_median:.2g}")
    return table


def cell_table(results: Sequence[CellResult]) -> Table:
    """Our figures on one kind of puzzle, and below them those that the paper reports for it."""
    table = _titled(results[0].cell.puzzle_label, SOLVER_WIDTH)
    for name in ("count", "cov95", "cov90", "cov", "iou", "whole", "right", "solved", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        ours = result.figures
        shares = (ours.cov95, ours.cov90, ours.cov, ours.iou, ours.coverage_whole, ours.posed_right)
        shown = (f"{share:.3f}" for share in (*shares, ours.solved))
        table.add_row(result.cell.solver_label, f"{result.count:,}", *shown, f"{ours.seconds_median:.2g}")
    for paper in dict.fromkeys(result.published for result in results):
        if paper is not None:
            shown = (f"{share:.3f}" for share in (paper.cov95, paper.cov90, paper.cov, paper.iou))
            seconds = "" if paper.seconds is None else str(paper.seconds)
            table.add_row(f"{paper.method}, published", "", *shown, "", "", "", seconds, style="dim")
    return table
