"""Region: what remains of a target, as rings of corners, and taking a piece out of it (compiled).

A region's rings run so that its inside is to their left: outlines counter-clockwise, holes clockwise. A piece
that lies inside shares stretches of boundary with it, and these cancel; the rest of the piece's boundary,
turned round, joins what is left of the region's. No area is ever clipped, so nothing is lost to rounding:
corners that lie within a tolerance of each other are one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled

# What `subtract` says instead of a number of rings where a piece does not lie inside the region.
OUTSIDE = -1


class Scratch(NamedTuple):
    """Room to work in, so that nothing is allocated on the way; ``size`` corners at most."""

    at: Floats  # (size, 2) the place of every vertex
    vertex: Ints  # (size,) which vertex a corner of the piece is
    split_edge: Ints  # (size,) vertices on the inside of edges: which edge,
    split_along: Floats  # (size,) how far along it,
    split_vertex: Ints  # (size,) and which vertex
    start: Ints  # (size,) edges: where they start,
    end: Ints  # (size,) where they end,
    alive: NDArray[np.bool_]  # (size,) whether they are still there,
    onward: Ints  # (size,) and the next that starts from the same vertex
    first: Ints  # (size,) the first edge that starts from a vertex
    ring: Ints  # (size,) the vertices of a ring


class Remainder(NamedTuple):
    """Where `subtract` writes the region that is left."""

    points: Floats  # (size, 2) the corners of all rings
    same: Ints  # (size,) the first corner that is at the same place
    starts: Ints  # (size,) where each ring starts, and the last one ends


def make_scratch(size: int) -> Scratch:
    """Room for so many corners of region and piece together."""
    return Scratch(
        at=np.empty((size, 2)),
        vertex=np.empty(size, np.int64),
        split_edge=np.empty(size, np.int64),
        split_along=np.empty(size),
        split_vertex=np.empty(size, np.int64),
        start=np.empty(size, np.int64),
        end=np.empty(size, np.int64),
        alive=np.empty(size, np.bool_),
        onward=np.empty(size, np.int64),
        first=np.empty(size, np.int64),
        ring=np.empty(size, np.int64),
    )


def make_remainder(size: int) -> Remainder:
    """Room for a region of so many corners."""
    return Remainder(np.empty((size, 2)), np.empty(size, np.int64), np.empty(size, np.int64))


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
    _sort_by_start(edges, vertices, scratch)
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
                shared = _find_edge(here, there, scratch)
                if shared >= 0:
                    scratch.alive[shared] = False
                    contact += math.hypot(at[there, 0] - at[here, 0], at[there, 1] - at[here, 1])
                else:
                    if _find_edge(there, here, scratch) >= 0:
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
    return _trace(edges, vertices, slack, scratch, out), contact


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


@compiled
def _sort_by_start(edges: int, vertices: int, scratch: Scratch) -> None:
    """Link the edges that are alive and start from one vertex, for each vertex."""
    for vertex in range(vertices):
        scratch.first[vertex] = -1
    for edge in range(edges):
        if scratch.alive[edge]:
            scratch.onward[edge] = scratch.first[scratch.start[edge]]
            scratch.first[scratch.start[edge]] = edge


@compiled
def _find_edge(start: int, end: int, scratch: Scratch) -> int:
    """An edge that is alive from one vertex to another, of those that were linked; -1 if there is none."""
    edge: int = scratch.first[start]
    while edge >= 0 and not (scratch.end[edge] == end and scratch.alive[edge]):
        edge = scratch.onward[edge]
    return edge


@compiled
def _trace(edges: int, vertices: int, slack: float, scratch: Scratch, out: Remainder) -> int:
    """Follow the edges that are left around their rings; count the rings."""
    _sort_by_start(edges, vertices, scratch)
    rings, corners = 0, 0
    out.starts[0] = 0
    for seed in range(edges):
        if not scratch.alive[seed]:
            continue
        length, edge = 0, seed
        while edge >= 0:
            scratch.alive[edge] = False
            scratch.ring[length] = scratch.start[edge]
            length += 1
            edge = _next_edge(edge, scratch)
        length = _straighten(length, slack, scratch)
        if length < 3:
            continue
        for k in range(length):
            vertex = scratch.ring[k]
            out.points[corners + k, 0], out.points[corners + k, 1] = scratch.at[vertex]
            # Until the end this holds the vertex, then the first corner that it is.
            out.same[corners + k] = vertex
        corners += length
        rings += 1
        out.starts[rings] = corners
    for vertex in range(vertices):
        scratch.first[vertex] = -1
    for k in range(corners):
        vertex = out.same[k]
        if scratch.first[vertex] < 0:
            scratch.first[vertex] = k
        out.same[k] = scratch.first[vertex]
    return rings


@compiled
def _next_edge(edge: int, scratch: Scratch) -> int:
    """Of the edges that go on from the end of one, the first to its left-hand side; -1 if none is left."""
    here: int = scratch.end[edge]
    back_x = scratch.at[scratch.start[edge], 0] - scratch.at[here, 0]
    back_y = scratch.at[scratch.start[edge], 1] - scratch.at[here, 1]
    best, narrowest = -1, 0.0
    other: int = scratch.first[here]
    while other >= 0:
        if scratch.alive[other]:
            x = scratch.at[scratch.end[other], 0] - scratch.at[here, 0]
            y = scratch.at[scratch.end[other], 1] - scratch.at[here, 1]
            angle = math.atan2(x * back_y - y * back_x, x * back_x + y * back_y)
            angle = angle if angle > 0.0 else angle + 2.0 * math.pi
            if best < 0 or angle < narrowest:
                best, narrowest = other, angle
        other = scratch.onward[other]
    return best


@compiled
def _straighten(length: int, slack: float, scratch: Scratch) -> int:
    """Leave out the vertices of a ring where it runs straight on or back on itself; count those left."""
    ring, at = scratch.ring, scratch.at
    k = 0
    unchanged = 0
    while length >= 3 and unchanged < length:
        before, after = ring[k - 1 if k > 0 else length - 1], ring[k + 1 if k + 1 < length else 0]
        dx, dy = at[after, 0] - at[before, 0], at[after, 1] - at[before, 1]
        x, y = at[ring[k], 0] - at[before, 0], at[ring[k], 1] - at[before, 1]
        span = math.hypot(dx, dy)
        if span <= slack:
            straight = True
        else:
            x1, y1 = at[after, 0] - at[ring[k], 0], at[after, 1] - at[ring[k], 1]
            longer = max(math.hypot(x, y), math.hypot(x1, y1))
            straight = abs(dx * y - dy * x) <= slack * max(span, longer)
        if straight:
            for later in range(k, length - 1):
                ring[later] = ring[later + 1]
            length -= 1
            k = k if k < length else 0
            unchanged = 0
        else:
            k = k + 1 if k + 1 < length else 0
            unchanged += 1
    return length
