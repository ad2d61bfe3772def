"""Bays of a region of cells, and what fits into their corners (compiled).

A bay is an edge of the region with a corner at each end. Some piece lies in each of its corners, and the
narrower it is, the fewer can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants.on_grid import MOST_IN_A_BAY
from sherd.solvers.search.lattice.bits import ONE, WORD, Words, count_bits, lowest, run_length
from sherd.solvers.search.lattice.grid_cells import Cells

# The columns of a bay's corner: which of the four, and whether the floor is upright, its cell and its size.
CORNER, X, Y, SIZE = range(4)
NO_BITS = np.uint64(0)
LAST = np.uint64(WORD - 1)


@compiled
def fits(cells: Cells, board: Words, way: int, x: int, y: int) -> bool:
    """Whether a piece, laid in this way with its least cell at x and y, lies in what is open."""
    wide, high = cells.extent[way, 0], cells.extent[way, 1]
    if x < 1 or y < 1 or x + wide >= cells.lines[1] or y + high >= cells.lines[0]:
        return False
    own, words, row = cells.first_word[way, 0], cells.words[way, 0], cells.row[0]
    shift, at = np.uint64(x % WORD), y * row + x // WORD
    if x % WORD + wide <= WORD:  # nearly all: each line lies in one word
        for _ in range(high):
            if board[at] & (cells.mask[own] << shift):
                return False
            own, at = own + 1, at + row
        return True
    for _ in range(high):
        for k in range(words):
            mask: Any = cells.mask[own + k]
            if board[at + k] & (mask << shift):
                return False
            high = mask >> (LAST - shift) >> ONE
            if high and board[at + k + 1] & high:
                return False
        own += words
        at += row
    return True


@compiled
def lay(cells: Cells, board: Words, way: int, x: int, y: int) -> None:
    """Close the cells of a piece that fits."""
    lay_on_lines(cells, board, way, x, y, 0)
    lay_on_lines(cells, board[cells.lines[0] * cells.row[0] :], way, x, y, 1)


@compiled
def lay_on_lines(cells: Cells, board: Words, way: int, x: int, y: int, upright: int) -> None:
    """The same on level lines alone, or on upright ones."""
    line, along = (x, y) if upright else (y, x)
    own, words, row = cells.first_word[way, upright], cells.words[way, upright], cells.row[upright]
    shift, at = np.uint64(along % WORD), line * row + along // WORD
    for _ in range(cells.extent[way, 1 - upright]):
        for k in range(words):
            mask: Any = cells.mask[own + k]
            board[at + k] |= mask << shift
            high = mask >> (LAST - shift) >> ONE
            if high:
                board[at + k + 1] |= high
        own += words
        at += row


@compiled
def contact(cells: Cells, board: Words, way: int, x: int, y: int) -> int:
    """The length along which a piece that fits lies flush with what is closed."""
    base, length = 0, 0
    for upright in range(2):
        line, along = (x, y) if upright else (y, x)
        own, words, row = cells.first_word[way, upright], cells.words[way, upright], cells.row[upright]
        shift, at = np.uint64(along % WORD), base + line * row + along // WORD
        for _ in range(cells.extent[way, 1 - upright]):
            for k in range(words):
                mask: Any = cells.mask[own + k]
                low, high = mask << shift, mask >> (LAST - shift) >> ONE
                for beside in (at + k - row, at + k + row):
                    length += count_bits(low & board[beside])
                    if high:
                        length += count_bits(high & board[beside + 1])
            own += words
            at += row
        base += cells.lines[0] * cells.row[0]
    return length


@compiled
def corners_between(cells: Cells, board: Words, low: int, high: int) -> int:
    """How many corners the region has on the level lines from below row ``low`` to below row ``high``."""
    row, count = cells.row[0], 0
    for y in range(low, high + 1):
        for k in range(y * row, (y + 1) * row):
            below, above = board[k - row], board[k]
            # The same of the cells to the left; what is left of the board is closed.
            before_below, before_above = ONE, ONE
            if k > y * row:
                before_below, before_above = board[k - row - 1] >> LAST, board[k - 1] >> LAST
            left_below, left_above = below << ONE | before_below, above << ONE | before_above
            odd = below ^ above ^ left_below ^ left_above
            across = (left_below & above & ~below & ~left_above) | (below & left_above & ~left_below & ~above)
            if odd:
                count += count_bits(odd)
            if across:
                count += 2 * count_bits(across)
    return count


@compiled
def tightest(
    cells: Cells, board: Words, left: Any, lean: Floats, bays: Ints, found: Ints, chosen: Ints
) -> int:
    """How many pieces fit the corner of a bay that the fewest fit, which is written to ``chosen``.

    0 as soon as there is a corner that none fits.
    """
    fewest, least = MOST_IN_A_BAY + 1, 1e300
    # Few pieces fit a narrow bay, and of a wider one no more have to be listed than fit the best so far.
    for k in range(_find_bays(cells, board, bays)):
        far = np.exp(lean[0] * bays[k, X] / cells.lines[1] + lean[1] * bays[k, Y] / cells.lines[0])
        most = int(min(MOST_IN_A_BAY, least / far + 1.0))
        many = list_in(cells, board, left, bays[k], most, found)
        if many == 0:
            return 0
        if many * far < least:
            least = many * far
            fewest = many
            for column in range(4):
                chosen[column] = bays[k, column]
    return fewest


@compiled
def list_in(cells: Cells, board: Words, left: Any, bay: Ints, most: int, found: Ints) -> int:
    """What fits a corner of a bay, as way, x and y; how many, ``most`` if there are as many or more."""
    count = 0
    for k in range(cells.first_in[bay[CORNER]], cells.first_in[bay[CORNER] + 1]):
        if cells.in_corner[k, 3] > bay[SIZE]:
            break
        way = cells.in_corner[k, 0]
        if left[cells.kind[way]] == 0:
            continue
        x, y = bay[X] - cells.in_corner[k, 1], bay[Y] - cells.in_corner[k, 2]
        if not fits(cells, board, way, x, y):
            continue
        found[count, 0], found[count, 1], found[count, 2] = way, x, y
        count += 1
        if count == most:
            break
    return count


@compiled
def _find_bays(cells: Cells, board: Words, bays: Ints) -> int:
    """Write down the corners of bays, the narrowest first; how many."""
    base, count = 0, 0
    for upright in range(2):
        row = cells.row[upright]
        for line in range(1, cells.lines[upright] - 1):
            here = base + line * row
            for side in range(2):
                beside = here + row if side else here - row
                for word in range(row):
                    floor = _floor(board, here + word, beside + word)
                    if word > 0 and _floor(board, here + word - 1, beside + word - 1) >> LAST:
                        floor &= floor + ONE  # what began in the word before is known from there
                    while floor:
                        first = lowest(floor)
                        size = run_length(floor >> np.uint64(first))
                        floor &= floor + (ONE << np.uint64(first))
                        for k in range(word + 1, row):
                            if first + size < WORD * (k - word):
                                break
                            size += run_length(_floor(board, here + k, beside + k))
                        start = WORD * word + first
                        if not (_is_closed(board, here, start - 1) and _is_closed(board, here, start + size)):
                            continue
                        if count + 2 > len(bays):
                            return count
                        for far in range(2):
                            along = start + far * (size - 1)
                            corner = (2 * far + side) if upright else (2 * side + far)
                            x, y = (line, along) if upright else (along, line)
                            _insert(bays, count, 2 * corner + upright, x, y, size)
                            count += 1
        base += cells.lines[upright] * row
    return count


@compiled
def _floor(board: Words, here: int, beside: int) -> Any:
    """The open cells of a word whose neighbours to one side are closed."""
    return ~board[here] & board[beside]


@compiled
def _is_closed(board: Words, here: int, along: int) -> bool:
    return board[here + along // WORD] >> np.uint64(along % WORD) & ONE != NO_BITS


@compiled
def _insert(bays: Ints, count: int, corner: int, x: int, y: int, size: int) -> None:
    """Put a corner of a bay behind those of narrower bays."""
    at = count
    while at > 0 and bays[at - 1, SIZE] > size:
        for column in range(4):
            bays[at, column] = bays[at - 1, column]
        at -= 1
    bays[at, CORNER], bays[at, X], bays[at, Y], bays[at, SIZE] = corner, x, y, size
