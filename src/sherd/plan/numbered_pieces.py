"""The pieces of a plan as all of its pages draw them: outlines, colours, numbers and gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import shapely
from shapely import LineString, MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import intersection, polygons_in, size_of
from sherd.draw.colours import GAP_HATCH, INK, MUTED, OVERLAP, OVERLAP_HATCH, paler, shades
from sherd.draw.flaws import find_overlap, hatch
from sherd.draw.labels import fit_label, label_spot
from sherd.draw.scene import Area, Paint, Text
from sherd.plan.plan import Plan

TEXT_PT, SMALL_PT = 9.5, 7.5
GAPS_NAMED = 5
SMALLEST_PT = 5.0  # of a number that has no room in its piece
FAINT = Paint(stroke=MUTED, width=0.35)
OUTLINE = Paint(stroke=INK, width=0.8)
WRONG = Paint(stroke=OVERLAP.fill, width=0.8)
# Overlaps narrower than this share of the whole are not to be seen.
THINNEST = 1e-3


@dataclass(frozen=True)
class Shown:
    """A placed piece as it is drawn: number, outline in the target's frame, colour."""

    number: int
    outline: Polygon
    colour: str


def coloured(plan: Plan) -> list[Shown]:
    """The pieces in the order of laying, each in the colour that it has in all pictures, but paler."""
    rank = {piece.id: k for k, piece in enumerate(plan.layout.pieces)}
    colours: list[str] = []
    for step in plan.steps:
        near = [colours[number - 1] for number in step.after]
        colours.append(min(shades(rank[step.id]), key=near.count))
    return [
        Shown(number, piece.placed, paler(colour, 0.5))
        for number, (piece, colour) in enumerate(zip(plan.in_order, colours, strict=True), start=1)
    ]


def drawn_pieces(
    plan: Plan, shown: Sequence[Shown], scale: float, *, filled: bool, window: Polygon | None = None
) -> Iterable[Area]:
    """Outlines, those of the target and the gaps too, cut to the window where there is one."""
    for piece in shown:
        if filled:
            yield Area(piece.outline, Paint(piece.colour, INK, 0.7))
        else:
            yield from lines_within(piece.outline.boundary, window, OUTLINE)
    for gap in plan.gaps:
        yield from lines_within(hatch(gap.polygon, 5.0 / scale, rising=False), window, GAP_HATCH)
    if plan.warning and shown:
        outlines = [piece.outline for piece in shown]
        overlap = find_overlap(outlines, THINNEST * size_of(shapely.GeometryCollection(outlines)))
        if filled and not overlap.is_empty:
            yield Area(overlap, OVERLAP)
        yield from lines_within(hatch(overlap, 5.0 / scale), window, OVERLAP_HATCH if filled else WRONG)
    for outline in (plan.layout.target, *(group.outline for group in plan.groups)):
        yield from lines_within(outline.boundary, window, Paint(stroke=INK, width=1.4))


def lines_within(geometry: BaseGeometry, window: Polygon | None, paint: Paint) -> Iterable[Area]:
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


def numbers(shown: Sequence[Shown], window: Polygon | None, scale: float) -> Iterable[Text]:
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


def gap_names(plan: Plan, scale: float, window: Polygon | None = None) -> Iterable[Text]:
    """Names of the gaps that have room for them, and of the largest ones anyway."""
    for gap in plan.gaps:
        name = f"gap {gap.number}"
        x, y = label_spot(gap.polygon)
        named = gap.number <= GAPS_NAMED or fit_label(gap.polygon, name, scale, SMALL_PT) is not None
        if named and (window is None or shapely.contains_xy(window, x, y)):
            yield Text(x, y, name, SMALL_PT, INK, halo="#ffffff")
