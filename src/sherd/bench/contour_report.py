"""The section of REPORT.md on broken things: goals, and how far they are reached."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import starmap

from sherd.bench.contour_record import ContourResult
from sherd.bench.contour_suites import CONTOUR_SUITES, ContourCell
from sherd.bench.entries import variation_of
from sherd.bench.markdown import NOTHING, markdown_table
from sherd.bench.record import Record
from sherd.bench.suites import FIRST_TEST_SEED

HEADER = ("puzzles", "figure", "goal", "with target", "solved", "n", "goal", "without", "n", "commits")
INTRODUCTION = """
## Broken things

Rows with a goal: the latest run on a test seed, by contours. All others are in
[contours.csv](experiments/results/contours.csv).

"""
Counted = tuple[ContourResult, Record]


def contour_section(records: Mapping[str, Record]) -> str:
    """The section, in the order of the suites; "" where nothing was measured."""
    counted = counting_contours(records)
    order = {cell.label: k for k, cell in enumerate(cell for row in CONTOUR_SUITES.values() for cell in row)}
    last = len(order)
    aimed = [one for one in counted.values() if one[0].cell.goal is not None]
    ranked = sorted(aimed, key=lambda one: (order.get(one[0].cell.label, last), one[0].cell.label))
    lines: dict[str, dict[bool, Counted]] = {}
    for one in ranked:
        cell = one[0].cell
        lines.setdefault(_label(cell), {})[cell.target] = one
    return INTRODUCTION + markdown_table(HEADER, starmap(_line, lines.items())) if lines else ""


def counting_contours(records: Mapping[str, Record]) -> dict[ContourCell, Counted]:
    """The one result that counts for each cell, the latest, and the record that it is from."""
    found: dict[ContourCell, Counted] = {}
    for source, record in sorted(records.items(), key=lambda item: (item[1].date, item[0])):
        if record.seed < FIRST_TEST_SEED or variation_of(source):
            continue
        found |= {result.cell: (result, record) for result in record.contours}
    return found


def _label(cell: ContourCell) -> str:
    return cell.puzzles_label if cell.solver == "contours" else f"{cell.puzzles_label}, {cell.solver}"


def _line(label: str, both: Mapping[bool, Counted]) -> list[str]:
    """The same puzzles with a target and without, as far as they were measured."""
    told, alone = both.get(True), both.get(False)
    measure = next(iter(both.values()))[0].cell.measure
    commits = dict.fromkeys(f"`{record.commit[:7]}`" for _, record in both.values())
    return [
        label,
        measure.replace("_", " "),
        *_reached(told),
        NOTHING if told is None or told[0].figures.solved is None else f"{told[0].figures.solved:.3f}",
        _count(told),
        *_reached(alone),
        _count(alone),
        ", ".join(commits),
    ]


def _reached(one: Counted | None) -> tuple[str, str]:
    """What is aimed at, and what was reached."""
    if one is None:
        return NOTHING, NOTHING
    cell, figures = one[0].cell, one[0].figures
    return f"{cell.goal:.3g}", f"{getattr(figures, cell.measure):.3f}"


def _count(one: Counted | None) -> str:
    return NOTHING if one is None else f"{one[0].count:,}"
