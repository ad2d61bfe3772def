"""Layouts and gaps as SVG in physical units, for drawing programs and cutters.

Unlike the pictures of `sherd.draw` these hold nothing but outlines, so that they can be read back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import shapely

from sherd.draw.svg import matrix_in_svg, number_in_svg, path_in_svg, xml_attribute, xml_text
from sherd.layout.gaps import Gap
from sherd.layout.layout import DrawnPiece, Layout
from sherd.plan.formats.names import unique, xml_id

HAIRLINE = 1.0 / 2000.0  # of the page's longer side
MARGIN = 0.02  # as a share of it
PAGE_DIGITS, ROUND_DIGITS = 5, 9
EMPTY_PAGE = (0.0, 0.0, 1.0, 1.0)  # where nothing has a place


def layout_to_svg(layout: Layout, numbers: dict[str, int] | None = None) -> str:
    """The target, if any, and the placed pieces: a group a piece, the drawn outline in it, its pose on it.

    A group carries the piece's name as label and title, its layer's group around it, and its number in the
    order of laying as ``data-number``.
    """
    pieces = sorted(layout.placed, key=lambda piece: piece.layer)
    ids = iter(unique((xml_id(piece.id) for piece in pieces), taken=["target", "pieces"]))
    lines: list[str] = []
    if not layout.target.is_empty:
        lines.append(
            '<g id="target" inkscape:label="target" inkscape:groupmode="layer">'
            f'<path inkscape:label="target" d="{path_in_svg(layout.target)}"/></g>'
        )
    for layer, members in groupby(pieces, key=lambda piece: piece.layer):
        lines.append(f'<g inkscape:groupmode="layer" inkscape:label={xml_attribute(layer or "pieces")}>')
        lines += [_piece(piece, next(ids), (numbers or {}).get(piece.id)) for piece in members]
        lines.append("</g>")
    shown = [layout.target, *(piece.placed for piece in layout.placed)]
    return _document(layout.name, lines, shapely.total_bounds(shown).tolist(), layout.unit)


def gaps_to_svg(gaps: Sequence[Gap], layout: Layout) -> str:
    """The gaps as they lie to each other, to be cut along their outlines, on a page that just holds them."""
    lines = [
        f'<path id="gap-{gap.number}" inkscape:label="gap {gap.number}" '
        f'data-area="{number_in_svg(gap.area)}" d="{path_in_svg(gap.polygon)}"/>'
        for gap in gaps
    ]
    bounds = shapely.total_bounds([gap.polygon for gap in gaps]).tolist()
    return _document(f"{layout.name}: gaps", lines, bounds, layout.unit, margin=0.0)


def _document(title: str, lines: list[str], bounds: list[float], unit: str, *, margin: float = MARGIN) -> str:
    low_x, low_y, high_x, high_y = bounds if lines else EMPTY_PAGE
    size = max(high_x - low_x, high_y - low_y)
    if margin > 0.0:  # then the page may end anywhere, so let it end round
        digits = PAGE_DIGITS - math.floor(math.log10(size))
        low_x, high_y = round(low_x - margin * size, digits), round(high_y + margin * size, digits)
        high_x, low_y = round(high_x + margin * size, digits), round(low_y - margin * size, digits)
    width, height = round(high_x - low_x, ROUND_DIGITS), round(high_y - low_y, ROUND_DIGITS)
    physical = "mm" if unit == "mm" else ""
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<svg xmlns="http://www.w3.org/2000/svg" '
            'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
            f'width="{number_in_svg(width)}{physical}" height="{number_in_svg(height)}{physical}" '
            f'viewBox="0 0 {number_in_svg(width)} {number_in_svg(height)}">',
            f"<title>{xml_text(title)}</title>",
            # The world's y points up. From here on all numbers are the drawing's own.
            f'<g transform="matrix(1,0,0,-1,{number_in_svg(-low_x)},{number_in_svg(high_y)})" fill="none" '
            f'stroke="#000000" stroke-width="{number_in_svg(HAIRLINE * max(width, height))}" '
            'stroke-linejoin="round" fill-rule="evenodd">',
            *lines,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _piece(piece: DrawnPiece, id_: str, number: int | None) -> str:
    assert piece.pose is not None
    label = xml_attribute(piece.id)
    said = "" if number is None else f' data-number="{number}"'
    place = matrix_in_svg(*piece.pose.matrix)
    return (
        f"<g id={xml_attribute(id_)} inkscape:label={label}{said} transform={place}><title>"
        f'{xml_text(piece.id)}</title><path inkscape:label={label} d="{path_in_svg(piece.drawn)}"/></g>'
    )
