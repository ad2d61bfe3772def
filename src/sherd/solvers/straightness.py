"""What kind of pieces there are: cut along straight lines, or torn, curved and knobbed."""

from __future__ import annotations

import math

import numpy as np
import shapely

from sherd.core.puzzle import Puzzle

# Outlines are straightened by this share of the root of a piece's area: eroded pieces of straight cuts then
# have up to 10 corners in the middle, the torn sheet among the examples 14, which the search solves at once,
# and pieces between arcs, the least jagged of all, 17 and more.
STRAIGHTENED = 0.005
MOST_CORNERS = 15
# Areas of exact pieces add up to their target's within this share of it.
SAME_AREA = 1e-6


def are_straight(puzzle: Puzzle) -> bool:
    """Whether most pieces have few corners with straight edges between them."""
    outlines = [fragment.polygon for fragment in puzzle.fragments]
    if np.median(shapely.get_num_coordinates(outlines)) <= MOST_CORNERS:
        return True  # without a closer look, which would cost exact puzzles time
    corners = [
        int(shapely.get_num_coordinates(outline.simplify(STRAIGHTENED * math.sqrt(outline.area)))) - 1
        for outline in outlines
    ]
    return float(np.median(corners)) <= MOST_CORNERS


def are_exact(puzzle: Puzzle) -> bool:
    """Whether the areas of the pieces add up to that of the target: all are there, as they were cut."""
    area = sum(fragment.polygon.area for fragment in puzzle.fragments)
    return abs(area - puzzle.target.area) <= SAME_AREA * puzzle.target.area
