"""Rings of edges: following what is left of a boundary around, from vertex to vertex (compiled)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled


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
    """Room for ``size`` corners of region and piece together."""
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
    """Room for a region of ``size`` corners."""
    return Remainder(np.empty((size, 2)), np.empty(size, np.int64), np.empty(size, np.int64))


@compiled
def link_by_start(edges: int, vertices: int, scratch: Scratch) -> None:
    """Link the edges that are alive and start from one vertex, for each vertex."""
    for vertex in range(vertices):
        scratch.first[vertex] = -1
    for edge in range(edges):
        if scratch.alive[edge]:
            scratch.onward[edge] = scratch.first[scratch.start[edge]]
            scratch.first[scratch.start[edge]] = edge


@compiled
def find_edge(start: int, end: int, scratch: Scratch) -> int:
    """An edge that is alive from one vertex to another, of those that were linked; -1 if there is none."""
    edge: int = scratch.first[start]
    while edge >= 0 and not (scratch.end[edge] == end and scratch.alive[edge]):
        edge = scratch.onward[edge]
    return edge


@compiled
def trace_rings(edges: int, vertices: int, slack: float, scratch: Scratch, out: Remainder) -> int:
    """Follow the edges that are left around their rings; count the rings."""
    link_by_start(edges, vertices, scratch)
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
