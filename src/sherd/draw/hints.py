"""Joints drawn pair by pair: both pieces laid together, where they touch, and how likely that is."""

from __future__ import annotations

from collections.abc import Sequence

import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.assembly import Assembly, Group, Joint, in_percent
from sherd.core.geometry import Pose, Region, intersection
from sherd.core.puzzle import Puzzle
from sherd.draw.board import fit
from sherd.draw.colours import INK, MUTED, OPEN, piece_colours
from sherd.draw.compose import HEADING_PX, LINE, MARGIN, SMALL_PX, columns_for
from sherd.draw.labels import fit_label, shorten, text_width
from sherd.draw.scene import Area, Layer, Paint, Picture, Text
from sherd.draw.tray import piece_paint

PANEL_PX = 200.0
OUTLINE_PX = 0.9
SEAM = Paint(stroke="#c2102f", width=2.6)
# Outlines touch where they are no farther apart than this share of a piece's size, and three residuals.
LEAST_NEAR = 0.006
WORN_APART = 2.5


def draw_hints(
    puzzle: Puzzle,
    joints: Sequence[Joint],
    *,
    groups: Sequence[Group] = (),
    title: str = "",
    unit: str = "",
) -> Picture:
    """Groups that belong together, if any are given, then one panel a joint, as large as it can be.

    Lengths are in ``unit``, if that is known.
    """
    panels = [_group_panel(puzzle, group, k) for k, group in enumerate(groups, start=1)]
    panels += [_joint_panel(puzzle, joint, unit) for joint in joints]
    columns = columns_for(max(len(panels), 1), PANEL_PX + MARGIN)
    layers: list[Layer] = []
    texts = [Text(MARGIN, -MARGIN, title, HEADING_PX, INK, "start")] if title else []
    top = -MARGIN - (LINE if title else 0.0)
    cell = PANEL_PX + 2.0 * LINE + MARGIN
    for number, (assembly, target, seam, words, below) in enumerate(panels):
        row, column = divmod(number, columns)
        x, y = MARGIN + column * (PANEL_PX + MARGIN), top - row * cell
        layers += _panel(puzzle, assembly, target, seam, (x, y), number)
        middle = x + PANEL_PX / 2.0
        texts += [
            Text(middle, y - PANEL_PX - 0.6 * LINE, words, SMALL_PX, INK),
            Text(middle, y - PANEL_PX - 1.3 * LINE, below, SMALL_PX, MUTED),
        ]
    rows = -(-len(panels) // columns)
    width = max(columns * (PANEL_PX + MARGIN) + MARGIN, text_width(title, HEADING_PX) + 2.0 * MARGIN)
    height = 2.0 * MARGIN + (LINE if title else 0.0) + max(rows * cell - MARGIN, LINE)
    return Picture(width, height, (*layers, Layer("text", tuple(texts))), title=title)


def seam_of(puzzle: Puzzle, joint: Joint) -> BaseGeometry:
    """The stretch of the second piece's outline, in the frame of the first, along which the two touch."""
    second = joint.pose.apply(puzzle[joint.second].polygon)
    first = puzzle.target if joint.first is None else puzzle[joint.first].polygon
    # Worn pieces do not touch at all.
    apart = WORN_APART * shapely.distance(first.boundary, second.boundary)
    near = max(3.0 * joint.residual, LEAST_NEAR * second.length / 4.0, apart)
    return intersection(second.boundary, first.boundary.buffer(near))


_Panel = tuple[Assembly, Region, BaseGeometry, str, str]


def _joint_panel(puzzle: Puzzle, joint: Joint, unit: str) -> _Panel:
    """A joint, turned so that what touches runs from left to right about."""
    pieces = Assembly() if joint.first is None else Assembly().place(joint.first, Pose())
    names = f"{'target' if joint.first is None else shorten(joint.first)} + {shorten(joint.second)}"
    words = f"{in_percent(joint.likelihood)}  {names}"
    in_unit = f" {unit}" if unit else ""
    below = f"along {joint.length:.4g}{in_unit}, apart {joint.residual:.2g}{in_unit}"
    target = puzzle.target if joint.first is None else Polygon()
    return pieces.place(joint.second, joint.pose), target, seam_of(puzzle, joint), words, below


def _group_panel(puzzle: Puzzle, group: Group, number: int) -> _Panel:
    placed = {one.id: one.pose for one in group.assembly}
    seams = [
        placed[joint.first].apply(seam_of(puzzle, joint)) if joint.first in placed else seam_of(puzzle, joint)
        for joint in group.joints
        if joint.first is not None
    ]
    weakest = _weakest(group)
    below = "" if weakest is None else f"its weakest joint: {in_percent(weakest)}"
    seam = shapely.union_all(seams) if seams else Polygon()
    return group.assembly, Polygon(), seam, f"group {number}: {len(group):,} pieces", below


def _weakest(group: Group) -> float | None:
    """How likely the least of the likeliest joints is that hold a group together; None if none do."""
    part = {one.id: one.id for one in group.assembly}
    for joint in sorted(group.joints, key=lambda joint: -joint.likelihood):
        if joint.first in part and joint.second in part:
            old, new = part[joint.second], part[joint.first]
            part = {name: new if of == old else of for name, of in part.items()}
            if len(set(part.values())) == 1:
                return joint.likelihood
    return None


def _panel(
    puzzle: Puzzle,
    assembly: Assembly,
    target: Region,
    seam: BaseGeometry,
    corner: tuple[float, float],
    number: int,
) -> tuple[Layer, ...]:
    """The pieces, what touches on them, and their names, in a square with this top left corner."""
    colours = piece_colours(puzzle, assembly)
    outlines = [one.pose.apply(puzzle[one.id].polygon) for one in assembly]
    low_x, low_y, high_x, high_y = shapely.total_bounds([*outlines, target]).tolist()
    size = max(high_x - low_x, high_y - low_y)
    scale = PANEL_PX / size
    x = corner[0] + (size - (high_x - low_x)) * scale / 2.0
    y = corner[1] - (size - (high_y - low_y)) * scale / 2.0
    frame = fit((low_x, low_y, high_x, high_y), x, y, scale)
    whole = [Area(target, Paint(OPEN, INK, OUTLINE_PX))] if not target.is_empty else []
    pieces = [
        Area(
            (fragment := puzzle[one.id]).polygon,
            piece_paint(fragment.polygon, colours[one.id], OUTLINE_PX, scale),
            one.pose,
            f"hint{number + 1}-{one.id}",
            one.id,
            fragment.texture,
        )
        for one in assembly
    ]
    names: list[Area | Text] = []
    for one, outline in zip(assembly, outlines, strict=True):
        name = shorten(one.id)
        if (spot := fit_label(outline, name, scale)) is not None:
            names.append(Text(spot.x, spot.y, name, spot.size, INK, angle_deg=spot.angle_deg))
    touching = [Area(seam, SEAM)] if not seam.is_empty else []
    return (
        Layer("pieces", (*whole, *pieces), frame),
        Layer("joint", (*touching, *names), frame),
    )
