"""A plan as pages to print: an overview, a table, and the assembly at full size.

Pages are pictures of one pixel to the point.
"""

from __future__ import annotations

from collections.abc import Sequence

import shapely
from shapely.geometry.base import BaseGeometry

from sherd.core.errors import ArgumentError
from sherd.draw.colours import INK, MUTED
from sherd.draw.reassembled import box_of, reassembled
from sherd.draw.scene import PAGE, POINTS_PER_MM, Area, Frame, Layer, Paint, Picture, Text
from sherd.plan.full_size import full_size_sheet
from sherd.plan.numbered_pieces import (
    FAINT,
    GAPS_NAMED,
    TEXT_PT,
    Shown,
    coloured,
    drawn_pieces,
    gap_names,
    lines_within,
    numbers,
)
from sherd.plan.paper import (
    MARGIN_MM,
    MOST_SHEETS,
    OVERLAP_MM,
    PAPERS,
    Paper,
    Sheet,
    Tiling,
    sheets_needed,
    tile,
)
from sherd.plan.plan import Plan
from sherd.plan.sizes import sides
from sherd.plan.table import clipped, counted, measured, table_pages

TITLE_PT = 16.0
LINE_PT = 14.0
GROUPS_SIZED = 5
MOST_PRINTED_PX = 4_000_000


def draw_plan(plan: Plan, paper: str = "a4") -> list[Picture]:
    """All pages of a plan; at full size only if the layout is in mm, and not beyond all measure."""
    if paper not in PAPERS:
        raise ArgumentError(f"unknown paper {paper!r}: choose {', '.join(PAPERS)}")
    sheet = PAPERS[paper]
    shown = coloured(plan)
    everything = shapely.GeometryCollection([plan.layout.target, *(piece.outline for piece in shown)])
    tiling: Tiling | None = None
    if plan.layout.unit != "mm":
        remark = "The drawing has no physical unit: this plan is drawn to fit the page, not at full size."
    else:
        low_x, low_y, high_x, high_y = everything.bounds
        size = high_x - low_x, high_y - low_y
        needed = [
            rows * columns for rows, columns in (sheets_needed(*size, p) for p in (sheet, sheet.turned))
        ]
        if min(needed) > MOST_SHEETS:
            remark = (
                f"At full size this would take {min(needed):,} sheets: it is drawn to fit the page instead."
            )
        else:
            tiling = tile(everything, sheet)
            sheets = counted(len(tiling.sheets), "sheet")
            remark = f"At full size on {sheets} of {sheet.name}: print at 100 %, not fitted to the page."
    pages = [_overview(plan, shown, everything, sheet, tiling, remark), *table_pages(plan, sheet)]
    if plan.layout.pixels:
        pages.insert(1, _photograph(plan, sheet))
    if tiling is not None:
        pages += [full_size_sheet(plan, shown, tiling, one) for one in tiling.sheets]
    return pages


def _overview(
    plan: Plan,
    shown: Sequence[Shown],
    everything: BaseGeometry,
    paper: Paper,
    tiling: Tiling | None,
    remark: str,
) -> Picture:
    """The whole assembly, with the sheets over it where it takes several."""
    width, height = paper.width * POINTS_PER_MM, paper.height * POINTS_PER_MM
    margin = MARGIN_MM * POINTS_PER_MM
    lines = _summary(plan, remark, tiling)
    top = margin + TITLE_PT + LINE_PT * (len(lines) + 1.5)
    several = tiling is not None and len(tiling.sheets) > 1
    windows = [sheet.window for sheet in tiling.sheets] if tiling is not None and several else []
    low_x, low_y, high_x, high_y = shapely.total_bounds([everything, *windows]).tolist()
    room_x, room_y = width - 2.0 * margin, height - top - 1.5 * margin
    scale = min(room_x / (high_x - low_x), room_y / (high_y - low_y))
    left = margin + (room_x - (high_x - low_x) * scale) / 2.0
    frame = Frame(left - low_x * scale, -top - high_y * scale, scale)
    heading = clipped(plan.title, room_x, TITLE_PT)
    texts = [Text(margin, -margin - TITLE_PT / 2.0, heading, TITLE_PT, INK, "start")]
    texts += [
        Text(
            margin,
            -margin - TITLE_PT - LINE_PT * (k + 1.0),
            clipped(line, room_x, TEXT_PT),
            TEXT_PT,
            INK,
            "start",
        )
        for k, line in enumerate(lines)
    ]
    map_items: list[Area | Text] = []
    if tiling is not None and several:
        map_items += [Area(window, FAINT) for window in windows]
        map_items += [_sheet_name(sheet, tiling, scale) for sheet in tiling.sheets]
    return Picture(
        width,
        height,
        (
            Layer("assembly", (*drawn_pieces(plan, shown, scale, filled=True),), frame),
            Layer("sheets", tuple(map_items), frame),
            Layer("numbers", (*numbers(shown, None, scale), *gap_names(plan, scale)), frame),
            Layer("texts", tuple(texts), PAGE),
        ),
        title=plan.title,
    )


