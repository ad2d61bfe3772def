"""Tiling: exact pieces of any shape laid into a region, corner by corner, and taken back (compiled).

A corner of the region has a piece flush with each of its two edges. Each such slot is a complete choice:
one of the pieces that fit it lies there, or the region cannot be filled. The slot with the fewest fitting
pieces is filled first. States that led nowhere are remembered by a hash of the region and the pieces used.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.compiled import compiled
from sherd.solvers.search.region import OUTSIDE, Remainder, Scratch, is_inside, ring_area, subtract

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# How `search` ends: out of budget, with all pieces placed, or with nothing left to try.
PAUSED, FILLED, EXHAUSTED = 0, 1, 2
# Angles are no more uncertain than this, however short the edges, in radians.
WIDEST_ANGLE = 1e-2
# A multiple of the tolerance to which corners are rounded before they are hashed.
HASH_GRID = 16.0
# Slots with more candidates whose edge matches are not taken for clear.
MOST_MATCHES = 3


class Pieces(NamedTuple):
    """All pieces, and their mirror images where allowed, as one list of corners, and facts about each.

    A variant is a piece as it is or turned over. Edges leave a corner (``out``) or come to it (``into``).
    Corners of the same ``orbit`` put outlines of the same shape into the same place.
    """

    points: Floats  # (C, 2)
    before: Ints  # (C,) the corner before on the same ring
    after: Ints  # (C,)
    angle: Floats  # (C,) inside, in radians
    length: Floats  # (C,) of the edge that leaves
    direction: Floats  # (C, 2) of the edge that leaves
    variant: Ints  # (C,)
    piece: Ints  # (C,)
    rare: NDArray[np.bool_]  # (C,) whether few edges are as long as the one that leaves
    orbit: Ints  # (C,)
    by_angle: Ints  # (K,) the corners of less than a straight angle, narrowest first
    sorted_angle: Floats  # (K,) their angles
    begins: Ints  # (V + 1,) the first corner of each variant
    ring_begins: Ints  # (V + 1,) the first entry of each variant in ``rings``
    rings: Ints  # where the rings of a variant start, and the last one ends, from its first corner
    area: Floats  # (N,) of the pieces
    length_around: Floats  # (V,)
    key: Ints  # (N,) a random number for each shape


class Stack(NamedTuple):
    """The search's way from the empty target to where it is; entry d by level belongs to d placed pieces."""

    points: Floats  # (A, 2) corners of all levels' regions
    same: Ints  # (A,)
    starts: Ints  # (B,) where their rings start
    first_point: Ints  # (N + 2,) by level
    first_ring: Ints  # (N + 2,) by level, in ``starts``
    candidate: Ints  # (E,) corners of pieces to try
    pose: Floats  # (E, 4) cosine, sine, x, y of each
    rank: Floats  # (E,) how promising each is
    first_candidate: Ints  # (N + 2,) by level
    next_candidate: Ints  # (N + 1,) by level, -1 where they are not listed yet
    chosen: Ints  # (N,) by level: which candidate
    hashes: Ints  # (N + 1,) by level
    fruitful: NDArray[np.bool_]  # (N + 1,) by level: whether an assembly was found from there
    used: NDArray[np.bool_]  # (N,) by piece
    best: Ints  # (N,) the corner placed at each level of the best assembly so far
    best_pose: Floats  # (N, 4)
    tally: Ints  # (3,) the level, the best one, placements tried
    extent: Floats  # (4,) area placed, the best one, and where no piece fitted after it
    failed: Ints  # (2 ** k,) hashes of states that led nowhere


class Corners(NamedTuple):
    """The corners of the region at hand."""

    before: Ints  # (S,)
    after: Ints  # (S,)
    angle: Floats  # (S,)
    length: Floats  # (S,) of the edge that leaves
    direction: Floats  # (S, 2) of the edge that leaves
    slots: Ints  # (2 S,) twice the corner, plus 1 for the edge that comes to it
    options: Ints  # (2 S,) how many candidates each slot has
    matches: Ints  # (2 S,) how many of them have a rare edge exactly as long as the region's
    seen: Ints  # (orbits,) in which slot an orbit was met last


