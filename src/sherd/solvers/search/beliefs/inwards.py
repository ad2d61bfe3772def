"""Laying the parts of a chart into the target from outside inwards.

As around a lost piece, the part that lay on one side of a cut touches the region that was cut with all its
edges but one, and leaves a smaller convex region.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.core.geometry import TAU, Pose, Rotations
from sherd.solvers.search.constants.beliefs import MOST_WAYS_INWARDS, NEAREST_TO_CORNER, REGIONS_A_SET

# An edge that many cuts have shortened to less than this share of its region's outline is none.
SHORTEST_EDGE = 1e-9


@dataclass(frozen=True, eq=False)
class ChartParts:
    """What a chart holds, as arrays: corners of all parts one after another, and their pieces as bits."""

    corners: Floats  # (C, 2)
    begins: Ints  # (P + 1,)
    words: Ints  # (P, W)
    pieces: Ints  # (P,)
    costs: Floats  # (P,)


@dataclass(frozen=True, eq=False)
class OpenRegion:
    """What is open, the pieces left for it as bits of words, and the parts that are laid."""

    corners: Floats
    words: Ints
    left: int
    misfit: float
    laid: tuple[tuple[int, Pose], ...]


@dataclass(frozen=True, eq=False)
class _Cut:
    """A part laid into a region: its edge that is the cut, and the region's first corner that it fills.

    ``words``, ``left`` and ``misfit`` are those of the region that it leaves.
    """

    region: OpenRegion
    part: int
    edge: int
    corner: int
    pose: Pose
    words: Ints
    left: int
    misfit: float


def regions(
    parts: ChartParts,
    start: OpenRegion,
    rotations: Rotations,
    slack: float,
    most: int,
    stop: Callable[[], bool],
) -> Iterator[OpenRegion]:
    """The regions that are left when parts are laid, those with the fewest pieces left first."""
    yield start
    agenda: list[tuple[int, float, int, _Cut]] = []
    met: dict[bytes, int] = {}
    region, offered = start, 0
    for _ in range(max(1, most // len(parts.pieces))):
        if stop():
            return
        if region.left > 1:
            for cut in _cuts(parts, region, rotations, slack):
                key = cut.words.tobytes()
                if met.get(key, 0) < REGIONS_A_SET:
                    met[key] = met.get(key, 0) + 1
                    offered += 1
                    heapq.heappush(agenda, (cut.left, cut.misfit, offered, cut))
        # Most cuts are never come to, so what they leave is worked out only here.
        while agenda:
            rest = _rest(parts, heapq.heappop(agenda)[-1])
            if rest is not None:
                break
        else:
            return
        region = rest
        yield region


def _cuts(parts: ChartParts, region: OpenRegion, rotations: Rotations, slack: float) -> Iterator[_Cut]:
    """The parts that fit the region with all edges but one, the best fit first."""
    ways, poses = np.empty((MOST_WAYS_INWARDS, 3), dtype=np.int64), np.empty((MOST_WAYS_INWARDS, 4))
    count = find_cuts(
        region.corners,
        region.words,
        parts.corners,
        parts.begins,
        parts.words,
        rotations.bins or 0,
        slack,
        ways,
        poses,
    )
    count = min(count, MOST_WAYS_INWARDS)
    total = poses[:count, 3] + parts.costs[ways[:count, 0]]
    for k in np.argsort(total, kind="stable").tolist():
        number, edge, corner = ways[k].tolist()
        x, y, theta, _ = poses[k].tolist()
        yield _Cut(
            region=region,
            part=number,
            edge=edge,
            corner=corner,
            pose=Pose(x, y, theta),
            words=region.words & ~parts.words[number],
            left=region.left - int(parts.pieces[number]),
            misfit=region.misfit + float(total[k]),
        )


def _rest(parts: ChartParts, cut: _Cut) -> OpenRegion | None:
    """What a cut leaves of its region: the corners that the part does not touch, and the cut's ends."""
    part = parts.corners[parts.begins[cut.part] : parts.begins[cut.part + 1]]
    region, corner = cut.region.corners, cut.corner
    count, touched = len(region), len(part) - 2
    start, end = cut.pose.points(part[[(cut.edge + 1) % len(part), cut.edge]])
    # The cut ends on the region's own edges, whatever the part's are like.
    before = _onto(start, region[corner - 1], region[corner])
    after = _onto(end, region[(corner + touched - 1) % count], region[(corner + touched) % count])
    kept = np.roll(region, -(corner + touched), axis=0)[: count - touched]
    rest = np.vstack([kept, before, after])
    lengths = np.linalg.norm(rest - np.roll(rest, 1, axis=0), axis=1)
    rest = rest[lengths > SHORTEST_EDGE * lengths.sum()]
    if len(rest) < 3 or not Polygon(rest).is_valid:
        return None
    return OpenRegion(rest, cut.words, cut.left, cut.misfit, (*cut.region.laid, (cut.part, cut.pose)))


