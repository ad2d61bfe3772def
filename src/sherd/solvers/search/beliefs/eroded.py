"""Pieces that lost material: the outline that they had is put back from what is left of its edges.

A worn edge wavers inside the line that it was, and a chipped corner is gone. The longest runs of vertices
that lie along a line each are its edges, a line through each run is moved out to where nothing is missing,
and the corners are where the lines meet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sherd.core.arrays import Floats
from sherd.core.geometry import TAU
from sherd.solvers.search.beliefs.uncertain_outline import Belief, with_lines
from sherd.solvers.search.corner_outline import CornerOutline

# Vertices that turn right by more than this, in radians, are no vertices of a convex piece.
REFLEX = 1e-3
# What a vertex between two runs that is in neither costs, against a run as wide as edges may be worn.
SKIPPED = 0.7
MOST_RUNS = 8
# Longer outlines, whose walks would take too long, are not restored.
MOST_VERTICES = 60
# How much less likely an outline with one edge more is: half a chi-squared.
ONE_MORE = 2.0
# At most so many vertices of a chip are in no run.
MOST_SKIPPED = 1
# Neighbouring edges turn left by at least so much, in radians.
LEAST_TURN = 0.05
# An edge lies about as far beyond its outermost vertices as these beyond the middle of all.
BEYOND = 2.0
# How far a line is off: so many times the scatter of its vertices at the ends, at least this share of the
# wear, and so much of that all in one piece.
CAUTION, LEAST_SCATTER, EDGE_SHIFT = 1.4, 0.05, 0.7
# No corner is off by more than this share of the target's size.
FARTHEST_CORNER = 0.03


@dataclass(frozen=True)
class _WornEdge:
    """Vertices along a line: its point and direction, their scatter about it and extent along it."""

    point: Floats
    direction: Floats
    width: float
    scatter: float
    extent: float


def is_worn(ring: Floats) -> bool:
    """Whether an outline that should be convex is not."""
    return bool((CornerOutline(ring).angles > math.pi + REFLEX).any())


def restore(ring: Floats, wear: float, size: float) -> Iterator[tuple[Belief, float]]:
    """What a piece may have been like before ``wear`` of up to this depth, and what each guess costs.

    The first has the fewest corners; a short edge that looks like a chip may make it one more.
    """
    found = _best_runs(ring, wear) if len(ring) <= MOST_VERTICES else {}
    fewest = min(found, default=0)
    for count, cost in ((fewest, 0.0), (fewest + 1, ONE_MORE)):
        belief = _believed(found[count], wear, size) if count in found else None
        if belief is not None:
            yield belief, cost


def _believed(runs: list[_WornEdge], wear: float, size: float) -> Belief | None:
    """The outline that the lines of some runs make, if they make one."""
    corners = np.array([_meet(runs[k - 1], runs[k]) for k in range(len(runs))])
    outline = CornerOutline(corners)
    along = np.array([run.direction for run in runs])
    if ((outline.edges * along).sum(axis=1) <= 0.0).any():
        return None
    scatter = CAUTION * np.array([run.scatter for run in runs]) + LEAST_SCATTER * wear
    extent = np.array([run.extent for run in runs])
    ends = scatter * np.maximum(1.0, outline.lengths / extent)
    return with_lines(corners, ends, EDGE_SHIFT * scatter, FARTHEST_CORNER * size)


def _best_runs(ring: Floats, wear: float) -> dict[int, list[_WornEdge]]:
    """The runs, in order around the outline, that leave least unexplained, by how many there are."""
    count = len(ring)
    runs = [_runs_from(ring, start, wear) for start in range(count)]
    best: dict[int, tuple[float, list[_WornEdge]]] = {}
    for first in range(count):
        # Walks that begin at ``first``, by the vertex that they have reached and how many runs they took.
        walks: dict[tuple[int, int], tuple[float, list[_WornEdge]]] = {(first, 0): (0.0, [])}
        for at in range(first, first + count):
            for number in range(MOST_RUNS):
                if (at, number) not in walks:
                    continue
                cost, taken = walks[at, number]
                for length, run in runs[at % count].items():
                    if taken and not LEAST_TURN <= _turn(taken[-1], run) < math.pi:
                        continue
                    for skipped in range(-1, MOST_SKIPPED + 1):  # -1: both runs have the vertex between them
                        onto = at + length + 1 + skipped, number + 1
                        total = cost + SKIPPED * max(0, skipped) + (run.width / wear) ** 2
                        if onto[0] <= first + count and (onto not in walks or total < walks[onto][0]):
                            walks[onto] = total, [*taken, run]
        for number in range(3, MOST_RUNS + 1):
            whole = walks.get((first + count, number))
            if whole is None or not LEAST_TURN <= _turn(whole[1][-1], whole[1][0]) < math.pi:
                continue
            if number not in best or whole[0] < best[number][0]:
                best[number] = whole
    return {number: taken for number, (_, taken) in best.items()}


def _runs_from(ring: Floats, start: int, wear: float) -> dict[int, _WornEdge]:
    """All runs that begin at a vertex, by how many vertices further they end."""
    runs: dict[int, _WornEdge] = {}
    for length in range(2, len(ring) - 3):
        points = ring[(start + np.arange(length + 1)) % len(ring)]
        run = _fitted(points)
        if run.width > 2.0 * wear:
            break
        if run.width <= wear:
            runs[length] = run
    return runs


def _fitted(points: Floats) -> _WornEdge:
    """The line through a run of vertices, moved out to where the edge was."""
    middle = points.mean(axis=0)
    offset = points - middle
    _, _, axes = np.linalg.svd(offset, full_matrices=False)
    direction = axes[0] if axes[0] @ (points[-1] - points[0]) > 0.0 else -axes[0]
    outward = np.array([direction[1], -direction[0]])
    depth, along = offset @ outward, offset @ direction
    return _WornEdge(
        point=middle + BEYOND * depth.max() * outward,
        direction=direction,
        width=float(depth.max() - depth.min()),
        scatter=float(depth.std()),
        extent=float(along.max() - along.min()),
    )


def _turn(first: _WornEdge, second: _WornEdge) -> float:
    angle = math.atan2(second.direction[1], second.direction[0])
    return (angle - math.atan2(first.direction[1], first.direction[0])) % TAU


def _meet(first: _WornEdge, second: _WornEdge) -> Floats:
    """Where two lines meet."""
    a, b = first.direction, second.direction
    apart = second.point - first.point
    share = (apart[0] * b[1] - apart[1] * b[0]) / (a[0] * b[1] - a[1] * b[0])
    return first.point + share * a
