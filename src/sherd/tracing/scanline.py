"""Exact areas of polygons in pixels, and how they change with the vertices (compiled).

A polygon with holes is a list of rings: vertices (V, 2) as (column, row), and ``starts`` (R + 1,) that say
where each ring begins and the last one ends. A ring counts with the sign of its own direction, so a hole
must run against its outline.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def add_areas(vertices: Floats, starts: Ints, left: int, top: int, cover: Floats) -> None:
    """Add the signed area of the rings to the pixels ``cover`` (H, W) whose corner is (left, top).

    Each edge leaves, in every row that it passes, the change of covered area from one pixel to the next;
    the running sum along the row then is the area itself. Cost: the boundary's pixels plus one pass.
    """
    height, width = cover.shape
    change = np.zeros((height, width + 2))
    for ring in range(len(starts) - 1):
        begin, end = starts[ring], starts[ring + 1]
        for k in range(begin, end):
            after = k + 1 if k + 1 < end else begin
            x0, y0 = vertices[k, 0] - left, vertices[k, 1] - top
            x1, y1 = vertices[after, 0] - left, vertices[after, 1] - top
            if y0 == y1:
                continue
            # The area to the right of an edge counts positive where the edge runs down the rows, as the
            # left side of a ring does that runs counter-clockwise in the world.
            sign = 1.0
            if y0 > y1:
                x0, y0, x1, y1, sign = x1, y1, x0, y0, -1.0
            if y1 <= 0.0 or y0 >= height:
                continue
            slope = (x1 - x0) / (y1 - y0)
            first = max(0, math.floor(y0))
            last = min(height, math.ceil(y1))
            for row in range(first, last):
                low, high = max(y0, float(row)), min(y1, row + 1.0)
                x_low = x0 + (low - y0) * slope
                x_high = x1 - (y1 - high) * slope
                _spread(change[row], x_low, x_high, sign * (high - low), width)
    for row in range(height):
        total = 0.0
        for column in range(width):
            total += change[row, column]
            cover[row, column] += total


@compiled
def _spread(change: Floats, x_low: float, x_high: float, drop: float, width: int) -> None:
    """Add a slanted part of an edge within one row to the changes of area along that row."""
    x_left, x_right = min(x_low, x_high), max(x_low, x_high)
    if x_right <= 0.0:
        change[0] += drop
        return
    if x_left >= width:
        return
    if x_left < 0.0:
        outside = drop * (0.0 - x_left) / (x_right - x_left)
        change[0] += outside
        drop -= outside
        x_left = 0.0
    if x_right > width:
        drop *= (width - x_left) / (x_right - x_left)
        x_right = float(width)
    first = min(math.floor(x_left), width - 1)
    last = math.ceil(x_right)
    if last <= first + 1:
        share = drop * (1.0 - ((x_left + x_right) * 0.5 - first))
        change[first] += share
        change[first + 1] += drop - share
        return
    per_column = drop / (x_right - x_left)
    for column in range(first, last):
        begin, end = max(x_left, float(column)), min(x_right, column + 1.0)
        part = per_column * (end - begin)
        share = part * (1.0 - ((begin + end) * 0.5 - column))
        change[column] += share
        change[column + 1] += part - share


@compiled
def signed_area(vertices: Floats) -> float:
    """Area of one ring (V, 2), positive if it runs counter-clockwise in a frame whose y points up."""
    total = 0.0
    x, y = vertices[0]
    for k in range(1, len(vertices) - 1):
        total += (vertices[k, 0] - x) * (vertices[k + 1, 1] - y)
        total -= (vertices[k + 1, 0] - x) * (vertices[k, 1] - y)
    return total / 2.0


@compiled
def draw(
    vertices: Floats, starts: Ints, owners: Ints, shells: NDArray[np.bool_], masks: NDArray[np.float32]
) -> None:
    """Fill masks (B, H, W) with the areas of polygons given as rings; outlines add, holes take away."""
    height, width = masks.shape[1:]
    for ring in range(len(starts) - 1):
        corners = vertices[starts[ring] : starts[ring + 1]]
        if len(corners) == 0:
            continue
        low_x, low_y = corners[:, 0].min(), corners[:, 1].min()
        high_x, high_y = corners[:, 0].max(), corners[:, 1].max()
        left, right = max(0, math.floor(low_x)), min(width, math.ceil(high_x))
        top, bottom = max(0, math.floor(low_y)), min(height, math.ceil(high_y))
        if left >= right or top >= bottom:
            continue
        cover = np.zeros((bottom - top, right - left))
        add_areas(corners, np.array([0, len(corners)]), left, top, cover)
        sign = 1.0 if (signed_area(corners) < 0.0) == shells[ring] else -1.0
        mask = masks[owners[ring]]
        for row in range(bottom - top):
            for column in range(right - left):
                value = mask[top + row, left + column] + sign * cover[row, column]
                mask[top + row, left + column] = min(1.0, max(0.0, value))
