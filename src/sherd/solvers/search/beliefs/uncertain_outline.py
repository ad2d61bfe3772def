"""Outlines that are known only roughly, and gluing two of them: corners as a normal distribution.

Where outlines are traced, worn or moved, edges that belong together differ, and by how much they may
depends on how long they are, on the angles at their ends and on what was glued before. A belief carries all
of that along as the covariance of its corners. Two edges are the banks of one cut if they are of one length
and the angles at either end make a straight one; conditioning on that is the gluing (a Kalman update), and
what it takes is chi-squared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from sherd.core.arrays import Floats
from sherd.core.geometry import TAU, Pose, Rotations
from sherd.solvers.search.beliefs.joining import RIDGE, condition, edge_statistics, merge
from sherd.solvers.search.constants.rough_outlines import (
    DIAGONAL_SPREAD,
    EDGE_SPREAD,
    FARTHEST_TIP,
    ROW_SPREAD,
    TILT,
)
from sherd.solvers.search.corner_outline import CornerOutline

# What is said of an edge, in this order.
LENGTH, START_ANGLE, END_ANGLE, DIRECTION = range(4)


@dataclass(frozen=True, eq=False)
class Belief:
    """An outline's likeliest corners (n, 2), counter-clockwise, and their covariance (2 n, 2 n)."""

    corners: Floats
    covariance: Floats

    @cached_property
    def values(self) -> Floats:
        """Of each edge: length, angle at its start, angle at its end, direction; (n, 4)."""
        return self._statistics[0]

    @cached_property
    def covariances(self) -> Floats:
        """Of the values of each edge, (n, 4, 4)."""
        return self._statistics[1]

    @cached_property
    def _statistics(self) -> tuple[Floats, Floats]:
        values, covariances = np.empty((len(self), 4)), np.empty((len(self), 4, 4))
        edge_statistics(self.corners, self.covariance, values, covariances)
        return values, covariances

    def __len__(self) -> int:
        return len(self.corners)


def with_moved_corners(corners: Floats, distance: float) -> Belief:
    """A belief in corners that may each be off by ``distance`` to any side."""
    return Belief(corners, np.eye(2 * len(corners)) * distance**2)


def with_traced_edges(corners: Floats, pixel: float) -> Belief:
    """A belief in edges that were fitted to pixels: the longer one is, the better it is known.

    The ends of a line through pixels are known to about the square of a pixel over its length. Lines along
    the pixels are special: wherever they run within a row, they look the same.
    """
    outline = CornerOutline(corners)
    x, y = np.abs(outline.edges.T) / pixel
    steps, diagonal_steps = np.minimum(x, y), np.abs(x - y)
    shift = pixel * np.maximum(ROW_SPREAD / (1.0 + steps), DIAGONAL_SPREAD / (1.0 + diagonal_steps))
    spread = np.minimum(EDGE_SPREAD * pixel**2 / outline.lengths, pixel)
    spread = np.hypot(spread / math.sqrt(2.0), TILT * shift)
    return with_lines(corners, spread, shift, FARTHEST_TIP * pixel)


def with_lines(corners: Floats, at_ends: Floats, shift: Floats, farthest: float) -> Belief:
    """A belief in lines: each (n,) is off by ``shift`` as a whole, and by ``at_ends`` at either end.

    A corner is where two lines meet, so a sharp or a blunt one is known worse, but to within ``farthest``.
    """
    outline = CornerOutline(corners)
    normal = np.stack([-outline.edges[:, 1], outline.edges[:, 0]], axis=1) / outline.lengths[:, None]
    lines = np.stack([np.roll(normal, 1, axis=0), normal], axis=1)  # (n, 2, 2): before and after each corner
    weight = 1.0 / np.stack([np.roll(at_ends, 1), at_ends], axis=1) ** 2
    known = np.swapaxes(lines, 1, 2) @ (weight[..., None] * lines) + np.eye(2) / farthest**2
    spread: Floats = np.asarray(np.linalg.inv(known), dtype=np.float64)
    response = spread @ (np.swapaxes(lines, 1, 2) * weight[:, None, :])  # (n, 2, 2): corner by line
    count, each = len(corners), np.arange(len(corners))
    shifted = np.zeros((count, 2, count))
    shifted[each, :, (each - 1) % count] = response[:, :, 0]
    shifted[each, :, each] = response[:, :, 1]
    shifted = shifted.reshape(2 * count, count) * shift
    return Belief(corners, _block_diagonal(spread) + shifted @ shifted.T)


