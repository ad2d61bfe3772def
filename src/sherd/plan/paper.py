"""How a plan at full size is spread over sheets of paper that overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.errors import ArgumentError

# Wide enough for what printers leave white, and for a line of text above and below.
MARGIN_MM = 15.0
OVERLAP_MM = 10.0
# A plan of more sheets than this at full size is drawn smaller, on one.
MOST_SHEETS = 300


@dataclass(frozen=True)
class Paper:
    """A sheet of paper, in mm."""

    name: str
    width: float
    height: float

    @property
    def turned(self) -> Paper:
        """The same on its side."""
        return replace(self, width=self.height, height=self.width)


PAPERS: dict[str, Paper] = {
    "a4": Paper("A4", 210.0, 297.0),
    "letter": Paper("Letter", 215.9, 279.4),
    "a3": Paper("A3", 297.0, 420.0),
}


@dataclass(frozen=True)
class Sheet:
    """One sheet: its name, and the window of the target's frame (mm) that it shows at full size."""

    name: str
    row: int
    column: int
    window: Polygon


@dataclass(frozen=True)
class Tiling:
    """Sheets in reading order, those with nothing on them left out.

    ``seams_x`` and ``seams_y`` are the middles of the overlaps, the same on both sheets that show them.
    """

    paper: Paper
    sheets: tuple[Sheet, ...]
    rows: int
    columns: int
    seams_x: tuple[float, ...] = ()
    seams_y: tuple[float, ...] = ()


def sheets_needed(width: float, height: float, paper: Paper) -> tuple[int, int]:
    """Rows and columns of sheets for so large a plan, in mm.

    >>> sheets_needed(180, 260, PAPERS["a4"]), sheets_needed(181, 520, PAPERS["a4"])
    ((1, 1), (2, 2))
    """
    inside = (paper.width - 2.0 * MARGIN_MM, paper.height - 2.0 * MARGIN_MM)
    columns, rows = (
        max(1, math.ceil((length - OVERLAP_MM) / (window - OVERLAP_MM) - 1e-9))
        for length, window in zip((width, height), inside, strict=True)
    )
    return rows, columns


def tile(shown: BaseGeometry, paper: Paper) -> Tiling:
    """The sheets that show a geometry (mm) at full size, upright or on their side as fewer are needed."""
    low_x, low_y, high_x, high_y = shown.bounds
    width, height = high_x - low_x, high_y - low_y
    first, second = (paper, paper.turned) if height >= width else (paper.turned, paper)
    paper = min((first, second), key=lambda choice: math.prod(sheets_needed(width, height, choice)))
    rows, columns = sheets_needed(width, height, paper)
    if rows * columns > MOST_SHEETS:
        raise ArgumentError(f"{rows * columns:,} sheets are needed, and {MOST_SHEETS} are the most")
    window_x, window_y = paper.width - 2.0 * MARGIN_MM, paper.height - 2.0 * MARGIN_MM
    step_x, step_y = window_x - OVERLAP_MM, window_y - OVERLAP_MM
    left = (low_x + high_x) / 2.0 - (columns * step_x + OVERLAP_MM) / 2.0
    top = (low_y + high_y) / 2.0 + (rows * step_y + OVERLAP_MM) / 2.0
    sheets: list[Sheet] = []
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * step_x, top - row * step_y
            window = shapely.box(x, y - window_y, x + window_x, y)
            if window.intersects(shown):
                sheets.append(Sheet(f"{_letters(row)}{column + 1}", row, column, window))
    return Tiling(
        paper,
        tuple(sheets),
        rows,
        columns,
        tuple(left + column * step_x + OVERLAP_MM / 2.0 for column in range(1, columns)),
        tuple(top - row * step_y - OVERLAP_MM / 2.0 for row in range(1, rows)),
    )


def _letters(number: int) -> str:
    """A, B, ... Z, AA, AB and so on, counted from 0."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
