"""The marker page as a picture to print: targets around a frame in which pieces are laid."""

from __future__ import annotations

import shapely

from sherd.core.errors import ArgumentError
from sherd.draw.colours import INK, MUTED
from sherd.draw.scene import PAGE, POINTS_PER_MM, Area, Frame, Layer, Paint, Picture, Text
from sherd.tracing.photo.marker import (
    DOT_MM,
    FRAME_MM,
    INNER_MM,
    INSET_MM,
    LARGE_DOT_MM,
    OUTER_MM,
    PAPERS_MM,
    large_dots,
    target_places,
)

TEXT_PT = 7.5
RULER_MM = 50.0
BLACK = Paint(fill="#000000")
CORNER_MM = 6.0


def draw_marker_page(paper: str) -> Picture:
    """One page of a paper, to be printed at its own size."""
    if paper not in PAPERS_MM:
        raise ArgumentError(f"a marker page is on {' or '.join(PAPERS_MM)}, not {paper!r}")
    width, height = PAPERS_MM[paper]
    large = large_dots(paper)
    targets: list[Area] = []
    for k, (x, y) in enumerate(target_places(paper)):
        middle = shapely.Point(x, y)
        targets.append(Area(middle.buffer(OUTER_MM, 64).difference(middle.buffer(INNER_MM, 64)), BLACK))
        targets.append(Area(middle.buffer(LARGE_DOT_MM if k in large else DOT_MM, 64), BLACK))
    frame = Frame(0.0, -height * POINTS_PER_MM, POINTS_PER_MM)
    words = (
        f"sherd marker page, {paper.upper()}",
        "print at 100 %, not fitted to the page",
        "lay the pieces between the targets",
    )
    right = 0.75 * width - 0.5 * INSET_MM
    texts = [Text(right, INSET_MM + 4.0 * (1 - k), text, TEXT_PT, MUTED) for k, text in enumerate(words)]
    start = 0.25 * width + 0.5 * INSET_MM - RULER_MM / 2.0
    ruler = shapely.MultiLineString(
        [((start, INSET_MM), (start + RULER_MM, INSET_MM))]
        + [((start + k * 10.0, INSET_MM - 1.0), (start + k * 10.0, INSET_MM + 1.0)) for k in range(6)]
    )
    texts.append(Text(start + RULER_MM / 2.0, INSET_MM - 4.0, f"{RULER_MM:g} mm", TEXT_PT, MUTED))
    corners = [
        shapely.LineString([(x + dx, y), (x, y), (x, y + dy)])
        for x, dx in ((FRAME_MM, CORNER_MM), (width - FRAME_MM, -CORNER_MM))
        for y, dy in ((FRAME_MM, CORNER_MM), (height - FRAME_MM, -CORNER_MM))
    ]
    return Picture(
        width * POINTS_PER_MM,
        height * POINTS_PER_MM,
        (
            Layer("targets", tuple(targets), frame),
            Layer("frame", tuple(Area(corner, Paint(stroke=MUTED, width=0.4)) for corner in corners), frame),
            Layer("texts", (Area(ruler, Paint(stroke=INK, width=0.5)), *texts), frame),
            Layer("page", (), PAGE),
        ),
        title="sherd marker page",
    )
