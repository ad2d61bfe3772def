"""Which shape the pieces are to fill."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import shapely
from shapely import Polygon

from sherd.core.errors import FileFormatError
from sherd.core.geometry import make_polygon
from sherd.generation.shapes import regular
from sherd.io.document import LARGEST_NUMBER
from sherd.io.drawings.figures import even_odd
from sherd.io.drawings.model import Drawing, Figure, Unit
from sherd.io.drawings.read import read_drawing
from sherd.workshop.params import JobParams

PLAIN = re.compile(r"(rect|square|polygon):(.*)", re.IGNORECASE)
FORMS = "rect:297x210, square:100 or polygon:6:100"


def plain_target(text: str) -> Polygon | None:
    """``rect:WxH``, ``square:S`` or ``polygon:N:S``, which has N sides and just fits a square of side S.

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
        sides, size = values
        whole, scale = regular(int(sides)), _length(size)
    except ValueError as error:
        reason = f": {error}" if "sides" in str(error) else ""
        raise ValueError(f"a target is a file, {FORMS}, not {text!r}{reason}") from None
    return shapely.transform(whole, lambda xy: xy * scale)


def _length(text: str) -> float:
    value = float(text)
    if not 0.0 < value <= LARGEST_NUMBER or not math.isfinite(value):
        raise ValueError
    return value


def find_target(drawing: Drawing, params: JobParams) -> tuple[Polygon, Unit]:
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
        raise ValueError(f"the target {params.target!r} is no file that exists, nor {FORMS}")
    found = read_drawing(params.target, replace(params, unit=None))
    if found.unit != "mm" and params.unit is not None:
        found = read_drawing(params.target, params)
    return _whole(found.targets or found.figures, params.target), found.unit


def _whole(figures: tuple[Figure, ...], source: str) -> Polygon:
    """The one shape that the figures make; inner ones are holes."""
    shapes = even_odd([Polygon(figure.polygon.exterior) for figure in figures])
    holed = [figure.polygon for figure in figures if figure.polygon.interiors]
    if len(figures) == 1:
        return figures[0].polygon
    if len(shapes) != 1 or holed:
        raise FileFormatError(
            f"{source}: the target is one shape, and there are {len(figures):,}: call one of them 'target'"
        )
    return shapes[0]
