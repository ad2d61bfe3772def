"""How good an answer without a target is: groups of pieces against the truth, after one rigid alignment.

A group has a frame of its own, so the truth is laid onto it first: by least squares over the vertices of all
its pieces, or of those that are right among each other if that fits better. Pieces that are alike are told
apart by their ids.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import ArgumentError
from sherd.core.geometry import Pose, angle_between, intersection

Group = Mapping[str, Pose]
Joint = frozenset[str]

# A piece is right within this share of the side, its centroid, and this angle.
PLACE_TOLERANCE = 0.01
ANGLE_TOLERANCE = math.radians(2.0)
# Neighbours share at least this length, as a share of the root of the mean piece's area. In an answer, which
# leaves gaps, outlines this near to each other count as shared, and a corner that is near must not be enough.
LEAST_SHARED, LEAST_NEAR, NEAR = 0.1, 0.25, 0.05
THINNED = 0.05  # of that: how far outlines of an answer may be off
TOUCHING = 1e-6


@dataclass(frozen=True, kw_only=True)
class GroupScores:
    """Groups of placed pieces against the truth.

    all_right        whether all pieces that belong together are right, in one group without any other
    in_order         whether each of them, and no other, is in one group and covers most of its own place
    largest_right    share of them in the largest group of pieces that are right among each other
    overlap          area-weighted mean of the IoU of each with its place; those outside that group count 0
    covered          the same of the share of its place that each covers, which others call Q_pos
    joint_precision  share of the answer's joints whose two pieces lie right to each other; None without any
    joint_recall     share of the true joints that are so; None without any
    """

    all_right: bool
    largest_right: float
    in_order: bool
    overlap: float
    covered: float
    joint_precision: float | None
    joint_recall: float | None


def score_groups(
    outlines: Mapping[str, Polygon],
    truth: Group,
    groups: Sequence[Group],
    *,
    side: float,
    joints: Iterable[Joint] | None = None,
    found: Iterable[Joint] | None = None,
) -> GroupScores:
    """Groups against the true poses of those pieces that belong together; others are foreign.

    ``joints`` are the pairs of true neighbours and ``found`` those of the answer. Both are told from the
    outlines where they are not given: for worn pieces, which touch nowhere, they should be.
    """
    if not truth:
        raise ArgumentError("no piece belongs to the puzzle")
    groups = [group for group in groups if group]
    best, right = _largest_right(truth, groups, side)
    overlap = covered = least = 0.0
    if best is not None:
        overlap, covered, least = _overlaps(outlines, truth, best, right)
    true_joints = frozenset(joints_of(outlines, truth, TOUCHING * side) if joints is None else joints)
    if found is None:
        found = (joint for group in groups for joint in joints_of(outlines, group))
    answered = frozenset(found)
    return GroupScores(
        all_right=best is not None and len(right) == len(truth) == len(best),
        largest_right=len(right) / len(truth),
        in_order=best is not None and len(best) == len(truth) and least > 0.5,
        overlap=overlap,
        covered=covered,
        joint_precision=_share_right(answered, truth, groups, side),
        joint_recall=_share_right(true_joints, truth, groups, side),
    )


def rigid_alignment(points: Floats, onto: Floats, weights: Floats) -> Pose:
    """The motion without mirroring that lays points (n, 2) onto others with the least weighted squares.

    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> moved = Pose(2.0, 3.0, 0.5)
    >>> rigid_alignment(square, moved.points(square), np.ones(3)).is_close(moved)
    True
    """
    here, there = points[:, 0] + 1j * points[:, 1], onto[:, 0] + 1j * onto[:, 1]
    weights = weights / weights.sum()
    from_, to = weights @ here, weights @ there
    spin = complex(np.vdot(here - from_, weights * (there - to)))
    turn = spin / abs(spin) if spin else 1.0 + 0.0j
    shift = complex(to - turn * from_)
    return Pose(shift.real, shift.imag, cmath.phase(turn))


def joints_of(outlines: Mapping[str, Polygon], group: Group, near: float | None = None) -> set[Joint]:
    """The pairs of neighbours in a group: pieces whose outlines run along each other for a while.

    Without ``near``, how far outlines may be apart, pieces count as placed with gaps.
    """
    names = list(group)
    placed = np.array([group[name].apply(outlines[name]) for name in names], dtype=object)
    if len(names) < 2:
        return set()
    scale = math.sqrt(float(shapely.area(placed).mean()))
    least = (LEAST_NEAR if near is None else LEAST_SHARED) * scale
    if near is None:
        near = NEAR * scale
        placed = shapely.simplify(placed, THINNED * near)  # distances of scanned outlines take minutes else
    first, second = shapely.STRtree(placed).query(placed, "dwithin", near)
    first, second = first[first < second], second[first < second]
    around = shapely.buffer(placed, near, quad_segs=2)
    along = shapely.intersection(shapely.boundary(placed[first]), around[second])
    long = shapely.length(along) >= least
    pairs: list[tuple[int, int]] = np.stack([first[long], second[long]], axis=-1).tolist()
    return {frozenset((names[i], names[j])) for i, j in pairs}


def _largest_right(truth: Group, groups: Sequence[Group], side: float) -> tuple[Group | None, list[str]]:
    """The group with the most pieces that are right among each other, and their ids."""
    best: Group | None = None
    most: list[str] = []
    for group in groups:
        right = _right_together(truth, group, side)
        if len(right) > len(most):
            best, most = group, right
    return best, most


def _right_together(truth: Group, group: Group, side: float) -> list[str]:
    """The most pieces of a group that are right once one of them lies just where it should."""
    names = [name for name in group if name in truth and group[name].mirrored == truth[name].mirrored]
    if not names:
        return []
    here, there = (np.array([complex(of[name].x, of[name].y) for name in names]) for of in (group, truth))
    turn = np.array([truth[name].theta - group[name].theta for name in names])

    def right_under(spin: NDArray[np.complex128], shift: NDArray[np.complex128]) -> NDArray[np.bool_]:
        """Which pieces (N,) are right under motions (M,): (M, N)."""
        off = np.abs(spin[:, None] * here + shift[:, None] - there)
        askew = np.abs(np.angle(np.exp(1j * turn) / spin[:, None]))
        return (off <= PLACE_TOLERANCE * side) & (askew <= ANGLE_TOLERANCE)

    spin = np.exp(1j * turn)
    right = right_under(spin, there - spin * here)
    chosen = right[right.sum(axis=1).argmax()]
    # Errors add up away from the piece that was laid exactly: a mean motion of those right serves more.
    for _ in range(3):
        if chosen.sum() < 2:
            break
        motion = rigid_alignment(_xy(here[chosen]), _xy(there[chosen]), np.ones(int(chosen.sum())))
        mean = right_under(
            np.array([cmath.rect(1.0, motion.theta)]), np.array([complex(motion.x, motion.y)])
        )[0]
        if mean.sum() <= chosen.sum():
            break
        chosen = mean
    return [name for name, is_right in zip(names, chosen.tolist(), strict=True) if is_right]


def _overlaps(
    outlines: Mapping[str, Polygon], truth: Group, group: Group, right: Sequence[str]
) -> tuple[float, float, float]:
    """Area-weighted IoU and share of places covered, and the least such share, as aligned best."""
    names = [name for name in group if name in truth]
    return max(
        _overlaps_under(_aligned(outlines, truth, group, some), outlines, truth, group, names)
        for some in (names, right)
    )


def _aligned(outlines: Mapping[str, Polygon], truth: Group, group: Group, names: Sequence[str]) -> Pose:
    """The motion that lays these pieces of a group onto their places."""
    here, there, weights = list[Floats](), list[Floats](), list[Floats]()
    for name in names:
        points = np.asarray(outlines[name].exterior.coords)[:-1]
        here.append(group[name].points(points))
        there.append(truth[name].points(points))
        weights.append(np.full(len(points), outlines[name].area / len(points)))
    return rigid_alignment(np.concatenate(here), np.concatenate(there), np.concatenate(weights))


def _overlaps_under(
    motion: Pose, outlines: Mapping[str, Polygon], truth: Group, group: Group, names: Sequence[str]
) -> tuple[float, float, float]:
    total = sum(outlines[name].area for name in truth)
    overlap = covered = 0.0
    least = 1.0 if len(names) == len(truth) else 0.0
    for name in names:
        outline = outlines[name]
        shared = intersection((motion @ group[name]).apply(outline), truth[name].apply(outline)).area
        overlap += outline.area * shared / (2.0 * outline.area - shared)
        covered += shared
        least = min(least, shared / outline.area)
    return min(overlap / total, 1.0), min(covered / total, 1.0), least


def _share_right(
    joints: frozenset[Joint], truth: Group, groups: Sequence[Group], side: float
) -> float | None:
    """The share of these pairs that lie to each other in the answer as they do in truth."""
    if not joints:
        return None
    of = {name: group for group in groups for name in group}
    count = 0
    for one, other in (sorted(joint) for joint in joints):
        together = one in of and of[one] is of.get(other) and one in truth and other in truth
        count += together and _alike(of[one], truth, one, other, side)
    return count / len(joints)


def _alike(group: Group, truth: Group, one: str, other: str, side: float) -> bool:
    """Whether one piece lies to another as it should."""
    found, meant = (poses[one].inverse() @ poses[other] for poses in (group, truth))
    return (
        found.mirrored == meant.mirrored
        and math.hypot(found.x - meant.x, found.y - meant.y) <= PLACE_TOLERANCE * side
        and angle_between(found.theta, meant.theta) <= ANGLE_TOLERANCE
    )


def _xy(values: NDArray[np.complex128]) -> Floats:
    return np.stack([values.real, values.imag], axis=-1)
