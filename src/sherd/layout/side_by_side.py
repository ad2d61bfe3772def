"""Groups without a target, each in a frame of its own, laid beside each other so that they can be shown."""

from __future__ import annotations

import math
from collections.abc import Sequence

import shapely

from sherd.core.assembly import Assembly, Group, Placement
from sherd.core.geometry import Pose
from sherd.core.puzzle import Puzzle

# Between two groups, as a share of the size of the larger side of the largest one.
SPACE = 0.08
# How much wider than high it all may be, about.
HANDSOME = 1.6


def side_by_side(puzzle: Puzzle, groups: Sequence[Group]) -> Assembly:
    """All pieces of groups in one frame: groups in rows from the top left, no two of them touching."""
    boxes = [shapely.total_bounds(puzzle.placed(group.assembly)).tolist() for group in groups]
    sizes = [(high_x - low_x, high_y - low_y) for low_x, low_y, high_x, high_y in boxes]
    space = SPACE * max((max(size) for size in sizes), default=0.0)
    area = sum((width + space) * (height + space) for width, height in sizes)
    widest = max([math.sqrt(HANDSOME * area), *(width for width, _ in sizes)], default=0.0)
    x = top = lowest = 0.0
    placements: list[Placement] = []
    for group, (low_x, _, _, high_y), (width, height) in zip(groups, boxes, sizes, strict=True):
        if x > 0.0 and x + width > widest:
            x, top = 0.0, lowest - space
        move = Pose(x - low_x, top - high_y)
        placements += [Placement(one.id, move @ one.pose) for one in group.assembly]
        x, lowest = x + width + space, min(lowest, top - height)
    return Assembly(tuple(placements))