class Rules(NamedTuple):
    """Tolerance in length, bins of rotation (0 if free), pieces at a corner at most, and what areas say."""

    slack: float
    bins: int
    most: int
    areas_add_up: bool


@compiled
def search(
    pieces: Pieces,
    stack: Stack,
    corners: Corners,
    scratch: Scratch,
    out: Remainder,
    piece: Floats,
    rules: Rules,
    budget: int,
) -> int:
    """Go on for at most ``budget`` placements; ``piece`` is room for the corners of one."""
    total = len(pieces.area)
    while budget > 0:
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
    corners: Corners,
    scratch: Scratch,
    out: Remainder,
    piece: Floats,
    rules: Rules,
    level: int,
) -> int:
    """List what fits the slot that the fewest pieces fit, the longest contact first; how many."""
    point, ring = stack.first_point[level], stack.first_ring[level]
    points = stack.points[point : stack.first_point[level + 1]]
    starts = stack.starts[ring : stack.first_ring[level + 1]]
    _measure(points, starts, corners)
    narrowest = _narrowest_unused(pieces, stack)
    begin: int = stack.first_candidate[level]
    slots = 0
    for k in range(len(points)):
        if corners.angle[k] < math.pi - _doubt(corners, k, rules.slack):
            for side in range(2):
                slot = 2 * k + side
                options = _list(pieces, stack, corners, rules, points, slot, narrowest, begin)
                if options == 0:
                    return _note_stuck(stack, points, k)
                corners.slots[slots], corners.options[slots] = slot, options
                corners.matches[slots] = 0
                for at in range(begin, begin + options):
                    corners.matches[slots] += stack.rank[at] > 0.0
                slots += 1
    if slots == 0:
        return 0  # nothing is left to fill
    if corners.options[:slots].min() > 1:
        # An edge exactly as long as the region's can hardly be there by chance, if few are so long.
        for place in range(slots):
            slot: int = corners.slots[place]
            if 1 <= corners.matches[place] <= MOST_MATCHES:
                options = _list(pieces, stack, corners, rules, points, slot, narrowest, begin)
                count = _keep_fitting(
                    pieces, stack, scratch, out, piece, rules, level, begin, options, options + 1, True
                )
                if count == 1:
                    options = _list(pieces, stack, corners, rules, points, slot, narrowest, begin)
                    count = _keep_fitting(
                        pieces, stack, scratch, out, piece, rules, level, begin, options, options + 1, False
                    )
                    _sort(stack, begin, begin + count)
                    return count
    best = 0
    order = np.argsort(corners.options[:slots], kind="mergesort")
    for turn in range(slots):
        place: int = order[turn]
        slot = corners.slots[place]
        # What is kept stays at the front; others are tried behind it.
        room = begin + best
        options = _list(pieces, stack, corners, rules, points, slot, narrowest, room)
        enough = best if best > 0 else options + 1
        count = _keep_fitting(pieces, stack, scratch, out, piece, rules, level, room, options, enough, False)
        if count == 0:
            return _note_stuck(stack, points, slot // 2)
        if best == 0 or count < best:
            for k in range(count):
                _move(stack, room + k, begin + k)
            best = count
            if count == 1:
                break
    _sort(stack, begin, begin + best)
    return best


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
    options: int,
    enough: int,
    matching: bool,
) -> int:
    """Keep those candidates from ``room`` on that fit, of the matching ones if asked; up to ``enough``."""
    kept = room
    for at in range(room, room + options):
        matches = stack.rank[at]
        if matching and matches == 0.0:
            continue
        rings = _lay(pieces, stack, scratch, out, piece, rules.slack, level, at)
        if rings == OUTSIDE:
            continue
        if rules.areas_add_up and _is_hopeless(pieces, stack, out, rings, at, rules.slack):
            continue
        stack.rank[at] += matches
        _move(stack, at, kept)
        kept += 1
        if kept - room >= enough:
            break
    return kept - room


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
def _measure(points: Floats, starts: Ints, corners: Corners) -> None:
    """Note the edges and angles of a region."""
    for ring in range(len(starts) - 1):
        begin, end = starts[ring], starts[ring + 1]
        for k in range(begin, end):
            after = k + 1 if k + 1 < end else begin
            dx, dy = points[after, 0] - points[k, 0], points[after, 1] - points[k, 1]
            length = math.hypot(dx, dy)
            corners.after[k], corners.before[after] = after, k
            corners.length[k] = length
            corners.direction[k, 0], corners.direction[k, 1] = dx / length, dy / length
        for k in range(begin, end):
            before = corners.before[k]
            corners.angle[k] = _inside_angle(corners.direction[before], corners.direction[k])


