"""Moving a polygon's vertices until its pixels are those of a given mask (compiled).

Polygons are rings as in `sherd.tracing.scanline`, in pixel coordinates of the mask.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.tracing.contours import INSIDE, clip, meet
from sherd.tracing.scanline import add_areas

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Least squares: damping keeps a vertex that lies on a straight edge from sliding along it.
DAMPING = 1e-4
LEAST_DAMPING = 1e-9
MOST_STEPS = 25
# For binary masks: how far from one half an area should be, at first, and from step to step; and a damping
# that leaves alone what is right.
SIDE_MARGIN = 0.05
MARGIN_FADE = 0.8
STIFFNESS = 0.02
TIE = 0.01
HOLD = 0.05  # areas this near to one half resist, though they are right
LONGEST_STEP_PX = 1.0
SETTLED_PX = 1e-6
# Half-planes: how far a line may move at the ends of its edge in one round, and how close to another edge
# a pixel may be before both decide about it (half a pixel's diagonal, and a little).
REACH_PX = 1.0
CLEAR_PX = 0.75
ROUNDS = 4
# Beyond this share of pixels that contradict every straight line, the edge is not straight.
MOST_CONTRADICTIONS = 0.1

# Tells outside centres from inside ones within one sorted list.
OUTSIDE_MARK = 1e6


@compiled
def residual(vertices: Floats, starts: Ints, mask: Floats, binary: bool) -> Floats:
    """Mask less the polygon's own mask (H, W), exact or, if ``binary``, 0 where both are on one side of half.

    An area within `TIE` of one half agrees with both sides: it is a hundredth of a pixel away from either.
    """
    cover = np.zeros(mask.shape)
    add_areas(vertices, starts, 0, 0, cover)
    if binary:
        for row in range(mask.shape[0]):
            for column in range(mask.shape[1]):
                side = 1.0 if mask[row, column] >= INSIDE else -1.0
                wrong = side * (cover[row, column] - INSIDE) < -TIE
                cover[row, column] = mask[row, column] - (side if wrong else 0.0)
    return mask - cover


@compiled
def fit_areas(vertices: Floats, starts: Ints, mask: Floats) -> Floats:
    """Vertices whose exact areas are nearest to an anti-aliased mask, by damped Gauss-Newton steps."""
    return _least_squares(vertices, starts, mask, False, DAMPING)


@compiled
def correct_sides(vertices: Floats, starts: Ints, mask: Floats) -> Floats:
    """Vertices moved as little as may be for every pixel to be on the side of one half that a mask says."""
    return _least_squares(vertices, starts, mask, True, STIFFNESS)


@compiled
def _shortfall(vertices: Floats, starts: Ints, mask: Floats, margin: float) -> tuple[Floats, Floats]:
    """By how much the areas (H, W) miss one half, and a margin, on a binary mask's side, and their weights.

    Areas that are right but close to one half have no shortfall, only a weight: they resist being moved, or
    correcting one pixel would spoil the next, and so on in turns.
    """
    short, weight = np.zeros(mask.shape), np.zeros(mask.shape)
    add_areas(vertices, starts, 0, 0, short)
    for row in range(mask.shape[0]):
        for column in range(mask.shape[1]):
            side = 1.0 if mask[row, column] >= INSIDE else -1.0
            missing = margin - side * (short[row, column] - INSIDE)
            short[row, column] = side * max(0.0, missing)
            weight[row, column] = min(1.0, max(0.0, 1.0 + missing / HOLD))
    return short, weight


@compiled
def _least_squares(vertices: Floats, starts: Ints, mask: Floats, binary: bool, damping: float) -> Floats:
    """Gauss-Newton on exact derivatives, over all pixels that edges pass or, if ``binary``, the wrong ones.

    Moving an edge outwards by d adds d times its length within a pixel to that pixel's area; a vertex moves
    its two edges in proportion to the nearness along them.
    """
    vertices = vertices.copy()
    height, width = mask.shape
    unknowns = 2 * len(vertices)
    slot = np.full((height, width), -1, dtype=np.int64)
    # An edge passes about as many pixels as its extent in rows and columns; vertices move a little.
    extent = np.abs(vertices[1:] - vertices[:-1]).sum() + 2.0 * (height + width)
    derivative = np.zeros((int(1.5 * extent) + 8 * len(vertices), unknowns))
    difference = np.zeros(len(derivative))
    weights = np.zeros(len(derivative))
    ones = np.ones(mask.shape)
    for step in range(MOST_STEPS):
        if binary:
            rest, weight = _shortfall(vertices, starts, mask, SIDE_MARGIN * MARGIN_FADE**step)
            if rest.min() == 0.0 and rest.max() == 0.0:
                break
        else:
            rest, weight = residual(vertices, starts, mask, False), ones
        slot[:] = -1
        used = 0
        for ring in range(len(starts) - 1):
            begin, end = starts[ring], starts[ring + 1]
            for k in range(begin, end):
                after = k + 1 if k + 1 < end else begin
                used = _edge_derivatives(
                    vertices, k, after, rest, weight, slot, derivative, difference, weights, used
                )
        normal = np.zeros((unknowns, unknowns))
        right = np.zeros(unknowns)
        for row in range(used):
            for i in range(unknowns):
                value = derivative[row, i] * weights[row]
                if value != 0.0:
                    right[i] += value * difference[row]
                    for j in range(i + 1):
                        normal[i, j] += value * derivative[row, j]
            derivative[row] = 0.0
        if not binary:
            # Damping that fades with the error converges fast even where a short edge fixes its ends badly.
            damping = min(DAMPING, max(LEAST_DAMPING, (difference[:used] ** 2).sum()))
        for i in range(unknowns):
            normal[i, i] += damping
        _solve(normal, right)
        largest = 0.0
        for k in range(len(vertices)):
            length = np.hypot(right[2 * k], right[2 * k + 1])
            scale = min(1.0, LONGEST_STEP_PX / length) if length > 0.0 else 0.0
            vertices[k, 0] += scale * right[2 * k]
            vertices[k, 1] += scale * right[2 * k + 1]
            largest = max(largest, length)
        if largest < SETTLED_PX:
            break
    return vertices


@compiled
def _edge_derivatives(
    vertices: Floats,
    k: int,
    after: int,
    rest: Floats,
    weight: Floats,
    slot: Ints,
    derivative: Floats,
    difference: Floats,
    weights: Floats,
    used: int,
) -> int:
    """Add one edge's derivatives, pixel by pixel along it; a pixel's row is given out when first met."""
    height, width = rest.shape
    x0, y0 = vertices[k]
    along_x, along_y = vertices[after, 0] - x0, vertices[after, 1] - y0
    step_x = 1.0 / abs(along_x) if along_x != 0.0 else np.inf
    step_y = 1.0 / abs(along_y) if along_y != 0.0 else np.inf
    next_x = np.inf
    if along_x != 0.0:
        next_x = (np.floor(x0) + 1.0 - x0 if along_x > 0.0 else x0 - np.ceil(x0) + 1.0) * step_x
    next_y = np.inf
    if along_y != 0.0:
        next_y = (np.floor(y0) + 1.0 - y0 if along_y > 0.0 else y0 - np.ceil(y0) + 1.0) * step_y
    at = 0.0
    while at < 1.0:
        to = min(1.0, next_x, next_y)
        middle = 0.5 * (at + to)
        column, row = int(np.floor(x0 + middle * along_x)), int(np.floor(y0 + middle * along_y))
        if 0 <= row < height and 0 <= column < width and (slot[row, column] >= 0 or used < len(derivative)):
            if slot[row, column] < 0:
                slot[row, column] = used
                difference[used] = rest[row, column]
                weights[used] = weight[row, column]
                used += 1
            line = derivative[slot[row, column]]
            share = to - at
            line[2 * k] -= along_y * share * (1.0 - middle)
            line[2 * k + 1] += along_x * share * (1.0 - middle)
            line[2 * after] -= along_y * share * middle
            line[2 * after + 1] += along_x * share * middle
        if next_x <= to:
            next_x += step_x
        if next_y <= to:
            next_y += step_y
        at = to
    return used


@compiled
def _solve(matrix: Floats, right: Floats) -> None:
    """Solve a positive definite system in place, from the matrix's lower half, by Cholesky's method."""
    size = len(right)
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                matrix[i, i] = np.sqrt(max(total, LEAST_DAMPING))
            else:
                matrix[i, j] = total / matrix[j, j]
    for i in range(size):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]


@compiled
def fit_sides(vertices: Floats, starts: Ints, mask: Floats) -> Floats:
    """Vertices that agree with a binary mask: each edge's line has inside centres on one side only.

    Near the middle of an edge a pixel is half covered exactly if its centre is inside. The lines that
    separate the centres are a small convex set; its centroid is the best guess for the true line, and far
    better than a line fitted to the steps of the contour.
    """
    vertices = vertices.copy()
    for _ in range(ROUNDS):
        lines = np.empty((len(vertices), 4))
        for ring in range(len(starts) - 1):
            begin, end = starts[ring], starts[ring + 1]
            for k in range(begin, end):
                _separating_line(vertices, starts, begin, end, k, mask, lines[k])
        for ring in range(len(starts) - 1):
            begin, end = starts[ring], starts[ring + 1]
            for k in range(begin, end):
                before = k - 1 if k > begin else end - 1
                meet(lines[before], lines[k], vertices[k])
    return vertices


@compiled
def _separating_line(
    vertices: Floats, starts: Ints, begin: int, end: int, k: int, mask: Floats, line: Floats
) -> None:
    """Write the line (point, direction) through edge k that best separates the pixel centres around it."""
    after = k + 1 if k + 1 < end else begin
    before = k - 1 if k > begin else end - 1
    beyond = after + 1 if after + 1 < end else begin
    x0, y0 = vertices[k]
    x1, y1 = vertices[after]
    length = np.hypot(x1 - x0, y1 - y0)
    middle_x, middle_y = 0.5 * (x0 + x1), 0.5 * (y0 + y1)
    if length < SETTLED_PX:
        line[:] = np.array([middle_x, middle_y, 1.0, 0.0])
        return
    along_x, along_y = (x1 - x0) / length, (y1 - y0) / length
    line[:] = np.array([middle_x, middle_y, along_x, along_y])
    out_x, out_y = -along_y, along_x
    # Between two convex corners an inside centre is inside of this edge wherever it lies.
    convex = (vertices[before, 0] - x0) * out_x + (vertices[before, 1] - y0) * out_y < 0.0 and (
        vertices[beyond, 0] - x0
    ) * out_x + (vertices[beyond, 1] - y0) * out_y < 0.0

    height, width = mask.shape
    reach = REACH_PX + 0.5
    low_row, high_row = max(0, int(min(y0, y1) - reach)), min(height, int(max(y0, y1) + reach) + 1)
    low_column, high_column = max(0, int(min(x0, x1) - reach)), min(width, int(max(x0, x1) + reach) + 1)
    half = 0.5 * length
    found = [(0.0, 0.0, 0.0)]
    for row in range(low_row, high_row):
        for column in range(low_column, high_column):
            x, y = column + 0.5 - middle_x, row + 0.5 - middle_y
            s, h = x * along_x + y * along_y, x * out_x + y * out_y
            if abs(h) > reach or abs(s) > half + 0.5:
                continue
            inside = mask[row, column] >= INSIDE
            # A centre on the line's own side by more than the reach decides nothing.
            if (inside and h < -reach) or (not inside and h > reach):
                continue
            if inside and convex:
                found.append((abs(s), s, h))
            elif abs(s) <= half and _is_clear(vertices, starts, k, column + 0.5, row + 0.5):
                found.append((abs(s), s, h if inside else h + OUTSIDE_MARK))
    found = found[1:]
    found.sort()
    # The line is h = a + b s; its candidates (a, b) start as a box and every pixel cuts some off.
    candidates = np.empty((len(found) + 8, 2))
    spare = np.empty_like(candidates)
    steepest = REACH_PX / max(half, 1.0)
    candidates[0] = np.array([-REACH_PX, -steepest])
    candidates[1] = np.array([REACH_PX, -steepest])
    candidates[2] = np.array([REACH_PX, steepest])
    candidates[3] = np.array([-REACH_PX, steepest])
    count, contradictions = 4, 0
    for _, s, h in found:
        outside = h > OUTSIDE_MARK / 2.0
        sign = -1.0 if outside else 1.0
        kept = clip(candidates, count, sign, sign * s, sign * (h - OUTSIDE_MARK if outside else h), spare)
        if kept < 3:
            contradictions += 1  # this pixel belongs to a corner or to noise
            continue
        candidates, spare, count = spare, candidates, kept
    if contradictions > MOST_CONTRADICTIONS * len(found):
        return
    a, b = _centroid(candidates, count)
    line[0], line[1] = middle_x + a * out_x, middle_y + a * out_y
    norm = np.hypot(1.0, b)
    line[2], line[3] = (along_x + b * out_x) / norm, (along_y + b * out_y) / norm


@compiled
def _is_clear(vertices: Floats, starts: Ints, edge: int, x: float, y: float) -> bool:
    """Whether no edge but this one comes so near to a pixel's centre that it shares the pixel."""
    for ring in range(len(starts) - 1):
        begin, end = starts[ring], starts[ring + 1]
        for k in range(begin, end):
            if k == edge:
                continue
            after = k + 1 if k + 1 < end else begin
            along_x, along_y = vertices[after, 0] - vertices[k, 0], vertices[after, 1] - vertices[k, 1]
            to_x, to_y = x - vertices[k, 0], y - vertices[k, 1]
            square = along_x * along_x + along_y * along_y
            at = (to_x * along_x + to_y * along_y) / square if square > 0.0 else 0.0
            at = min(1.0, max(0.0, at))
            if np.hypot(to_x - at * along_x, to_y - at * along_y) < CLEAR_PX:
                return False
    return True


@compiled
def _centroid(polygon: Floats, count: int) -> tuple[float, float]:
    area = a = b = 0.0
    a0, b0 = polygon[0]
    for k in range(1, count - 1):
        a1, b1 = polygon[k, 0] - a0, polygon[k, 1] - b0
        a2, b2 = polygon[k + 1, 0] - a0, polygon[k + 1, 1] - b0
        cross = a1 * b2 - a2 * b1
        area, a, b = area + cross, a + cross * (a1 + a2) / 3.0, b + cross * (b1 + b2) / 3.0
    if area <= 0.0:
        return polygon[:count, 0].mean(), polygon[:count, 1].mean()
    return a0 + a / area, b0 + b / area
