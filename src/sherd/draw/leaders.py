"""Names of pieces that are too small to hold them: beside the piece, with a line that leads to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import shapely
from shapely import LineString, Polygon

from sherd.draw.colours import INK, PAGE_COLOUR
from sherd.draw.labels import label_spot, text_width
from sherd.draw.scene import Area, Paint, Text

SIZE_PX = 9.0
# How far away from a piece its name is tried, in sizes of letters, and in how many directions.
DISTANCES = (1.6, 2.4, 3.4, 4.6, 6.0, 8.0, 11.0)
DIRECTIONS = 16
# With more names than this, lines would only clutter the page.
MOST = 60


def leader_labels(
    small: Sequence[tuple[str, Polygon]], taken: Sequence[Polygon], outlines: Sequence[Polygon], scale: float
) -> Iterator[Area | Text]:
    """Names with lines to pieces (name, outline), at ``scale`` pixels a unit, clear of boxes that are taken.

    Of the clear places the nearest is taken, and of equally near ones that on the fewest other pieces.
    """
    boxes = list(taken)
    tree = shapely.STRtree(list(outlines))
    for name, outline in small[:MOST]:
        x, y = label_spot(outline)
        right, up = (0.5 * text_width(name, SIZE_PX) + 1.5) / scale, (0.5 * SIZE_PX + 1.5) / scale
        best: tuple[float, float, float, Polygon] | None = None
        for distance in DISTANCES:
            for k in range(DIRECTIONS):
                way = 2.0 * math.pi * (k + 0.5) / DIRECTIONS
                reach = distance * SIZE_PX / scale
                at_x, at_y = x + math.cos(way) * (reach + right), y + math.sin(way) * (reach + up)
                box = shapely.box(at_x - right, at_y - up, at_x + right, at_y + up)
                if any(box.intersects(other) for other in boxes) or box.intersects(outline):
                    continue
                cost = distance + 2.0 * len(tree.query(box, predicate="intersects"))
                if best is None or cost < best[0]:
                    best = cost, at_x, at_y, box
        if best is None:
            continue
        _, at_x, at_y, box = best
        boxes.append(box)
        line = LineString([(x, y), (at_x, at_y)]).difference(box)
        yield Area(line, Paint(stroke=PAGE_COLOUR, width=2.4))
        yield Area(line, Paint(stroke=INK, width=0.8))
        yield Text(at_x, at_y, name, SIZE_PX, INK, halo=PAGE_COLOUR)


def label_box(text: Text, scale: float) -> Polygon:
    """The room that a text takes, in the layer's units; turned ones take the square around them."""
    right, up = 0.5 * text_width(text.text, text.size) / scale, 0.5 * text.size / scale
    if text.angle_deg:
        right = up = max(right, up)
    return shapely.box(text.x - right, text.y - up, text.x + right, text.y + up)
