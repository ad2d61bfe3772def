"""A plain sheet of known size in a photograph, which tells its scale and how the camera was held."""

from __future__ import annotations

import math

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.errors import FileFormatError
from sherd.tracing.photo.table_plane import Plane, fit_plane

Floats = NDArray[np.float64]

SHEETS_MM = {"a5": (148.0, 210.0), "a4": (210.0, 297.0), "a3": (297.0, 420.0), "letter": (215.9, 279.4)}
# A sheet fills at least this share of the four-sided shape around it.
LEAST_FILL = 0.97
# Of each side, the ends are not looked at: corners of paper are seldom sharp.
ENDS = 0.1


def sheet_plane(outlines: list[Polygon], sheet: str, shape: tuple[int, int]) -> tuple[Plane, int]:
    """How a picture with a sheet in it lies, in mm from the sheet's corner, and which outline the sheet is.

    Outlines are in pixels with y up. `FileFormatError` if none has four straight sides.
    """
    width, height = SHEETS_MM[sheet]
    for k in sorted(range(len(outlines)), key=lambda k: -outlines[k].area):
        corners = _four_corners(outlines[k])
        if corners is None:
            continue
        sides = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
        if sides[0] + sides[2] > sides[1] + sides[3]:  # the first side is a short one
            corners = np.roll(corners, -1, axis=0)
        true = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]
        pixels = np.stack([corners[:, 0], shape[0] - corners[:, 1]], axis=-1)
        return fit_plane(pixels, true, shape)[0], k
    raise FileFormatError(
        f"there is no sheet of {sheet.upper()} with four straight edges: lay it flat and whole in the "
        "picture, apart from the pieces or under all of them"
    )


def _four_corners(outline: Polygon) -> Floats | None:
    """The corners (4, 2), counter-clockwise, where lines along the four sides of an outline meet."""
    hull = outline.convex_hull
    if outline.area < LEAST_FILL * hull.area or not isinstance(hull, Polygon):
        return None
    rough = _largest_four(hull)
    if rough is None or Polygon(rough).area < 0.95 * hull.area:
        return None
    ring = outline.exterior
    points = shapely.get_coordinates(
        shapely.line_interpolate_point(ring, np.linspace(0.0, 1.0, 800, endpoint=False), normalized=True)
    )
    lines: list[tuple[Floats, Floats]] = []
    for k in range(4):
        start, end = rough[k], rough[(k + 1) % 4]
        way = (end - start) / math.hypot(*(end - start))
        along = (points - start) @ way / math.hypot(*(end - start))
        across = np.abs((points - start) @ np.array([-way[1], way[0]]))
        near = (along > ENDS) & (along < 1.0 - ENDS) & (across < 0.03 * math.hypot(*(end - start)))
        if np.count_nonzero(near) < 10:
            return None
        middle = points[near].mean(axis=0)
        lines.append((middle, np.linalg.svd(points[near] - middle)[2][0]))
    corners: list[Floats] = []
    for k in range(4):
        (p, u), (q, v) = lines[k - 1], lines[k]
        cross = u[0] * v[1] - u[1] * v[0]
        if abs(cross) < 0.2:
            return None
        corners.append(p + u * ((q - p)[0] * v[1] - (q - p)[1] * v[0]) / cross)
    return np.array(corners)


def _largest_four(hull: Polygon) -> Floats | None:
    """The four corners of a hull that span the most, counter-clockwise."""
    simple = shapely.normalize(hull.simplify(0.01 * math.sqrt(hull.area)))
    points = shapely.get_coordinates(simple)[:-1][::-1]  # a normal ring runs clockwise
    if len(points) < 4 or len(points) > 40:
        return None
    best: tuple[float, Floats | None] = (0.0, None)
    count = len(points)
    for a in range(count):
        for b in range(a + 1, count):
            for c in range(b + 1, count):
                for d in range(c + 1, count):
                    four = points[[a, b, c, d]]
                    x, y = four.T
                    area = 0.5 * abs(float(x @ np.roll(y, 1) - y @ np.roll(x, 1)))
                    if area > best[0]:
                        best = area, four
    return best[1]
