"""Outlines that were traced pixel by pixel, fitted anew: the search needs straight edges and few corners."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import size_of
from sherd.core.grid import Grid
from sherd.core.puzzle import Puzzle
from sherd.tracing.raster import masks

# Outlines of more corners than this, which are fewer pixels apart in the mean, were traced pixel by pixel.
# Grey masks of 128 px, seed 5: traced ones have 20 to 220 corners 1 to 11 pixels apart, fitted ones up to 9.
FITTED_CORNERS, EDGES_OF_PIXELS = 12, 16.0
# Pixels: what is off a straight line by less may be traced from one.
GLANCE_PX = 2.0
# Steps of grey in a picture; what is finer is rounding, which would be taken for corners.
GREY_LEVELS = 255
# Masks of 128 px, seeds 5 to 7, squares of 16: of eight answers that fit, three are not the true arrangement,
# and the seams of two gape hardly wider than those of the others (0.021 and 0.024 px for 0.018 to 0.021).
DOUBT = "the pieces were traced pixel by pixel, so that other arrangements fit as well"
# Empty pixels around a piece, so that the tracer sees where it ends.
MARGIN_PX = 4


def with_fitted_edges(puzzle: Puzzle) -> Puzzle:
    """The puzzle, with those pieces fitted anew, in their own frames, that were traced pixel by pixel.

    Where most of them are torn rather than cut, and so have many corners still, it is left as it is.
    """
    pixel = puzzle.pixel_alone
    if pixel is None or not any(_is_traced_by_pixels(one.polygon, pixel) for one in puzzle.fragments):
        return puzzle
    if np.median([_corners_at_a_glance(one.polygon, pixel) for one in puzzle.fragments]) > FITTED_CORNERS:
        return puzzle
    fragments = tuple(
        replace(one, polygon=_fitted(one.polygon, pixel)) if _is_traced_by_pixels(one.polygon, pixel) else one
        for one in puzzle.fragments
    )
    corners = [len(one.polygon.exterior.coords) - 1 for one in fragments]
    return replace(puzzle, fragments=fragments) if np.median(corners) <= FITTED_CORNERS else puzzle


def _is_traced_by_pixels(outline: Polygon, pixel: float) -> bool:
    """Whether an outline has many corners, a few pixels apart."""
    corners = len(outline.exterior.coords) - 1
    return corners > FITTED_CORNERS and outline.exterior.length < EDGES_OF_PIXELS * pixel * corners


def _corners_at_a_glance(outline: Polygon, pixel: float) -> int:
    """How many corners stand out by more than pixels do: to fit a torn outline of thousands takes seconds."""
    simple = outline.simplify(GLANCE_PX * pixel)
    assert isinstance(simple, Polygon)
    return len(simple.exterior.coords) - 1


def _fitted(outline: Polygon, pixel: float) -> Polygon:
    """Straight edges around what the outline covers of each pixel; the outline itself if there are none."""
    from sherd.tracing.vectorise import vectorise  # takes a moment to load, and others do not need it

    low_x, low_y, high_x, high_y = outline.bounds
    side = math.ceil(size_of(outline) / pixel) + 2 * MARGIN_PX
    grid = Grid.centred(((low_x + high_x) / 2.0, (low_y + high_y) / 2.0), pixel, side)
    mask = np.floor(masks([outline], grid)[0] * GREY_LEVELS + 0.5) / GREY_LEVELS
    try:
        return vectorise(mask, grid)
    except InvalidPolygonError:
        return outline
