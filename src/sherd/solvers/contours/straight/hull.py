"""How clusters fill their convex hulls: what belongs together mostly makes a convex whole (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters
from sherd.solvers.contours.straight.corners import Corners


@compiled
def hull_corners(points: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """The corners of the convex hull of points (n,), counter-clockwise."""
    order = np.argsort(points.real)
    count = len(points)
    hull = np.empty(2 * count + 1, dtype=np.complex128)
    size = 0
    for half in range(2):
        least = size + 1 if half else 0
        for step in range(count):
            z = points[order[count - 1 - step if half else step]]
            while size - least >= (1 if half else 2):
                a, b = hull[size - 2], hull[size - 1]
                if (b.real - a.real) * (z.imag - a.imag) - (b.imag - a.imag) * (z.real - a.real) > 0.0:
                    break
                size -= 1
            hull[size] = z
            size += 1
    return hull[: size - 1]


@compiled
def filling(
    corners: Corners, clusters: Clusters, placed: NDArray[np.complex128], tolerance: float
) -> tuple[float, float]:
    """The area that is empty in the hulls of clusters, and how many edges lie along that of the largest.

    An edge counts for less if an end is off the hull, up to the tolerance.
    """
    empty, along, largest = 0.0, 0.0, 0.0
    count = len(clusters.labels)
    points = np.empty(len(placed), dtype=np.complex128)
    for label in range(count):
        piece, size, members, area = clusters.heads[label], 0, 0, 0.0
        while piece >= 0:
            for k in range(corners.starts[piece], corners.starts[piece + 1]):
                points[size] = placed[k]
                size += 1
            area += float(corners.areas[piece])
            members += 1
            piece = clusters.following[piece]
        if members < 2:
            continue
        hull = hull_corners(points[:size])
        whole = 0.0
        for h in range(len(hull)):
            a, b = hull[h - 1], hull[h]
            whole += 0.5 * (a.real * b.imag - a.imag * b.real)
        empty += whole - area
        if area <= largest:
            continue
        largest, along = area, 0.0
        piece = clusters.heads[label]
        while piece >= 0:
            low, high = corners.starts[piece], corners.starts[piece + 1]
            for k in range(low, high):
                z = placed[k]
                following = placed[k + 1 if k + 1 < high else low]
                length = abs(following - z)
                best = 0.0
                for h in range(len(hull)):
                    a, side = hull[h - 1], hull[h] - hull[h - 1]
                    size_of_side = abs(side)
                    if size_of_side < 1e-9:
                        continue
                    first = ((z - a) * side.conjugate()).imag / size_of_side
                    second = ((following - a) * side.conjugate()).imag / size_of_side
                    worst = max(abs(first), abs(second))
                    if worst < tolerance and ((following - z) * side.conjugate()).real > 0.0:
                        best = max(best, 1.0 - (worst / tolerance) ** 2)
                along += best * min(1.0, length / (6.0 * tolerance))
            piece = clusters.following[piece]
    return empty, along
