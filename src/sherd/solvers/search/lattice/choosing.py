"""Choosing where to go on: the slot that the fewest pieces fit, of those that changed and those that did not.

A corner of the region has a piece flush with each of its two edges; each such slot is a complete choice. What
fitted a slot before can only be spoiled by the piece that was laid since, or by the lack of its kind.
"""

from __future__ import annotations

import numpy as np

from sherd.core.arrays import Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants.on_grid import MOST_LISTED
from sherd.solvers.search.lattice.grid_board import Board, Region, Shapes, Way
from sherd.solvers.search.lattice.laying import NO_FIT, fit, has_samples

# What stands for the number of candidates of a slot that has more than are listed.
MANY = -1
# What `choose` says where a slot has no candidate.
DEAD = -2
# The columns of a slot.
POINT, IN, OUT, SIDE, FIRST, COUNT = range(6)


@compiled
def choose(shapes: Shapes, region: Region, board: Board, way: Way, level: int) -> int:
    """List the slots of a level with what fits them; the one to fill, or `DEAD`."""
    begin, end = way.first_border[level], way.first_border[level + 1]
    border = way.border[begin:end]
    slots, room = way.first_slot[level], way.first_candidate[level]
    known = way.first_slot[level - 1] if level > 0 else slots
    for k in range(known, slots):
        way.slot_at[way.slot[k, POINT]] = k
    found = _list_all(shapes, region, board, way, level, border, begin, slots, room)
    for k in range(known, slots):
        way.slot_at[way.slot[k, POINT]] = -1
    return found


@compiled
def choose_afresh(shapes: Shapes, region: Region, board: Board, way: Way) -> int:
    """Write down what fits the tightest slot of the region at hand, from the first candidate on: how many.

    Of other slots no more are listed than of the tightest so far; `DEAD` where nothing fits one.
    """
    half, every = board.directions // 2, board.directions
    border = way.border[: way.first_border[1]]
    least, best, corner, shortest = 1e300, 0, -1, 0
    for k in range(len(border)):
        angle = border[k, 1] + half - border[k, 2]
        angle = angle - every if angle > every else (angle + every if angle <= 0 else angle)
        if angle >= half:
            continue
        x, y, after = border[k, 4], border[k, 5], border[k, 3]
        length = abs(border[after, 4] - x) + abs(border[after, 5] - y)
        if corner < 0 or length < shortest:
            corner, shortest = k, length
        far = np.exp(way.lean[0] * x / board.row + way.lean[1] * y / board.height)
        for side in range(2):
            most = int(min(MOST_LISTED, least / far))
            count = _list(shapes, region, board, way, border, 0, k, side, best, most)
            if count == 0:
                return DEAD
            if count != MANY and count * far < least:
                least = count * far
                for at in range(count):
                    way.rank[at] = way.rank[best + at]
                    for column in range(3):
                        way.candidate[at, column] = way.candidate[best + at, column]
                best = count
    if best > 0:
        return best
    if corner < 0:
        return DEAD
    # All have many. A short edge between two corners has the fewest, more or less.
    return _list(shapes, region, board, way, border, 0, corner, 0, 0, len(way.candidate))


@compiled
def _list_all(
    shapes: Shapes,
    region: Region,
    board: Board,
    way: Way,
    level: int,
    border: Ints,
    begin: int,
    slots: int,
    room: int,
) -> int:
    half, every = board.directions // 2, board.directions
    # Corners that are new come first: most dead ends show there.
    for old in (False, True):
        for k in range(len(border)):
            step_in, step_out = border[k, 1], border[k, 2]
            angle = step_in + half - step_out
            angle = angle - every if angle > every else (angle + every if angle <= 0 else angle)
            if angle >= half:
                continue
            point: int = border[k, 0]
            before: int = way.slot_at[point]
            if before >= 0 and not (way.slot[before, IN] == step_in and way.slot[before, OUT] == step_out):
                before = -1
            if (before >= 0) != old:
                continue
            for side in range(2):
                if slots >= len(way.slot):
                    way.tally[5] = 1
                    return DEAD
                was = before - 1 + side
                is_fresh = before < 0
                if not is_fresh and way.slot[was, COUNT] == MANY:
                    is_fresh = _is_beside(shapes, way, level, border[k, 4], border[k, 5])
                if is_fresh:
                    count = _list(shapes, region, board, way, border, begin, k, side, room, MOST_LISTED)
                elif way.slot[was, COUNT] == MANY:
                    count = MANY
                else:
                    count = _keep(shapes, region, board, way, level, border, begin, was, room)
                if count == 0:
                    return DEAD
                slot = way.slot[slots]
                slot[POINT], slot[IN], slot[OUT], slot[SIDE] = border[k, 0], step_in, step_out, side
                slot[FIRST], slot[COUNT] = room, count
                slots += 1
                if count > 0:
                    room += count
                if room + len(shapes.place) >= len(way.candidate):
                    way.tally[5] = 1
                    return DEAD
    way.first_slot[level + 1], way.first_candidate[level + 1] = slots, room
    return _fewest(shapes, region, board, way, level, border, begin)


