"""How much of every outline lies against another: what tells a finished assembly (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters, are_near
from sherd.solvers.contours.contact import FACING
from sherd.solvers.contours.shapes import DEEP, Shapes, nearest_to


@compiled
def closed_shares(
    shapes: Shapes, clusters: Clusters, tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each piece, the share of its outline that touches another, and that lies inside another.

    A target has the share of its own outline that pieces touch.
    """
    count = len(clusters.labels)
    touched, inside = np.zeros(count), np.zeros(count)
    for p in range(count):
        low, high = shapes.starts[p], shapes.starts[p + 1]
        state = np.zeros(high - low, dtype=np.int8)
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
                    state[k - low] = 2
                elif at >= 0:
                    normal = shapes.normals[at]
                    off = turn * shapes.points[k] + shift - shapes.points[at]
                    depth = off.real * normal.real + off.imag * normal.imag
                    if depth < -tolerance and not shapes.outer[p]:
                        state[k - low] = 2
                    elif abs(depth) < tolerance and state[k - low] == 0:
                        other = turn * shapes.normals[k]
                        if other.real * normal.real + other.imag * normal.imag < FACING:
                            state[k - low] = 1
        touched[p] = (state == 1).mean()
        inside[p] = (state == 2).mean()
    return touched, inside
