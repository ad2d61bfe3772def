"""The section of REPORT.md on broken things: goals, and how far they are reached."""

from __future__ import annotations

from collections.abc import Mapping

from sherd.bench.contour_record import ContourResult
from sherd.bench.contour_suites import CONTOUR_SUITES, ContourCell
from sherd.bench.entries import variation_of
from sherd.bench.markdown import NOTHING, markdown_table
from sherd.bench.record import Record
from sherd.bench.suites import FIRST_TEST_SEED

HEADER = ("puzzles", "goal", "all right", "overlap", "solved", "n", "commit")
INTRODUCTION = """
## Broken things

Rows with a goal: the latest run over the most puzzles of a test seed, by contours. All others are in
[contours.csv](experiments/results/contours.csv).

"""


def contour_section(records: Mapping[str, Record]) -> str:
    """The section, in the order of the suites; "" where nothing was measured."""
    counted = counting_contours(records)
    order = {cell.label: k for k, cell in enumerate(cell for row in CONTOUR_SUITES.values() for cell in row)}
    last = len(order)
    aimed = [one for one in counted.values() if one[0].cell.goal is not None]
    ranked = sorted(aimed, key=lambda one: (order.get(one[0].cell.label, last), one[0].cell.label))
    if not ranked:
        return ""
    return INTRODUCTION + markdown_table(HEADER, [_line(result, record) for result, record in ranked])


def counting_contours(records: Mapping[str, Record]) -> dict[ContourCell, tuple[ContourResult, Record]]:
    """The one result that counts for each cell, and the record that it is from."""
    found: dict[ContourCell, tuple[ContourResult, Record]] = {}
    for source, record in sorted(records.items(), key=lambda item: (item[1].date, item[0])):
        if record.seed < FIRST_TEST_SEED or variation_of(source):
            continue
        for result in record.contours:
            before = found.get(result.cell)
            if before is None or result.count >= before[0].count:
                found[result.cell] = result, record
    return found


def _line(result: ContourResult, record: Record) -> list[str]:
    cell, figures = result.cell, result.figures
    return [
        cell.label if cell.solver == "contours" else f"{cell.label}, {cell.solver}",
        NOTHING if cell.goal is None else f"{cell.measure.replace('_', ' ')} {cell.goal:.3g}",
        f"{figures.all_right:.3f}",
        f"{figures.overlap:.3f}",
        NOTHING if figures.solved is None else f"{figures.solved:.3f}",
        f"{result.count:,}",
        f"`{record.commit[:7]}`",
    ]
