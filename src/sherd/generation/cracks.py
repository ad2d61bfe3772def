"""Cracked targets: first cracks that meet three at a time, then later ones that end on these.

The first ones are the borders of Voronoi cells, roughened if asked: junctions like a Y. A later crack breaks
a part in two and ends where it meets an older one: junctions like a T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import ArgumentError, InvalidPolygonError
from sherd.generation.breaking import Line, area, break_until, check_pieces, outline_of, step_for
from sherd.generation.fractal import check_roughness, fractal_line
from sherd.generation.network import faces, tangled
from sherd.generation.voronoi import LEAST_CELL, voronoi_lines

# How often points move to the middle of their cells: cracks leave few slivers.
RELAXED = 2
DRAWS = 100
# A crack in another's way is drawn again with this share of its roughness, at last as a straight line.
FADING = 0.8
REDRAWS = 12


@dataclass(frozen=True, kw_only=True)
class CracksParams:
    """How many pieces, and what the cracks are like.

    roughness  as of broken targets; at 0 the pieces of a convex target are convex
    later      the share of pieces that come of later cracks, which end on older ones
    """

    pieces: int = 8
    roughness: float = 0.0
    later: float = 0.25

    def __post_init__(self) -> None:
        check_pieces(self.pieces)
        check_roughness(self.roughness)
        if not 0.0 <= self.later <= 1.0:
            raise ArgumentError(f"later must be between 0 and 1, not {self.later}")


def cracked_outlines(target: Polygon, params: CracksParams, rng: np.random.Generator) -> list[Floats]:
    """The pieces in place, as counter-clockwise rings (n, 2)."""
    step = step_for(target, params.pieces)
    first = max(1, round(params.pieces * (1.0 - params.later)))
    cells = [outline_of(target)] if first == 1 else _cells(target, first, params.roughness, step, rng)

    def draw() -> Line:
        return lambda start, end, step, fade: fractal_line(start, end, params.roughness * fade, step, rng)

    return break_until(cells, params.pieces, step, draw, rng)


def _cells(
    target: Polygon, count: int, roughness: float, step: float, rng: np.random.Generator
) -> list[Floats]:
    """Voronoi cells with rough borders."""
    least = LEAST_CELL * target.area / count
    for _ in range(DRAWS):
        lines = voronoi_lines(target, count, rng, RELAXED)
        rings = faces(_roughened(lines, roughness, step, rng), target)
        if len(rings) == count and all(Polygon(ring).is_valid and area(ring) >= least for ring in rings):
            return rings
    raise InvalidPolygonError(f"the target cannot be cracked into {count} pieces")


def _roughened(lines: list[Floats], roughness: float, step: float, rng: np.random.Generator) -> list[Floats]:
    """Each line made rough from end to end, none of them across another."""
    if roughness == 0.0:
        return lines
    found = list(lines)
    again = np.ones(len(lines), dtype=bool)
    for redraw in range(REDRAWS):
        rough = roughness * FADING**redraw if redraw < REDRAWS - 1 else 0.0
        for k in np.flatnonzero(again).tolist():
            found[k] = fractal_line(lines[k][0], lines[k][-1], rough, step, rng)
        again = tangled(found)
        if not again.any():
            break
    return found
