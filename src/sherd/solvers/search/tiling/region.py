"""Region: what remains of a target, as rings of corners, and taking a piece out of it (compiled).

A region's rings run so that its inside is to their left: outlines counter-clockwise, holes clockwise. A piece
that lies inside shares stretches of boundary with it, and these cancel; the rest of the piece's boundary,
turned round, joins what is left of the region's. No area is ever clipped, so nothing is lost to rounding:
corners that lie within a tolerance of each other are one.
"""

from __future__ import annotations

import math

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.tiling.boundary import Remainder, Scratch, find_edge, link_by_start, trace_rings

# What `subtract` says instead of a number of rings where a piece does not lie inside the region.
OUTSIDE = -1


@compiled
def subtract(
    points: Floats,
    same: Ints,
    starts: Ints,
    piece: Floats,
    piece_starts: Ints,
    slack: float,
    scratch: Scratch,
    out: Remainder,
) -> tuple[int, float]:
    """The region without the piece: how many rings are left, `OUTSIDE` if it sticks out, and the contact."""
    corners = starts[-1]
    at = scratch.at
    # Most pieces that do not fit cross an edge, so that is asked first.
    for ring in range(len(piece_starts) - 1):
        begin, end = piece_starts[ring], piece_starts[ring + 1]
        for k in range(begin, end):
            after = k + 1 if k + 1 < end else begin
            if _crosses(points, starts, piece[k], piece[after], slack):
                return OUTSIDE, 0.0
    for k in range(corners):
        at[k, 0], at[k, 1] = points[k, 0], points[k, 1]
    vertices = _name_corners(points, same, corners, piece, slack, scratch)
    splits = _split_region(points, same, starts, piece, slack, scratch)
    edges = _list_region_edges(same, starts, splits, scratch)
    link_by_start(edges, vertices, scratch)
    contact = 0.0
    for ring in range(len(piece_starts) - 1):
        begin, end = piece_starts[ring], piece_starts[ring + 1]
        for k in range(begin, end):
            after = k + 1 if k + 1 < end else begin
            splits = _split_piece_edge(points, same, corners, piece[k], piece[after], slack, scratch)
            here = scratch.vertex[k]
            for part in range(splits + 1):
                there = scratch.split_vertex[part] if part < splits else scratch.vertex[after]
                if here == there:
                    continue
                shared = find_edge(here, there, scratch)
                if shared >= 0:
                    scratch.alive[shared] = False
                    contact += math.hypot(at[there, 0] - at[here, 0], at[there, 1] - at[here, 1])
                else:
                    if find_edge(there, here, scratch) >= 0:
                        return OUTSIDE, 0.0
                    x, y = (at[here, 0] + at[there, 0]) / 2.0, (at[here, 1] + at[there, 1]) / 2.0
                    if not is_inside(points, starts, x, y, slack):
                        return OUTSIDE, 0.0
                    scratch.start[edges], scratch.end[edges], scratch.alive[edges] = there, here, True
                    edges += 1
                here = there
    if len(starts) > 2:
        for k in range(corners):
            if is_inside(piece, piece_starts, points[k, 0], points[k, 1], slack):
                return OUTSIDE, 0.0
    return trace_rings(edges, vertices, slack, scratch, out), contact


@compiled
def is_inside(points: Floats, starts: Ints, x: float, y: float, slack: float) -> bool:
    """Whether a place lies inside the rings, and not within ``slack`` of them."""
    inside = False
    for ring in range(len(starts) - 1):
        begin, end = starts[ring], starts[ring + 1]
        x0, y0 = points[end - 1, 0], points[end - 1, 1]
        for k in range(begin, end):
            x1, y1 = points[k, 0], points[k, 1]
            if (
                min(x0, x1) - slack <= x <= max(x0, x1) + slack
                and min(y0, y1) - slack <= y <= max(y0, y1) + slack
            ):
                length = math.hypot(x1 - x0, y1 - y0)
                if abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) <= slack * length:
                    return False
            if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
                inside = not inside
            x0, y0 = x1, y1
    return inside


@compiled
def ring_area(points: Floats, begin: int, end: int) -> float:
    """The signed area of a ring, positive if it runs counter-clockwise."""
    total = 0.0
    x, y = points[begin, 0], points[begin, 1]
    for k in range(begin + 1, end - 1):
        total += (points[k, 0] - x) * (points[k + 1, 1] - y)
        total -= (points[k + 1, 0] - x) * (points[k, 1] - y)
    return total / 2.0


@compiled
def _name_corners(
    points: Floats, same: Ints, corners: int, piece: Floats, slack: float, scratch: Scratch
) -> int:
    """Say which vertex each corner of the piece is, a corner of the region or a new one; count them all."""
    vertices = corners
    for k in range(len(piece)):
        x, y = piece[k, 0], piece[k, 1]
        nearest, which = slack, -1
        for other in range(corners):
            off = max(abs(points[other, 0] - x), abs(points[other, 1] - y))
            if off <= nearest:
                nearest, which = off, same[other]
        if which < 0:
            which = vertices
            scratch.at[which, 0], scratch.at[which, 1] = x, y
            vertices += 1
        scratch.vertex[k] = which
    return vertices


