"""Tiling: exact pieces of any shape laid into a region, corner by corner, and taken back (compiled).

A corner of the region has a piece flush with each of its two edges. Each such slot is a complete choice:
one of the pieces that fit it lies there, or the region cannot be filled. The slot with the fewest fitting
pieces is filled first. States that led nowhere are remembered by a hash of the region and the pieces used.
Rings of the region may touch, corner on corner or corner on edge; they are filled like any others.
"""

from __future__ import annotations

import math

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants.tiling import HASH_GRID, MOST_MATCHES
from sherd.solvers.search.tiling.board import (
    CLEAR,
    COUNTED,
    FEWEST,
    KEPT,
    LISTED,
    MATCHED,
    OPTIONS,
    SLOTS,
    TRIED,
    Pieces,
    RegionCorners,
    Rules,
    Stack,
)
from sherd.solvers.search.tiling.boundary import Remainder, Scratch
from sherd.solvers.search.tiling.hopeless import is_hopeless
from sherd.solvers.search.tiling.region import OUTSIDE, subtract
from sherd.solvers.search.tiling.slots import doubt_at, list_candidates, measure_corners, narrowest_unused

# How `search` ends: out of budget, with all pieces placed, or with nothing left to try.
PAUSED, FILLED, EXHAUSTED = 0, 1, 2
# What `_fill_slots` says instead of a number of candidates when its work is not done yet.
PUT_OFF = -1


@compiled
def search(
    pieces: Pieces,
    stack: Stack,
    corners: RegionCorners,
    scratch: Scratch,
    out: Remainder,
    piece: Floats,
    rules: Rules,
    budget: int,
) -> int:
    """Go on for at most ``budget`` placements or a pause's work; ``piece`` is room for one's corners."""
    total = len(pieces.area)
    stack.work[0] = rules.most_work
    while budget > 0 and stack.work[0] > 0:
        level: int = stack.tally[0]
        if level < 0:
            return EXHAUSTED
        if stack.next_candidate[level] < 0:
            stack.next_candidate[level] = 0
            stack.fruitful[level] = False
            state = _hash(stack, pieces, level, rules.slack)
            stack.hashes[level] = state
            found = 0
            if not _is_known(stack.failed, state):
                found = _fill_slots(pieces, stack, corners, scratch, out, piece, rules, level)
                if found == PUT_OFF:
                    stack.next_candidate[level] = -1
                    return PAUSED
                stack.halted[:] = 0
            stack.first_candidate[level + 1] = stack.first_candidate[level] + found
        at: int = stack.first_candidate[level] + stack.next_candidate[level]
        if at >= stack.first_candidate[level + 1]:
            if not stack.fruitful[level]:
                state = stack.hashes[level]
                _remember(stack.failed, state)
            _step_back(pieces, stack)
            continue
        stack.next_candidate[level] += 1
        budget -= 1
        stack.tally[2] += 1
        rings = _lay(pieces, stack, scratch, out, piece, rules.slack, level, at)
        if rings == OUTSIDE or not _push(pieces, stack, out, rings, at):
            continue
        if stack.tally[0] == total:
            for above in range(total + 1):
                stack.fruitful[above] = True
            return FILLED
    return PAUSED


@compiled
def _push(pieces: Pieces, stack: Stack, out: Remainder, rings: int, at: int) -> bool:
    """Go one level up with the region that ``out`` holds; whether there is room for it."""
    level = stack.tally[0]
    point, ring = stack.first_point[level + 1], stack.first_ring[level + 1]
    corners = out.starts[rings]
    if point + corners > len(stack.points) or ring + rings + 1 > len(stack.starts):
        return False
    for k in range(corners):
        stack.points[point + k, 0], stack.points[point + k, 1] = out.points[k, 0], out.points[k, 1]
        stack.same[point + k] = out.same[k]
    for k in range(rings + 1):
        stack.starts[ring + k] = out.starts[k]
    corner: int = stack.candidate[at]
    number: int = pieces.piece[corner]
    stack.used[number] = True
    stack.chosen[level] = at
    stack.extent[0] += pieces.area[number]
    level += 1
    stack.tally[0] = level
    stack.first_point[level + 1], stack.first_ring[level + 1] = point + corners, ring + rings + 1
    stack.next_candidate[level] = 0 if level == len(pieces.area) else -1
    if level == len(pieces.area):
        stack.first_candidate[level + 1] = stack.first_candidate[level]
    if stack.extent[0] > stack.extent[1]:
        stack.extent[1] = stack.extent[0]
        stack.tally[1] = level
        for below in range(level):
            chosen = stack.chosen[below]
            stack.best[below] = stack.candidate[chosen]
            for k in range(4):
                stack.best_pose[below, k] = stack.pose[chosen, k]
    return True


