"""An assembly step by step: side by side on one page, or as the frames of an animation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sherd.core.assembly import Assembly
from sherd.core.errors import ArgumentError
from sherd.core.geometry import size_of
from sherd.core.puzzle import Puzzle
from sherd.draw.board import THINNEST_PX, board_layers, extent, fit, target_px, within_reach
from sherd.draw.colours import INK, piece_colours
from sherd.draw.compose import HEADING_PX, LINE, MARGIN, columns_for
from sherd.draw.flaws import Flaws, find_overlap
from sherd.draw.labels import shorten
from sherd.draw.scene import Frame, Layer, Picture, Text
from sherd.draw.tray import lay_out

MOST_PANELS = 24
MOST_FRAMES = 48


@dataclass(frozen=True)
class Panel:
    """Where step ``k`` is drawn: the frame of its board, and the middle of its heading."""

    k: int
    frame: Frame
    heading_x: float
    heading_y: float


def lay_panels(
    puzzle: Puzzle, steps: Sequence[Assembly], share: float, below_heading: float = 0.0
) -> tuple[list[Panel], float, float]:
    """Panels in rows, targets drawn at a share of their usual size; the page's width and height.

    There is some room ``below_heading`` for more words. Of more than 24 steps, that many are shown,
    evenly chosen and with their own numbers.
    """
    chosen = spread(len(steps), MOST_PANELS)
    scale = share * target_px(len(puzzle.fragments)) / size_of(puzzle.target)
    low_x, low_y, high_x, high_y = bounds = extent(puzzle, steps)
    width, height = (high_x - low_x) * scale, (high_y - low_y) * scale
    column_width, row_height = width + MARGIN, height + LINE + below_heading + MARGIN
    columns = columns_for(len(chosen), column_width)
    panels: list[Panel] = []
    for place, k in enumerate(chosen):
        row, column = divmod(place, columns)
        x, y = MARGIN + column * column_width, -MARGIN - row * row_height
        frame = fit(bounds, x, y - LINE - below_heading, scale)
        panels.append(Panel(k, frame, x + width / 2.0, y - LINE / 3.0))
    rows = -(-len(chosen) // columns)
    return panels, columns * column_width + MARGIN, rows * row_height + MARGIN


def draw_steps(puzzle: Puzzle, steps: Sequence[Assembly]) -> Picture:
    """Numbered steps from left to right, in rows, each with its new piece brought out.

    Of more than 24 steps, that many are shown, evenly chosen and with their own numbers.
    """
    if not steps:
        raise ArgumentError("such a picture needs at least one step")
    colours = piece_colours(puzzle, steps[-1])
    panels, width, height = lay_panels(puzzle, steps, 0.45)
    layers: list[Layer] = []
    for panel in panels:
        k = panel.k
        current = new_piece(steps[k - 1] if k > 0 else Assembly(), steps[k])
        name = "" if current is None else f"  {shorten(current)}"
        heading = Text(panel.heading_x, panel.heading_y, f"{k + 1}.{name}", HEADING_PX, INK)
        layers += _step_layers(puzzle, steps[k], panel.frame, colours, current, prefix=f"step{k + 1}-")
        layers.append(Layer("heading", (heading,)))
    return Picture(width, height, tuple(layers), title=f"{len(steps)} steps of an assembly")


def draw_frames(puzzle: Puzzle, steps: Sequence[Assembly]) -> list[Picture]:
    """Pages of one size: all pieces loose, then each step with the pieces that are still loose beside it.

    Of more than 48 steps, that many are shown, evenly chosen.
    """
    if not steps:
        raise ArgumentError("an animation needs at least one step")
    colours = piece_colours(puzzle, steps[-1])
    scale = 0.7 * min(target_px(len(puzzle.fragments)), 600.0) / size_of(puzzle.target)
    low_x, low_y, high_x, high_y = bounds = extent(puzzle, steps)
    width, height = (high_x - low_x) * scale, (high_y - low_y) * scale
    tray = lay_out(puzzle.fragments, scale, height)
    body = max(height, tray.height)
    frame = fit(bounds, MARGIN, -MARGIN - (body - height) / 2.0, scale)
    tray_x = width + 3.0 * MARGIN
    page = (tray_x + tray.width + MARGIN, body + LINE + 2.0 * MARGIN)
    total = len(puzzle.fragments)
    pictures: list[Picture] = []
    for k in [-1, *spread(len(steps), MOST_FRAMES)]:
        step = steps[k] if k >= 0 else Assembly()
        if k >= 0 and len(step) == 0:
            continue
        last = k == len(steps) - 1
        current = None if last or k < 0 else new_piece(steps[k - 1] if k > 0 else Assembly(), step)
        counter = f"{len(step)} of {total} placed"
        pictures.append(
            Picture(
                *page,
                (
                    *_step_layers(puzzle, step, frame, colours, current),
                    *tray.layers(
                        tray_x,
                        -MARGIN - (body - tray.height) / 2.0,
                        colours,
                        taken=frozenset(p.id for p in step),
                    ),
                    Layer(
                        "heading",
                        (Text(MARGIN, -MARGIN - body - LINE + 4.0, counter, HEADING_PX, INK, "start"),),
                    ),
                ),
                title=counter,
            )
        )
    return pictures


def new_piece(before: Assembly, after: Assembly) -> str | None:
    """The one piece that a step placed or moved, or None where it was none or several."""
    known = set(before)
    changed = [placement.id for placement in after if placement not in known]
    return changed[0] if len(changed) == 1 else None


def spread(count: int, most: int) -> list[int]:
    """At most ``most`` of the numbers below ``count``, evenly spread, the first and last among them.

    >>> spread(3, 5), spread(100, 4)
    ([0, 1, 2], [0, 33, 66, 99])
    """
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int)).tolist()


def _step_layers(
    puzzle: Puzzle,
    step: Assembly,
    frame: Frame,
    colours: dict[str, str],
    current: str | None,
    prefix: str = "",
) -> tuple[Layer, ...]:
    """A board with overlaps marked; what is not covered yet is no flaw."""
    shown = within_reach(puzzle, step)
    flaws = Flaws(overlap=find_overlap([outline for _, outline in shown], THINNEST_PX / frame.scale))
    return board_layers(puzzle, shown, frame, flaws=flaws, colours=colours, prefix=prefix, current=current)
