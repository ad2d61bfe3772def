"""The region's border followed around: its corners, and whether areas can add up to it (compiled)."""

from __future__ import annotations

import numpy as np

from sherd.core.arrays import Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.lattice.grid_board import Board, Region, Shapes, Way, Words

# What `trace` says where the areas of parts cannot be filled, or where there is no room to write them down.
HOPELESS, NO_ROOM = -1, -2


@compiled
def trace(shapes: Shapes, region: Region, board: Board, way: Way, level: int) -> int:
    """Write down the corners of the region at this level: how many rings it has.

    Every ring goes through a corner of the region before or of the piece that was laid.
    """
    region.state[2] += 1
    at = way.first_border[level]
    start, rings = at, 0
    if level == 0:
        for point in range(len(region.count_out)):
            # Most points are on no ring, and to call costs more than to look.
            if region.count_out[point] and _is_unmet(region.count_out, region.seen, point, region.state[2]):
                at, rings = _trace_from(shapes, region, board, way, point, at, rings)
    else:
        for k in range(way.first_border[level - 1], start):
            if _is_unmet(region.count_out, region.seen, way.border[k, 0], region.state[2]):
                at, rings = _trace_from(shapes, region, board, way, way.border[k, 0], at, rings)
        last, x, y = way.placed[level - 1, 0], way.placed[level - 1, 1], way.placed[level - 1, 2]
        for k in range(shapes.first_corner[last], shapes.first_corner[last + 1]):
            point = (shapes.corner[k, 1] + y) * board.row + shapes.corner[k, 0] + x
            if _is_unmet(region.count_out, region.seen, point, region.state[2]):
                at, rings = _trace_from(shapes, region, board, way, point, at, rings)
    if at < 0:
        way.tally[5] = 1
        return NO_ROOM
    way.first_border[level + 1] = at
    if rings > 1:
        total = _add_up(shapes.area, region.left, way.sums)
        for ring in range(rings):
            area = way.ring_area[ring]
            if area < 0 or _has_hole(way, rings, ring):
                continue  # which of the rings a hole is in would take longer to tell
            if area % shapes.area_unit != 0:
                return HOPELESS
            area //= shapes.area_unit
            if area > total or not (way.sums[area >> 6] >> np.uint64(area & 63)) & np.uint64(1):
                return HOPELESS
    return rings


@compiled
def _has_hole(way: Way, rings: int, ring: int) -> bool:
    """Whether a hole of the region may lie in a ring of it: a corner of the hole is in the box around it."""
    for hole in range(rings):
        if way.ring_area[hole] >= 0:
            continue
        x, y = way.border[way.ring_first[hole], 4], way.border[way.ring_first[hole], 5]
        is_left, is_right, is_below, is_above = False, False, False, False
        first = way.ring_first[ring]
        at = first
        while True:
            is_left = is_left or way.border[at, 4] < x
            is_right = is_right or way.border[at, 4] > x
            is_below = is_below or way.border[at, 5] < y
            is_above = is_above or way.border[at, 5] > y
            at = way.border[at, 3]
            if at == first:
                break
        if is_left and is_right and is_below and is_above:
            return True
    return False


@compiled
def _is_unmet(count_out: Ints, seen: Ints, point: int, now: int) -> bool:
    """Whether there is a ring through a point that was not met yet; to look costs far less than to follow."""
    unmet = False
    for k in range(count_out[point]):
        unmet = unmet or seen[point, k] != now
    return unmet


@compiled
def _trace_from(
    shapes: Shapes, region: Region, board: Board, way: Way, point: int, at: int, rings: int
) -> tuple[int, int]:
    """Follow the rings through a point that were not met yet; where to write on, and how many there are."""
    every, row, now = board.directions, board.row, region.state[2]
    half = every // 2
    for k in range(region.count_out[point]):
        if region.seen[point, k] == now or at < 0:
            continue
        begin, area = at, 0
        here, turn = point, k
        while region.seen[here, turn] != now:
            region.seen[here, turn] = now
            step = region.leaving[here, turn]
            here += shapes.step[step, 1] * row + shapes.step[step, 0]
            turn = 0
            if region.count_out[here] > 1:
                # Of the steps that go on, the first to the left: it encloses the least.
                least = every + 1
                for other in range(region.count_out[here]):
                    angle = step + half - region.leaving[here, other]
                    angle = angle - every if angle > every else (angle + every if angle <= 0 else angle)
                    if angle < least:
                        least, turn = angle, other
            onward = region.leaving[here, turn]
            if onward != step:
                if at >= len(way.border):
                    return -1, rings
                y = here // row
                x = here - y * row
                way.border[at, 0], way.border[at, 1], way.border[at, 2] = here, step, onward
                way.border[at, 3] = at + 1
                way.border[at, 4], way.border[at, 5] = x, y
                if at > begin:
                    area += way.border[at - 1, 4] * y - way.border[at - 1, 5] * x
                at += 1
        way.border[at - 1, 3] = begin
        area += way.border[at - 1, 4] * way.border[begin, 5] - way.border[at - 1, 5] * way.border[begin, 4]
        way.ring_area[rings], way.ring_first[rings] = area, begin
        rings += 1
    return at, rings


@compiled
def _add_up(areas: Ints, left: Ints, sums: Words) -> int:
    """Note all areas that some of the pieces left add up to, a bit each; that of all."""
    total = 0
    sums[0] = 1
    filled = 1
    for kind in range(len(areas)):
        area = areas[kind]
        words, shift = area >> 6, np.uint64(area & 63)
        back = np.uint64(64) - shift
        for _ in range(left[kind]):
            total += area
            size = (total >> 6) + 1
            for k in range(filled, size):
                sums[k] = 0
            filled = max(filled, size)
            for k in range(size - 1, words - 1, -1):
                bits = sums[k - words] << shift
                if shift and k > words:
                    bits |= sums[k - words - 1] >> back
                sums[k] |= bits
    return total