@compiled
def _step_back(pieces: Pieces, stack: Stack) -> None:
    """Take the last piece back."""
    stack.tally[0] -= 1
    level = stack.tally[0]
    if level >= 0:
        number = _piece_at(pieces, stack, level)
        stack.used[number] = False
        stack.extent[0] -= pieces.area[number]


@compiled
def _piece_at(pieces: Pieces, stack: Stack, level: int) -> int:
    """The piece that was placed at a level."""
    at: int = stack.chosen[level]
    corner: int = stack.candidate[at]
    return pieces.piece[corner]


@compiled
def _lay(
    pieces: Pieces,
    stack: Stack,
    scratch: Scratch,
    out: Remainder,
    piece: Floats,
    slack: float,
    level: int,
    at: int,
) -> int:
    """Take a candidate out of the region: how many rings are left, `OUTSIDE` if it does not fit."""
    corner: int = stack.candidate[at]
    variant: int = pieces.variant[corner]
    begin, end = pieces.begins[variant], pieces.begins[variant + 1]
    corners = stack.first_point[level + 1] - stack.first_point[level]
    # The region's corners are compared with its own edges once, with the piece's several times.
    stack.work[0] -= (5 * (end - begin) + corners) * corners
    cos, sin, x, y = stack.pose[at]
    for k in range(begin, end):
        px, py = pieces.points[k, 0], pieces.points[k, 1]
        piece[k - begin, 0], piece[k - begin, 1] = cos * px - sin * py + x, sin * px + cos * py + y
    point, ring = stack.first_point[level], stack.first_ring[level]
    rings, contact = subtract(
        stack.points[point : stack.first_point[level + 1]],
        stack.same[point : stack.first_point[level + 1]],
        stack.starts[ring : stack.first_ring[level + 1]],
        piece[: end - begin],
        pieces.rings[pieces.ring_begins[variant] : pieces.ring_begins[variant + 1]],
        slack,
        scratch,
        out,
    )
    stack.rank[at] = contact / pieces.length_around[variant]
    return rings


