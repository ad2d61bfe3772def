"""REPORT.md: one page with the paper's rows and ours beside them, from the records of past runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sherd.bench.cell import Cell
from sherd.bench.contour_report import contour_section
from sherd.bench.entries import Entry, counting, entries_of
from sherd.bench.published import PublishedRow, published_for, published_rows
from sherd.bench.record import Record
from sherd.bench.suites import BEYOND
from sherd.bench.tables import NOTHING, markdown_table

NOT_MEASURED = "not measured"
# Solvers of our own, shown on the paper's puzzles beside its network.
OUR_SOLVERS = ("matcher", "matcher-beam", "search")

INTRODUCTION = """\
# Report

Written by `sherd report`; do not edit. Every measured cell with all its figures, seed, commit and record is
in [experiments/results/all.csv](experiments/results/all.csv), and how it was measured in the records beside
it.

Published figures are those of *Learning to Assemble Geometric Shapes* (IJCAI 2022), over 1,000 puzzles each.
cov95 is the share of puzzles with a coverage of at least 0.95, cov and iou are means. The standard error
(s.e.) is that of our cov95, sqrt(p (1 - p) / n) over n puzzles; chance in training is not in it. A row
*passes* where our cov95 is above the published one by more than that, is *below* where it is as far beneath,
else *equal*.

Where a row was run more than once, the run over the most puzzles counts, and of those the latest; never the
best. Runs of its commit on other seeds are pooled with it. Variations, such as a network trained on endless
puzzles or without dropout, and runs on tuning seeds are in the CSV alone. So is the number of times that a
cell was evaluated on test puzzles.
"""


@dataclass(frozen=True)
class Pooled:
    """The figures of a cell over all the entries that count for it."""

    entries: tuple[Entry, ...]

    @property
    def count(self) -> int:
        """How many puzzles there were."""
        return sum(entry.result.count for entry in self.entries)

    def mean(self, figure: str) -> float:
        """A figure over all these puzzles."""
        values = (entry.result.count * getattr(entry.result.figures, figure) for entry in self.entries)
        return sum(values) / self.count

    @property
    def standard_error(self) -> float:
        """That of cov95."""
        return standard_error(self.mean("cov95"), self.count)

    def verdict(self, published: float) -> str:
        """Whether our cov95 passes the published one, by more than the standard error."""
        difference = self.mean("cov95") - published
        if abs(difference) <= self.standard_error:
            return "equal"
        return "passes" if difference > 0.0 else "below"

    @property
    def commit(self) -> str:
        """The commit that all of them were measured at."""
        return self.entries[0].record.commit


def standard_error(share: float, count: int) -> float:
    """That of a share of ``count`` independent puzzles.

    >>> standard_error(0.5, 100)
    0.05
    """
    return math.sqrt(share * (1.0 - share) / count)


def report_text(records: Mapping[str, Record]) -> str:
    """The whole report; the same records always give the same text."""
    pooled = {cell: Pooled(entries) for cell, entries in counting(entries_of(records)).items()}
    sections = "\n".join((INTRODUCTION, _paper(pooled), _our_solvers(pooled), _beyond(pooled)))
    return sections + contour_section(records)


def _paper(pooled: Mapping[Cell, Pooled]) -> str:
    """A line for each row of the paper."""
    header = ["table", "puzzles", "method", "cov95 published", "ours", "s.e.", "verdict"]
    header += ["cov published", "ours", "iou published", "ours", "n", "seeds", "commit"]
    lines = [_paper_line(row, pooled.get(row.cell)) for row in published_rows()]
    verdicts = Counter(line[6] for line in lines)
    said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    return f"## The paper's {len(lines)} rows\n\nVerdicts: {said}.\n\n{markdown_table(header, lines)}"


def _paper_line(row: PublishedRow, ours: Pooled | None) -> list[str]:
    published = row.figures
    line = [f"{published.table}", row.cell.puzzle_label, row.cell.solver_label, f"{published.cov95:.3f}"]
    if ours is None:
        return [*line, NOTHING, NOTHING, NOT_MEASURED] + _pairs(row, ours) + [NOTHING] * 3
    line += [f"{ours.mean('cov95'):.3f}", f"{ours.standard_error:.3f}", ours.verdict(published.cov95)]
    return line + _pairs(row, ours) + [f"{ours.count:,}", f"{len(ours.entries)}", f"`{ours.commit[:7]}`"]


def _pairs(row: PublishedRow, ours: Pooled | None) -> list[str]:
    """Mean coverage and IoU, published and ours."""
    return [
        text
        for figure in ("cov", "iou")
        for text in (
            f"{getattr(row.figures, figure):.3f}",
            NOTHING if ours is None else f"{ours.mean(figure):.3f}",
        )
    ]


def _our_solvers(pooled: Mapping[Cell, Pooled]) -> str:
    """Our own solvers on the paper's puzzles."""
    lines: list[list[str]] = []
    for puzzle in dict.fromkeys(row.cell.puzzle for row in published_rows()):
        published = published_for(puzzle.with_solver("fan"))
        assert published is not None  # the paper has its network on all of its puzzles
        ours = [pooled.get(puzzle.with_solver(solver)) for solver in OUR_SOLVERS]
        shown = [NOTHING if one is None else f"{one.mean('cov95'):.3f} of {one.count:,}" for one in ours]
        if any(one is not None for one in ours):
            lines.append([puzzle.puzzle_label, f"{published.cov95:.3f}", *shown])
    return _section(
        "## Our own solvers on the paper's puzzles",
        "cov95, and of how many puzzles.",
        ["puzzles", "FAN published", *OUR_SOLVERS],
        lines,
    )


def _beyond(pooled: Mapping[Cell, Pooled]) -> str:
    """The search on the suites beyond the paper, a line each."""
    lines: list[list[str]] = []
    for name, cells in BEYOND.items():
        measured = [(pooled[cell], cell) for cell in cells if cell in pooled]
        if not measured:
            continue
        lowest, where = min(measured, key=lambda pair: pair[0].mean("cov95"))
        means = [
            sum(one.mean(figure) for one, _ in measured) / len(measured) for figure in ("cov95", "solved")
        ]
        lines.append(
            [
                name,
                f"{len(measured)} of {len(cells)}",
                *(f"{mean:.3f}" for mean in means),
                f"{lowest.mean('cov95'):.3f}",
                where.puzzle_label if lowest.mean("cov95") < 1.0 else NOTHING,
            ]
        )
    return _section(
        "## The search beyond the paper",
        "Means over the cells of a suite, and its hardest cell.",
        ["suite", "cells measured", "cov95", "solved", "lowest cov95", "in"],
        lines,
    )


def _section(title: str, what: str, header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    if not lines:
        return f"{title}\n\nNothing measured yet.\n"
    return f"{title}\n\n{what}\n\n{markdown_table(header, lines)}"
