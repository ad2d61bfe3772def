"""What was read of a drawing or a picture: outlines with names, over the scan where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import shapely
from shapely import Polygon

from sherd.core.geometry import size_of
from sherd.core.puzzle import Fragment
from sherd.core.texture import Texture
from sherd.draw.colours import INK, MUTED, OPEN, PAGE_COLOUR, PALETTE
from sherd.draw.labels import fit_label, shorten, text_width
from sherd.draw.leaders import label_box, leader_labels
from sherd.draw.reassembled import box_of
from sherd.draw.scene import PAGE, Area, Frame, Layer, Paint, Picture, Text
from sherd.draw.tray import lay_out

WIDEST_PX = 1000.0
MARGIN = 20.0
HEADING_PX = 13.0
LIST_PX = 11.0
LINE = 17.0
SWATCH = 10.0
# A longer list is cut here; the table on the screen has all.
MOST_LISTED = 60


def draw_reading(
    pieces: Sequence[tuple[str, Polygon, Texture | None]],
    targets: Sequence[Polygon] = (),
    *,
    unit: str = "",
    scan: Texture | None = None,
    caption: str = "",
) -> Picture:
    """Pieces (name, outline, pixels) where they lie, over the scan, with a list of sizes and areas.

    Where pieces come from pictures of their own they lie on each other, and are shown side by side.
    """
    outlines = [outline for _, outline, _ in pieces]
    everything = [*outlines, *targets]
    low_x, low_y, high_x, high_y = shapely.total_bounds(everything).tolist()
    apart = scan is None and any(texture is not None for _, _, texture in pieces)
    if apart:
        return _side_by_side(pieces, unit, caption)
    if scan is not None:
        shown = shapely.box(*box_of(scan))  # without what pads it to a square
        everything.append(shown)
        low_x, low_y, high_x, high_y = shapely.total_bounds(everything).tolist()
        below = [Area(shown, Paint(), texture=scan)]
    else:
        below = [Area(target, Paint(OPEN, INK, 1.6)) for target in targets]
    scale = WIDEST_PX / max(high_x - low_x, high_y - low_y)
    height = (high_y - low_y) * scale
    frame = Frame(MARGIN - low_x * scale, -MARGIN - LINE - high_y * scale, scale)
    list_x = MARGIN + (high_x - low_x) * scale + MARGIN
    items, list_width, list_height = _list(pieces, unit, list_x)
    return Picture(
        max(list_x + list_width + MARGIN, 2.0 * MARGIN + text_width(caption, HEADING_PX)),
        max(height, list_height) + 2.0 * MARGIN + LINE,
        (
            Layer("scan", tuple(below), frame),
            Layer("pieces", tuple(_outlines(pieces, scan is not None)), frame),
            Layer("labels", tuple(_labels(pieces, scale)), frame),
            Layer("list", (Text(MARGIN, -MARGIN, caption, HEADING_PX, INK, "start"), *items), PAGE),
        ),
        title=caption,
    )


def _side_by_side(pieces: Sequence[tuple[str, Polygon, Texture | None]], unit: str, caption: str) -> Picture:
    """Every piece with its own pixels, in rows."""
    fragments: list[Fragment] = []
    for name, outline, texture in pieces:
        x, y = outline.centroid.x, outline.centroid.y
        own = shapely.transform(outline, lambda xy, at=(x, y): xy - at)
        fragments.append(Fragment(name, own, None if texture is None else texture.moved(-x, -y)))
    widest = max(size_of(fragment.polygon) for fragment in fragments)
    scale = min(220.0, WIDEST_PX / len(fragments) ** 0.5) / widest
    tray = lay_out(fragments, scale, WIDEST_PX)
    list_x = MARGIN + tray.width + MARGIN
    items, list_width, list_height = _list(pieces, unit, list_x)
    colours = {name: colour for (name, _, _), colour in zip(pieces, _colours(len(pieces)), strict=True)}
    return Picture(
        max(list_x + list_width + MARGIN, 2.0 * MARGIN + text_width(caption, HEADING_PX)),
        max(tray.height, list_height) + 2.0 * MARGIN + LINE,
        (
            *tray.layers(MARGIN, -MARGIN - LINE, colours),
            Layer("list", (Text(MARGIN, -MARGIN, caption, HEADING_PX, INK, "start"), *items), PAGE),
        ),
        title=caption,
    )


def _colours(count: int) -> list[str]:
    """The colours that pieces have in all pictures, by their rank."""
    return [PALETTE[rank % len(PALETTE)] for rank in range(count)]


def _outlines(pieces: Sequence[tuple[str, Polygon, Texture | None]], over_scan: bool) -> Iterable[Area]:
    """On a scan, a light line within a dark one is seen on every colour."""
    for (name, outline, _), colour in zip(pieces, _colours(len(pieces)), strict=True):
        if over_scan:
            yield Area(outline, Paint(stroke=INK, width=3.2))
            yield Area(outline, Paint(stroke=colour, width=1.6), id=name, title=name)
        else:
            yield Area(outline, Paint(colour, INK, 1.0), id=name, title=name)


def _labels(pieces: Sequence[tuple[str, Polygon, Texture | None]], scale: float) -> list[Area | Text]:
    inside: list[Text] = []
    small: list[tuple[str, Polygon]] = []
    for name, outline, _ in pieces:
        short = shorten(name)
        if (spot := fit_label(outline, short, scale)) is None:
            small.append((short, outline))
        else:
            inside.append(
                Text(spot.x, spot.y, short, spot.size, INK, halo=PAGE_COLOUR, angle_deg=spot.angle_deg)
            )
    taken = [label_box(text, scale) for text in inside]
    return [*inside, *leader_labels(small, taken, [outline for _, outline, _ in pieces], scale)]


def _list(
    pieces: Sequence[tuple[str, Polygon, Texture | None]], unit: str, left: float
) -> tuple[list[Area | Text], float, float]:
    """Name, size and area of each piece, in lines from the top; and the width and height of that."""
    items: list[Area | Text] = []
    widest, y = 0.0, -MARGIN - LINE
    for (name, outline, _), colour in list(zip(pieces, _colours(len(pieces)), strict=True))[:MOST_LISTED]:
        y -= LINE
        swatch = shapely.box(left, y - SWATCH / 2.0, left + SWATCH, y + SWATCH / 2.0)
        words = f"{shorten(name)}: {in_words(outline, unit)}"
        items += [
            Area(swatch, Paint(colour, INK, 0.8)),
            Text(left + SWATCH + 6.0, y, words, LIST_PX, INK, "start"),
        ]
        widest = max(widest, SWATCH + 6.0 + text_width(words, LIST_PX))
    if len(pieces) > MOST_LISTED:
        y -= LINE
        items.append(Text(left, y, f"and {len(pieces) - MOST_LISTED:,} more", LIST_PX, MUTED, "start"))
    return items, widest, -y - MARGIN


def in_words(outline: Polygon, unit: str) -> str:
    """The size of the smallest box around an outline, however turned, and its area.

    >>> in_words(shapely.box(0, 0, 30, 20), "mm")
    '30 x 20 mm, 600 sq mm'
    """
    corners = shapely.get_coordinates(outline.minimum_rotated_rectangle)
    sides = sorted((float(((corners[k + 1] - corners[k]) ** 2).sum() ** 0.5) for k in (0, 1)), reverse=True)
    of = f" {unit}" if unit else ""
    return f"{sides[0]:.4g} x {sides[1]:.4g}{of}, {area_in_words(outline.area, unit)}"


def area_in_words(area: float, unit: str) -> str:
    """An area in letters that every font has."""
    return (f"{area:,.0f}" if area >= 1000.0 else f"{area:.4g}") + (f" sq {unit}" if unit else "")