@compiled
def _inside_angle(into: Floats, out: Floats) -> float:
    """The angle to the left between an edge that comes to a corner and one that leaves it, in (0, 2 pi)."""
    return math.pi - math.atan2(into[0] * out[1] - into[1] * out[0], into[0] * out[0] + into[1] * out[1])


@compiled
def _doubt(corners: Corners, k: int, slack: float) -> float:
    """How uncertain the angle of a corner of the region is, in radians."""
    return min(WIDEST_ANGLE, slack * (1.0 / corners.length[k] + 1.0 / corners.length[corners.before[k]]))


@compiled
def _narrowest_unused(pieces: Pieces, stack: Stack) -> tuple[float, int, float]:
    """The narrowest corner of the unused pieces, whose it is, and the narrowest of all the others."""
    narrowest, owner = math.inf, -1
    for place in range(len(pieces.by_angle)):
        k: int = pieces.by_angle[place]
        number: int = pieces.piece[k]
        if stack.used[number]:
            continue
        if owner < 0:
            narrowest, owner = pieces.angle[k], number
        elif number != owner:
            return narrowest, owner, pieces.angle[k]
    return narrowest, owner, math.inf


@compiled
def _list(
    pieces: Pieces,
    stack: Stack,
    corners: Corners,
    rules: Rules,
    points: Floats,
    slot: int,
    narrowest: tuple[float, int, float],
    room: int,
) -> int:
    """Write down from ``room`` on every corner of an unused piece that may fill a slot; how many.

    Their rank is how many of their flush edges are rare and exactly as long as the region's.
    """
    k, into = slot // 2, slot % 2 == 1
    angle = corners.angle[k]
    doubt = 2.0 * _doubt(corners, k, rules.slack)
    first = 0
    if rules.most == 1:
        first = int(np.searchsorted(pieces.sorted_angle, angle - WIDEST_ANGLE))
    found = 0
    for place in range(first, len(pieces.by_angle)):
        left: float = angle - pieces.sorted_angle[place]
        if left < -WIDEST_ANGLE or room + found >= len(stack.candidate):
            break
        own: int = pieces.by_angle[place]
        before: int = pieces.before[own]
        tolerance: float = doubt + 2.0 * rules.slack / min(pieces.length[own], pieces.length[before])
        tolerance = min(WIDEST_ANGLE, tolerance)
        if left < -tolerance:
            continue
        number: int = pieces.piece[own]
        orbit: int = pieces.orbit[own]
        if stack.used[number] or corners.seen[orbit] == slot:
            continue
        fills = left <= tolerance
        if not fills:
            if rules.most == 1:
                continue
            others = narrowest[2] if narrowest[1] == number else narrowest[0]
            if left < others - tolerance:
                continue
            if rules.most == 2 and not _is_an_angle(pieces, stack, left, tolerance, number):
                continue
        matches = _matches(pieces, corners, rules.slack, k, own, fills, into)
        if matches < 0:
            continue
        if _pose(pieces, stack, corners, rules, points, k, own, fills, into, room + found):
            corners.seen[orbit] = slot
            stack.candidate[room + found] = own
            stack.rank[room + found] = matches
            found += 1
    for place in range(room, room + found):
        own = stack.candidate[place]
        orbit = pieces.orbit[own]
        corners.seen[orbit] = -1
    return found


@compiled
def _is_an_angle(pieces: Pieces, stack: Stack, angle: float, tolerance: float, number: int) -> bool:
    """Whether an unused piece other than ``number`` has a corner of this angle."""
    place = np.searchsorted(pieces.sorted_angle, angle - tolerance)
    while place < len(pieces.sorted_angle) and pieces.sorted_angle[place] <= angle + tolerance:
        corner: int = pieces.by_angle[place]
        other: int = pieces.piece[corner]
        if other != number and not stack.used[other]:
            return True
        place += 1
    return False


