"""The figures of the paper, as data."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from sherd.bench.cell import Cell
from sherd.core.geometry import Rotations
from sherd.generation.fragmentation import Order


@dataclass(frozen=True, kw_only=True)
class Published:
    """What the paper reports for one method on one kind of puzzle; ``seconds`` may be "<1" or unknown."""

    table: int
    method: str
    cov95: float
    cov90: float
    cov: float
    iou: float
    seconds: float | str | None = None


@dataclass(frozen=True)
class PublishedRow:
    """One row of a table of the paper, and the cell that repeats it here."""

    title: str
    cell: Cell
    figures: Published


@cache
def published_rows() -> tuple[PublishedRow, ...]:
    """All rows of the paper's tables 1 to 7, in their order."""
    text = files("sherd.bench").joinpath("published.json").read_text(encoding="utf-8")
    return tuple(_row(row) for row in json.loads(text)["rows"])


def _row(row: dict[str, Any]) -> PublishedRow:
    number, _, title = row["table"].partition(" ")
    cell = Cell(
        solver=row["method"],
        shape=row["shape"],
        pieces=row["pieces"],
        rotations=Rotations.parse(row["rotations"]),
        degradation=row["degradation"],
        order=row["order"],
        # The data name an aggregation in every row, but only the network has one.
        aggregation=row["aggregation"] if row["method"] == "fan" else None,
    )
    figures = Published(
        table=int(number),
        method=row["method"],
        cov95=float(row["cov95"]),
        cov90=float(row["cov90"]),
        cov=float(row["cov"]),
        iou=float(row["iou"]),
        seconds=row.get("seconds"),
    )
    return PublishedRow(title, cell, figures)


def as_ours(cell: Cell) -> Cell:
    """The same row with our own hexagon and orders in the place of the released code's."""
    orders: dict[Order, Order] = {"released": "bottom-left", "released-random": "random"}
    shape = cell.shape.removeprefix("released-")
    return replace(cell, shape=shape, order=orders.get(cell.order, cell.order))


@cache
def _rows_by_puzzle() -> dict[Cell, list[PublishedRow]]:
    found: dict[Cell, list[PublishedRow]] = {}
    for row in published_rows():
        found.setdefault(row.cell.puzzle, []).append(row)
    return found


def published_for(cell: Cell) -> Published | None:
    """The paper's figures for this solver, or for its own network if it knows no such solver.

    Puzzles as the released code makes them are the paper's. None where the paper has no such puzzles.

    >>> published_for(Cell(solver="fan", shape="released-hexagon", order="released")).cov95
    0.439
    """
    same = _rows_by_puzzle().get(as_ours(cell.puzzle), [])
    for solver, aggregation in ((cell.solver, cell.aggregation), ("fan", "fram")):
        for row in same:
            if (row.cell.solver, row.cell.aggregation) == (solver, aggregation):
                return row.figures
    return None
