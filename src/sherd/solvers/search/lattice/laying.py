"""Laying a piece on the grid and lifting it again: if it fits, and what border is left (compiled)."""

from __future__ import annotations

import numpy as np

from sherd.core.arrays import Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants.on_grid import MOST_TOUCHING
from sherd.solvers.search.lattice.grid_board import Board, Region, Shapes, Words

# What `fit` says of a piece that does not lie in the region.
NO_FIT = -1.0
# What is added to how many corners a piece takes from the region, so that it is above 0.
NO_CORNERS = 1024


@compiled
def fit(
    shapes: Shapes,
    region: Region,
    board: Board,
    border: Ints,
    first: int,
    corners: int,
    way: int,
    x: int,
    y: int,
) -> float:
    """How well a piece lies in the region, or `NO_FIT`: the corners that it takes, and what is flush.

    ``border`` holds the corners of the region at hand, from ``first`` on. All of its samples are open.
    """
    every, row = board.directions, board.row
    half = every // 2
    contact, matches = 0.0, 0
    for k in range(shapes.first_place[way], shapes.first_place[way + 1]):
        point = (shapes.place[k, 1] + y) * row + shapes.place[k, 0] + x
        count = region.count_out[point]
        step_in, step_out = shapes.step_in[k], shapes.step_out[k]
        if count == 0:
            matches -= step_in != step_out
            continue
        if count >= MOST_TOUCHING - 1:
            return NO_FIT
        lies_in = False
        for one in range(count):
            # The region's wedge begins with the step that leaves, and ends with the first that comes.
            leaving = region.leaving[point, one]
            begin = step_out - leaving
            begin = begin + every if begin < 0 else begin
            end = step_in + half - leaving
            end = end - every if end > every else (end + every if end <= 0 else end)
            if begin >= end:
                continue
            open_to = every
            for other in range(count):
                turn = region.coming[point, other] + half - leaving
                turn = turn - every if turn > every else (turn + every if turn <= 0 else turn)
                open_to = min(open_to, turn)
            if end <= open_to:
                lies_in = True
                # A corner of the region goes, and up to two come, one on each side of the piece.
                matches += open_to != half
                if begin == 0:
                    contact += shapes.length[step_out]
                else:
                    matches -= begin != half
                if end < open_to:
                    matches -= open_to - end != half
                break
        if not lies_in:
            return NO_FIT
    if _crosses(shapes, border, first, corners, way, x, y):
        return NO_FIT
    return contact / shapes.around[way] + max(0, NO_CORNERS + matches)


@compiled
def has_samples(
    first_word: Ints,
    samples: Words,
    rows: Words,
    board: Board,
    way: int,
    width: int,
    height: int,
    x: int,
    y: int,
) -> bool:
    """Whether a piece lies on the board and all its samples are open; soon told, and seldom so."""
    if x < 0 or y < 0 or x + width >= board.row or y + height > board.height:
        return False
    at = first_word[way]
    words = (first_word[way + 1] - at) // height
    word, shift = x >> 6, np.uint64(x & 63)
    back = np.uint64(64) - shift
    for r in range(y, y + height):
        for k in range(words):
            bits = samples[at]
            at += 1
            if (bits << shift) & ~rows[r, word + k]:
                return False
            if shift:
                high = bits >> back
                if high and high & ~rows[r, word + k + 1]:
                    return False
    return True


@compiled
def _crosses(shapes: Shapes, border: Ints, first: int, corners: int, way: int, x: int, y: int) -> bool:
    """Whether an edge of the piece crosses one of the region's between points of the grid."""
    right, top = x + shapes.width[way], y + shapes.height[way]
    begin, end = shapes.first_corner[way], shapes.first_corner[way + 1]
    for k in range(first, first + corners):
        x0, y0 = border[k, 4], border[k, 5]
        x1, y1 = border[border[k, 3], 4], border[border[k, 3], 5]
        if min(x0, x1) >= right or max(x0, x1) <= x or min(y0, y1) >= top or max(y0, y1) <= y:
            continue
        is_straight = x0 == x1 or y0 == y1
        px, py = shapes.corner[end - 1, 0] + x, shapes.corner[end - 1, 1] + y
        for c in range(begin, end):
            qx, qy = shapes.corner[c, 0] + x, shapes.corner[c, 1] + y
            # Upright and level edges cross in points of the grid, which were looked at.
            if not (is_straight and (px == qx or py == qy)) and not (
                min(x0, x1) >= max(px, qx)
                or max(x0, x1) <= min(px, qx)
                or min(y0, y1) >= max(py, qy)
                or max(y0, y1) <= min(py, qy)
            ):
                one = (qx - px) * (y0 - py) - (qy - py) * (x0 - px)
                two = (qx - px) * (y1 - py) - (qy - py) * (x1 - px)
                if (one > 0 and two < 0) or (one < 0 and two > 0):
                    one = (x1 - x0) * (py - y0) - (y1 - y0) * (px - x0)
                    two = (x1 - x0) * (qy - y0) - (y1 - y0) * (qx - x0)
                    if (one > 0 and two < 0) or (one < 0 and two > 0):
                        return True
            px, py = qx, qy
    return False


