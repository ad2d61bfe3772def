"""Several methods on the same puzzles, one row a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sherd.core.assembly import Assembly
from sherd.core.errors import ArgumentError
from sherd.core.geometry import size_of
from sherd.core.puzzle import Puzzle
from sherd.draw.board import THINNEST_PX, board_layers, extent, within_reach
from sherd.draw.colours import INK, MUTED, piece_colours
from sherd.draw.compose import HEADING_PX, LINE, MARGIN, SMALL_PX, legend, merge
from sherd.draw.flaws import Flaws, find_flaws
from sherd.draw.labels import text_width
from sherd.draw.scene import Frame, Layer, Picture, Text

CELL_PX = 150.0


@dataclass(frozen=True)
class Compared:
    """One assembled puzzle of a comparison, and a short note to stand below it."""

    puzzle: Puzzle
    assembly: Assembly
    note: str = ""


def draw_comparison(rows: Mapping[str, Sequence[Compared]], *, columns: Sequence[str] = ()) -> Picture:
    """A table of assemblies: rows labelled by their keys, with headings over the columns if given.

    All targets come out equally large, whatever their units.
    """
    entries = [entry for row in rows.values() for entry in row]
    if not entries:
        raise ArgumentError("a comparison needs at least one assembly")
    count = max(len(row) for row in rows.values())
    if columns and len(columns) != count:
        raise ArgumentError(f"{count} columns need as many headings, not {len(columns)}")
    # How far anything reaches to the left, below, to the right and above, in pixels from the middle.
    reach = np.zeros((len(rows), count, 4))
    for r, row in enumerate(rows.values()):
        for c, entry in enumerate(row):
            reach[r, c] = _reach(entry)
    left, right = reach[..., 0].max(axis=0).tolist(), reach[..., 2].max(axis=0).tolist()
    below, above = reach[..., 1].max(axis=1).tolist(), reach[..., 3].max(axis=1).tolist()
    notes = SMALL_PX + 8.0 if any(entry.note for entry in entries) else 0.0
    start = 2.0 * MARGIN + max(text_width(name, HEADING_PX) for name in rows)
    middles: list[float] = []
    x = start
    for c in range(count):
        middles.append(x + left[c])
        x += left[c] + right[c] + MARGIN

    layers: list[Layer] = []
    texts = [
        Text(x_middle, -MARGIN - 4.0, name, HEADING_PX, INK)
        for x_middle, name in zip(middles, columns, strict=False)
    ]
    found: list[Flaws] = []
    y = -MARGIN - (LINE if columns else 0.0)
    for r, (name, row) in enumerate(rows.items()):
        y_middle = y - above[r]
        texts.append(Text(start - MARGIN, y_middle, name, HEADING_PX, INK, "end"))
        for c, entry in enumerate(row):
            scale = CELL_PX / size_of(entry.puzzle.target)
            middle = entry.puzzle.target.envelope.centroid
            frame = Frame(middles[c] - middle.x * scale, y_middle - middle.y * scale, scale)
            shown = within_reach(entry.puzzle, entry.assembly)
            outlines = [outline for _, outline in shown]
            found.append(find_flaws(entry.puzzle.target, outlines, THINNEST_PX / scale))
            layers += board_layers(
                entry.puzzle,
                shown,
                frame,
                flaws=found[-1],
                colours=piece_colours(entry.puzzle, Assembly(tuple(p for p, _ in shown))),
                prefix=f"entry{r + 1}.{c + 1}-",
                labels=False,
            )
            if entry.note:
                y_note = y_middle - below[r] - notes / 2.0
                texts.append(Text(middles[c], y_note, entry.note, SMALL_PX, MUTED))
        y = y_middle - below[r] - notes - 0.75 * MARGIN
    key, key_width = legend(merge(found), start, y - LINE / 3.0)
    return Picture(
        max(x, start + key_width + MARGIN),
        -y + LINE + 0.5 * MARGIN,
        (*layers, Layer("text", (*texts, *key))),
        title=f"A comparison of {', '.join(rows)}",
    )


def _reach(entry: Compared) -> tuple[float, float, float, float]:
    scale = CELL_PX / size_of(entry.puzzle.target)
    middle = entry.puzzle.target.envelope.centroid
    low_x, low_y, high_x, high_y = extent(entry.puzzle, [entry.assembly])
    return (
        (middle.x - low_x) * scale,
        (middle.y - low_y) * scale,
        (high_x - middle.x) * scale,
        (high_y - middle.y) * scale,
    )
