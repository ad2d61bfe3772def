"""Which shape the pieces are to fill."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.errors import ArgumentError, FileFormatError, InvalidPolygonError
from sherd.core.geometry import Region, cos_sin, polygons_in, symmetric_difference
from sherd.core.proper_polygons import join_parts, make_polygon
from sherd.generation.shapes import regular
from sherd.io.document import LARGEST_NUMBER
from sherd.io.drawings.figures import MOST_NAMED
from sherd.io.drawings.model import Drawing, Figure, Unit
from sherd.io.drawings.read import read_drawing
from sherd.workshop.params import JobParams

PLAIN = re.compile(r"(rect|square|polygon|circle|ellipse):(.*)", re.IGNORECASE)
FORMS = "rect:297x210, square:100, circle:80, ellipse:90x60 or polygon:6:100"
# Sides of a circle: its chords miss it by less than a millionth of its size.
CIRCLE_SIDES = 1440


def plain_target(text: str) -> Polygon | None:
    """``rect:WxH``, ``square:S``, ``circle:D``, ``ellipse:WxH``, or ``polygon:N:S`` that just fits a square.

    >>> plain_target("rect:297x210").bounds, plain_target("tray.svg")
    ((0.0, 0.0, 297.0, 210.0), None)
    """
    match = PLAIN.fullmatch(text.strip())
    if match is None:
        return None
    kind, values = match[1].lower(), re.split(r"[x:,]", match[2].lower())
    try:
        if kind == "rect":
            width, height = (_length(value) for value in values)
            return make_polygon([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
        if kind == "square":
            (side,) = (_length(value) for value in values)
            return make_polygon([[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]])
        if kind in ("circle", "ellipse"):
            wide, high = values * 2 if kind == "circle" and len(values) == 1 else values
            return _ellipse(_length(wide), _length(high))
        sides, size = values
        whole, scale = regular(int(sides)), _length(size)
    except ValueError as error:
        reason = f": {error}" if "sides" in str(error) else ""
        raise ArgumentError(f"a target is a file, {FORMS}, not {text!r}{reason}") from None
    return shapely.transform(whole, lambda xy: xy * scale)


def _ellipse(width: float, height: float) -> Polygon:
    cos, sin = cos_sin(np.arange(CIRCLE_SIDES) / CIRCLE_SIDES)
    return make_polygon(np.stack([(1.0 + cos) * width / 2.0, (1.0 + sin) * height / 2.0], axis=-1))


def _length(text: str) -> float:
    value = float(text)
    if not 0.0 < value <= LARGEST_NUMBER or not math.isfinite(value):
        raise ValueError
    return value


def find_target(drawing: Drawing, params: JobParams) -> tuple[Region, Unit]:
    """The target that the parameters name, or that the drawing holds, and its unit."""
    if params.target is None:
        if not drawing.targets:
            raise FileFormatError(
                f"{drawing.source}: there is no target: call a shape, group or layer 'target', "
                f"or name one as the target: a file, {FORMS}"
            )
        return _whole(drawing.targets, drawing.source), drawing.unit
    plain = plain_target(params.target)
    if plain is not None:
        return plain, drawing.unit
    if not Path(params.target).exists():
        raise ArgumentError(f"the target {params.target!r} is no file that exists, nor {FORMS}")
    found = read_drawing(params.target, replace(params, unit=None))
    if found.unit not in ("mm", "km") and params.unit is not None:
        found = read_drawing(params.target, params)
    return _whole(found.targets or found.figures, params.target), found.unit


def _whole(figures: tuple[Figure, ...], source: str) -> Region:
    """The region that the figures make, in several parts if they lie apart; inner ones are holes."""
    shapes = [figure.polygon for figure in figures]
    pairs = shapely.STRtree(shapes).query(shapes, predicate="overlaps")
    try:
        if pairs.size:
            join_parts(shapes)  # unless they overlap by rounding alone
        whole = shapes[0]
        for shape in shapes[1:]:
            whole = symmetric_difference(whole, shape)
        return join_parts(polygons_in(whole))
    except InvalidPolygonError:
        names = ", ".join(figure.id for figure in figures[:MOST_NAMED])
        raise FileFormatError(
            f"{source}: parts of the target overlap: {names}; call one of them 'target'"
        ) from None
