"""Rows of a record that were measured on broken things, with a target or without."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from sherd.bench.contour_suites import ContourCell
from sherd.bench.fields import (
    Readers,
    count_of_some,
    integer,
    natural,
    number_or_none,
    read_fields,
    share,
    share_or_none,
)
from sherd.io.document import Node


@dataclass(frozen=True, kw_only=True)
class ContourFigures:
    """Means over the puzzles of a cell, by `GroupScores`; None where no puzzle has a value.

    Those from ``cov95`` to ``iou`` are as for other cells, and None without a target. ``solved`` is the share
    that is called so, and ``wrong`` that which is called so though not all pieces lie right, or not in order
    where no more than that is asked for. ``in_order`` and ``wrong`` are None in older records, and ``solved``
    without a target.
    """

    all_right: float
    largest_right: float
    in_order: float | None
    overlap: float
    covered: float
    joint_precision: float | None
    joint_recall: float | None
    cov95: float | None
    cov90: float | None
    cov: float | None
    iou: float | None
    solved: float | None
    wrong: float | None
    seconds_median: float
    seconds_p95: float


@dataclass(frozen=True, kw_only=True)
class ContourResult:
    """A cell that was run on puzzles ``first`` to ``first + count`` of its set."""

    cell: ContourCell
    first: int
    count: int
    time_limit: float
    figures: ContourFigures


def _range(node: Node) -> tuple[int, int]:
    numbers = [integer(item) for item in node.list()]
    if len(numbers) != 2:
        node.fail(f"expected the fewest and the most, not {node}")
    return numbers[0], numbers[1]


# Rows of other cells have a shape, and these a kind.
KIND = "kind"
_CELL: Readers = {
    "solver": Node.text,
    KIND: Node.text,
    "pieces": _range,
    "input": Node.text,
    "target": Node.flag,
    "measure": Node.text,
    "goal": number_or_none,
}
_RUN: Readers = {"first": natural, "count": count_of_some, "time_limit": Node.number}
# Counted, so that they cannot be off by rounding.
_SHARES = ("in_order", "cov95", "cov90", "solved", "wrong")
_FIGURES: Readers = {
    field.name: share_or_none
    if field.name in _SHARES
    else number_or_none
    if "None" in str(field.type)
    else Node.number
    for field in fields(ContourFigures)
} | {"all_right": share}


# Figures that older records do not have.
_LATER = ("in_order", "wrong")


def contour_row(result: ContourResult) -> dict[str, Any]:
    """The result as an object of JSON."""
    row = {name: getattr(result.cell, name) for name in _CELL}
    row |= {name: getattr(result, name) for name in _RUN}
    return row | {name: getattr(result.figures, name) for name in _FIGURES}


def is_contour_row(node: Node) -> bool:
    """Whether an object of a record is such a row."""
    return KIND in node.members()


def read_contour_row(node: Node) -> ContourResult:
    """The result that `contour_row` wrote."""
    required = [name for name in (*_CELL, *_RUN, *_FIGURES) if name not in _LATER]
    members = dict.fromkeys(_LATER, Node(None, node.where)) | node.object(required, _LATER)
    try:
        cell = ContourCell(**read_fields(members, _CELL))
    except ValueError as error:
        node.fail(str(error))
    figures = ContourFigures(**read_fields(members, _FIGURES))
    return ContourResult(cell=cell, **read_fields(members, _RUN), figures=figures)
