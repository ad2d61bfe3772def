"""One assembly in its target, as layers of a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import apply_each, difference, size_of
from sherd.core.puzzle import Puzzle
from sherd.draw.colours import (
    GAP,
    GAP_HATCH,
    INK,
    OPEN,
    OUTSIDE_HATCH,
    OVERLAP,
    OVERLAP_HATCH,
    PAGE_COLOUR,
    Colours,
    paler,
)
from sherd.draw.flaws import Flaws, hatch
from sherd.draw.labels import fit_label, shorten
from sherd.draw.leaders import label_box, leader_labels
from sherd.draw.scene import Area, Bounds, Frame, Layer, Paint, Text
from sherd.draw.tray import MOST_OUTSIDE, outline_width, piece_paint

# A piece farther from the target than this share of its size is off the picture: to show it, all else
# would have to shrink.
REACH = 1.0
HATCH_PX = 5.0
THINNEST_PX = 0.25  # flaws thinner than this are rounding, not something to see


def within_reach(puzzle: Puzzle, placements: Iterable[Placement]) -> list[tuple[Placement, Polygon]]:
    """The placements that a picture can show, with the placed outlines."""
    finite = [p for p in placements if math.isfinite(p.pose.x + p.pose.y + p.pose.theta)]
    outlines = apply_each([p.pose for p in finite], [puzzle[p.id].polygon for p in finite])
    every = list(zip(finite, outlines, strict=True))
    if not puzzle.has_target:
        return every
    low_x, low_y, high_x, high_y = puzzle.target.bounds
    reach = REACH * size_of(puzzle.target)
    room = shapely.box(low_x - reach, low_y - reach, high_x + reach, high_y + reach)
    return [(placement, outline) for placement, outline in every if room.contains(outline)]


def extent(puzzle: Puzzle, assemblies: Iterable[Assembly]) -> Bounds:
    """The box around the target and all pieces within reach of it, in the target's units."""
    placements = {placement for assembly in assemblies for placement in assembly}
    outlines = [outline for _, outline in within_reach(puzzle, placements)]
    if not outlines and not puzzle.has_target:
        return 0.0, 0.0, 0.0, 0.0
    low_x, low_y, high_x, high_y = shapely.total_bounds([puzzle.target, *outlines]).tolist()
    return low_x, low_y, high_x, high_y


def board_layers(
    puzzle: Puzzle,
    shown: Sequence[tuple[Placement, Polygon]],
    frame: Frame,
    *,
    flaws: Flaws,
    colours: Colours,
    prefix: str = "",
    current: str | None = None,
    labels: bool = True,
) -> tuple[Layer, ...]:
    """The target, placed pieces, flaws and names, lowest first.

    ``prefix`` goes before the ids of pieces, to keep them unique on a page of several boards. ``current``
    is a piece to bring out; the others then turn pale.
    """
    line = outline_width(len(puzzle.fragments))
    fills = {p.id: colours[p.id] if current in (None, p.id) else paler(colours[p.id]) for p, _ in shown}
    pieces = [
        Area(
            (fragment := puzzle[p.id]).polygon,
            piece_paint(fragment.polygon, fills[p.id], line, frame.scale),
            p.pose,
            prefix + p.id,
            p.id + (" (mirrored)" if p.pose.mirrored else ""),
            fragment.texture,
        )
        for p, _ in shown
    ]
    spacing = HATCH_PX / frame.scale
    marks = [
        Area(flaws.overlap, OVERLAP),
        Area(hatch(flaws.overlap, spacing), OVERLAP_HATCH),
        Area(hatch(flaws.outside, spacing, rising=False), OUTSIDE_HATCH),
    ]
    # Outlines once more on top: an overlap must not hide what it is that overlaps.
    hidden = [] if flaws.overlap.is_empty else [o for _, o in shown if o.intersects(flaws.overlap)]
    outlines = [Area(o, Paint(stroke=INK, width=line)) for o in hidden]
    outlines += [Area(o, Paint(stroke=INK, width=1.8 * line)) for p, o in shown if p.id == current]
    gaps = [Area(flaws.gap, GAP), Area(hatch(flaws.gap, spacing, rising=False), GAP_HATCH)]
    return (
        Layer("target", tuple(_present([Area(puzzle.target, Paint(fill=OPEN)), *gaps])), frame),
        Layer("pieces", tuple(pieces), frame),
        Layer(
            "marks",
            tuple(_present([*marks, *outlines, Area(puzzle.target, Paint(stroke=INK, width=2.4))])),
            frame,
        ),
        Layer(
            "labels",
            tuple(_labels(puzzle, shown, frame.scale, fills, flaws.overlap)) if labels else (),
            frame,
        ),
    )


def _present(areas: Iterable[Area]) -> list[Area]:
    return [area for area in areas if not area.geometry.is_empty]


def _labels(
    puzzle: Puzzle,
    shown: Sequence[tuple[Placement, Polygon]],
    scale: float,
    fills: Colours,
    overlap: BaseGeometry,
) -> Iterable[Area | Text]:
    """Names within the pieces, and of those that are too small, beside a line that leads to them."""
    inside: list[Text] = []
    small: list[tuple[str, Polygon]] = []
    for placement, outline in shown:
        name = shorten(placement.id)
        halo = None if puzzle[placement.id].texture is None else PAGE_COLOUR
        part = _clear_part(outline, overlap)
        clear = fit_label(part, name, scale)
        if (spot := clear or (None if part is outline else fit_label(outline, name, scale))) is not None:
            within = not puzzle.has_target or shapely.contains_xy(puzzle.target, spot.x, spot.y)
            hatched = clear is None or not within
            rim = halo or (fills[placement.id] if hatched else None)
            inside.append(Text(spot.x, spot.y, name, spot.size, INK, halo=rim, angle_deg=spot.angle_deg))
        elif name:
            small.append((name, outline))
    yield from inside
    if len(shown) <= MOST_OUTSIDE:
        taken = [label_box(text, scale) for text in inside]
        yield from leader_labels(small, taken, [outline for _, outline in shown], scale)


def _clear_part(outline: Polygon, overlap: BaseGeometry) -> Polygon:
    """The largest part of a piece that overlaps nothing, or all of it where there is none."""
    if not outline.intersects(overlap):
        return outline
    parts = shapely.get_parts(difference(outline, overlap)).tolist()
    polygons = [part for part in parts if isinstance(part, Polygon) and not part.is_empty]
    return max(polygons, key=lambda part: part.area, default=outline)


def fit(bounds: Bounds, x: float, y: float, scale: float) -> Frame:
    """The frame that puts the top left corner of a box of the world at (x, y) of the page."""
    return Frame(x - bounds[0] * scale, y - bounds[3] * scale, scale)


def target_px(pieces: int) -> float:
    """How many pixels the target should be across, so that this number of pieces can be told apart."""
    return float(np.clip(52.0 * np.sqrt(pieces), 340.0, 1000.0))
