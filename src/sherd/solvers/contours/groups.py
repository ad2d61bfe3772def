"""What the assembly of contours gives: groups of pieces, each in a frame of its own, and the joints found."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sherd.core.geometry import Pose, Rotations
from sherd.solvers.contours.clusters import Clusters
from sherd.solvers.contours.joints import Joints
from sherd.solvers.contours.scene import Scene

TELLS_NOTHING = "joints tell nothing: pieces fit many others equally well"
SEVERAL_WHOLES = "the pieces make several wholes, which only straight edges would join"
TURNED = "parts that only straight edges join could lie turned just as well"
TOO_WORN = "worn edges tell too little: pieces could lie otherwise as well"
WORN_APART = "edges are worn, and how far apart the pieces lay is a guess"
TOO_ROUGH = "straight edges that are known only roughly tell too little: pieces could lie otherwise as well"
NO_JOINTS = "no two outlines fit"
TOO_SHORT = "the time was over before all outlines were compared"


@dataclass(frozen=True, slots=True)
class FoundJoint:
    """Two pieces, or a piece and the target (None), whose outlines may lie together.

    ``pose`` is the second's in the frame of the first (of the target, if that is the first). ``length`` is
    the stretch that touches, ``telling`` how much of it is not straight, ``residual`` the root mean square
    distance along it; ``likelihood`` is how likely the joint is right.
    """

    first: int | None
    second: int
    pose: Pose
    length: float
    telling: float
    residual: float
    likelihood: float


@dataclass(frozen=True)
class FoundGroup:
    """Pieces by number that lie together, with their poses; in the target's frame if ``attached`` to it."""

    poses: Mapping[int, Pose]
    attached: bool = False


@dataclass(frozen=True)
class Groups:
    """Groups of two pieces and more, those attached to the target first, then the largest.

    ``alone`` are the pieces in no group, ``strangers`` those without which the largest group is a whole.
    ``tolerance`` is how far apart outlines that touch may lie. ``whole`` says that all pieces came together
    without a flaw that the search could see, or that some fill the target and leave no room for the others;
    ``bent`` that no part of such a whole hangs on the others by straight edges alone. ``note`` says in a few
    words what stood in the way, ``doubt`` what speaks against an answer that looks right.
    """

    groups: tuple[FoundGroup, ...] = ()
    joints: tuple[FoundJoint, ...] = ()
    alone: tuple[int, ...] = ()
    strangers: tuple[int, ...] = ()
    tolerance: float = 0.0
    worth: float = 0.0
    evaluations: int = 0
    bent: bool = False
    whole: bool = False
    note: str = ""
    doubt: str = ""

    def numbered(self, numbers: Sequence[int], count: int) -> Groups:
        """The same with other numbers: piece k is ``numbers[k]`` of ``count``, and all others are alone."""
        if list(numbers) == list(range(count)):
            return self
        rest = set(range(count)).difference(numbers)
        groups = (
            replace(
                group,
                poses={numbers[k]: group.poses[k] for k in sorted(group.poses, key=numbers.__getitem__)},
            )
            for group in self.groups
        )
        return replace(
            self,
            groups=tuple(sorted(groups, key=_rank)),
            joints=tuple(
                replace(
                    joint,
                    first=None if joint.first is None else numbers[joint.first],
                    second=numbers[joint.second],
                )
                for joint in self.joints
            ),
            alone=tuple(sorted(rest.union(numbers[k] for k in self.alone))),
            strangers=tuple(numbers[k] for k in self.strangers),
            whole=self.whole and not rest,
        )


OnGroups = Callable[[Groups], None]


def groups_of(
    clusters: Clusters,
    rotations: Rotations,
    *,
    unit: float,
    centres: NDArray[np.complex128],
    target: int | None,
) -> tuple[tuple[FoundGroup, ...], tuple[int, ...]]:
    """Clusters as groups in the units of the pieces, turned as allowed, and the pieces that are alone.

    ``target`` is the number of the target among the pieces, after all others.
    """
    groups: list[FoundGroup] = []
    alone: list[int] = []
    for label in np.unique(clusters.labels).tolist():
        members = np.flatnonzero(clusters.labels == label)
        attached = target is not None and bool((members == target).any())
        own: list[int] = [piece for piece in members.tolist() if piece != target]
        if not own:
            continue
        if len(own) == 1 and not attached:
            alone.append(own[0])
            continue
        frame = target if attached and target is not None else own[0]
        back = clusters.turns[frame].conjugate()
        shift = clusters.shifts[frame]
        poses: dict[int, Pose] = {}
        for piece in own:
            turn = complex(back * clusters.turns[piece])
            there = complex(back * (clusters.shifts[piece] - shift))
            poses[piece] = _allowed(pose_of(turn, there, unit), unit * complex(centres[piece]), rotations)
        groups.append(FoundGroup(poses, attached))
    groups.sort(key=_rank)
    return tuple(groups), tuple(sorted(alone))


def _rank(group: FoundGroup) -> tuple[bool, int, int]:
    """That in the target first, then the largest."""
    return not group.attached, -len(group.poses), min(group.poses)


def _allowed(pose: Pose, centre: complex, rotations: Rotations) -> Pose:
    """The pose turned about the piece's middle to the nearest allowed angle."""
    if rotations.bins is None:
        return pose
    turned = Pose(0.0, 0.0, rotations.nearest(pose.theta))
    middle = np.array([centre.real, centre.imag])
    x, y = (pose.points(middle) - turned.points(middle)).tolist()
    return Pose(x, y, turned.theta)


def listed(scene: Scene, joints: Joints, likelihoods: NDArray[np.float64]) -> tuple[FoundJoint, ...]:
    """Joints in the units of the pieces, the likeliest first."""
    return tuple(
        FoundJoint(
            first=int(joints.first[k]) if joints.first[k] < scene.pieces else None,
            second=int(joints.second[k]),
            pose=pose_of(complex(joints.turns[k]), complex(joints.shifts[k]), scene.unit),
            length=float(joints.measures[k, 1]) * scene.unit,
            telling=float(joints.measures[k, 2]) * scene.unit,
            residual=math.sqrt(float(joints.measures[k, 3])) * scene.unit,
            likelihood=float(likelihoods[k]),
        )
        for k in np.argsort(-likelihoods, kind="stable").tolist()
    )


def pose_of(turn: complex, shift: complex, unit: float) -> Pose:
    """A turn and a shift in units as a pose."""
    return Pose(unit * shift.real, unit * shift.imag, math.atan2(turn.imag, turn.real))
