"""A sheet of a plan at full size: what lies in its window, seams to its neighbours, a ruler."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import shapely
from shapely import MultiLineString

from sherd.draw.colours import INK, MUTED
from sherd.draw.scene import PAGE, POINTS_PER_MM, Area, Frame, Layer, Paint, Picture, Text
from sherd.plan.numbered_pieces import FAINT, SMALL_PT, TEXT_PT, Shown, drawn_pieces, gap_names, numbers
from sherd.plan.paper import MARGIN_MM, Sheet, Tiling
from sherd.plan.plan import Plan
from sherd.plan.table import clipped

RULER_MM = 50.0
CROSS_MM = 4.0
DASH_MM = 2.0
HAIR = Paint(stroke=INK, width=0.5)


def full_size_sheet(plan: Plan, shown: Sequence[Shown], tiling: Tiling, sheet: Sheet) -> Picture:
    """One sheet at full size, with dashed lines and crosses that lie on those of its neighbours."""
    paper, margin = tiling.paper, MARGIN_MM * POINTS_PER_MM
    width, height = paper.width * POINTS_PER_MM, paper.height * POINTS_PER_MM
    low_x, low_y, high_x, high_y = sheet.window.bounds
    frame = Frame(margin - low_x * POINTS_PER_MM, -margin - high_y * POINTS_PER_MM, POINTS_PER_MM)
    shown = [piece for piece in shown if piece.outline.intersects(sheet.window)]
    seams_x = [x for x in tiling.seams_x if low_x < x < high_x]
    seams_y = [y for y in tiling.seams_y if low_y < y < high_y]
    # Numbers keep off what is cut away, or lies under the next sheet.
    own = shapely.box(
        max((x for x in seams_x if x < (low_x + high_x) / 2.0), default=low_x),
        max((y for y in seams_y if y < (low_y + high_y) / 2.0), default=low_y),
        min((x for x in seams_x if x > (low_x + high_x) / 2.0), default=high_x),
        min((y for y in seams_y if y > (low_y + high_y) / 2.0), default=high_y),
    )
    marks = [_dashes((x, low_y), (x, high_y)) for x in seams_x]
    marks += [_dashes((low_x, y), (high_x, y)) for y in seams_y]
    crosses_x = seams_x or [(low_x + high_x) / 2.0]
    crosses_y = seams_y or [(low_y + high_y) / 2.0]
    crosses = [_cross(x, y) for x in crosses_x for y in crosses_y] if marks else []
    label = f"sheet {sheet.name}" if len(tiling.sheets) > 1 else "full size"
    texts = [
        Text(margin, -margin / 2.0, clipped(plan.title, width / 2.0, TEXT_PT), TEXT_PT, MUTED, "start"),
        Text(width - margin, -margin / 2.0, label, TEXT_PT, INK, "end"),
        *_neighbours(tiling, sheet, width, height),
    ]
    return Picture(
        width,
        height,
        (
            Layer(
                "assembly",
                tuple(drawn_pieces(plan, shown, POINTS_PER_MM, filled=False, window=sheet.window)),
                frame,
            ),
            Layer(
                "numbers",
                (*numbers(shown, own, POINTS_PER_MM), *gap_names(plan, POINTS_PER_MM, own)),
                frame,
            ),
            Layer(
                "seams",
                (*(Area(mark, FAINT) for mark in marks), *(Area(cross, HAIR) for cross in crosses)),
                frame,
            ),
            Layer("texts", (*texts, *_ruler(margin, -height + margin / 2.0)), PAGE),
        ),
        title=f"{plan.title}: {label}",
    )


def _dashes(start: tuple[float, float], end: tuple[float, float]) -> MultiLineString:
    """A dashed line along an axis; dashes begin at whole multiples, so that those of two sheets coincide."""
    (x, y), (last_x, last_y) = start, end
    upright = x == last_x
    low, high = (y, last_y) if upright else (x, last_x)
    first, last = int(low // (2.0 * DASH_MM)) + 1, int(high // (2.0 * DASH_MM))
    at = [2.0 * DASH_MM * k for k in range(first, last)]
    return MultiLineString(
        [((x, a), (x, a + DASH_MM)) if upright else ((a, y), (a + DASH_MM, y)) for a in at]
    )


def _cross(x: float, y: float) -> MultiLineString:
    return MultiLineString([((x - CROSS_MM, y), (x + CROSS_MM, y)), ((x, y - CROSS_MM), (x, y + CROSS_MM))])


def _neighbours(tiling: Tiling, sheet: Sheet, width: float, height: float) -> Iterable[Text]:
    """Which sheet goes on at each side."""
    near = {(other.row - sheet.row, other.column - sheet.column): other.name for other in tiling.sheets}
    edge = MARGIN_MM * POINTS_PER_MM / 2.0
    for (row, column), name in near.items():
        if abs(row) + abs(column) == 1:
            x = width / 2.0 + column * (width / 2.0 - edge)
            y = -height / 2.0 - row * (height / 2.0 - edge)
            yield Text(x, y, f"to {name}", TEXT_PT, INK, angle_deg=90.0 if column else 0.0)


def _ruler(x: float, y: float) -> Iterable[Area | Text]:
    """A line to lay a ruler against."""
    length = RULER_MM * POINTS_PER_MM
    ticks = [((x, y), (x + length, y))]
    ticks += [((x + k * length / 5.0, y - 3.0), (x + k * length / 5.0, y + 3.0)) for k in range(6)]
    yield Area(MultiLineString(ticks), HAIR)
    words = f"{RULER_MM:g} mm at 100 %"
    yield Text(x + length + 6.0, y, words, SMALL_PT, MUTED, "start")
