"""Welding: pieces that must be neighbours, for they have an edge of the same length and no others have it.

Exact edges agree in length by chance about never. Where the two edges of one length are clear, their pieces
are laid together, whatever their angles, and are one part from then on; that brings new edges to light. What
cannot be told stays apart and is left to tiling.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import Pose, Rotations
from sherd.core.plain_at_first import plain_at_first
from sherd.solvers.search.constants.tiling import RARE, SAME_DISTANCE
from sherd.solvers.search.tiling.boundary import make_remainder, make_scratch
from sherd.solvers.search.tiling.facts import CornerFacts, find_orbits, gather_corners
from sherd.solvers.search.tiling.region import OUTSIDE, ring_area, subtract

Rings = tuple[Floats, ...]

_ring_area, _subtract = plain_at_first(ring_area), plain_at_first(subtract)


@dataclass(frozen=True, eq=False)
class Weld:
    """Pieces welded together: their joint rings, the outline first, and each one's pose, by number."""

    rings: Rings
    members: tuple[tuple[int, Pose], ...]

    @property
    def polygon(self) -> Polygon:
        """The area of all members."""
        return Polygon(self.rings[0], self.rings[1:])


@dataclass(frozen=True)
class _Joint:
    """Two parts laid together along an edge of each: what becomes of them, and how much speaks for it.

    ``evidence`` counts corners that vanish beside those of the edge itself.
    """

    edges: tuple[int, int]
    evidence: int
    whole: Weld = field(compare=False)


def weld(
    outlines: Sequence[Rings],
    target: Rings,
    rotations: Rotations,
    slack: float,
    *,
    mirror: bool,
    stop: Callable[[], bool],
) -> list[Weld]:
    """What is left when no two parts must be neighbours, one part if all goes well.

    Edges as long as a whole side of the target are left alone, for most likely they lie there.
    """
    parts = [Weld(rings, ((number, Pose()),)) for number, rings in enumerate(outlines)]
    sides = np.sort(gather_corners(target).length)
    while len(parts) > 1 and not stop():
        taken: set[int] = set()
        fresh: list[Weld] = []
        for first, second, joint in _clear_joints(parts, sides, rotations, slack, mirror, stop):
            if first not in taken and second not in taken:
                taken |= {first, second}
                fresh.append(joint.whole)
        if not fresh:
            break
        parts = [part for number, part in enumerate(parts) if number not in taken] + fresh
    return parts


def _clear_joints(
    parts: Sequence[Weld],
    sides: Floats,
    rotations: Rotations,
    slack: float,
    mirror: bool,
    stop: Callable[[], bool],
) -> Iterator[tuple[int, int, _Joint]]:
    """The joints of two parts that no other joint of the same edges comes up to, the surest first.

    None if it is stopped, for then it is not known what else comes up to them.
    """
    rings = [ring for part in parts for ring in part.rings]
    owner = np.repeat(np.arange(len(parts)), [sum(map(len, part.rings)) for part in parts])
    facts = gather_corners(rings)
    is_lone = [len(part.rings) > 1 for part in parts for _ in part.rings]
    orbit = find_orbits(rings, facts, is_lone, np.full(len(rings), rotations.bins or 0), slack)
    joints: list[tuple[int, int, _Joint]] = []
    for group in _alike(facts.length, orbit, sides, slack):
        for k, first in enumerate(group):
            for second in group[k + 1 :]:
                one, other = int(owner[first]), int(owner[second])
                if one == other:
                    continue
                if stop():
                    return
                wholes: list[Weld] = []
                for mirrored in (False, True) if mirror else (False,):
                    pose = _pose(facts, first, second, mirrored)
                    if not rotations.allows(pose.theta, slack / float(facts.length[first])):
                        continue
                    whole = _join(parts[one], parts[other], pose, slack)
                    # A part that is its own mirror image makes the same of both ways.
                    if whole is not None and not any(_are_mirrored(whole, known, slack) for known in wholes):
                        wholes.append(whole)
                        before = sum(map(len, (*parts[one].rings, *parts[other].rings)))
                        evidence = before - 2 - sum(map(len, whole.rings))
                        joints.append((one, other, _Joint((first, second), evidence, whole)))
    best: dict[int, list[int]] = {}
    for _, _, joint in joints:
        for edge in joint.edges:
            best.setdefault(int(orbit[edge]), []).append(joint.evidence)
    clear = [
        entry
        for entry in joints
        if all(sum(e >= entry[2].evidence for e in best[int(orbit[edge])]) == 1 for edge in entry[2].edges)
    ]
    yield from sorted(clear, key=lambda entry: -entry[2].evidence)


