"""Pictures of one puzzle: its loose pieces beside the target, and an assembly with its flaws."""

from __future__ import annotations

import math
from collections.abc import Iterable

import shapely

from sherd.core.assembly import Assembly
from sherd.core.geometry import size_of
from sherd.core.puzzle import Puzzle
from sherd.draw.board import HATCH_PX, THINNEST_PX, board_layers, extent, fit, target_px, within_reach
from sherd.draw.colours import (
    GAP,
    GAP_HATCH,
    INK,
    MUTED,
    OPEN,
    OUTSIDE_HATCH,
    OVERLAP,
    OVERLAP_HATCH,
    PAGE_COLOUR,
    Colours,
    piece_colours,
)
from sherd.draw.flaws import Flaws, find_flaws, hatch
from sherd.draw.labels import text_width
from sherd.draw.scene import Area, Layer, Paint, Picture, Text
from sherd.draw.tray import lay_out

MARGIN = 24.0
HEADING_PX = 14.0
SMALL_PX = 12.0
LINE = 24.0  # from one line of text to the next
SWATCH = 15.0


def draw_puzzle(puzzle: Puzzle, *, colours: Colours | None = None) -> Picture:
    """The target, if there is one, and beside it every piece in its own orientation, at the same scale."""
    colours = piece_colours(puzzle) if colours is None else colours
    if not puzzle.has_target:
        return draw_assembly(puzzle, Assembly(), caption=describe(puzzle), colours=colours)
    scale = target_px(len(puzzle.fragments)) / size_of(puzzle.target)
    low_x, low_y, high_x, high_y = bounds = puzzle.target.bounds
    width, height = (high_x - low_x) * scale, (high_y - low_y) * scale
    tray = lay_out(puzzle.fragments, scale, height)
    top = -MARGIN - LINE
    tray_x = MARGIN + width + 2.0 * MARGIN
    body = max(height, tray.height)
    frame = fit(bounds, MARGIN, top - (body - height) / 2.0, scale)
    heading = describe(puzzle)
    headings = (
        Text(MARGIN, -MARGIN - 4.0, "target", HEADING_PX, INK, "start"),
        Text(tray_x, -MARGIN - 4.0, heading, HEADING_PX, INK, "start"),
    )
    return Picture(
        tray_x + max(tray.width, text_width(heading, HEADING_PX)) + MARGIN,
        body + 2.0 * MARGIN + LINE,
        (
            Layer("target", (Area(puzzle.target, Paint(OPEN, INK, 2.4), texture=puzzle.texture),), frame),
            *tray.layers(tray_x, top - (body - tray.height) / 2.0, colours),
            Layer("headings", headings),
        ),
        title=f"A puzzle of {heading}",
    )


def describe(puzzle: Puzzle) -> str:
    """How many pieces there are and how they may be moved, in a few words."""
    count, bins = len(puzzle.fragments), puzzle.rotations.bins
    turning = "free to turn" if bins is None else f"turned by multiples of {360 / bins:.4g}°"
    words = [f"{count} piece{'s' if count > 1 else ''}", "not turned" if bins == 1 else turning]
    if puzzle.mirror:
        words.append("may be flipped" if puzzle.mirror is True else "some may be flipped")
    return ", ".join(words)


