"""Outlines of masks as chains of sub-pixel points, and their division into straight runs (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

INSIDE = 0.5
# Lines nearer to parallel than this (sine) have no usable crossing; a corner of a mask is blunted by at
# most a few pixels, so a crossing farther away is not that corner.
FLATTEST = 0.01
FARTHEST_PX = 12.0

_COLUMN_STEP = np.array([1, 0, -1, 0])  # east, south, west, north
_ROW_STEP = np.array([0, 1, 0, -1])
# For each direction, from the corner where a step starts: the pixel on its left, which is inside, as
# (row, column), and the one on its right.
_LEFT = np.array([[-1, 0], [0, 0], [0, -1], [-1, -1]])
_RIGHT = np.array([[0, 0], [0, -1], [-1, -1], [-1, 0]])


@compiled
def trace(mask: Floats, level: float) -> tuple[Floats, Floats, Ints]:
    """All borders between pixels of at least and below a level, as closed chains of points (column, row).

    Points (P, 2), the centre of the pixel inside of each (P, 2), and the starts of the chains (R + 1,). A
    point lies between the centres of an inside and an outside pixel, where the mask would cross the level
    if it changed evenly. The inside is on the left as
    the world sees it: outlines run counter-clockwise, holes clockwise. Pixels that touch at a corner are
    joined. The mask's own border must be outside.
    """
    height, width = mask.shape
    inside = mask >= level
    seen = np.zeros((height + 1, width + 1), dtype=np.bool_)
    most = 0
    for row in range(height):
        for column in range(width):
            if inside[row, column]:  # a point for each side that is a border
                most += int(row == 0 or not inside[row - 1, column])
                most += int(row == height - 1 or not inside[row + 1, column])
                most += int(column == 0 or not inside[row, column - 1])
                most += int(column == width - 1 or not inside[row, column + 1])
    points, inner = np.empty((most, 2)), np.empty((most, 2))
    starts = [0]
    count = 0
    for first_row in range(1, height):
        for first_column in range(width):
            # Every chain steps east somewhere, so each is found once by its first step east.
            if (
                not inside[first_row - 1, first_column]
                or inside[first_row, first_column]
                or seen[first_row, first_column]
            ):
                continue
            row, column, direction = first_row, first_column, 0
            while True:
                if direction == 0:
                    seen[row, column] = True
                in_row, in_column = row + _LEFT[direction, 0], column + _LEFT[direction, 1]
                out_row, out_column = row + _RIGHT[direction, 0], column + _RIGHT[direction, 1]
                value, other = mask[in_row, in_column], mask[out_row, out_column]
                at = (value - level) / (value - other)
                inner[count, 0], inner[count, 1] = in_column + 0.5, in_row + 0.5
                points[count, 0] = inner[count, 0] + at * (out_column - in_column)
                points[count, 1] = inner[count, 1] + at * (out_row - in_row)
                count += 1
                row, column = row + _ROW_STEP[direction], column + _COLUMN_STEP[direction]
                if inside[row + _RIGHT[direction, 0], column + _RIGHT[direction, 1]]:
                    direction = (direction + 1) % 4
                elif not inside[row + _LEFT[direction, 0], column + _LEFT[direction, 1]]:
                    direction = (direction + 3) % 4
                if row == first_row and column == first_column and direction == 0:
                    break
            starts.append(count)
    return points[:count].copy(), inner[:count].copy(), np.array(starts)


@compiled
def straight_runs(points: Floats, reach: Ints, penalty: float, trim: int) -> Ints:
    """Divide a closed chain (P, 2) into straight runs: the index where each begins.

    The runs minimise the squared distances of the points from their run's line plus ``penalty`` a run,
    over all divisions with a border at the point farthest from the middle, which is always a corner. No
    run is longer than ``reach`` (P,) allows from its first point.
    """
    count = len(points)
    middle_x, middle_y = points[:, 0].mean(), points[:, 1].mean()
    start = np.argmax((points[:, 0] - middle_x) ** 2 + (points[:, 1] - middle_y) ** 2)
    sums = np.zeros((count + 1, 5))  # running sums of x, y, x x, x y, y y
    for k in range(count):
        x = points[(start + k) % count, 0] - middle_x
        y = points[(start + k) % count, 1] - middle_y
        sums[k + 1] = sums[k] + np.array([x, y, x * x, x * y, y * y])
    best = np.full(count + 1, np.inf)
    best[0] = 0.0
    before = np.zeros(count + 1, dtype=np.int64)
    for end in range(2, count + 1):
        for begin in range(end - 2, -1, -1):
            cut = trim if end - begin >= 2 * trim + 3 else 0
            if end - begin - 2 * cut > reach[(start + begin + cut) % count]:
                break
            error = _line_error(sums, begin + cut, end - cut)
            if error + penalty >= best[end]:
                break  # longer runs only have larger errors
            cost = best[begin] + error + penalty
            if cost < best[end]:
                best[end] = cost
                before[end] = begin
    borders = [0]
    at = int(before[count])
    while at > 0:
        borders.append(at)
        at = int(before[at])
    return (np.sort(np.array(borders)) + start) % count


@compiled
def separable_lengths(points: Floats, inner: Floats, slack: float) -> Ints:
    """From each point of a binary mask's chain, how many points on one line still parts inside and outside.

    A digital straight edge can be parted exactly, however coarse its steps look; ``slack`` is by how many
    pixels a centre may be on the wrong side.
    """
    count = len(points)
    lengths = np.zeros(count, dtype=np.int64)
    shape, spare = np.empty((64, 2)), np.empty((64, 2))
    for begin in range(count):
        for axis in range(2):  # lines row = a + b column, then column = a + b row, slopes to just over 1
            for sign in (-1.0, 1.0):
                shape[0] = np.array([-3.0, -1.1])
                shape[1] = np.array([3.0, -1.1])
                shape[2] = np.array([3.0, 1.1])
                shape[3] = np.array([-3.0, 1.1])
                corners, length = 4, 0
                while length < count:
                    k = (begin + length) % count
                    in_s = inner[k, axis] - points[begin, axis]
                    in_h = inner[k, 1 - axis] - points[begin, 1 - axis]
                    out_s = 2.0 * (points[k, axis] - points[begin, axis]) - in_s
                    out_h = 2.0 * (points[k, 1 - axis] - points[begin, 1 - axis]) - in_h
                    corners = clip(shape, corners, sign, sign * in_s, sign * in_h - slack, spare)
                    corners = clip(spare, corners, -sign, -sign * out_s, -sign * out_h - slack, shape)
                    if corners < 3 or corners > 60:
                        break
                    length += 1
                lengths[begin] = max(lengths[begin], length)
    return lengths


@compiled
def clip(polygon: Floats, count: int, p: float, q: float, least: float, result: Floats) -> int:
    """Keep the part of a convex polygon where p a + q b >= least; returns its number of corners."""
    kept = 0
    for k in range(count):
        a0, b0 = polygon[k]
        a1, b1 = polygon[(k + 1) % count]
        v0, v1 = p * a0 + q * b0 - least, p * a1 + q * b1 - least
        if v0 >= 0.0:
            result[kept, 0], result[kept, 1] = a0, b0
            kept += 1
        if (v0 > 0.0 and v1 < 0.0) or (v0 < 0.0 and v1 > 0.0):
            at = v0 / (v0 - v1)
            result[kept, 0], result[kept, 1] = a0 + at * (a1 - a0), b0 + at * (b1 - b0)
            kept += 1
    return kept


@compiled
def _line_error(sums: Floats, begin: int, end: int) -> float:
    """Sum of squared distances of points begin .. end - 1 from the line that fits them best."""
    count = end - begin
    if count <= 2:
        return 0.0
    x = sums[end, 0] - sums[begin, 0]
    y = sums[end, 1] - sums[begin, 1]
    xx = sums[end, 2] - sums[begin, 2] - x * x / count
    xy = sums[end, 3] - sums[begin, 3] - x * y / count
    yy = sums[end, 4] - sums[begin, 4] - y * y / count
    return max(0.0, 0.5 * (xx + yy - np.sqrt((xx - yy) ** 2 + 4.0 * xy * xy)))


@compiled
def polygon_of_runs(points: Floats, borders: Ints, trim_most: int) -> Floats:
    """Corners (V, 2) where the lines fitted to neighbouring runs of a chain meet."""
    count, edges = len(points), len(borders)
    lines = np.empty((edges, 4))  # a point on the line and its direction
    for k in range(edges):
        length = (borders[(k + 1) % edges] - borders[k] - 1) % count + 1
        trim = trim_most if length >= 2 * trim_most + 3 else 0
        x = y = xx = xy = yy = 0.0
        for j in range(trim, length - trim):
            x += points[(borders[k] + j) % count, 0]
            y += points[(borders[k] + j) % count, 1]
        x, y = x / (length - 2 * trim), y / (length - 2 * trim)
        for j in range(trim, length - trim):
            dx = points[(borders[k] + j) % count, 0] - x
            dy = points[(borders[k] + j) % count, 1] - y
            xx, xy, yy = xx + dx * dx, xy + dx * dy, yy + dy * dy
        angle = 0.5 * np.arctan2(2.0 * xy, xx - yy)
        lines[k] = np.array([x, y, np.cos(angle), np.sin(angle)])
    corners = np.empty((edges, 2))
    for k in range(edges):
        corners[k] = points[borders[k]]
        meet(lines[k - 1], lines[k], corners[k])
    return corners


@compiled
def meet(first: Floats, second: Floats, corner: Floats) -> None:
    """Move ``corner`` to where two lines (point, direction) meet, unless that is far from it."""
    cross = first[2] * second[3] - first[3] * second[2]
    if abs(cross) < FLATTEST:
        return
    along = ((second[0] - first[0]) * second[3] - (second[1] - first[1]) * second[2]) / cross
    x, y = first[0] + along * first[2], first[1] + along * first[3]
    if np.hypot(x - corner[0], y - corner[1]) <= FARTHEST_PX:
        corner[0], corner[1] = x, y