def _onto(point: Floats, start: Floats, end: Floats) -> Floats:
    """The point of an edge, off its corners, that is nearest to another."""
    along = end - start
    share = float((point - start) @ along) / float(along @ along)
    return start + min(max(share, NEAREST_TO_CORNER), 1.0 - NEAREST_TO_CORNER) * along


@compiled
def find_cuts(
    region: Floats,
    left: Ints,
    corners: Floats,
    begins: Ints,
    words: Ints,
    bins: int,
    slack: float,
    ways: Ints,
    poses: Floats,
) -> int:
    """Find the parts of pieces that are left that fit a convex region (n, 2) with all edges but one.

    ``ways`` (M, 3) gets the part, its edge that is the cut, and the region's first corner that it fills;
    ``poses`` (M, 4) x, y, theta and half the squares of what corners are off by, in units of ``slack``.
    Ways beyond M are counted but not kept.
    """
    n, found = len(region), 0
    for part in range(len(begins) - 1):
        outside, equal = False, True
        for w in range(words.shape[1]):
            if words[part, w] & ~left[w]:
                outside = True
                break
            if words[part, w] != left[w]:
                equal = False
        own = corners[begins[part] : begins[part + 1]]
        m = len(own)
        if outside or equal or m - 2 > n - 1 or m < 3:
            continue
        for cut in range(m):
            for corner in range(n):
                # Edges of the part from the end of the cut around to its start lie on edges of the region.
                dot, cross = 0.0, 0.0
                for k in range(m - 1):
                    a, b = own[(cut + 1 + k) % m], own[(cut + 2 + k) % m]
                    c, d = region[(corner - 1 + k) % n], region[(corner + k) % n]
                    x, y, u, v = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
                    long = math.sqrt(u * u + v * v)
                    dot += (x * u + y * v) / long
                    cross += (x * v - y * u) / long
                theta = math.atan2(cross, dot)
                if bins > 0:
                    step = TAU / bins
                    theta = round(theta / step) * step
                cos, sin = math.cos(theta), math.sin(theta)
                x, y = 0.0, 0.0
                for k in range(m - 2):
                    a, c = own[(cut + 2 + k) % m], region[(corner + k) % n]
                    x += c[0] - (cos * a[0] - sin * a[1])
                    y += c[1] - (sin * a[0] + cos * a[1])
                x, y = x / (m - 2), y / (m - 2)
                square, fits = 0.0, True
                for k in range(m - 2):
                    a, c = own[(cut + 2 + k) % m], region[(corner + k) % n]
                    u = cos * a[0] - sin * a[1] + x - c[0]
                    v = sin * a[0] + cos * a[1] + y - c[1]
                    off = u * u + v * v
                    if off > slack * slack:
                        fits = False
                        break
                    square += off
                if not fits:
                    continue
                for which in range(2):
                    if which == 0:
                        a, c, d = own[(cut + 1) % m], region[corner], region[corner - 1]
                    else:
                        a, c, d = own[cut], region[(corner + m - 3) % n], region[(corner + m - 2) % n]
                    u, v = d[0] - c[0], d[1] - c[1]
                    long = math.sqrt(u * u + v * v)
                    p = cos * a[0] - sin * a[1] + x - c[0]
                    q = sin * a[0] + cos * a[1] + y - c[1]
                    along, off = (p * u + q * v) / long, (p * v - q * u) / long
                    if abs(off) > slack or along < 0.0 or along > long + 0.5 * slack:
                        fits = False
                        break
                    square += off * off
                if not fits:
                    continue
                if found < len(ways):
                    ways[found, 0], ways[found, 1], ways[found, 2] = part, cut, corner
                    poses[found, 0], poses[found, 1], poses[found, 2] = x, y, theta
                    poses[found, 3] = 0.5 * square / (slack * slack)
                found += 1
    return found
