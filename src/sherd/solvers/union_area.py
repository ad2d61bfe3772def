"""Exact areas of unions of convex parts, and what one more part adds to them (compiled).

A part is convex and counter-clockwise. Its edges are rows (x, y, ux, uy, length): where an edge starts, its
unit direction, and how long it is; many parts are an array (M, V, 5), shorter ones filled up by edges of
length 0 after the first ``counts[m]``. By Green's theorem an area is a sum over the boundary, and the
boundary of a union is what of the parts' edges no other part covers. A line meets a convex part in one
interval, so all that is needed are intervals on edges: no overlay, however many parts lie on each other.

Edges on the same line need care, for exact puzzles are full of them. Where two parts lie on the same side of
a shared stretch, only the first one's counts; where they lie on opposite sides, both count and cancel.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled

# Edges whose directions differ by less than this may lie on one line; others cross at a point that is known
# to about 1e-16 / PARALLEL of the target's size.
PARALLEL = 1e-6


@compiled
def copy_to(values: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy an array into one of the same shape: as ``target[:] = values``, which is slow to compile."""
    for k in range(values.size):
        target.flat[k] = values.flat[k]


@compiled
def set_edges(vertices: Floats, count: int, matrix: Floats, edges: Floats) -> None:
    """Write the edges of a part moved by ``matrix`` (a, b, c, d, e, f) into ``edges`` (V, 5)."""
    mirrored = matrix[0] * matrix[3] - matrix[1] * matrix[2] < 0.0
    for k in range(count):
        from_k = count - 1 - k if mirrored else k  # a mirrored outline is walked backwards
        x, y = vertices[from_k, 0], vertices[from_k, 1]
        edges[k, 0] = matrix[0] * x + matrix[2] * y + matrix[4]
        edges[k, 1] = matrix[1] * x + matrix[3] * y + matrix[5]
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        x, y = edges[after, 0] - edges[k, 0], edges[after, 1] - edges[k, 1]
        length = math.sqrt(x * x + y * y)
        edges[k, 4] = length
        edges[k, 2] = x / length if length > 0.0 else 0.0
        edges[k, 3] = y / length if length > 0.0 else 0.0


@compiled
def set_box(edges: Floats, count: int, box: Floats) -> None:
    """Write the bounds (low x, low y, high x, high y) of a part into ``box``."""
    box[0], box[1] = edges[0, 0], edges[0, 1]
    box[2], box[3] = edges[0, 0], edges[0, 1]
    for k in range(1, count):
        box[0], box[1] = min(box[0], edges[k, 0]), min(box[1], edges[k, 1])
        box[2], box[3] = max(box[2], edges[k, 0]), max(box[3], edges[k, 1])


@compiled
def _apart(first: Floats, second: Floats) -> bool:
    """Whether two bounds have no area in common, nor a stretch of boundary."""
    return first[0] > second[2] or second[0] > first[2] or first[1] > second[3] or second[1] > first[3]


@compiled
def _within(edge: Floats, part: Floats, count: int, shared: bool, slack: float) -> tuple[float, float]:
    """The interval, in shares of its length, of an edge that lies in a part; (0, 0) if none does.

    A stretch on the part's own boundary counts if ``shared`` and both run in the same direction.
    """
    x0, y0, ux, uy, length = edge
    x1, y1 = x0 + length * ux, y0 + length * uy
    low, high = 0.0, 1.0
    for k in range(count):
        x, y, vx, vy, side = part[k]
        if side == 0.0:
            continue
        d0 = vx * (y0 - y) - vy * (x0 - x)
        d1 = vx * (y1 - y) - vy * (x1 - x)
        if abs(ux * vy - uy * vx) < PARALLEL:
            here = abs(d0) < slack and abs(d1) < slack
            if not here:  # the same question the other way round, so that both edges get the same answer
                d2 = ux * (y - y0) - uy * (x - x0)
                d3 = d2 + side * (ux * vy - uy * vx)
                here = abs(d2) < slack and abs(d3) < slack
            if here:
                if shared and ux * vx + uy * vy > 0.0:
                    continue
                return 0.0, 0.0
        if d0 <= 0.0 and d1 <= 0.0:
            return 0.0, 0.0
        if d0 < 0.0:
            low = max(low, d0 / (d0 - d1))
        elif d1 < 0.0:
            high = min(high, d0 / (d0 - d1))
        if low >= high:
            return 0.0, 0.0
    return low, high


