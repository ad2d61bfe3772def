"""Scanned pieces: the outline that can be traced from a picture of a piece, grey or black and white.

The contour is followed pixel by pixel, with sub-pixel places where it crosses the level of one half: right
for outlines of any kind, where `sherd.tracing.vectorise` looks for straight edges.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import cast

import numpy as np
import shapely
import shapely.geometry.polygon
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import polygons_in, size_of
from sherd.core.grid import Grid
from sherd.tracing.raster import binary as thresholded
from sherd.tracing.raster import masks

FEWEST_PX = 16
GREY_LEVELS = 255
MARGIN_PX = 4
# How much the steps of a black-and-white picture are smoothed, and how far points of a contour may lie from
# the line between their neighbours before they are worth keeping.
STEPS_SIGMA_PX = 0.8
SLACK_PX = 0.05
LEAST_AREA_PX = 16.0


def scanned(outline: Polygon, pixel: float, rng: np.random.Generator, *, binary: bool) -> Polygon:
    """The outline as traced from pixels of this size, that lie at random.

    `InvalidPolygonError` if the piece is too small to be seen.
    """
    from sherd.tracing.contours import INSIDE, trace  # numba takes a moment to load

    low_x, low_y, high_x, high_y = outline.bounds
    off_x, off_y = rng.uniform(-0.5 * pixel, 0.5 * pixel, 2).tolist()
    centre = ((low_x + high_x) / 2.0 + off_x, (low_y + high_y) / 2.0 + off_y)
    grid = Grid.centred(centre, pixel, math.ceil(size_of(outline) / pixel) + 2 * MARGIN_PX)
    cover = masks([outline], grid)[0]
    picture = _stepless(thresholded(cover)) if binary else np.floor(cover * GREY_LEVELS + 0.5) / GREY_LEVELS
    points, _, starts = trace(picture.astype(np.float64), INSIDE)
    chains = [points[begin:end] for begin, end in pairwise(starts.tolist()) if end - begin >= 4]
    parts = [part for chain in chains for part in polygons_in(shapely.make_valid(Polygon(chain)))]
    largest = max(parts, key=lambda part: part.area, default=None)
    if largest is None or largest.area < LEAST_AREA_PX:
        raise InvalidPolygonError("a piece is too small to be seen in a scan")
    kept = shapely.simplify(Polygon(largest.exterior), SLACK_PX)
    return shapely.geometry.polygon.orient(shapely.transform(kept, grid.to_world))


def _stepless(picture: NDArray[np.bool_]) -> Floats:
    """A black-and-white picture smoothed a little."""
    import scipy.ndimage  # takes a moment to load

    return cast("Floats", scipy.ndimage.gaussian_filter(picture.astype(np.float64), STEPS_SIGMA_PX))
