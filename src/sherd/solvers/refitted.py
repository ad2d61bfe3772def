"""Outlines that were traced pixel by pixel, fitted anew: the search needs straight edges and few corners."""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

import numpy as np
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import size_of
from sherd.core.grid import Grid
from sherd.core.puzzle import Puzzle
from sherd.solvers.stop import Stop, share_spent
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


# Of the time limit: what is not fitted by then is left as it is. Not swept.
FITTING_SHARE = 0.25
Outlines = tuple[Polygon, ...]
# What was fitted in this run, by what it was fitted from; one that stays as it is stands for itself.
_fitted_before: ContextVar[dict[Outlines, Outlines] | None] = ContextVar("fitted", default=None)


@contextmanager
def fitting_once() -> Generator[None]:
    """Within the block outlines are fitted once, however many solvers ask."""
    before = _fitted_before.set({})
    try:
        yield
    finally:
        _fitted_before.reset(before)


def with_fitted_edges(puzzle: Puzzle, stop: Stop | None = None) -> Puzzle:
    """The puzzle, with those pieces fitted anew, in their own frames, that were traced pixel by pixel.

    Where most of them are torn rather than cut, and so have many corners still, it is left as it is, and
    where a share of the time is over before all are fitted.
    """
    pixel = puzzle.pixel_alone
    if pixel is None or not any(_is_traced_by_pixels(one.polygon, pixel) for one in puzzle.fragments):
        return puzzle
    before = _fitted_before.get()
    outlines = tuple(one.polygon for one in puzzle.fragments)
    fitted = None if before is None else before.get(outlines)
    if fitted is None:
        fitted = _all_fitted(outlines, pixel, stop)
        if before is not None:
            before[outlines] = fitted
    if fitted == outlines:
        return puzzle
    pairs = zip(puzzle.fragments, fitted, strict=True)
    return replace(puzzle, fragments=tuple(replace(one, polygon=outline) for one, outline in pairs))


def _all_fitted(outlines: Outlines, pixel: float, stop: Stop | None) -> Outlines:
    """The outlines with few corners each, at least of most; else as they are."""
    if np.median([_corners_at_a_glance(one, pixel) for one in outlines]) > FITTED_CORNERS:
        return outlines
    fitted, with_many = list[Polygon](), 0
    for outline in outlines:
        if stop is not None and (share_spent(stop) or 0.0) > FITTING_SHARE:
            return outlines
        fitted.append(_fitted(outline, pixel) if _is_traced_by_pixels(outline, pixel) else outline)
        with_many += len(fitted[-1].exterior.coords) - 1 > FITTED_CORNERS
        if 2 * with_many > len(outlines):  # whatever the others are
            return outlines
    corners = [len(one.exterior.coords) - 1 for one in fitted]
    return tuple(fitted) if np.median(corners) <= FITTED_CORNERS else outlines


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
