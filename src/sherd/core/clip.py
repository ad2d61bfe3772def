"""How much convex pieces cover of a convex target at least, from clipping alone (compiled)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.core.geometry import Pose, Region
from sherd.core.plain_at_first import plain_at_first

# A corner that turns right by no more than this share of what the turn is the difference of is straight.
ROUNDING = 1e-9
# Of more pieces, those that are near each other are looked up in a tree.
FEW = 50


def least_covered(polygons: Sequence[Polygon], poses: Sequence[Pose], target: Region) -> float:
    """The area of the target that pieces so placed cover at least; 0 where one outline is not convex.

    It is all that they cover of it unless three of them lie on each other: overlaps are taken off pair by
    pair. That is some ten times as fast as a union, and enough to see that nothing overlaps.

    >>> half = shapely.box(0, 0, 1, 2)
    >>> least_covered([half, half], [Pose(), Pose(0.5, 0.0)], shapely.box(0, 0, 2, 2))
    3.0
    """
    if not isinstance(target, Polygon):
        return 0.0
    outlines = [*polygons, target]
    if any(outline.interiors for outline in outlines):
        return 0.0
    ends = np.cumsum([0, *shapely.get_num_coordinates(outlines).tolist()])
    matrices = np.array([pose.matrix for pose in (*poses, Pose())])
    points = shapely.get_coordinates(outlines)
    return float(_least_covered(points, ends, matrices, _near_each_other(points, ends, matrices)))


def _near_each_other(points: Floats, ends: Ints, matrices: Floats) -> Ints:
    """Pairs of pieces (K, 2) whose boxes may overlap, the later first, in order; all if they are few."""
    count = len(ends) - 2
    if count <= FEW:
        return np.stack(np.tril_indices(count, -1), axis=1)
    a, b, c, d, e, f = matrices.repeat(np.diff(ends), axis=0).T
    x, y = points.T
    moved = np.stack([a * x + c * y + e, b * x + d * y + f], axis=-1)
    low, high = (each.reduceat(moved, ends[:-2])[:count] for each in (np.minimum, np.maximum))
    slack = ROUNDING * np.abs(moved).max()
    (left, lower), (right, upper) = (low - slack).T, (high + slack).T
    boxes: NDArray[np.object_] = cast(Any, shapely).box(left, lower, right, upper)
    pairs: Ints = shapely.STRtree(boxes).query(boxes).T
    pairs = pairs[pairs[:, 1] < pairs[:, 0]]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].astype(np.int64)


@plain_at_first
@compiled
def _least_covered(points: Floats, ends: Ints, matrices: Floats, near: Ints) -> float:
    """The same from closed rings (C, 2), the last the target's, their ends (N + 1,) and moves (N, 6).

    ``near`` (K, 2) are pairs of pieces that may overlap, sorted, the later one first.
    """
    count = len(ends) - 1
    longest = 0
    for k in range(count):
        longest = max(longest, ends[k + 1] - ends[k] - 1)
    moved, sizes, boxes = np.empty((count, longest, 2)), np.empty(count, np.int64), np.empty((count, 4))
    for k in range(count):
        sizes[k] = ends[k + 1] - ends[k] - 1
        _move(points[ends[k] : ends[k + 1] - 1], matrices[k], moved[k])
        if not _turns_left(moved[k], sizes[k]):
            return 0.0
        bound(moved[k], sizes[k], boxes[k])
    room, other_room = np.empty((4 * longest, 2)), np.empty((4 * longest, 2))
    target = count - 1
    total, at = 0.0, 0
    for k in range(target):
        total += shared_area(moved[k], sizes[k], moved[target], sizes[target], room, other_room)
        while at < len(near) and near[at, 0] == k:
            other = int(near[at, 1])
            at += 1
            if (
                boxes[k, 0] < boxes[other, 2]
                and boxes[other, 0] < boxes[k, 2]
                and boxes[k, 1] < boxes[other, 3]
                and boxes[other, 1] < boxes[k, 3]
            ):
                total -= shared_area(moved[k], sizes[k], moved[other], sizes[other], room, other_room)
    return total if total > 0.0 else 0.0


@compiled
def _move(ring: Floats, matrix: Floats, out: Floats) -> None:
    """Move a ring, and turn it around if it then runs clockwise."""
    a, b, c, d, e, f = matrix
    size = len(ring)
    for k in range(size):
        out[k, 0] = a * ring[k, 0] + c * ring[k, 1] + e
        out[k, 1] = b * ring[k, 0] + d * ring[k, 1] + f
    if _area(out, size) < 0.0:
        for k in range(size // 2):
            last = size - 1 - k
            x, y = out[k, 0], out[k, 1]
            out[k, 0], out[k, 1] = out[last, 0], out[last, 1]
            out[last, 0], out[last, 1] = x, y


@compiled
def _area(ring: Floats, size: int) -> float:
    total = 0.0
    for k in range(1, size - 1):
        x, y = ring[k, 0] - ring[0, 0], ring[k, 1] - ring[0, 1]
        total += x * (ring[k + 1, 1] - ring[0, 1]) - y * (ring[k + 1, 0] - ring[0, 0])
    return total / 2.0


@compiled
def _turns_left(ring: Floats, size: int) -> bool:
    """Whether a ring turns left, or by rounding not at all, at each of its corners."""
    for k in range(size):
        x, y = ring[k, 0], ring[k, 1]
        before, after = ring[k - 1 if k > 0 else size - 1], ring[k + 1 if k + 1 < size else 0]
        left = (x - before[0]) * (after[1] - y)
        right = (y - before[1]) * (after[0] - x)
        if left - right < -ROUNDING * (abs(left) + abs(right)):
            return False
    return True


@compiled
def bound(ring: Floats, size: int, box: Floats) -> None:
    """Write the least x and y of a ring and the greatest, (4,)."""
    for axis in range(2):
        box[axis], box[axis + 2] = ring[0, axis], ring[0, axis]
        for k in range(1, size):
            box[axis] = min(box[axis], ring[k, axis])
            box[axis + 2] = max(box[axis + 2], ring[k, axis])


@compiled
def shared_area(
    first: Floats, first_size: int, second: Floats, second_size: int, room: Floats, other_room: Floats
) -> float:
    """The area that two convex rings share: the first is cut along each edge of the second.

    Not a number where there is no room, as rounding could make an edge cross a ring more than twice.
    """
    size = first_size
    for k in range(size):
        room[k, 0], room[k, 1] = first[k, 0], first[k, 1]
    for edge in range(second_size):
        after = edge + 1 if edge + 1 < second_size else 0
        x, y = second[edge, 0], second[edge, 1]
        dx, dy = second[after, 0] - x, second[after, 1] - y
        kept = 0
        if 2 * size > len(room):
            return math.nan
        for k in range(size):
            last = k - 1 if k > 0 else size - 1
            side = dx * (room[k, 1] - y) - dy * (room[k, 0] - x)
            last_side = dx * (room[last, 1] - y) - dy * (room[last, 0] - x)
            if (side > 0.0) != (last_side > 0.0):
                share = last_side / (last_side - side)
                other_room[kept, 0] = room[last, 0] + share * (room[k, 0] - room[last, 0])
                other_room[kept, 1] = room[last, 1] + share * (room[k, 1] - room[last, 1])
                kept += 1
            if side > 0.0:
                other_room[kept, 0], other_room[kept, 1] = room[k, 0], room[k, 1]
                kept += 1
        room, other_room = other_room, room
        size = kept
        if size < 3:
            return 0.0
    return _area(room, size)
