"""Outlines of the parts of a picture: every connected part of a mask, in pixels with y up.

Small clean masks go through `sherd.tracing.vectorise`, which finds their corners as exactly as the mask
allows. On large or noisy ones that takes minutes; there lines are fitted to the contour, a hundred times as
quick and off by a tenth of a pixel or so.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.ndimage
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.grid import Grid
from sherd.io.drawings.figures import even_odd, mended_polygon
from sherd.tracing.contours import INSIDE, polygon_of_runs, straight_runs, trace
from sherd.tracing.parts import LEAST_SPECK_PX, PicturePart
from sherd.tracing.vectorise import vectorise_all

Floats = NDArray[np.float64]

# Wider masks, and noisy ones, are traced the quick way.
WIDEST_EXACT_PX = 160
MARGIN_PX = 4
# What one more straight run must save, in squared pixels, and how much a contour with steps is smoothed.
RUN_PENALTY = 1.0
STEPS_SIGMA_PX = 0.8
CONTOUR_SLACK_PX = 0.7


def outlines(part: PicturePart, height_px: int) -> list[Polygon]:
    """The outline of a part, with its holes, as seen with y up from the picture's lower left corner.

    Usually there is one; `InvalidPolygonError` if there is none.
    """
    height, width = (length + 2 * MARGIN_PX for length in part.cover.shape)
    size = max(height, width)
    is_exact = size <= WIDEST_EXACT_PX and not part.noisy
    window = np.zeros((size, size) if is_exact else (height, width))
    window[MARGIN_PX : MARGIN_PX + part.cover.shape[0], MARGIN_PX : MARGIN_PX + part.cover.shape[1]] = (
        part.cover
    )
    grid = Grid(size, float(part.column - MARGIN_PX), float(height_px - part.row + MARGIN_PX), 1.0)
    if is_exact:
        found = vectorise_all(window, grid)
        return [polygon for polygon in found if polygon.area >= LEAST_SPECK_PX] or found
    return [shapely.transform(polygon, grid.to_world) for polygon in even_odd(_contours(_stepless(window)))]


def _stepless(window: Floats) -> Floats:
    """The mask, smoothed a little if it is black and white."""
    grey = np.count_nonzero((window > 0.05) & (window < 0.95))
    if grey > np.sqrt(np.count_nonzero(window >= INSIDE)):
        return window
    return np.asarray(scipy.ndimage.gaussian_filter(window, STEPS_SIGMA_PX), dtype=np.float64)


def _contours(window: Floats) -> list[Polygon]:
    """The rings of a mask as polygons of straight runs, in pixels."""
    points, _, starts = trace(window, INSIDE)
    chains = [points[begin:end] for begin, end in pairwise(starts.tolist())]
    rings = [ring for chain in chains if (ring := _ring(chain)) is not None]
    if not rings:
        raise InvalidPolygonError("the mask has no outline")
    return rings


def _ring(chain: Floats) -> Polygon | None:
    contour = Polygon(chain)
    if len(chain) < 4 or contour.area < LEAST_SPECK_PX / 2:
        return None
    runs = straight_runs(chain, np.full(len(chain), len(chain)), RUN_PENALTY, 1)
    if len(runs) >= 3:
        fitted = Polygon(polygon_of_runs(chain, runs, 1))
        whole = fitted if fitted.is_valid else mended_polygon(fitted)
        # Lines that meet at a flat angle may meet far from the contour.
        if whole is not None and shapely.hausdorff_distance(whole, contour) <= _farthest(contour):
            return whole
    simple = shapely.simplify(contour, CONTOUR_SLACK_PX)
    return simple if simple.is_valid else mended_polygon(simple)


def _farthest(contour: Polygon) -> float:
    return max(4.0, 0.02 * float(np.sqrt(contour.area)))