@compiled
def _insert(intervals: Floats, count: int, low: float, high: float) -> int:
    """Keep ``count`` intervals (N, 2) sorted by their start while one is added; returns the new count."""
    k = count
    while k > 0 and intervals[k - 1, 0] > low:
        intervals[k, 0], intervals[k, 1] = intervals[k - 1, 0], intervals[k - 1, 1]
        k -= 1
    intervals[k, 0], intervals[k, 1] = low, high
    return count + 1


@compiled
def _moment(edge: Floats) -> float:
    """What a whole edge adds to the area that its boundary encloses."""
    return 0.5 * edge[4] * (edge[0] * edge[3] - edge[1] * edge[2])


@compiled
def trace_union(
    edges: Floats, counts: Ints, boxes: Floats, slack: float, free: Floats, free_starts: Ints
) -> float:
    """The area of the union of M parts; its boundary goes into ``free``.

    ``free`` (F, 2) gets the uncovered intervals of every edge, those of edge k of part m from
    ``free_starts[m * V + k]`` on. F = M times the sum of ``counts`` always suffices.
    """
    parts, longest, _ = edges.shape
    covered = np.empty((parts, 2))
    area, used = 0.0, 0
    for m in range(parts):
        for k in range(longest):
            free_starts[m * longest + k] = used
            if k >= counts[m] or edges[m, k, 4] == 0.0:
                continue
            count = 0
            for other in range(parts):
                if other == m or _apart(boxes[m], boxes[other]):
                    continue
                low, high = _within(edges[m, k], edges[other], counts[other], other < m, slack)
                if high > low:
                    count = _insert(covered, count, low, high)
            reached, length = 0.0, 0.0
            for j in range(count):
                if covered[j, 0] > reached:
                    free[used, 0], free[used, 1] = reached, covered[j, 0]
                    length += covered[j, 0] - reached
                    used += 1
                reached = max(reached, covered[j, 1])
            if reached < 1.0:
                free[used, 0], free[used, 1] = reached, 1.0
                length += 1.0 - reached
                used += 1
            area += length * _moment(edges[m, k])
    free_starts[parts * longest] = used
    return area


@compiled
def area_outside(
    piece: Floats,
    piece_count: int,
    piece_box: Floats,
    edges: Floats,
    counts: Ints,
    boxes: Floats,
    slack: float,
    free: Floats,
    free_starts: Ints,
) -> float:
    """The area of one more part that lies outside a union which `trace_union` has traced.

    The boundary of that area is the piece's outside the union, and the union's within the piece, backwards.
    """
    parts, longest, _ = edges.shape
    covered = np.empty((parts, 2))
    area = 0.0
    for k in range(piece_count):
        if piece[k, 4] == 0.0:
            continue
        count = 0
        for other in range(parts):
            if _apart(piece_box, boxes[other]):
                continue
            low, high = _within(piece[k], edges[other], counts[other], True, slack)
            if high > low:
                count = _insert(covered, count, low, high)
                if low == 0.0 and high == 1.0:
                    break
        reached, length = 0.0, 0.0
        for j in range(count):
            length += max(0.0, covered[j, 0] - reached)
            reached = max(reached, covered[j, 1])
        area += (length + 1.0 - reached) * _moment(piece[k])
    for m in range(parts):
        if _apart(piece_box, boxes[m]):
            continue
        for k in range(counts[m]):
            begin, end = free_starts[m * longest + k], free_starts[m * longest + k + 1]
            if begin == end:
                continue
            low, high = _within(edges[m, k], piece, piece_count, False, slack)
            if high > low:
                length = 0.0
                for j in range(begin, end):
                    length += max(0.0, min(high, free[j, 1]) - max(low, free[j, 0]))
                area -= length * _moment(edges[m, k])
    return area
