"""Networks of lines in a target: the faces between them, and which lines are in each other's way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString, Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import LENGTH_TOLERANCE, size_of
from sherd.generation.breaking import area

# A line that ends on the target's border goes on for this share of the target's size: rounding alone would
# leave it short of the border now and then.
BEYOND = 1e-6
# So much of its first and last stretch of a line may lie on another one, with which it shares that end.
SHARED = 0.02


def faces(lines: Sequence[Floats], target: Polygon) -> list[Floats]:
    """The parts that lines (n, 2) divide a target into, as counter-clockwise rings, from bottom to top.

    Lines may go beyond the target, and ends that hang loose are left out. Neighbours share their corners;
    where another line ends on a straight edge from outside, a face has no vertex.
    """
    drawn = [LineString(line) for line in _through(lines, target)]
    noded = shapely.union_all([*shapely.get_rings(target), *drawn])
    found = shapely.get_parts(shapely.polygonize(shapely.get_parts(noded)))
    found = found[shapely.contains(target, shapely.point_on_surface(found))]
    slack = LENGTH_TOLERANCE * size_of(target)
    rings = [_corners(np.asarray(face.exterior.coords)[:-1], slack) for face in found.tolist()]
    return sorted(rings, key=lambda ring: (ring[:, 1].min(), ring[:, 0].min(), ring[:, 0].max()))


def tangled(lines: Sequence[Floats], clearance: float = 0.0, skip: int = 0) -> NDArray[np.bool_]:
    """Which of the lines (n, 2) cross themselves or come too near to another one.

    Lines meet at their ends: there ``skip`` points, or part of the last stretch, are not looked at.
    """
    inner = np.array([LineString(_within(line, skip)) for line in lines], dtype=object)
    first, second = shapely.STRtree(inner).query(inner, "dwithin", clearance)
    wrong = ~shapely.is_simple(np.array([LineString(line) for line in lines], dtype=object))
    wrong[first[first != second]] = True
    return wrong


def _through(lines: Sequence[Floats], target: Polygon) -> list[Floats]:
    """The lines, those that end on the target's border prolonged beyond it."""
    size = size_of(target)
    ends = shapely.points(np.array([line[[0, -1]] for line in lines]).reshape(-1, 2))
    at_border = (shapely.distance(ends, target.exterior) <= LENGTH_TOLERANCE * size).reshape(-1, 2)
    found: list[Floats] = []
    for line, (first, last) in zip(lines, at_border.tolist(), strict=True):
        parts = [line]
        if first:
            parts.insert(0, _onward(line[1], line[0], BEYOND * size))
        if last:
            parts.append(_onward(line[-2], line[-1], BEYOND * size))
        found.append(np.concatenate(parts))
    return found


def _onward(start: Floats, end: Floats, far: float) -> Floats:
    """The point (1, 2) so far beyond the end of a stretch."""
    return (end + far * (end - start) / np.hypot(*(end - start)))[None]


def _within(line: Floats, skip: int) -> Floats:
    line = line[skip : len(line) - skip].copy()
    start, end = SHARED * (line[1] - line[0]), SHARED * (line[-2] - line[-1])
    line[0] += start
    line[-1] += end
    return line


def _corners(ring: Floats, slack: float) -> Floats:
    """A ring without vertices that rounding has doubled or that lie on straight edges, counter-clockwise."""
    ring = ring[np.hypot(*(ring - np.roll(ring, 1, axis=0)).T) > slack]
    before, after = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
    longer = np.maximum(np.hypot(*before.T), np.hypot(*after.T))
    ring = ring[np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]) > slack * longer]
    return ring if area(ring) > 0.0 else ring[::-1]
