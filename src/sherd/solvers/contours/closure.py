"""How much of every outline lies against another: what tells a finished assembly (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters, are_near
from sherd.solvers.contours.contact import FACING
from sherd.solvers.contours.shapes import DEEP, Shapes, nearest_to

OPEN, TOUCHING, INSIDE = 0, 1, 2


@compiled
def closed_points(
    shapes: Shapes, clusters: Clusters, tolerance: float
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """For each point of all outlines, OPEN, TOUCHING or INSIDE, and the piece that it touches, or -1."""
    count = len(clusters.labels)
    states = np.zeros(len(shapes.points), dtype=np.int8)
    others = np.full(len(shapes.points), -1)
    for p in range(count):
        low, high = shapes.starts[p], shapes.starts[p + 1]
        for q in range(count):
            if q == p or clusters.labels[q] != clusters.labels[p]:
                continue
            back = clusters.turns[q].conjugate()
            turn = back * clusters.turns[p]
            shift = back * (clusters.shifts[p] - clusters.shifts[q])
            if not (shapes.outer[p] or are_near(shapes, q, p, turn, shift, tolerance)):
                continue
            for k in range(low, high):
                at = nearest_to(shapes, q, turn * shapes.points[k] + shift)
                if at == DEEP:
                    states[k] = INSIDE
                elif at >= 0:
                    normal = shapes.normals[at]
                    off = turn * shapes.points[k] + shift - shapes.points[at]
                    depth = off.real * normal.real + off.imag * normal.imag
                    if depth < -tolerance and not shapes.outer[p]:
                        states[k] = INSIDE
                    elif abs(depth) < tolerance and states[k] == OPEN:
                        other = turn * shapes.normals[k]
                        if other.real * normal.real + other.imag * normal.imag < FACING:
                            states[k] = TOUCHING
                            others[k] = q
    return states, others


def closed_shares(
    shapes: Shapes, clusters: Clusters, tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each piece, the share of its outline that touches another, and that lies inside another.

    A target has the share of its own outline that pieces touch.
    """
    (states, _), lengths = closed_points(shapes, clusters, tolerance), np.diff(shapes.starts)
    touched, inside = (
        np.add.reduceat(states == what, shapes.starts[:-1], dtype=np.float64) / lengths
        for what in (TOUCHING, INSIDE)
    )
    return touched, inside