@compiled
def _fill_slots(
    pieces: Pieces,
    stack: Stack,
    corners: RegionCorners,
    scratch: Scratch,
    out: Remainder,
    piece: Floats,
    rules: Rules,
    level: int,
) -> int:
    """List what fits the slot that the fewest pieces fit, the longest contact first; how many.

    If that is more than a pause's work, it is put off, and the next call goes on from there.
    """
    halted = stack.halted
    point, ring = stack.first_point[level], stack.first_ring[level]
    points = stack.points[point : stack.first_point[level + 1]]
    measure_corners(points, stack.starts[ring : stack.first_ring[level + 1]], corners)
    narrowest = narrowest_unused(pieces, stack)
    begin: int = stack.first_candidate[level]
    for slot in range(halted[LISTED], 2 * len(points)):
        if corners.angle[slot // 2] < math.pi - doubt_at(corners, slot // 2, rules.slack):
            if stack.work[0] <= 0:
                return PUT_OFF
            options = list_candidates(pieces, stack, corners, rules, points, slot, narrowest, begin)
            if options == 0:
                return _note_stuck(stack, points, slot // 2)
            place: int = halted[SLOTS]
            corners.slots[place], corners.options[place] = slot, options
            corners.matches[place] = 0
            for at in range(begin, begin + options):
                corners.matches[place] += stack.rank[at] > 0.0
            halted[SLOTS] += 1
        halted[LISTED] = slot + 1
    slots: int = halted[SLOTS]
    if slots == 0:
        return 0  # nothing is left to fill
    if corners.options[:slots].min() > 1:
        # An edge exactly as long as the region's can hardly be there by chance, if few are so long.
        for place in range(halted[MATCHED], slots):
            halted[MATCHED] = place
            slot = corners.slots[place]
            if 1 <= corners.matches[place] <= MOST_MATCHES:
                for matching in (True, False):
                    if matching and halted[CLEAR]:
                        continue
                    if halted[OPTIONS] == 0:
                        if stack.work[0] <= 0:
                            return PUT_OFF
                        halted[OPTIONS] = list_candidates(
                            pieces, stack, corners, rules, points, slot, narrowest, begin
                        )
                    count = _keep_fitting(
                        pieces, stack, scratch, out, piece, rules, level, begin, halted[OPTIONS] + 1, matching
                    )
                    if count == PUT_OFF:
                        return PUT_OFF
                    if not matching:
                        _sort(stack, begin, begin + count)
                        return count
                    if count != 1:
                        break
                    halted[CLEAR] = 1
        halted[MATCHED] = slots
    order = np.argsort(corners.options[:slots], kind="mergesort")
    for turn in range(halted[COUNTED], slots):
        halted[COUNTED] = turn
        place = int(order[turn])
        slot = int(corners.slots[place])
        best: int = halted[FEWEST]
        room = begin + best  # what is kept stays at the front; others are tried behind it
        if halted[OPTIONS] == 0:
            if stack.work[0] <= 0:
                return PUT_OFF
            halted[OPTIONS] = list_candidates(pieces, stack, corners, rules, points, slot, narrowest, room)
        enough = best if best > 0 else halted[OPTIONS] + 1
        count = _keep_fitting(pieces, stack, scratch, out, piece, rules, level, room, enough, False)
        if count == PUT_OFF:
            return PUT_OFF
        if count == 0:
            return _note_stuck(stack, points, slot // 2)
        if best == 0 or count < best:
            for k in range(count):
                _move(stack, room + k, begin + k)
            halted[FEWEST] = count
            if count == 1:
                break
    _sort(stack, begin, begin + halted[FEWEST])
    return halted[FEWEST]


@compiled
def _keep_fitting(
    pieces: Pieces,
    stack: Stack,
    scratch: Scratch,
    out: Remainder,
    piece: Floats,
    rules: Rules,
    level: int,
    room: int,
    enough: int,
    matching: bool,
) -> int:
    """Keep those candidates from ``room`` on that fit, of the matching ones if asked; up to ``enough``.

    How many they are, unless it is put off.
    """
    halted = stack.halted
    while halted[KEPT] < enough and halted[TRIED] < halted[OPTIONS]:
        if stack.work[0] <= 0:
            return PUT_OFF
        at: int = room + halted[TRIED]
        halted[TRIED] += 1
        matches = stack.rank[at]
        if matching and matches == 0.0:
            continue
        rings = _lay(pieces, stack, scratch, out, piece, rules.slack, level, at)
        if rings == OUTSIDE:
            continue
        if rules.areas_add_up and is_hopeless(pieces, stack, out, rings, at, rules.slack):
            continue
        stack.rank[at] += matches
        _move(stack, at, room + halted[KEPT])
        halted[KEPT] += 1
    kept: int = halted[KEPT]
    halted[OPTIONS], halted[TRIED], halted[KEPT] = 0, 0, 0
    return kept


@compiled
def _note_stuck(stack: Stack, points: Floats, corner: int) -> int:
    """Remember the corner that no piece fits, if it is that of the best assembly; no candidates."""
    if stack.extent[0] >= stack.extent[1]:
        stack.extent[2], stack.extent[3] = points[corner, 0], points[corner, 1]
    return 0


@compiled
def _move(stack: Stack, source: int, target: int) -> None:
    stack.candidate[target] = stack.candidate[source]
    stack.rank[target] = stack.rank[source]
    for k in range(4):
        stack.pose[target, k] = stack.pose[source, k]


@compiled
def _sort(stack: Stack, begin: int, end: int) -> None:
    """Sort candidates by rank, the highest first, equal ones left in order."""
    for k in range(begin + 1, end):
        here = k
        while here > begin and stack.rank[here] > stack.rank[here - 1]:
            candidate, rank = stack.candidate[here], stack.rank[here]
            cos, sin, x, y = stack.pose[here]
            _move(stack, here - 1, here)
            stack.candidate[here - 1], stack.rank[here - 1] = candidate, rank
            stack.pose[here - 1, 0], stack.pose[here - 1, 1] = cos, sin
            stack.pose[here - 1, 2], stack.pose[here - 1, 3] = x, y
            here -= 1


@compiled
def _hash(stack: Stack, pieces: Pieces, level: int, slack: float) -> int:
    """A hash of a level's region and of the shapes that were used, whatever their order; never 0."""
    total = np.int64(0)
    for number in range(len(pieces.area)):
        if stack.used[number]:
            total += pieces.key[number]
    for k in range(stack.first_point[level], stack.first_point[level + 1]):
        x = np.int64(round(stack.points[k, 0] / (HASH_GRID * slack)))
        y = np.int64(round(stack.points[k, 1] / (HASH_GRID * slack)))
        mixed = (x * np.int64(0x1F3D5B79A3C1E5D7)) ^ (y * np.int64(0x2545F4914F6CDD1D))
        mixed ^= mixed >> 31
        total += mixed * np.int64(0x369DEA0F31A53F85)
    return int(total) if total != 0 else 1


@compiled
def _is_known(failed: Ints, state: int) -> bool:
    place = state & (len(failed) - 1)
    for _ in range(8):
        if failed[place] == state:
            return True
        place = (place + 1) & (len(failed) - 1)
    return False


@compiled
def _remember(failed: Ints, state: int) -> None:
    place = state & (len(failed) - 1)
    for _ in range(8):
        if failed[place] == 0 or failed[place] == state:
            break
        place = (place + 1) & (len(failed) - 1)
    failed[place] = state
