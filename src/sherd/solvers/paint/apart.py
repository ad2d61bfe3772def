"""Parts that no paint joins: where a strip is lost between them, they may lie in another order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations

import numpy as np
import shapely

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose
from sherd.solvers.paint.seams import Seams, after, back, motion_of

# Pieces that share less, in logarithms of likelihood, are not held together by their paint.
JOINED = 10.0
# Orders of more parts are too many.
MOST_PARTS = 4


def other_orders(seams: Seams, poses: Mapping[int, Pose]) -> Iterator[dict[int, Pose]]:
    """The arrangement with its parts side by side in every other order, what is open between any two."""
    parts = _parts(seams, poses)
    if not 1 < len(parts) <= MOST_PARTS:
        return
    boxes = [_box(seams, poses, part) for part in parts]
    low, high = np.reshape(seams.puzzle.target.bounds, (2, 2))
    for axis in (0, 1):
        lengths = [float(box[1, axis] - box[0, axis]) for box in boxes]
        spare = float(high[axis] - low[axis]) - sum(lengths)
        if spare < -seams.pixel:
            continue
        for order in permutations(range(len(parts))):
            for gap in range(len(parts) + 1):
                begin, moved = float(low[axis]), dict[int, Pose]()
                for rank, part in enumerate(order):
                    begin += max(spare, 0.0) * (rank == gap)
                    shift = begin - float(boxes[part][0, axis])
                    begin += lengths[part]
                    moved |= {number: _shifted(poses[number], shift, axis) for number in parts[part]}
                yield moved


def _parts(seams: Seams, poses: Mapping[int, Pose]) -> list[list[int]]:
    """The pieces, by number, that their paint holds together."""
    numbers = list(poses)
    motions = [motion_of(poses[number]) for number in numbers]
    parts = [[number] for number in numbers]
    for k, m in combinations(range(len(numbers)), 2):
        shared = seams.between(numbers[k], numbers[m], after(motions[m], back(motions[k])))
        if (shared or 0.0) >= JOINED:
            one, other = (
                next(part for part in parts if number in part) for number in (numbers[k], numbers[m])
            )
            if one is not other:
                parts.remove(other)
                one += other
    return parts


def _box(seams: Seams, poses: Mapping[int, Pose], part: list[int]) -> Floats:
    """The lower left and the upper right corner of a part, (2, 2)."""
    return np.reshape(shapely.total_bounds([poses[n].apply(seams.outlines[n]) for n in part]), (2, 2))


def _shifted(pose: Pose, shift: float, axis: int) -> Pose:
    return Pose(pose.x + shift * (axis == 0), pose.y + shift * (axis == 1), pose.theta)