def _alike(length: Floats, orbit: Ints, sides: Floats, slack: float) -> Iterator[list[int]]:
    """Groups of few edges of the same length, one for each look, without those as long as a side."""
    order = np.argsort(length, kind="stable")
    breaks = np.flatnonzero(np.diff(length[order]) > 2.0 * slack) + 1
    for group in np.split(order, breaks):
        if len(group) < 2 or np.any(np.abs(sides - length[group[0]]) <= 4.0 * slack):
            continue
        looks: dict[int, list[int]] = {}
        for edge in group.tolist():
            looks.setdefault(int(orbit[edge]), []).append(edge)
        if len(looks) == 1:  # two or more equal pieces: which belong together is not clear
            continue
        if len(looks) <= RARE:
            yield [edges[0] for edges in looks.values()]


def _pose(facts: CornerFacts, first: int, second: int, mirrored: bool) -> Pose:
    """The pose that lays the second edge's part against the first edge, mirrored before if asked."""
    flip = Pose(mirrored=mirrored)
    start, end = flip.points(facts.points[[second, facts.after[second]]])
    if mirrored:
        start, end = end, start  # a mirrored ring runs the other way round
    along, own = facts.direction[first], (end - start) / facts.length[second]
    theta = math.atan2(float(along[1]), float(along[0])) + math.pi - math.atan2(float(own[1]), float(own[0]))
    middle = (facts.points[first] + facts.points[facts.after[first]]) / 2.0
    x, y = (middle - Pose(theta=theta).points((start + end) / 2.0)).tolist()
    return Pose(x, y, theta, mirrored)


def _are_mirrored(one: Weld, other: Weld, slack: float) -> bool:
    """Whether parts without holes have one outline, or the mirror image of it."""
    (ring, *holes), (other_ring, *other_holes) = one.rings, other.rings
    if holes or other_holes or len(ring) != len(other_ring):
        return False
    distances, others, count = _distances(ring), _distances(other_ring), len(ring)
    sums = np.sort(distances.sum(axis=0)) - np.sort(others.sum(axis=0))
    if np.abs(sums).max() > count * SAME_DISTANCE * slack:
        return False
    for way in (1, -1):
        for shift in range(count):
            numbers = (shift + way * np.arange(count)) % count
            if np.abs(distances - others[np.ix_(numbers, numbers)]).max() <= SAME_DISTANCE * slack:
                return True
    return False


def _distances(ring: Floats) -> Floats:
    """Between all corners, (n, n): they tell an outline but for its place, its turn and its mirror image."""
    apart = ring[:, None] - ring
    return np.hypot(apart[..., 0], apart[..., 1])


def _join(first: Weld, second: Weld, pose: Pose, slack: float) -> Weld | None:
    """Both parts as one, or None if they overlap.

    The second is taken out of a large box without the first: the hole that is left is the outline of both.
    """
    moved = [pose.points(ring)[:: -1 if pose.mirrored else 1] for ring in second.rings]
    everything = np.concatenate([*first.rings, *moved])
    low, high = everything.min(axis=0), everything.max(axis=0)
    reach = float((high - low).max())
    (left, bottom), (right, top) = (low - reach).tolist(), (high + reach).tolist()
    box = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
    around = [box, *(ring[::-1] for ring in first.rings)]
    points, piece = np.concatenate(around), np.concatenate(moved)
    size = 2 * (len(points) + len(piece)) + 8
    out = make_remainder(size)
    rings, _ = _subtract(
        points,
        np.arange(len(points)),
        np.concatenate([[0], np.cumsum([len(ring) for ring in around])]),
        piece,
        np.concatenate([[0], np.cumsum([len(ring) for ring in moved])]),
        slack,
        make_scratch(size),
        out,
    )
    if rings == OUTSIDE:
        return None
    found = [out.points[out.starts[k] : out.starts[k + 1]][::-1].copy() for k in range(rings)]
    areas = [_ring_area(ring, 0, len(ring)) for ring in found]
    outside = int(np.argmin(areas))  # the box, turned round
    outlines = [ring for ring, area in zip(found, areas, strict=True) if area > 0.0]
    holes = [
        ring for k, (ring, area) in enumerate(zip(found, areas, strict=True)) if area < 0.0 and k != outside
    ]
    if len(outlines) != 1:
        return None
    return Weld(
        (outlines[0], *holes),
        (*first.members, *((number, pose @ member) for number, member in second.members)),
    )
