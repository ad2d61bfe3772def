"""Many assemblies of one puzzle, small and side by side, each with its number."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sherd.core.assembly import Assembly
from sherd.core.puzzle import Puzzle
from sherd.draw.board import fit
from sherd.draw.colours import INK, OPEN, Colours, piece_colours
from sherd.draw.scene import Area, Layer, Paint, Picture, Text

CELL_PX = 120.0
GAP_PX = 16.0
NUMBER_PX = 11.0
# More are not told apart on one sheet, nor looked through.
MOST_SHOWN = 1000


def draw_contact_sheet(
    puzzle: Puzzle, assemblies: Sequence[Assembly], *, first: int = 1, title: str = ""
) -> Picture:
    """The assemblies row by row, numbered from ``first`` on, as many as one sheet holds."""
    shown = assemblies[:MOST_SHOWN]
    low_x, low_y, high_x, high_y = bounds = puzzle.target.bounds
    scale = CELL_PX / max(high_x - low_x, high_y - low_y)
    width, height = (high_x - low_x) * scale, (high_y - low_y) * scale
    columns = max(1, math.ceil(math.sqrt(len(shown))))
    rows = math.ceil(len(shown) / columns)
    colours: Colours = piece_colours(puzzle, shown[0] if shown else None)
    layers: list[Layer] = []
    for k, assembly in enumerate(shown):
        x = GAP_PX + (k % columns) * (width + GAP_PX)
        y = -GAP_PX - (k // columns) * (height + GAP_PX + NUMBER_PX)
        pieces = (
            Area(puzzle[one.id].polygon, Paint(colours[one.id], INK, 0.5), one.pose) for one in assembly
        )
        frame = fit(bounds, x, y, scale)
        layers.append(Layer(f"assembly {first + k}", (Area(puzzle.target, Paint(OPEN)), *pieces), frame))
        number = Text(x + width / 2.0, y - height - NUMBER_PX / 2.0 - 1.0, str(first + k), NUMBER_PX, INK)
        layers.append(Layer(f"number {first + k}", (number,)))
    return Picture(
        GAP_PX + columns * (width + GAP_PX),
        GAP_PX + rows * (height + GAP_PX + NUMBER_PX),
        tuple(layers),
        title=title,
    )
