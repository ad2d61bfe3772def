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
from sherd.core.tolerance import LEAST_DEPTH, Tolerance
from sherd.solvers.base import Proposal
from sherd.tracing.raster import masks

# Outlines of more corners than this, which are fewer pixels apart in the mean, were traced pixel by pixel.
# Grey masks of 128 px, seed 5: traced ones have 20 to 220 corners 1 to 11 pixels apart, fitted ones up to 9.
FITTED_CORNERS, EDGES_OF_PIXELS = 12, 16.0
# Steps of grey in a picture; what is finer is rounding, which would be taken for corners.
GREY_LEVELS = 255
# Pixels: how wide seams of fitted pieces may gape on average, and the radius of a disc that two may share.
# Grey, seed 5: true arrangements gape by 0.014 and less, one that was found and is not true by 0.029.
FITTED_SEAM, FITTED_DEPTH = 0.02, 1.0
# Empty pixels around a piece, so that the tracer sees where it ends.
MARGIN_PX = 4


def with_fitted_edges(puzzle: Puzzle) -> Puzzle:
    """The puzzle, with those pieces fitted anew, in their own frames, that were traced pixel by pixel.

    Where most of them are torn rather than cut, and so have many corners still, it is left as it is.
    """
    pixel = puzzle.pixel
    if pixel is None or not any(_is_traced_by_pixels(one.polygon, pixel) for one in puzzle.fragments):
        return puzzle
    fragments = tuple(
        replace(one, polygon=_fitted(one.polygon, pixel)) if _is_traced_by_pixels(one.polygon, pixel) else one
        for one in puzzle.fragments
    )
    corners = [len(one.polygon.exterior.coords) - 1 for one in fragments]
    return replace(puzzle, fragments=fragments) if np.median(corners) <= FITTED_CORNERS else puzzle


def strictly(proposal: Proposal, fitted: Puzzle) -> Proposal:
    """The proposal for a fitted puzzle, with no more tolerance than edges need that are known so well."""
    assert fitted.pixel is not None
    pixel = fitted.pixel / size_of(fitted.target)
    seam, depth = proposal.tolerance.seam, proposal.tolerance.depth
    strict = Tolerance(min(seam, FITTED_SEAM * pixel), min(depth, max(FITTED_DEPTH * pixel, LEAST_DEPTH)))
    return replace(proposal, tolerance=strict)


def _is_traced_by_pixels(outline: Polygon, pixel: float) -> bool:
    """Whether an outline has many corners, a few pixels apart."""
    corners = len(outline.exterior.coords) - 1
    return corners > FITTED_CORNERS and outline.exterior.length < EDGES_OF_PIXELS * pixel * corners


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
