"""What a notebook shows of puzzles and answers: the same pictures as everywhere, as SVG."""

from __future__ import annotations

import math

from shapely import Point

from sherd.core.assembly import Assembly
from sherd.core.puzzle import Puzzle
from sherd.draw.colours import INK
from sherd.draw.compose import draw_assembly, draw_puzzle
from sherd.draw.scene import Picture
from sherd.draw.svg import to_svg, xml_text

# An assembly that is shown without its puzzle: how wide, and how long the mark of a piece's turn is.
WIDTH_PX, MARGIN_PX, MARK_PX = 320.0, 28.0, 14.0


def puzzle_in_svg(puzzle: Puzzle) -> str:
    """The target and the loose pieces."""
    return _embedded(draw_puzzle(puzzle))


def answer_in_svg(puzzle: Puzzle, assembly: Assembly, caption: str) -> str:
    """The pieces where they lie."""
    return _embedded(draw_assembly(puzzle, assembly, caption=caption))


def _embedded(picture: Picture) -> str:
    """A picture as part of a page: without the line that only a file begins with."""
    svg = to_svg(picture)
    return svg[svg.index("<svg") :]


def poses_in_svg(assembly: Assembly) -> str:
    """Where each piece of an assembly lies and how it is turned; outlines are for the puzzle to know."""
    places = [Point(one.pose.x, one.pose.y) for one in assembly]
    xs, ys = [place.x for place in places] or [0.0], [place.y for place in places] or [0.0]
    size = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    scale = (WIDTH_PX - 2.0 * MARGIN_PX) / size
    drawn: list[str] = []
    for placement, place in zip(assembly, places, strict=True):
        x = MARGIN_PX + (place.x - min(xs)) * scale
        y = MARGIN_PX + (max(ys) - place.y) * scale
        end_x = x + MARK_PX * math.cos(placement.pose.theta)
        end_y = y - MARK_PX * math.sin(placement.pose.theta)
        drawn.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{INK}"/>'
            f'<path d="M{x:.1f} {y:.1f}L{end_x:.1f} {end_y:.1f}" stroke="{INK}"/>'
            f'<text x="{x:.1f}" y="{y - 6:.1f}" font-size="11" text-anchor="middle">'
            f"{xml_text(placement.id)}</text>"
        )
    height = 2.0 * MARGIN_PX + (max(ys) - min(ys)) * scale
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_PX:.0f}" height="{height:.0f}" '
        f'font-family="sans-serif">{"".join(drawn)}</svg>'
    )
