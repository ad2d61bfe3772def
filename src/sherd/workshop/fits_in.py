"""How large pieces and target are, and what is said of pieces that are too large for it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import shapely
from shapely import Polygon

from sherd.core.geometry import Region, size_of
from sherd.core.puzzle import LARGEST_PIECE, LONGEST_PIECE
from sherd.io.drawings.model import Drawing, Figure, Unit, suspected_units


def too_large(polygon: Polygon, target: Region) -> str:
    """Why a piece cannot lie in the target, "" if it can; as `Puzzle` would refuse it."""
    if target.is_empty:
        return ""
    low_x, low_y, high_x, high_y = target.bounds
    if polygon.area > LARGEST_PIECE * target.area:
        return "larger than the target"
    if size_of(polygon) > LONGEST_PIECE * math.hypot(high_x - low_x, high_y - low_y):
        return "longer than the target"
    return ""


def sizes_in_words(pieces: Sequence[Figure], target: Region, unit: Unit) -> str:
    """How many pieces there are, how large they are, and how large the target is, if there is one."""
    in_unit = "" if unit == "unknown" else f" {unit}"
    sizes = [size_of(figure.polygon) for figure in pieces]
    count = len(sizes)
    across = f"{min(sizes):.4g} to {max(sizes):.4g}" if count > 1 else f"{sizes[0]:.4g}"
    said = f"{count:,} {'piece' if count == 1 else 'pieces'}, {across}{in_unit} across; "
    if target.is_empty:
        return f"{said}no target"
    low_x, low_y, high_x, high_y = target.bounds
    parts = "" if isinstance(target, Polygon) else f" in {len(target.geoms):,} parts"
    return f"{said}target {high_x - low_x:.5g} x {high_y - low_y:.5g}{in_unit}{parts}"


def why_none_fits(drawing: Drawing, target: Region, *, forbidden: bool) -> str:
    """What to say where no piece is left to be laid; ``forbidden`` if all of them are."""
    if not (drawing.figures if target.is_empty else drawing.pieces):
        return "there are no pieces" if target.is_empty else "there are no pieces beside the target"
    if forbidden:
        return "all pieces are forbidden"
    sizes = sizes_in_words(drawing.pieces, target, drawing.unit)
    share = float(shapely.area([figure.polygon for figure in drawing.pieces]).sum()) / target.area
    if drawing.unit == "px":
        asked = "how large is a pixel (the setting mm_per_px)?"
    elif units := suspected_units(share):
        asked = f"sizes of pieces and target differ as {units} do"
    else:
        asked = "is the unit right?"
    return f"{sizes}; no piece is small enough for the target: {asked}"
