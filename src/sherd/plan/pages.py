"""A plan as pages to print: an overview, a table, and the assembly at full size.

Pages are pictures of one pixel to the point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import shapely
from shapely import LineString, MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.errors import ArgumentError
from sherd.core.geometry import intersection, polygons_in
from sherd.draw.colours import GAP_HATCH, INK, MUTED, paler, shades
from sherd.draw.flaws import hatch
from sherd.draw.labels import fit_label, label_spot
from sherd.draw.reassembled import box_of, reassembled
from sherd.draw.scene import PAGE, POINTS_PER_MM, Area, Frame, Layer, Paint, Picture, Text
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

TITLE_PT, TEXT_PT, SMALL_PT = 16.0, 9.5, 7.5
LINE_PT = 14.0
GAPS_NAMED = GROUPS_SIZED = 5
MOST_PRINTED_PX = 4_000_000
SMALLEST_PT = 5.0  # of a number that has no room in its piece
RULER_MM = 50.0
CROSS_MM = 4.0
DASH_MM = 2.0
HAIR = Paint(stroke=INK, width=0.5)
FAINT = Paint(stroke=MUTED, width=0.35)
OUTLINE = Paint(stroke=INK, width=0.8)


@dataclass(frozen=True)
class _Shown:
    """The placed pieces as they are drawn: number, outline in the target's frame, colour."""

    number: int
    outline: Polygon
    colour: str


def draw_plan(plan: Plan, paper: str = "a4") -> list[Picture]:
    """All pages of a plan; at full size only if the layout is in mm, and not beyond all measure."""
    if paper not in PAPERS:
        raise ArgumentError(f"unknown paper {paper!r}: choose {', '.join(PAPERS)}")
    sheet = PAPERS[paper]
    shown = _coloured(plan)
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
        pages += [_full_size(plan, shown, tiling, one) for one in tiling.sheets]
    return pages


def _coloured(plan: Plan) -> list[_Shown]:
    """The pieces in the order of laying, each in the colour that it has in all pictures, but paler."""
    rank = {piece.id: k for k, piece in enumerate(plan.layout.pieces)}
    colours: list[str] = []
    for step in plan.steps:
        near = [colours[number - 1] for number in step.after]
        colours.append(min(shades(rank[step.id]), key=near.count))
    return [
        _Shown(number, piece.placed, paler(colour, 0.5))
        for number, (piece, colour) in enumerate(zip(plan.in_order, colours, strict=True), start=1)
    ]


def _overview(
    plan: Plan,
    shown: Sequence[_Shown],
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
            Layer("assembly", (*_pieces(plan, shown, scale, filled=True),), frame),
            Layer("sheets", tuple(map_items), frame),
            Layer("numbers", (*_numbers(shown, None, scale), *_gap_names(plan, scale)), frame),
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
            Layer("target", tuple(_cut(plan.layout.target.boundary, None, FAINT)), frame),
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
    if plan.steps:
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


def _pieces(
    plan: Plan, shown: Sequence[_Shown], scale: float, *, filled: bool, window: Polygon | None = None
) -> Iterable[Area]:
    """Outlines, those of the target and the gaps too, cut to the window where there is one."""
    for piece in shown:
        if filled:
            yield Area(piece.outline, Paint(piece.colour, INK, 0.7))
        else:
            yield from _cut(piece.outline.boundary, window, OUTLINE)
    for gap in plan.gaps:
        yield from _cut(hatch(gap.polygon, 5.0 / scale, rising=False), window, GAP_HATCH)
    for outline in (plan.layout.target, *(group.outline for group in plan.groups)):
        yield from _cut(outline.boundary, window, Paint(stroke=INK, width=1.4))


def _cut(geometry: BaseGeometry, window: Polygon | None, paint: Paint) -> Iterable[Area]:
    """The lines of a geometry, those within the window only."""
    lines = _lines(geometry)
    if lines and window is not None:
        lines = _lines(intersection(MultiLineString(lines), window))
    if lines:
        yield Area(MultiLineString(lines), paint)


def _lines(geometry: BaseGeometry) -> list[LineString]:
    """Without the points that an overlay leaves where lines only touch."""
    return [
        part for part in shapely.get_parts(geometry) if isinstance(part, LineString) and not part.is_empty
    ]


def _numbers(shown: Sequence[_Shown], window: Polygon | None, scale: float) -> Iterable[Text]:
    """The number of each piece in every part of it that has room; small at its middle where none has."""
    for piece in shown:
        text = str(piece.number)
        inside = [piece.outline] if window is None else polygons_in(intersection(piece.outline, window))
        spots = [spot for part in inside if (spot := fit_label(part, text, scale)) is not None]
        for spot in spots:
            yield Text(spot.x, spot.y, text, spot.size, INK, angle_deg=spot.angle_deg)
        if not spots:
            x, y = label_spot(piece.outline)
            if window is None or shapely.contains_xy(window, x, y):
                yield Text(x, y, text, SMALLEST_PT, INK, halo="#ffffff")


def _gap_names(plan: Plan, scale: float, window: Polygon | None = None) -> Iterable[Text]:
    """Names of the gaps that have room for them, and of the largest ones anyway."""
    for gap in plan.gaps:
        name = f"gap {gap.number}"
        x, y = label_spot(gap.polygon)
        named = gap.number <= GAPS_NAMED or fit_label(gap.polygon, name, scale, SMALL_PT) is not None
        if named and (window is None or shapely.contains_xy(window, x, y)):
            yield Text(x, y, name, SMALL_PT, INK, halo="#ffffff")


def _full_size(plan: Plan, shown: Sequence[_Shown], tiling: Tiling, sheet: Sheet) -> Picture:
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
                tuple(_pieces(plan, shown, POINTS_PER_MM, filled=False, window=sheet.window)),
                frame,
            ),
            Layer(
                "numbers",
                (*_numbers(shown, own, POINTS_PER_MM), *_gap_names(plan, POINTS_PER_MM, own)),
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