def draw_assembly(
    puzzle: Puzzle, assembly: Assembly, *, caption: str = "", colours: Colours | None = None
) -> Picture:
    """Pieces in place, with overlaps, gaps and parts beyond the target marked, and pieces left over.

    Without a target ``assembly`` may hold several groups beside each other.
    """
    shown = within_reach(puzzle, assembly)
    colours = piece_colours(puzzle, Assembly(tuple(p for p, _ in shown))) if colours is None else colours
    scale = target_px(len(puzzle.fragments)) / puzzle.size
    flaws = find_flaws(puzzle.target, [outline for _, outline in shown], THINNEST_PX / scale)
    low_x, low_y, high_x, high_y = bounds = extent(puzzle, [assembly])
    width, height = (high_x - low_x) * scale, (high_y - low_y) * scale

    placed = {p.id for p in assembly}
    loose = [fragment for fragment in puzzle.fragments if fragment.id not in placed]
    tray = lay_out(loose, scale, height) if loose else None
    left_over = ""
    body_width, body_height = width, height
    if tray is not None:
        left_over = "not placed" if puzzle.has_target else "alone" if len(assembly) else "pieces"
        body_width += 2.0 * MARGIN + max(tray.width, text_width(left_over, HEADING_PX))
        body_height = max(height, tray.height + LINE)

    unseen = placed - {p.id for p, _ in shown}
    notes = [f"off the picture: {', '.join(p.id for p in assembly if p.id in unseen)}"] if unseen else []
    lines = [(caption, HEADING_PX, INK)] * bool(caption) + [(note, SMALL_PX, MUTED) for note in notes]
    key, key_width = legend(flaws, MARGIN, -MARGIN - body_height - LINE * (len(lines) + 1.0))
    page_width = max(body_width, key_width, *(text_width(text, size) for text, size, _ in lines), 0.0)
    left = MARGIN + (page_width - body_width) / 2.0
    texts = [
        Text(MARGIN, -MARGIN - body_height - LINE * (k + 1.0), text, size, colour, "start")
        for k, (text, size, colour) in enumerate(lines)
    ]
    loose_layers: tuple[Layer, ...] = ()
    if tray is not None:
        tray_x = left + width + 2.0 * MARGIN
        loose_layers = tray.layers(tray_x, -MARGIN - LINE, colours)
        texts.append(Text(tray_x, -MARGIN - 6.0, left_over, HEADING_PX, INK, "start"))
    return Picture(
        page_width + 2.0 * MARGIN,
        body_height + LINE * (len(lines) + 1.5) + 2.0 * MARGIN - 4.0,
        (
            *board_layers(puzzle, shown, fit(bounds, left, -MARGIN, scale), flaws=flaws, colours=colours),
            *loose_layers,
            Layer("caption", (*texts, *key)),
        ),
        title=caption or f"An assembly of {len(assembly)} of {len(puzzle.fragments)} pieces",
    )


def legend(flaws: Flaws, x: float, y: float) -> tuple[list[Area | Text], float]:
    """What each marking means, in a line that starts at (x, y), and the line's width."""
    kinds = [
        ("overlap", flaws.overlap, OVERLAP, OVERLAP_HATCH, True),
        ("gap", flaws.gap, GAP, GAP_HATCH, False),
        ("beyond the target", flaws.outside, Paint(PAGE_COLOUR), OUTSIDE_HATCH, False),
    ]
    items: list[Area | Text] = []
    start = x
    for name, region, paint, lines, rising in kinds:
        if region.is_empty:
            continue
        box = shapely.box(x, y - SWATCH / 2.0, x + SWATCH, y + SWATCH / 2.0)
        items += [
            Area(box, paint),
            Area(hatch(box, HATCH_PX, rising=rising), lines),
            Area(box, Paint(stroke=INK, width=0.8)),
            Text(x + SWATCH + 6.0, y, name, SMALL_PX, INK, "start"),
        ]
        x += SWATCH + 6.0 + text_width(name, SMALL_PX) + 20.0
    if not items:
        words = "no overlap, no gap"
        return [Text(x, y, words, SMALL_PX, MUTED, "start")], text_width(words, SMALL_PX)
    return items, x - 20.0 - start


def columns_for(count: int, cell_width: float, page_width: float = 1000.0) -> int:
    """How many cells of a width go into a row, rows being as even as they can."""
    most = max(1, int(page_width // cell_width))
    return math.ceil(count / math.ceil(count / most))


def merge(flaws: Iterable[Flaws]) -> Flaws:
    """For the legend of several boards: of each kind one that is not empty, where there is any."""
    kept = Flaws()
    for one in flaws:
        kept = Flaws(
            kept.overlap if one.overlap.is_empty else one.overlap,
            kept.gap if one.gap.is_empty else one.gap,
            kept.outside if one.outside.is_empty else one.outside,
        )
    return kept
