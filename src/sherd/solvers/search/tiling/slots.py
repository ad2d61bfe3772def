"""Slots: which pieces may lie in a corner of a region, flush with one of its two edges (compiled)."""

from __future__ import annotations

import math

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.constants.tiling import CORNER_DOUBT, LOOKUP_WORK, POSE_WORK
from sherd.solvers.search.tiling.board import Pieces, RegionCorners, Rules, Stack

# Radians: from here on the turns of a piece that is held are counted, so that no round angle is at an end.
TURNED_FROM = 0.1372


@compiled
def measure_corners(points: Floats, starts: Ints, corners: RegionCorners) -> None:
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
def doubt_at(corners: RegionCorners, k: int, slack: float) -> float:
    """How uncertain the angle of a corner of the region is, in radians."""
    return min(CORNER_DOUBT, slack * (1.0 / corners.length[k] + 1.0 / corners.length[corners.before[k]]))


@compiled
def narrowest_unused(pieces: Pieces, stack: Stack) -> tuple[float, int, float]:
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
def list_candidates(
    pieces: Pieces,
    stack: Stack,
    corners: RegionCorners,
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
    doubt = 2.0 * doubt_at(corners, k, rules.slack)
    first = 0
    if rules.most == 1:
        first = int(np.searchsorted(pieces.sorted_angle, angle - CORNER_DOUBT))  # pyright: ignore[reportUnknownArgumentType]
    found = 0
    for place in range(first, len(pieces.by_angle)):
        left: float = angle - pieces.sorted_angle[place]
        if left < -CORNER_DOUBT or room + found >= len(stack.candidate):
            break
        stack.work[0] -= 1
        own: int = pieces.by_angle[place]
        before: int = pieces.before[own]
        tolerance: float = doubt + 2.0 * rules.slack / min(pieces.length[own], pieces.length[before])
        tolerance = min(CORNER_DOUBT, tolerance)
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
        stack.work[0] -= POSE_WORK
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
    stack.work[0] -= LOOKUP_WORK
    place = np.searchsorted(pieces.sorted_angle, angle - tolerance)
    while place < len(pieces.sorted_angle) and pieces.sorted_angle[place] <= angle + tolerance:
        stack.work[0] -= 1
        corner: int = pieces.by_angle[place]
        other: int = pieces.piece[corner]
        if other != number and not stack.used[other]:
            return True
        place += 1
    return False


@compiled
def _matches(
    pieces: Pieces, corners: RegionCorners, slack: float, k: int, own: int, fills: bool, into: bool
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
    return angle <= room_angle + CORNER_DOUBT


@compiled
def _pose(
    pieces: Pieces,
    stack: Stack,
    corners: RegionCorners,
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
    piece: int = pieces.piece[own]
    bins: int = pieces.bins[piece]
    if bins > 0:
        bin_angle = 2.0 * math.pi / bins
        theta = math.atan2(sin, cos)
        nearest = round(theta / bin_angle) * bin_angle
        contact = contact_in if by_in else contact_out
        if abs(theta - nearest) > min(CORNER_DOUBT, 4.0 * rules.slack / contact):
            return False
        cos, sin = math.cos(nearest), math.sin(nearest)
    if pieces.turned_within[piece] < 2.0 * math.pi:
        theta = (math.atan2(sin, cos) - TURNED_FROM) % (2.0 * math.pi)
        if pieces.turned_within[piece] + CORNER_DOUBT < theta < 2.0 * math.pi - CORNER_DOUBT:
            return False
    x, y = pieces.points[own, 0], pieces.points[own, 1]
    stack.pose[at, 0], stack.pose[at, 1] = cos, sin
    stack.pose[at, 2] = points[k, 0] - (cos * x - sin * y)
    stack.pose[at, 3] = points[k, 1] - (sin * x + cos * y)
    return True