@compiled
def lay(shapes: Shapes, region: Region, board: Board, way: int, x: int, y: int) -> None:
    """Take a piece that fits out of the region: steps that both share vanish, the others turn round."""
    half, row = board.directions // 2, board.row
    for k in range(shapes.first_place[way], shapes.first_place[way + 1]):
        point = (shapes.place[k, 1] + y) * row + shapes.place[k, 0] + x
        step = shapes.step_out[k]
        end = point + shapes.step[step, 1] * row + shapes.step[step, 0]
        if not _take(region, point, end, step):
            _put(region, end, point, step - half if step >= half else step + half)
    region.left[shapes.kind[way]] -= 1
    region.state[1] += shapes.key[shapes.kind[way]]
    _flip_samples(shapes, region.rows, way, x, y)


@compiled
def lift(shapes: Shapes, region: Region, board: Board, way: int, x: int, y: int) -> None:
    """Put the piece that was laid last back into the region."""
    half, row = board.directions // 2, board.row
    for k in range(shapes.first_place[way], shapes.first_place[way + 1]):
        point = (shapes.place[k, 1] + y) * row + shapes.place[k, 0] + x
        step = shapes.step_out[k]
        end = point + shapes.step[step, 1] * row + shapes.step[step, 0]
        if not _take(region, end, point, step - half if step >= half else step + half):
            _put(region, point, end, step)
    region.left[shapes.kind[way]] += 1
    region.state[1] -= shapes.key[shapes.kind[way]]
    _flip_samples(shapes, region.rows, way, x, y)


@compiled
def _take(region: Region, start: int, end: int, step: int) -> bool:
    """Remove a step from the border; whether it was there."""
    count = region.count_out[start]
    for k in range(count):
        if region.leaving[start, k] == step:
            region.leaving[start, k] = region.leaving[start, count - 1]
            region.count_out[start] = count - 1
            others = region.count_in[end]
            for other in range(others):
                if region.coming[end, other] == step:
                    region.coming[end, other] = region.coming[end, others - 1]
                    break
            region.count_in[end] = others - 1
            region.state[0] ^= _key(start, step)
            return True
    return False


@compiled
def _put(region: Region, start: int, end: int, step: int) -> None:
    """Add a step to the border."""
    region.leaving[start, region.count_out[start]] = step
    region.count_out[start] += 1
    region.coming[end, region.count_in[end]] = step
    region.count_in[end] += 1
    region.state[0] ^= _key(start, step)


@compiled
def _key(point: int, step: int) -> int:
    """A number for a step that looks random."""
    mixed = (np.int64(point) * np.int64(0x1F3D5B79A3C1E5D7)) ^ (
        np.int64(step + 1) * np.int64(0x2545F4914F6CDD1D)
    )
    mixed ^= mixed >> 31
    mixed *= np.int64(0x369DEA0F31A53F85)
    mixed ^= mixed >> 29
    mixed *= np.int64(0x2127599BF4325C37)
    return int(mixed ^ (mixed >> 32))


@compiled
def _flip_samples(shapes: Shapes, rows: Words, way: int, x: int, y: int) -> None:
    """Close the samples of a piece, or open them again."""
    height = shapes.height[way]
    at = shapes.first_word[way]
    words = (shapes.first_word[way + 1] - at) // height
    word, shift = x >> 6, np.uint64(x & 63)
    back = np.uint64(64) - shift
    for r in range(y, y + height):
        for k in range(words):
            bits = shapes.words[at]
            at += 1
            rows[r, word + k] ^= bits << shift
            if shift:
                high = bits >> back
                if high:
                    rows[r, word + k + 1] ^= high


@compiled
def state_of(region: Region) -> int:
    """A hash of what is open and of the pieces left; never 0."""
    state = region.state[0] ^ (region.state[1] * np.int64(0x2545F4914F6CDD1D))
    return int(state) if state != 0 else 1