def _photograph(plan: Plan, paper: Paper) -> Picture:
    """The pieces' own pixels in their places, as large as the page allows."""
    width, height = paper.width * POINTS_PER_MM, paper.height * POINTS_PER_MM
    margin = MARGIN_MM * POINTS_PER_MM
    texture = reassembled(plan.layout.pixels, most_pixels=MOST_PRINTED_PX)
    low_x, low_y, high_x, high_y = shapely.total_bounds(
        [plan.layout.target, shapely.box(*box_of(texture))]
    ).tolist()
    top = margin + TITLE_PT + LINE_PT
    scale = min((width - 2.0 * margin) / (high_x - low_x), (height - top - margin) / (high_y - low_y))
    left = (width - (high_x - low_x) * scale) / 2.0
    frame = Frame(left - low_x * scale, -top - high_y * scale, scale)
    heading = clipped(plan.title, width - 2.0 * margin, TITLE_PT)
    return Picture(
        width,
        height,
        (
            Layer("photograph", (Area(shapely.box(*box_of(texture)), Paint(), texture=texture),), frame),
            Layer("target", tuple(lines_within(plan.layout.target.boundary, None, FAINT)), frame),
            Layer("texts", (Text(margin, -margin - TITLE_PT / 2.0, heading, TITLE_PT, INK, "start"),), PAGE),
        ),
        title=plan.title,
    )


def _sheet_name(sheet: Sheet, tiling: Tiling, scale: float) -> Text:
    """The name of a sheet, in an outer corner of it where it has one: inner ones lie on the next sheet."""
    low_x, low_y, high_x, high_y = sheet.window.bounds
    inset = 12.0 / scale
    x = low_x + inset if sheet.column == 0 else high_x - inset
    y = high_y - inset if sheet.row == 0 else low_y + inset
    if 0 < sheet.column < tiling.columns - 1:
        x = (low_x + high_x) / 2.0
    if 0 < sheet.row < tiling.rows - 1:
        y = (low_y + high_y) / 2.0
    return Text(x, y, sheet.name, TEXT_PT, MUTED, halo="#ffffff")


def _summary(plan: Plan, remark: str, tiling: Tiling | None) -> list[str]:
    layout = plan.layout
    unit = f" {layout.unit}" if layout.unit else ""
    pieces = counted(len(plan.steps), "piece")
    if layout.target.is_empty:
        sizes = (
            " x ".join(map(measured, sides(group.outline))) + unit for group in plan.groups[:GROUPS_SIZED]
        )
        more = f" and {len(plan.groups) - GROUPS_SIZED} more" if len(plan.groups) > GROUPS_SIZED else ""
        what = (
            f"{pieces} in {counted(len(plan.groups), 'group')} of {', '.join(sizes)}{more}, without a target"
        )
    else:
        low_x, low_y, high_x, high_y = layout.target.bounds
        what = f"{pieces} in a target of {measured(high_x - low_x)} x {measured(high_y - low_y)}{unit}"
    joined = sum(not step.after for step in plan.steps) <= max(1, len(plan.groups))
    bands = [hold.band for hold in plan.holds.values()]
    sure = ", ".join(
        f"{bands.count(band)} {band}" for band in ("certain", "likely", "loose") if band in bands
    )
    lines = [what + (f": {sure}." if sure else ".")]
    if plan.warning:
        lines.insert(0, f"Not to be built from as it is{f': {plan.why}' if plan.why else ''}.")
        if any(hold.overlap > layout.tolerance for hold in plan.holds.values()):
            lines.append("Overlaps are red.")
    elif plan.steps:
        touching = ": each touches what already lies." if joined else "."
        if len(plan.groups) > 1:
            touching = ", group by group" + touching
        lines.append(f"Lay them in the order of their numbers{touching}")
    if elsewhere := [str(step.number) for step in plan.steps if plan.holds[step.id].elsewhere]:
        lines.append(
            f"Another assembly is as good, and has something else in the place of {_listed(elsewhere)}."
        )
    lines.append(remark)
    if tiling is not None and len(tiling.sheets) > 1:
        lines.append(
            f"Sheets overlap by {OVERLAP_MM:g} mm: cut one along its dashed line, "
            "and lay it on the same line of the next."
        )
    for reason in dict.fromkeys(layout.set_aside.values()):
        names = [name for name, why in layout.set_aside.items() if why == reason]
        lines.append(f"Set aside ({reason}): {', '.join(names)}.")
    if plan.gaps:
        areas = ", ".join(
            f"{measured(gap.area)}{unit}²" if unit else measured(gap.area) for gap in plan.gaps[:GAPS_NAMED]
        )
        more = f" and {len(plan.gaps) - GAPS_NAMED} more" if len(plan.gaps) > GAPS_NAMED else ""
        lines.append(f"Open (hatched): {counted(len(plan.gaps), 'gap')}, {areas}{more}.")
    return lines


def _listed(words: Sequence[str]) -> str:
    """The words as in a sentence.

    >>> _listed(["1"]), _listed(["1", "2", "3"])
    ('1', '1, 2 and 3')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
