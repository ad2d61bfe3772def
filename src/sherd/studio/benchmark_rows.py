"""What was measured, for the page of benchmarks: the paper's rows, and ours as `sherd report` has them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sherd.bench.published import published_rows

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


def records() -> dict[str, list[dict[str, Any]]]:
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
        "cells": [row for row in _rows(FOLDER / "all.csv") if row.get("reported") == "yes"],
        "contours": list(_rows(FOLDER / "contours.csv")),
    }


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a table, without what is empty."""
    if not path.is_file():
        return
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield {name: _value(name, text) for name, text in row.items() if text}


def _value(name: str, text: str) -> float | str:
    if name in WORDS:
        return text
    try:
        return float(text)
    except ValueError:
        return text
