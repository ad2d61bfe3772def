"""How a network learned: its losses and what it reached in validation, by steps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from shapely import LineString, Point

from sherd.draw.colours import INK, MUTED
from sherd.draw.compose import HEADING_PX, LINE, MARGIN, SMALL_PX
from sherd.draw.scene import Area, Layer, Paint, Picture, Text

PLOT_PX = (420.0, 220.0)
LEFT_PX = 56.0
COLOURS = ("#1f6fb2", "#c8552b", "#3a8f4d", "#8a4fa3", "#7a6a2f", "#4c4c4c")
DOT_PX = 3.0
NAME_PX = 14.0
ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
# The lines across a plot.
RULES = 4


def draw_learning(metrics: Sequence[Mapping[str, Any]]) -> Picture | None:
    """Two plots from the lines of a run's ``metrics.jsonl``; None where there is nothing to plot yet."""
    losses = [line for line in metrics if "loss" in line]
    validations = [{"step": line["step"]} | line["validation"] for line in metrics if "validation" in line]
    plots = [
        (title, rows, bounds)
        for title, rows, bounds in (
            ("losses", losses, None),
            ("validation: shares and mean coverage", validations, (0.0, 1.0)),
        )
        if rows
    ]
    if not plots:
        return None
    last = max(line["step"] for line in metrics)
    layers = [
        Layer(title, tuple(_plot(title, rows, bounds, last, number)))
        for number, (title, rows, bounds) in enumerate(plots)
    ]
    width = 2.0 * MARGIN + LEFT_PX + PLOT_PX[0] + 110.0
    return Picture(width, len(plots) * _height() + MARGIN, tuple(layers), title="learning")


def _height() -> float:
    return PLOT_PX[1] + 3.0 * LINE


def _plot(
    title: str,
    rows: Sequence[Mapping[str, Any]],
    bounds: tuple[float, float] | None,
    last: int,
    number: int,
) -> list[Area | Text]:
    """One plot; ``bounds`` of its values, else from 0 to the largest."""
    left, top = MARGIN + LEFT_PX, -MARGIN - number * _height() - LINE
    width, height = PLOT_PX
    names = [name for name in rows[0] if name not in ("step", "seconds")]
    values = [row[name] for row in rows for name in names if name in row and math.isfinite(row[name])]
    low, high = bounds or (0.0, RULES * _round_step(max(values, default=0.0)))

    def at(step: float, value: float) -> tuple[float, float]:
        return left + width * step / max(last, 1), top - height * (1.0 - (value - low) / (high - low))

    items: list[Area | Text] = [Text(left, top + LINE / 2.0, title, HEADING_PX, INK, anchor="start")]
    for k in range(RULES + 1):
        value = low + (high - low) * k / RULES
        rule = LineString([at(0, value), at(last, value)])
        items.append(Area(rule, Paint(stroke="#dddddd")))
        items.append(Text(left - 6.0, at(0, value)[1], f"{value:.3g}", SMALL_PX, MUTED, anchor="end"))
    for step in (0, last):
        items.append(Text(at(step, low)[0], top - height - LINE / 2.0, f"{step:,}", SMALL_PX, MUTED))
    items.append(Text(at(last / 2, low)[0], top - height - LINE / 2.0, "steps", SMALL_PX, MUTED))
    ends: list[tuple[float, float, str, str]] = []
    for name, colour in zip(names, COLOURS, strict=False):
        points = [at(row["step"], row[name]) for row in rows if name in row and math.isfinite(row[name])]
        if len(points) > 1:
            items.append(Area(LineString(points), Paint(stroke=colour, width=1.5)))
        else:
            items += [Area(Point(point).buffer(DOT_PX), Paint(fill=colour)) for point in points]
        if points:
            x, y = points[-1]
            ends.append((y, x, name, colour))
    # Each name beside the end of its line, the highest first, below those that leave it no room.
    below = math.inf
    for y, x, name, colour in sorted(ends, reverse=True):
        below = min(y, below - NAME_PX)
        items.append(Text(x + 6.0, below, name, SMALL_PX, colour, anchor="start"))
    return items


def _round_step(largest: float) -> float:
    """A round number, `RULES` times which is at least the largest value."""
    least = largest / RULES or 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * digit for digit in ROUND if power * digit >= least)
