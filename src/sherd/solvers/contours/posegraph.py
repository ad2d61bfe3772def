"""Least squares over all contacts of a cluster: the poses at which all of them fit best (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters, are_near
from sherd.solvers.contours.contact import FACING
from sherd.solvers.contours.shapes import Shapes, nearest_to

RELAX_STRIDE = 2
REACH = 2.0  # tolerances: contacts farther apart do not pull
HOLD = 0.05  # resistance to motion, per point of a piece's typical contact


@compiled
def relax(
    shapes: Shapes, clusters: Clusters, label: int, tolerance: float, steps: int, moves: NDArray[np.bool_]
) -> None:
    """Move the pieces of a cluster that may move by ``steps`` Gauss-Newton steps; a target stays."""
    members = np.empty(len(clusters.labels), dtype=np.int64)
    slots = np.full(len(clusters.labels), -1)
    count, moving = 0, 0
    piece = clusters.heads[label]
    while piece >= 0:
        members[count] = piece
        if moves[piece] and not shapes.outer[piece]:
            slots[piece] = moving
            moving += 1
        count += 1
        piece = clusters.following[piece]
    if count < 2 or moving == 0:
        return
    reach = REACH * tolerance
    row = np.empty(6)
    for _ in range(steps):
        matrix = np.zeros((3 * moving, 3 * moving))
        right = np.zeros(3 * moving)
        for i in range(count):
            for k in range(i + 1, count):
                a, b = int(members[i]), int(members[k])
                if slots[a] < 0 and slots[b] < 0:
                    continue
                if shapes.outer[b] or (not shapes.outer[a] and a > b):
                    a, b = b, a
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
                    # In the cluster's frame; each piece turns about its own origin there.
                    n = turn_a * normal
                    lever_a = turn_a * z
                    lever_b = clusters.turns[b] * shapes.points[p]
                    row[0] = -(lever_a.real * n.imag - lever_a.imag * n.real)
                    row[1], row[2] = -n.real, -n.imag
                    row[3] = lever_b.real * n.imag - lever_b.imag * n.real
                    row[4], row[5] = n.real, n.imag
                    weight = 1.0 - (depth / reach) ** 2
                    add_equation(matrix, right, row, int(slots[a]), int(slots[b]), weight, depth)
        for i in range(count):
            slot = slots[members[i]]
            if slot >= 0:
                piece = members[i]
                stiff = HOLD * (shapes.starts[piece + 1] - shapes.starts[piece]) / RELAX_STRIDE
                matrix[3 * slot, 3 * slot] += stiff * shapes.radii[piece] ** 2
                matrix[3 * slot + 1, 3 * slot + 1] += stiff
                matrix[3 * slot + 2, 3 * slot + 2] += stiff
        step = np.linalg.solve(matrix, right)
        for i in range(count):
            piece, slot = members[i], slots[members[i]]
            if slot >= 0:
                small = complex(np.cos(step[3 * slot]), np.sin(step[3 * slot]))
                clusters.turns[piece] = small * clusters.turns[piece]
                clusters.turns[piece] /= abs(clusters.turns[piece])
                clusters.shifts[piece] += complex(step[3 * slot + 1], step[3 * slot + 2])


@compiled
def add_equation(
    matrix: NDArray[np.float64],
    right: NDArray[np.float64],
    row: NDArray[np.float64],
    slot_a: int,
    slot_b: int,
    weight: float,
    depth: float,
) -> None:
    """Add one point's equation; a piece without a slot does not move."""
    for u in range(3):
        if slot_a >= 0:
            right[3 * slot_a + u] -= weight * depth * row[u]
            for v in range(3):
                matrix[3 * slot_a + u, 3 * slot_a + v] += weight * row[u] * row[v]
        if slot_b >= 0:
            right[3 * slot_b + u] -= weight * depth * row[3 + u]
            for v in range(3):
                matrix[3 * slot_b + u, 3 * slot_b + v] += weight * row[3 + u] * row[3 + v]
        if slot_a >= 0 and slot_b >= 0:
            for v in range(3):
                cross = weight * row[u] * row[3 + v]
                matrix[3 * slot_a + u, 3 * slot_b + v] += cross
                matrix[3 * slot_b + v, 3 * slot_a + u] += cross


def relax_all(shapes: Shapes, clusters: Clusters, tolerance: float, steps: int) -> None:
    """Move the pieces of every cluster."""
    moves = np.ones(len(clusters.labels), dtype=np.bool_)
    for label in np.unique(clusters.labels).tolist():
        relax(shapes, clusters, label, tolerance, steps, moves)
