"""Least squares over all contacts of a cluster: the poses at which all of them fit best (compiled)."""

from __future__ import annotations

import numpy as np

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters, are_near
from sherd.solvers.contours.contact import FACING
from sherd.solvers.contours.shapes import Shapes, nearest_to

RELAX_STRIDE = 2
REACH = 2.0  # tolerances: contacts farther apart do not pull
HOLD = 0.05  # resistance to motion, per point of a piece's typical contact


@compiled
def relax(shapes: Shapes, clusters: Clusters, label: int, tolerance: float, steps: int) -> None:
    """Move the pieces of a cluster by so many Gauss-Newton steps; a target, if there is one, stays."""
    members = np.empty(len(clusters.labels), dtype=np.int64)
    count = 0
    piece = clusters.heads[label]
    while piece >= 0:
        members[count] = piece
        count += 1
        piece = clusters.following[piece]
    if count < 2:
        return
    fixed = 0
    for k in range(count):
        if shapes.outer[members[k]]:
            fixed = k
    reach = REACH * tolerance
    for _ in range(steps):
        matrix = np.zeros((3 * count, 3 * count))
        right = np.zeros(3 * count)
        row = np.empty(6)
        for i in range(count):
            for k in range(i + 1, count):
                a, b = members[i], members[k]
                at_a, at_b = 3 * i, 3 * k
                if shapes.outer[b] or (not shapes.outer[a] and a > b):
                    a, b = b, a
                    at_a, at_b = at_b, at_a
                turn_a, shift_a = clusters.turns[a], clusters.shifts[a]
                back = turn_a.conjugate()
                turn = back * clusters.turns[b]
                shift = back * (clusters.shifts[b] - shift_a)
                if not are_near(shapes, a, b, turn, shift, reach):
                    continue
                for p in range(shapes.starts[b], shapes.starts[b + 1], RELAX_STRIDE):
                    z = turn * shapes.points[p] + shift
                    at = nearest_to(shapes, a, z)
                    if at < 0:
                        continue
                    normal = shapes.normals[at]
                    off = z - shapes.points[at]
                    depth = off.real * normal.real + off.imag * normal.imag
                    if abs(depth) >= reach:
                        continue
                    other = turn * shapes.normals[p]
                    if other.real * normal.real + other.imag * normal.imag >= FACING:
                        continue
                    weight = 1.0 - (depth / reach) ** 2
                    # In the cluster's frame; each piece turns about its own origin there.
                    n = turn_a * normal
                    lever_a = turn_a * z
                    lever_b = clusters.turns[b] * shapes.points[p]
                    row[0] = -(lever_a.real * n.imag - lever_a.imag * n.real)
                    row[1], row[2] = -n.real, -n.imag
                    row[3] = lever_b.real * n.imag - lever_b.imag * n.real
                    row[4], row[5] = n.real, n.imag
                    for u in range(3):
                        right[at_a + u] -= weight * depth * row[u]
                        right[at_b + u] -= weight * depth * row[3 + u]
                        for v in range(3):
                            matrix[at_a + u, at_a + v] += weight * row[u] * row[v]
                            matrix[at_b + u, at_b + v] += weight * row[3 + u] * row[3 + v]
                            cross = weight * row[u] * row[3 + v]
                            matrix[at_a + u, at_b + v] += cross
                            matrix[at_b + v, at_a + u] += cross
        for i in range(count):
            points = (shapes.starts[members[i] + 1] - shapes.starts[members[i]]) / RELAX_STRIDE
            stiff = HOLD * points if i != fixed else 1e6 * points
            radius = shapes.radii[members[i]]
            matrix[3 * i, 3 * i] += stiff * radius * radius
            matrix[3 * i + 1, 3 * i + 1] += stiff
            matrix[3 * i + 2, 3 * i + 2] += stiff
        step = np.linalg.solve(matrix, right)
        for i in range(count):
            piece = members[i]
            small = complex(np.cos(step[3 * i]), np.sin(step[3 * i]))
            clusters.turns[piece] = small * clusters.turns[piece]
            clusters.turns[piece] /= abs(clusters.turns[piece])
            clusters.shifts[piece] += complex(step[3 * i + 1], step[3 * i + 2])
