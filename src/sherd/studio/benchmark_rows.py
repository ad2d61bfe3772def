"""What was measured, for the page of benchmarks: the paper's rows and ours, and the puzzles of these."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sherd.bench.cell import Cell
from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.bench.published import published_rows
from sherd.bench.run import RunParams, trials
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle

FOLDER = Path(__file__).parent / "records"
# Columns that hold words, though some of the words may look like numbers.
WORDS = (
    "solver",
    "shape",
    "rotations",
    "commit",
    "date",
    "record",
    "published_seconds",
    "input",
    "kind",
    "target",
)
# What a cell of ours says of its puzzles, and of how they were seen.
CELL = ("solver", "shape", "degradation", "input", "order", "noise", "texture", "dissection", "strength")
WHOLE = ("pieces", "size_px")

Row = dict[str, Any]


def records() -> dict[str, list[Row]]:
    """The rows of the paper, the cells of ours that count, and those of broken things."""
    return {
        "published": [
            {
                "title": row.title,
                "shape": row.cell.shape,
                "pieces": row.cell.pieces,
                "rotations": str(row.cell.rotations),
                "degradation": row.cell.degradation,
                "order": row.cell.order,
                **asdict(row.figures),
            }
            for row in published_rows()
        ],
        "cells": [row for row in _rows("all") if row.get("reported") == "yes"],
        "contours": list(_rows("contours")),
    }


def row_called(name: str) -> Row:
    """The row of ours that the page calls so; `KeyError` if there is none."""
    table, _, _ = name.partition("-")
    if table not in ("all", "contours"):
        raise KeyError(name)
    return {row["id"]: row for row in _rows(table)}[name]


def puzzle_of_row(row: Mapping[str, Any], number: int) -> Puzzle:
    """A row's puzzle, the first one being number 1, as its solver was shown it."""
    seed, index = int(row["seed"]), int(row["first"]) + number - 1
    if "kind" in row:
        fewest, _, most = str(row["pieces"]).removesuffix(".0").partition(" to ")
        pieces = (int(fewest), int(most or fewest))
        target = row["target"] == "yes"
        cell = ContourCell(kind=row["kind"], pieces=pieces, input=row["input"], target=target)
        puzzle = make_sample(cell, seed, index).puzzle
        return puzzle if target else puzzle.without_target()
    said: Row = {name: row[name] for name in CELL if name in row}
    said |= {name: int(row[name]) for name in WHOLE}
    rotations, mirror = Rotations.parse(row["rotations"]), row["mirror"] == "yes"
    (trial,) = trials(
        Cell(**said, rotations=rotations, mirror=mirror), RunParams(count=1, seed=seed, first=index)
    )
    return trial.observation.puzzle


def _rows(table: str) -> Iterator[Row]:
    """The lines of a table, without what is empty, each with a name of its own."""
    path = FOLDER / f"{table}.csv"
    if not path.is_file():
        return
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file)):
            yield {"id": f"{table}-{number}"} | {
                name: _value(name, text) for name, text in row.items() if text
            }


def _value(name: str, text: str) -> float | str:
    if name in WORDS:
        return text
    try:
        return float(text)
    except ValueError:
        return text