@compiled
def _fewest(
    shapes: Shapes, region: Region, board: Board, way: Way, level: int, border: Ints, begin: int
) -> int:
    """The slot with the fewest candidates, or about as few at the end that the way leans to."""
    first, last = way.first_slot[level], way.first_slot[level + 1]
    best, fewest, highest = DEAD, 0.0, 0.0
    for k in range(first, last):
        count = way.slot[k, COUNT]
        if count > 0:
            y = way.slot[k, POINT] // board.row
            x = way.slot[k, POINT] - y * board.row
            weighed = count * np.exp(way.lean[0] * x / board.row + way.lean[1] * y / board.height)
            top = 0.0
            for c in range(way.slot[k, FIRST], way.slot[k, FIRST] + count):
                top = max(top, way.rank[c])
            if best < 0 or weighed < fewest or (weighed == fewest and top > highest):
                best, fewest, highest = k, weighed, top
    if best >= 0:
        return best
    # All have many. A short edge between two corners has the fewest, more or less.
    corner, shortest = -1, 0
    for k in range(len(border)):
        angle = border[k, 1] + board.directions // 2 - border[k, 2]
        angle = angle - board.directions if angle > board.directions else angle
        angle = angle + board.directions if angle <= 0 else angle
        after = border[k, 3] - begin
        length = abs(border[after, 4] - border[k, 4]) + abs(border[after, 5] - border[k, 5])
        if angle < board.directions // 2 and (corner < 0 or length < shortest):
            corner, shortest = k, length
    if corner < 0:
        return DEAD
    room = way.first_candidate[level + 1]
    most = len(way.candidate) - room
    count = _list(shapes, region, board, way, border, begin, corner, 0, room, most)
    for k in range(first, last):
        if way.slot[k, POINT] == border[corner, 0] and way.slot[k, IN] == border[corner, 1]:
            way.slot[k, FIRST], way.slot[k, COUNT] = room, count
            way.first_candidate[level + 1] = room + count
            return k
    return best


@compiled
def _list(
    shapes: Shapes,
    region: Region,
    board: Board,
    way: Way,
    border: Ints,
    begin: int,
    corner: int,
    side: int,
    room: int,
    most: int,
) -> int:
    """Write down from ``room`` on what fits a slot; how many, `MANY` if they are more than ``most``."""
    half, every = board.directions // 2, board.directions
    step_in, step_out = border[corner, 1], border[corner, 2]
    x, y = border[corner, 4], border[corner, 5]
    open_to = step_in + half - step_out
    open_to = open_to - every if open_to > every else (open_to + every if open_to <= 0 else open_to)
    if side == 0:
        index, ways = shapes.first_leaving, shapes.leaving
        first, last = index[step_out], index[step_out + 1]
    else:
        index, ways = shapes.first_coming, shapes.coming
        first, last = index[step_in], index[step_in + 1]
    count = 0
    for k in range(first, last):
        which, place = ways[k, 0], ways[k, 1]
        if region.left[shapes.kind[which]] == 0:
            continue
        wide = shapes.step_in[place] + half - shapes.step_out[place]
        wide = wide - every if wide > every else (wide + every if wide <= 0 else wide)
        if side == 0:
            if wide > open_to:
                continue
        else:
            start = shapes.step_out[place] - step_out
            start = start + every if start < 0 else start
            if start + wide != open_to:
                continue
        left, bottom = x - shapes.place[place, 0], y - shapes.place[place, 1]
        wide, high = int(shapes.width[which]), int(shapes.height[which])
        if not has_samples(
            shapes.first_word, shapes.words, region.rows, board, which, wide, high, left, bottom
        ):
            continue
        rank = fit(shapes, region, board, way.border, begin, len(border), which, left, bottom)
        if rank != NO_FIT:
            if count == most:
                return MANY
            way.candidate[room + count, 0] = which
            way.candidate[room + count, 1], way.candidate[room + count, 2] = left, bottom
            way.rank[room + count] = rank
            count += 1
    return count


@compiled
def _keep(
    shapes: Shapes,
    region: Region,
    board: Board,
    way: Way,
    level: int,
    border: Ints,
    begin: int,
    before: int,
    room: int,
) -> int:
    """Write down what still fits a slot of the level below; how many."""
    first, count = way.slot[before, FIRST], way.slot[before, COUNT]
    last, x, y = way.placed[level - 1]
    right, top = x + shapes.width[last], y + shapes.height[last]
    kept = 0
    for k in range(first, first + count):
        which, left, bottom = way.candidate[k]
        if region.left[shapes.kind[which]] == 0:
            continue
        rank = way.rank[k]
        if not (
            left > right
            or bottom > top
            or left + shapes.width[which] < x
            or bottom + shapes.height[which] < y
        ):
            wide, high = int(shapes.width[which]), int(shapes.height[which])
            if not has_samples(
                shapes.first_word, shapes.words, region.rows, board, which, wide, high, left, bottom
            ):
                continue
            rank = fit(shapes, region, board, way.border, begin, len(border), which, left, bottom)
            if rank == NO_FIT:
                continue
        way.candidate[room + kept, 0] = which
        way.candidate[room + kept, 1], way.candidate[room + kept, 2] = left, bottom
        way.rank[room + kept] = rank
        kept += 1
    return kept


@compiled
def _is_beside(shapes: Shapes, way: Way, level: int, x: int, y: int) -> bool:
    """Whether a point lies in the box around the piece that was laid last."""
    last, left, bottom = way.placed[level - 1]
    return left <= x <= left + shapes.width[last] and bottom <= y <= bottom + shapes.height[last]