@compiled
def _along(x0: float, y0: float, x1: float, y1: float, x: float, y: float, slack: float) -> float:
    """How far along an edge, between its ends, a place on it lies; -1 if it does not lie there."""
    if not (
        min(x0, x1) - slack <= x <= max(x0, x1) + slack and min(y0, y1) - slack <= y <= max(y0, y1) + slack
    ):
        return -1.0
    dx, dy = x1 - x0, y1 - y0
    length = math.hypot(dx, dy)
    if abs(dx * (y - y0) - dy * (x - x0)) > slack * length:
        return -1.0
    along = (dx * (x - x0) + dy * (y - y0)) / length
    return along if 0.0 < along < length else -1.0


@compiled
def _split_region(
    points: Floats, same: Ints, starts: Ints, piece: Floats, slack: float, scratch: Scratch
) -> int:
    """Find the piece's corners on the region's edges, and the region's own; count them.

    Its own lie there where two of its rings touch, corner on edge: a piece may share one half of the edge.
    """
    splits = 0
    for ring in range(len(starts) - 1):
        begin, end = starts[ring], starts[ring + 1]
        for k in range(begin, end):
            after = k + 1 if k + 1 < end else begin
            x0, y0, x1, y1 = points[k, 0], points[k, 1], points[after, 0], points[after, 1]
            for corner in range(len(piece)):
                vertex = scratch.vertex[corner]
                if vertex == same[k] or vertex == same[after]:
                    continue
                along = _along(x0, y0, x1, y1, piece[corner, 0], piece[corner, 1], slack)
                if along >= 0.0 and splits < len(scratch.split_edge):
                    scratch.split_edge[splits] = k
                    scratch.split_along[splits] = along
                    scratch.split_vertex[splits] = vertex
                    splits += 1
            for other in range(starts[-1]):
                if same[other] != other or other == same[k] or other == same[after]:
                    continue
                along = _along(x0, y0, x1, y1, points[other, 0], points[other, 1], slack)
                if along >= 0.0 and splits < starts[-1]:
                    scratch.split_edge[splits] = k
                    scratch.split_along[splits] = along
                    scratch.split_vertex[splits] = other
                    splits += 1
    return splits


@compiled
def _list_region_edges(same: Ints, starts: Ints, splits: int, scratch: Scratch) -> int:
    """List the region's edges, in pieces where corners lie on them; count them."""
    edges, split = 0, 0
    for ring in range(len(starts) - 1):
        begin, end = starts[ring], starts[ring + 1]
        for k in range(begin, end):
            after = k + 1 if k + 1 < end else begin
            last = split
            while last < splits and scratch.split_edge[last] == k:
                last += 1
            _sort_splits(split, last, scratch)
            here = same[k]
            for part in range(split, last + 1):
                there = scratch.split_vertex[part] if part < last else same[after]
                if there != here:
                    scratch.start[edges], scratch.end[edges], scratch.alive[edges] = here, there, True
                    edges += 1
                here = there
            split = last
    return edges


@compiled
def _sort_splits(begin: int, end: int, scratch: Scratch) -> None:
    """Sort the vertices on one edge by how far along it they lie."""
    along, vertex = scratch.split_along, scratch.split_vertex
    for k in range(begin + 1, end):
        here = k
        while here > begin and along[here] < along[here - 1]:
            along[here], along[here - 1] = along[here - 1], along[here]
            vertex[here], vertex[here - 1] = vertex[here - 1], vertex[here]
            here -= 1


@compiled
def _crosses(points: Floats, starts: Ints, first: Floats, last: Floats, slack: float) -> bool:
    """Whether an edge of the piece properly crosses one of the region's."""
    px, py, qx, qy = first[0], first[1], last[0], last[1]
    low_x, high_x, low_y, high_y = min(px, qx), max(px, qx), min(py, qy), max(py, qy)
    own = slack * math.hypot(qx - px, qy - py)
    for ring in range(len(starts) - 1):
        begin, end = starts[ring], starts[ring + 1]
        x0, y0 = points[end - 1, 0], points[end - 1, 1]
        for k in range(begin, end):
            x1, y1 = points[k, 0], points[k, 1]
            if min(x0, x1) < high_x and max(x0, x1) > low_x and min(y0, y1) < high_y and max(y0, y1) > low_y:
                one = (qx - px) * (y0 - py) - (qy - py) * (x0 - px)
                two = (qx - px) * (y1 - py) - (qy - py) * (x1 - px)
                if (one > own and two < -own) or (one < -own and two > own):
                    limit = slack * math.hypot(x1 - x0, y1 - y0)
                    one = (x1 - x0) * (py - y0) - (y1 - y0) * (px - x0)
                    two = (x1 - x0) * (qy - y0) - (y1 - y0) * (qx - x0)
                    if (one > limit and two < -limit) or (one < -limit and two > limit):
                        return True
            x0, y0 = x1, y1
    return False


@compiled
def _split_piece_edge(
    points: Floats,
    same: Ints,
    corners: int,
    first: Floats,
    last: Floats,
    slack: float,
    scratch: Scratch,
) -> int:
    """Find the region's corners on an edge of the piece, in order; count them."""
    splits = 0
    for k in range(corners):
        if same[k] != k:
            continue
        x, y = points[k, 0], points[k, 1]
        near_first = max(abs(x - first[0]), abs(y - first[1])) <= slack
        near_last = max(abs(x - last[0]), abs(y - last[1])) <= slack
        if near_first or near_last:
            continue
        along = _along(first[0], first[1], last[0], last[1], x, y, slack)
        if along >= 0.0:
            scratch.split_along[splits], scratch.split_vertex[splits] = along, k
            splits += 1
    _sort_splits(0, splits, scratch)
    return splits