def _block_diagonal(blocks: Floats) -> Floats:
    count = len(blocks)
    covariance = np.zeros((count, 2, count, 2))
    covariance[np.arange(count), :, np.arange(count)] = blocks
    return covariance.reshape(2 * count, 2 * count)


def join(
    first: Belief, edge: int, second: Belief, other_edge: int, rotations: Rotations
) -> tuple[Belief, Pose]:
    """Two beliefs glued along an edge each, in the first one's frame, and where the second one went.

    The corners at the ends of the edges vanish. Both outlines give way as far as they are uncertain.
    """
    n, m = len(first), len(second)
    free = rotations.bins is None
    counted = 3 if free else 4  # where angles are known, so is one edge's direction from the other's
    one, other = first.values[edge], second.values[other_edge]
    turn = float(one[DIRECTION] + math.pi - other[DIRECTION])
    theta = math.nan if free else rotations.nearest(turn)
    misfit = np.array(
        [
            one[LENGTH] - other[LENGTH],
            one[START_ANGLE] + other[END_ANGLE] - math.pi,
            one[END_ANGLE] + other[START_ANGLE] - math.pi,
            0.0 if free else (turn - theta + math.pi) % TAU - math.pi,
        ]
    )
    corners = np.concatenate([first.corners, second.corners])
    covariance = np.zeros((2 * (n + m), 2 * (n + m)))
    covariance[: 2 * n, : 2 * n] = first.covariance
    covariance[2 * n :, 2 * n :] = second.covariance
    condition(corners, covariance, n, edge, other_edge, misfit, counted)
    kept = n + m - 4
    whole, whole_covariance, pose = np.empty((kept, 2)), np.empty((2 * kept, 2 * kept)), np.empty(3)
    merge(corners, covariance, n, edge, other_edge, theta, whole, whole_covariance, pose)
    x, y, turned = pose.tolist()
    return Belief(whole, whole_covariance), Pose(x, y, turned)


def _inverse(matrix: Floats) -> Floats:
    """The inverse of a covariance of things in different units."""
    scale = np.sqrt(np.diag(matrix)) + np.finfo(float).tiny ** 0.5
    scales = scale[:, None] * scale
    return np.linalg.inv(matrix / scales + RIDGE * np.eye(len(scale))) / scales


def lay(whole: Belief, target: Belief, rotations: Rotations, turned: float) -> list[tuple[float, Pose, int]]:
    """Every way to lay a belief onto a target with as many corners: its chi-squared and pose, the best first.

    And the corner that comes to lie on the target's first. ``turned`` is how far the part's first piece is
    turned in the part's frame; with it, it must end at an angle that is allowed.
    """
    n = len(target)
    if len(whole) != n:
        return []
    free = rotations.bins is None
    centre = target.corners.mean(axis=0)
    found: list[tuple[float, Pose, int]] = []
    for shift in range(n):
        order = (np.arange(n) + shift) % n
        corners, indices = whole.corners[order], np.stack([2 * order, 2 * order + 1], axis=1).ravel()
        middle = corners.mean(axis=0)
        a, b = corners - middle, target.corners - centre
        theta = math.atan2(float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()), float((a * b).sum()))
        if not free:
            theta = rotations.nearest(theta + turned) - turned
        moved = Pose(theta=theta).points(a)
        cos, sin = math.cos(theta), math.sin(theta)
        turn = np.kron(np.eye(n), np.array([[cos, -sin], [sin, cos]]))
        covariance = turn @ whole.covariance[np.ix_(indices, indices)] @ turn.T + target.covariance
        slope = np.zeros((2 * n, 3))
        slope[0::2, 0] = slope[1::2, 1] = 1.0
        slope[0::2, 2], slope[1::2, 2] = -moved[:, 1], moved[:, 0]
        if not free:
            slope = slope[:, :2]
        weight = _inverse(covariance)
        off = (b - moved).ravel()
        change = cast("Floats", np.linalg.solve(slope.T @ weight @ slope, slope.T @ weight @ off))
        rest = off - slope @ change
        pose = Pose(theta=theta + float(change[2]) if free else theta)
        x, y = (centre + change[:2] - pose.points(middle)).tolist()
        found.append((float(rest @ weight @ rest), Pose(x, y, pose.theta), shift))
    return sorted(found, key=lambda way: way[0])
