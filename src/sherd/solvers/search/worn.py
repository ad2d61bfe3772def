"""Pieces that lost material: the outline that they had is put back from what is left of its edges.

A worn edge wavers inside the line that it was, and a chipped corner is gone. The longest runs of vertices that lie
along a line each are its edges, a line through each run is moved out to where nothing is missing, and the corners
are where the lines meet.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sherd.geometry import TAU
from sherd.solvers.search.belief import Belief, with_lines
from sherd.solvers.search.outline import Floats, Outline

# Vertices that turn right by more than this, in radians, are no vertices of a convex piece.
REFLEX = 1e-3
# What a run of vertices costs, one between two runs that is in neither, and the square of its width for the widest.
RUN, SKIPPED, WIDTH = 1.0, 0.25, 0.3
# At most so many vertices of a chip are in no run.
MOST_SKIPPED = 1
# Neighbouring edges turn left by at least so much, in radians.
LEAST_TURN = 0.05
# An edge lies about as far beyond its outermost vertices as these beyond the middle of all.
BEYOND = 2.0
# How far a line is off: so many times the scatter of its vertices at the ends, at least this share of the wear, and
# so much of that all in one piece.
CAUTION, LEAST_SCATTER, SHIFT = 1.4, 0.05, 0.7
# No corner is off by more than this share of the target's size.
FARTHEST_CORNER = 0.03


@dataclass(frozen=True)
class _Run:
    """Vertices along a line: the line's point and direction, how much they scatter about it, their extent along it."""

    point: Floats
    direction: Floats
    width: float
    scatter: float
    extent: float


def is_worn(ring: Floats) -> bool:
    """Whether an outline that should be convex is not."""
    return bool((Outline(ring).angles > math.pi + REFLEX).any())


def restore(ring: Floats, wear: float, size: float) -> Belief | None:
    """What a piece was like before ``wear`` of up to this depth; None if its outline has no such edges."""
    runs = _best_runs(ring, wear)
    if runs is None:
        return None
    corners = np.array([_meet(runs[k - 1], runs[k]) for k in range(len(runs))])
    outline = Outline(corners)
    along = np.array([run.direction for run in runs])
    if ((outline.edges * along).sum(axis=1) <= 0.0).any():
        return None
    scatter = CAUTION * np.array([run.scatter for run in runs]) + LEAST_SCATTER * wear
    extent = np.array([run.extent for run in runs])
    ends = scatter * np.maximum(1.0, outline.lengths / extent)
    return with_lines(corners, ends, SHIFT * scatter, FARTHEST_CORNER * size)


def _best_runs(ring: Floats, wear: float) -> list[_Run] | None:
    """The runs, in order around the outline, that leave least unexplained."""
    count = len(ring)
    runs = [_runs_from(ring, start, wear) for start in range(count)]
    best: tuple[float, list[_Run]] | None = None
    for first in range(count):
        # Costs of having come as far as a vertex, and the runs on the way, for walks that begin at ``first``.
        reached: dict[int, tuple[float, list[_Run]]] = {first: (0.0, [])}
        for at in range(first, first + count):
            if at not in reached:
                continue
            cost, taken = reached[at]
            if best is not None and cost >= best[0]:
                continue
            for length, run in runs[at % count].items():
                if taken and not LEAST_TURN <= _turn(taken[-1], run) < math.pi:
                    continue
                end = at + length
                for skipped in range(-1, MOST_SKIPPED + 1):  # -1: both runs have the vertex between them
                    onto = end + 1 + skipped
                    total = cost + RUN + SKIPPED * max(0, skipped) + WIDTH * (run.width / wear) ** 2
                    if onto > first + count:
                        continue
                    if onto not in reached or total < reached[onto][0]:
                        reached[onto] = total, [*taken, run]
        whole = reached.get(first + count)
        if whole is not None and len(whole[1]) >= 3 and (best is None or whole[0] < best[0]):
            if LEAST_TURN <= _turn(whole[1][-1], whole[1][0]) < math.pi:
                best = whole
    return None if best is None else best[1]


def _runs_from(ring: Floats, start: int, wear: float) -> dict[int, _Run]:
    """All runs that begin at a vertex, by how many vertices further they end."""
    runs: dict[int, _Run] = {}
    for length in range(2, len(ring) - 3):
        points = ring[(start + np.arange(length + 1)) % len(ring)]
        run = _fitted(points)
        if run.width > 2.0 * wear:
            break
        if run.width <= wear:
            runs[length] = run
    return runs


def _fitted(points: Floats) -> _Run:
    """The line through a run of vertices, moved out to where the edge was."""
    middle = points.mean(axis=0)
    offset = points - middle
    _, _, axes = np.linalg.svd(offset, full_matrices=False)
    direction = axes[0] if axes[0] @ (points[-1] - points[0]) > 0.0 else -axes[0]
    outward = np.array([direction[1], -direction[0]])
    depth, along = offset @ outward, offset @ direction
    return _Run(
        point=middle + BEYOND * depth.max() * outward,
        direction=direction,
        width=float(depth.max() - depth.min()),
        scatter=float(depth.std()),
        extent=float(along.max() - along.min()),
    )


def _turn(first: _Run, second: _Run) -> float:
    angle = math.atan2(second.direction[1], second.direction[0])
    return (angle - math.atan2(first.direction[1], first.direction[0])) % TAU


def _meet(first: _Run, second: _Run) -> Floats:
    """Where two lines meet."""
    a, b = first.direction, second.direction
    apart = second.point - first.point
    share = (apart[0] * b[1] - apart[1] * b[0]) / (a[0] * b[1] - a[1] * b[0])
    return first.point + share * a
