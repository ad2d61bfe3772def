"""Loose pieces, laid out in tidy rows in their own orientation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment
from sherd.draw.colours import GHOST, INK, PAGE_COLOUR, Colours
from sherd.draw.labels import fit_label, label_spot, shorten, text_width
from sherd.draw.scene import Area, Frame, Layer, Paint, Text

OUTSIDE_PX = 9.0  # size of a label that finds no room inside its piece
MOST_OUTSIDE = 150  # with more pieces than this such labels would only clutter the page
HANDSOME = 1.6  # width to height
WIDEN = 1.05
THIN_PX = 2.0  # a piece thinner than this is all colour, without an outline


@dataclass(frozen=True)
class Slot:
    """A piece's place in a tray, in pixels: its own origin at (x, y), and its label."""

    fragment: Fragment
    x: float
    y: float
    label: Text | None


@dataclass(frozen=True)
class Tray:
    """Slots in a box of ``width`` x ``height`` pixels whose top left corner is (0, 0)."""

    slots: tuple[Slot, ...]
    scale: float
    width: float
    height: float

    def layers(
        self, x: float, y: float, colours: Colours, *, taken: frozenset[str] = frozenset()
    ) -> tuple[Layer, Layer]:
        """Pieces and labels with the tray's corner at (x, y) of the page; of taken pieces, the outlines."""
        pieces: list[Area] = []
        labels: list[Text] = []
        for slot in self.slots:
            fragment = slot.fragment
            pose = Pose(slot.x / self.scale, slot.y / self.scale)
            if fragment.id in taken:
                pieces.append(Area(fragment.polygon, Paint(PAGE_COLOUR, GHOST, 0.8), pose))
                continue
            line = outline_width(len(self.slots))
            paint = piece_paint(fragment.polygon, colours[fragment.id], line, self.scale)
            pieces.append(Area(fragment.polygon, paint, pose, fragment.id, fragment.id, fragment.texture))
            if slot.label is not None:
                labels.append(slot.label)
        return Layer("tray", tuple(pieces), Frame(x, y, self.scale)), Layer(
            "labels", tuple(labels), Frame(x, y)
        )


def outline_width(pieces: int) -> float:
    """How thick a piece's outline is in pixels: finer where there are many pieces."""
    return float(np.clip(3.2 / pieces**0.25, 0.6, 1.6))


def piece_paint(polygon: Polygon, fill: str, line: float, scale: float) -> Paint:
    """A piece's colour and outline; a thin piece's outline is thinner, lest it hide the colour."""
    thickness_px = 2.0 * polygon.area / polygon.length * scale
    if thickness_px < THIN_PX:
        return Paint(fill, fill, 1.0)
    return Paint(fill, INK, min(line, 0.25 * thickness_px))


def lay_out(fragments: Sequence[Fragment], scale: float, height: float) -> Tray:
    """Rows of pieces at ``scale`` pixels a unit, the highest pieces first.

    No two pieces, labels included, share any part of the page. The tray is as narrow as it gets without
    being higher than ``height``, or than is handsome for its width.
    """
    cells = [_cell(fragment, scale, len(fragments) <= MOST_OUTSIDE) for fragment in fragments]
    cells.sort(key=lambda cell: -cell[2])
    sizes = np.array([cell[1:] for cell in cells])
    spacing = max(4.0, 0.15 * float(np.sqrt(sizes.prod(axis=1).mean())))
    width, all_in_one_row = float(sizes[:, 0].max()), float(sizes[:, 0].sum() + spacing * len(sizes))
    corners, used_width, used_height = _rows(sizes, width, spacing)
    while used_height > max(height, used_width / HANDSOME) and width < all_in_one_row:
        width *= WIDEN
        corners, used_width, used_height = _rows(sizes, width, spacing)
    slots = tuple(
        Slot(slot.fragment, slot.x + x, slot.y + y, _moved(slot.label, x, y))
        for (slot, _, _), (x, y) in zip(cells, corners, strict=True)
    )
    return Tray(slots, scale, used_width, used_height)


def _cell(fragment: Fragment, scale: float, label_outside: bool) -> tuple[Slot, float, float]:
    """A piece in a box of its own: the slot with the box's top left corner at (0, 0), width and height."""
    low_x, low_y, high_x, high_y = (bound * scale for bound in fragment.polygon.bounds)
    width, height = high_x - low_x, high_y - low_y
    name = shorten(fragment.id)
    halo = None if fragment.texture is None else PAGE_COLOUR
    smallest = OUTSIDE_PX if label_outside else 0.0
    if (spot := fit_label(fragment.polygon, name, scale, smallest)) is not None:
        x, y = spot.x * scale - low_x, spot.y * scale - high_y
        label = Text(x, y, name, spot.size, INK, halo=halo, angle_deg=spot.angle_deg)
        return Slot(fragment, -low_x, -high_y, label), width, height
    if not label_outside or not name:
        return Slot(fragment, -low_x, -high_y, None), width, height
    if (beside := _spot_beside(fragment, name, scale)) is not None:
        label = Text(beside[0] - low_x, beside[1] - high_y, name, OUTSIDE_PX, INK)
        return Slot(fragment, -low_x, -high_y, label), width, height
    wide = max(width, text_width(name, OUTSIDE_PX))
    label = Text(wide / 2.0, -height - 0.5 * OUTSIDE_PX - 3.0, name, OUTSIDE_PX, INK)
    return Slot(fragment, (wide - width) / 2.0 - low_x, -high_y, label), wide, height + OUTSIDE_PX + 3.0


def _spot_beside(fragment: Fragment, name: str, scale: float) -> tuple[float, float] | None:
    """Where a name fits close to a slanting piece and still within the piece's bounding box, in pixels."""
    room = shapely.box(*fragment.polygon.bounds)
    middle_x, middle_y = label_spot(fragment.polygon)
    right, up = 0.5 * text_width(name, OUTSIDE_PX) + 2.0, 0.5 * OUTSIDE_PX + 1.0
    for away in (1.0, 1.3, 1.6, 2.0, 2.5):
        for side_x, side_y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            x, y = middle_x * scale + side_x * away * right, middle_y * scale + side_y * away * up
            low_x, low_y = (x - right) / scale, (y - up) / scale
            box = shapely.box(low_x, low_y, (x + right) / scale, (y + up) / scale)
            if room.contains(box) and box.disjoint(fragment.polygon):
                return x, y
    return None


def _moved(label: Text | None, x: float, y: float) -> Text | None:
    if label is None:
        return None
    return replace(label, x=label.x + x, y=label.y + y)


def _rows(sizes: np.ndarray, width: float, spacing: float) -> tuple[list[tuple[float, float]], float, float]:
    """Top left corners of boxes set from left to right in rows, and the width and height of it all."""
    corners: list[tuple[float, float]] = []
    row: list[tuple[float, float]] = []  # left edge and height of each box
    top, x, used_width = 0.0, 0.0, 0.0

    def close() -> float:
        highest = max(height for _, height in row)
        corners.extend((left, top - (highest - height) / 2.0) for left, height in row)
        return top - highest

    for box_width, box_height in sizes.tolist():
        if row and x + box_width > width:
            top, x, row = close() - spacing, 0.0, []
        row.append((x, box_height))
        used_width = max(used_width, x + box_width)
        x += box_width + spacing
    return corners, used_width, -close()