@compiled
def _matches(
    pieces: Pieces, corners: Corners, slack: float, k: int, own: int, fills: bool, into: bool
) -> int:
    """How many rare edges that would be flush are as long as the region's; -1 if one cannot be flush."""
    matches = 0
    if fills or not into:
        far: int = pieces.after[own]
        there: int = corners.after[k]
        length, room = pieces.length[own], corners.length[k]
        if not _can_end(length, pieces.angle[far], room, corners.angle[there], slack):
            return -1
        matches += pieces.rare[own] and abs(length - room) <= slack
    if fills or into:
        far = pieces.before[own]
        there = corners.before[k]
        length, room = pieces.length[far], corners.length[there]
        if not _can_end(length, pieces.angle[far], room, corners.angle[there], slack):
            return -1
        matches += pieces.rare[far] and abs(length - room) <= slack
    return matches


@compiled
def _can_end(length: float, angle: float, room: float, room_angle: float, slack: float) -> bool:
    """Whether a piece's edge that is flush with the region's, from one end on, can end where it does."""
    if length > room + slack:
        return room_angle > math.pi  # beyond a corner that is not reflex, it would stick out
    if length < room - slack:
        return angle < math.pi
    return angle <= room_angle + WIDEST_ANGLE


@compiled
def _pose(
    pieces: Pieces,
    stack: Stack,
    corners: Corners,
    rules: Rules,
    points: Floats,
    k: int,
    own: int,
    fills: bool,
    into: bool,
    at: int,
) -> bool:
    """Write down the pose that lays a piece's corner into the region's; whether its angle is allowed."""
    before: int = corners.before[k]
    own_before: int = pieces.before[own]
    contact_out = min(corners.length[k], pieces.length[own])
    contact_in = min(corners.length[before], pieces.length[own_before])
    # The longer of two flush edges says the angle more surely.
    by_in = contact_in > contact_out if fills else into
    if by_in:
        there, here = corners.direction[before], pieces.direction[own_before]
    else:
        there, here = corners.direction[k], pieces.direction[own]
    cos = there[0] * here[0] + there[1] * here[1]
    sin = there[1] * here[0] - there[0] * here[1]
    if rules.bins > 0:
        bin_angle = 2.0 * math.pi / rules.bins
        theta = math.atan2(sin, cos)
        nearest = round(theta / bin_angle) * bin_angle
        contact = contact_in if by_in else contact_out
        if abs(theta - nearest) > min(WIDEST_ANGLE, 4.0 * rules.slack / contact):
            return False
        cos, sin = math.cos(nearest), math.sin(nearest)
    x, y = pieces.points[own, 0], pieces.points[own, 1]
    stack.pose[at, 0], stack.pose[at, 1] = cos, sin
    stack.pose[at, 2] = points[k, 0] - (cos * x - sin * y)
    stack.pose[at, 3] = points[k, 1] - (sin * x + cos * y)
    return True


@compiled
def _is_hopeless(pieces: Pieces, stack: Stack, out: Remainder, rings: int, at: int, slack: float) -> bool:
    """Whether a part of what is left has an area that no one, two or more of the unused pieces make up."""
    corner: int = stack.candidate[at]
    placed: int = pieces.piece[corner]
    smallest = math.inf
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
        area -= _holes_in(out, rings, ring, slack)
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
def _holes_in(out: Remainder, rings: int, outer: int, slack: float) -> float:
    """The area of the holes in one outline of the region that is left."""
    total = 0.0
    begin, end = out.starts[outer], out.starts[outer + 1]
    whole = np.array([0, end - begin])
    for ring in range(rings):
        area = ring_area(out.points, out.starts[ring], out.starts[ring + 1])
        if area < 0.0:
            for k in range(out.starts[ring], out.starts[ring + 1]):
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
            for other in range(number):
                both = pieces.area[number] + pieces.area[other]
                if not stack.used[other] and other != placed and abs(both - area) <= doubt:
                    return True
    return False


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
