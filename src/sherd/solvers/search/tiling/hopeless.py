"""Whether what a piece leaves of a region can be filled at all, by areas (compiled)."""

from __future__ import annotations

import math

import numpy as np

from sherd.core.compiled import compiled
from sherd.solvers.search.tiling.board import Pieces, Stack
from sherd.solvers.search.tiling.boundary import Remainder
from sherd.solvers.search.tiling.region import is_inside, ring_area


@compiled
def is_hopeless(pieces: Pieces, stack: Stack, out: Remainder, rings: int, at: int, slack: float) -> bool:
    """Whether a part of what is left has an area that no one, two or more of the unused pieces make up."""
    corner: int = stack.candidate[at]
    placed: int = pieces.piece[corner]
    smallest = math.inf
    stack.work[0] -= len(pieces.area)
    for number in range(len(pieces.area)):
        if not stack.used[number] and number != placed:
            smallest = min(smallest, pieces.area[number])
    if smallest == math.inf:
        return rings > 0
    parts = 0
    for ring in range(rings):
        parts += ring_area(out.points, out.starts[ring], out.starts[ring + 1]) > 0.0
    if parts < 2:
        return parts == 0
    for ring in range(rings):
        area = ring_area(out.points, out.starts[ring], out.starts[ring + 1])
        if area <= 0.0:
            continue
        area -= _holes_in(out, rings, ring, slack, stack)
        doubt = 4.0 * slack * _length_around(out, ring)
        if area < smallest - doubt:
            return True
        if area < 3.0 * smallest - doubt and not _is_area(
            pieces, stack, area, doubt, placed, area >= 2.0 * smallest - doubt
        ):
            return True
    return False


@compiled
def _length_around(out: Remainder, ring: int) -> float:
    total = 0.0
    last = out.starts[ring + 1] - 1
    for k in range(out.starts[ring], out.starts[ring + 1]):
        total += math.hypot(out.points[k, 0] - out.points[last, 0], out.points[k, 1] - out.points[last, 1])
        last = k
    return total


@compiled
def _holes_in(out: Remainder, rings: int, outer: int, slack: float, stack: Stack) -> float:
    """The area of the holes in one outline of the region that is left."""
    total = 0.0
    begin, end = out.starts[outer], out.starts[outer + 1]
    whole = np.array([0, end - begin])
    for ring in range(rings):
        area = ring_area(out.points, out.starts[ring], out.starts[ring + 1])
        if area < 0.0:
            for k in range(out.starts[ring], out.starts[ring + 1]):
                stack.work[0] -= end - begin
                if is_inside(out.points[begin:end], whole, out.points[k, 0], out.points[k, 1], slack):
                    total -= area
                    break
    return total


@compiled
def _is_area(pieces: Pieces, stack: Stack, area: float, doubt: float, placed: int, two: bool) -> bool:
    """Whether one unused piece, or two of them, have this area."""
    for number in range(len(pieces.area)):
        if stack.used[number] or number == placed:
            continue
        if abs(pieces.area[number] - area) <= doubt:
            return True
        if two:
            stack.work[0] -= number
            for other in range(number):
                both = pieces.area[number] + pieces.area[other]
                if not stack.used[other] and other != placed and abs(both - area) <= doubt:
                    return True
    return False
