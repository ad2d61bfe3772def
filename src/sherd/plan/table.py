"""The table of pieces, as pages to print."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import shapely

from sherd.draw.colours import INK, MUTED
from sherd.draw.scene import POINTS_PER_MM, Area, Layer, Paint, Picture, Text
from sherd.layout.order import Step
from sherd.plan.paper import MARGIN_MM, Paper
from sherd.plan.plan import Plan
from sherd.plan.sizes import sides

TITLE_PT, TEXT_PT = 12.0, 8.0
ROW_PT = 13.0
AIR_PT = 5.0
LONGEST = 1000  # characters that go into a line
RULE = Paint(stroke=MUTED, width=0.4)
STRIPE = Paint(fill="#f3f4f6")


@dataclass(frozen=True)
class _Column:
    heading: str
    share: float  # of the width
    anchor: Literal["start", "end"] = "end"


COLUMNS = (
    _Column("no.", 0.05),
    _Column("name", 0.19, "start"),
    _Column("size", 0.15),
    _Column("area", 0.10),
    _Column("turn", 0.12),
    _Column("lay against", 0.13, "start"),
    _Column("held", 0.07),
    _Column("gap", 0.06),
    _Column("overlap", 0.065),
    _Column("sure", 0.065, "start"),
)


LEGEND = (
    "turn: in degrees, counter-clockwise from how it is drawn; over: turned over left to right first.",
    "lay against: pieces that lie already. held: the share of its outline along others or the edge.",
    "gap, overlap: how far it is from its neighbours, and into them, at worst.",
)


def table_pages(plan: Plan, paper: Paper) -> list[Picture]:
    """As many pages as the rows need."""
    margin = MARGIN_MM * POINTS_PER_MM
    room = paper.height * POINTS_PER_MM - 2.0 * margin - 2.5 * ROW_PT
    count = max(1, int(room // ROW_PT) - 2 - len(LEGEND))
    rows = _rows(plan)
    pages = [rows[k : k + count] for k in range(0, len(rows), count)]
    return [_page(plan, page, k + 1, len(pages), paper) for k, page in enumerate(pages)]


def measured(value: float) -> str:
    """A length or an area to four digits and no more than four places: exponents are misread, or cut off.

    >>> measured(12.3456), measured(12345.6), measured(0.0619135), measured(9.1e-06)
    ('12.35', '12,346', '0.0619', '0')
    """
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{round(value, 4) + 0.0:.4g}"


def counted(count: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "piece"), counted(2, "piece")
    ('1 piece', '2 pieces')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def clipped(text: str, width: float, size: float) -> str:
    """The text, cut to a width in points."""
    from sherd.draw.pdf import printed_width  # what writes PDF files takes most of a second to load

    # A list of thousands of names is not measured whole.
    if len(text) <= LONGEST and printed_width(text, size) <= width:
        return text
    cut = [f"{text[:k]}…" for k in range(1, min(len(text), LONGEST) + 1)]
    fitting = bisect_left(cut, x=True, key=lambda shorter: printed_width(shorter, size) > width)
    return cut[fitting - 1] if fitting else "…"


def _rows(plan: Plan) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for step, piece in zip(plan.steps, plan.in_order, strict=True):
        assert piece.pose is not None
        hold = plan.holds[piece.id]
        turn = f"{_degrees(piece.pose.theta)}°" + (", over" if piece.pose.mirrored else "")
        rows.append(
            (
                str(step.number),
                piece.id,
                " x ".join(map(measured, sides(piece.drawn))),
                measured(piece.drawn.area),
                turn,
                ", ".join(map(str, step.after)) or _start(plan, step),
                f"{hold.share:.0%}",
                measured(hold.gap),
                measured(hold.overlap),
                hold.band,
            )
        )
    drawn = {piece.id: piece.drawn for piece in plan.layout.pieces}
    for name in plan.layout.set_aside:
        known = ("", "")
        if name in drawn:
            known = (" x ".join(map(measured, sides(drawn[name]))), measured(drawn[name].area))
        rows.append(("", name, *known, "", "set aside", "", "", "", ""))
    for gap in plan.gaps:
        size = " x ".join(map(measured, sides(gap.polygon)))
        rows.append(("", f"gap {gap.number}", size, measured(gap.area), "", "open", "", "", "", ""))
    return rows


def _start(plan: Plan, step: Step) -> str:
    """What stands in the place of neighbours for the first piece, or the first of each group."""
    if not plan.groups:
        return "the corner" * (step.number == 1)
    (number,) = (k for k, group in enumerate(plan.groups, start=1) if step.id in group.pieces)
    return f"group {number}"


def _degrees(theta: float) -> str:
    """Within half a turn either way, a tenth of a degree being what a hand can do."""
    degrees = (math.degrees(theta) + 180.0) % 360.0 - 180.0
    return f"{round(degrees, 1) + 0.0:g}".replace("-180", "180")


def _page(plan: Plan, rows: Sequence[tuple[str, ...]], number: int, pages: int, paper: Paper) -> Picture:
    width, height = paper.width * POINTS_PER_MM, paper.height * POINTS_PER_MM
    margin = MARGIN_MM * POINTS_PER_MM
    room = width - 2.0 * margin
    unit = plan.layout.unit or "the drawing's unit"
    warning = f"{plan.warning}: " if plan.warning else ""
    title = f"{warning}Pieces, lengths in {unit}" + (f" ({number} of {pages})" if pages > 1 else "")
    items: list[Area | Text] = [Text(margin, -margin - TITLE_PT / 2.0, title, TITLE_PT, INK, "start")]
    top = -margin - TITLE_PT - ROW_PT
    for k, row in enumerate([tuple(column.heading for column in COLUMNS), *rows]):
        y = top - k * ROW_PT
        if k > 0 and k % 2 == 0:
            items.append(
                Area(shapely.box(margin, y - ROW_PT / 2.0, width - margin, y + ROW_PT / 2.0), STRIPE)
            )
        x = margin
        for column, text in zip(COLUMNS, row, strict=True):
            wide = column.share * room
            at = x + wide - AIR_PT if column.anchor == "end" else x + AIR_PT
            shown = clipped(text, wide - AIR_PT, TEXT_PT)
            items.append(Text(at, y, shown, TEXT_PT, MUTED if k == 0 else INK, column.anchor))
            x += wide
    items += [
        Text(margin + AIR_PT, top - (len(rows) + 2 + k) * ROW_PT, line, TEXT_PT, MUTED, "start")
        for k, line in enumerate(LEGEND)
    ]
    rule = top - ROW_PT / 2.0
    items.append(Area(shapely.LineString([(margin, rule), (width - margin, rule)]), RULE))
    return Picture(width, height, (Layer("table", tuple(items)),), title=title)
