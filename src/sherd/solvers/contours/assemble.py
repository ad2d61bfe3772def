"""Pieces put together from stretches of outline, with a target or without: the whole path."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import Pose, Rotations
from sherd.solvers.contours.clusters import Clusters, bonds, copied, singles
from sherd.solvers.contours.groups import Group, Groups, Joint
from sherd.solvers.contours.improve import Arrangement, shake, worth_of
from sherd.solvers.contours.joints import Joints, find_joints
from sherd.solvers.contours.merge import Rules, merge_joints
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.posegraph import relax
from sherd.solvers.contours.scene import Scene, make_scene
from sherd.solvers.stop import Stop

OnGroups = Callable[[Groups], None]


def assemble_contours(
    pieces: Sequence[Polygon],
    target: Polygon | None,
    *,
    stop: Stop,
    rng: np.random.Generator,
    mirror: bool = False,
    rotations: Rotations = Rotations(None),
    params: ContoursParams | None = None,
    on_progress: OnGroups | None = None,
) -> Groups:
    """Groups of pieces whose outlines fit, in the target's frame where there is one.

    Searches until everything lies together or ``stop`` says so.
    """
    return _Search(pieces, target, stop, rng, params or ContoursParams(), on_progress).run()


class _Search:
    """One run: the scene, its joints, and the best arrangement so far."""

    def __init__(
        self,
        pieces: Sequence[Polygon],
        target: Polygon | None,
        stop: Stop,
        rng: np.random.Generator,
        params: ContoursParams,
        on_progress: OnGroups | None,
    ) -> None:
        self.pieces, self.target, self.stop, self.rng = pieces, target, stop, rng
        self.params, self.on_progress = params, on_progress
        self.evaluations = 0

    def run(self) -> Groups:
        scene = make_scene(self.pieces, self.target, self.params)
        joints = find_joints(scene, pairs_of(scene), self.params)
        self.evaluations += len(joints.first)
        rules = Rules(scene.tolerance, self.params.least_merge, self.params.most_inside, 2)
        best = self._begin(scene, joints, rules)
        here, stale = best, 0
        patience = 30 + 10 * scene.pieces
        while not (self.stop(self.evaluations) or is_whole(scene, best.clusters, self.target, rules)):
            found = shake(scene.shapes, here, joints, rules, self.rng)
            self.evaluations += 1
            temperature = self.params.temperature * abs(best.worth) * (1.0 - stale / patience)
            chance = math.exp(min(0.0, found.worth - here.worth) / max(temperature, 1e-9))
            if found.worth > here.worth or self.rng.random() < chance:
                here = found
            stale += 1
            if found.worth > best.worth + 1e-9:
                best, stale = found, 0
                if self.on_progress is not None:
                    self.on_progress(self._groups(scene, joints, best, rules))
            if stale > patience:
                here, stale = best if self.rng.random() < 0.5 else self._begin(scene, joints, rules, noise=0.3), 0
        return self._groups(scene, joints, best, rules)

    def _begin(self, scene: Scene, joints: Joints, rules: Rules, noise: float = 0.0) -> Arrangement:
        clusters = singles(len(scene.outlines))
        liking = np.exp(noise * self.rng.standard_normal(len(joints.first)))
        merge_joints(scene.shapes, clusters, joints, liking, rules)
        self.evaluations += 1
        return Arrangement(clusters, worth_of(scene.shapes, clusters, rules))

    def _groups(self, scene: Scene, joints: Joints, found: Arrangement, rules: Rules) -> Groups:
        clusters = copied(found.clusters)
        for label in np.unique(clusters.labels).tolist():
            relax(scene.shapes, clusters, label, rules.tolerance, 4)
        whole = is_whole(scene, clusters, self.target, rules)
        groups, alone = groups_of(scene, clusters)
        return Groups(
            groups=groups,
            joints=listed(scene, joints),
            alone=alone,
            tolerance=scene.tolerance * scene.unit,
            worth=found.worth,
            evaluations=self.evaluations,
            whole=whole,
        )


def pairs_of(scene: Scene) -> NDArray[np.int64]:
    """All pairs of pieces, and the target with each: (P, 2), the target first."""
    first, second = np.triu_indices(scene.pieces, 1)
    pairs = np.stack([first, second], axis=1)
    if scene.has_target:
        whole = np.full(scene.pieces, scene.pieces)
        pairs = np.concatenate([pairs, np.stack([whole, np.arange(scene.pieces)], axis=1)])
    return pairs.astype(np.int64)


def is_whole(scene: Scene, clusters: Clusters, target: Polygon | None, rules: Rules) -> bool:
    """Whether all pieces are in one cluster that fills the target, or a convex outline if there is none."""
    if (clusters.labels != clusters.labels[0]).any():
        return False
    pairs, _ = bonds(scene.shapes, clusters, rules.tolerance, 1)
    if (pairs < -rules.most_inside).any():
        return False
    points, starts = scene.shapes.points, scene.shapes.starts
    area = float(scene.pieces)  # in units of the mean piece
    if target is not None:
        return area > FILLED * target.area / scene.unit**2
    placed = [
        clusters.turns[p] * points[starts[p] : starts[p + 1]] + clusters.shifts[p] for p in range(scene.pieces)
    ]
    every = np.concatenate(placed)
    hull = shapely.convex_hull(shapely.multipoints(np.stack([every.real, every.imag], axis=1)))
    return area > FILLED * hull.area


FILLED = 0.97


def groups_of(scene: Scene, clusters: Clusters) -> tuple[tuple[Group, ...], tuple[int, ...]]:
    """Clusters as groups in the units of the pieces, and the pieces that are alone."""
    groups: list[Group] = []
    alone: list[int] = []
    whole = scene.pieces
    for label in np.unique(clusters.labels).tolist():
        members = np.flatnonzero(clusters.labels == label)
        attached = scene.has_target and bool((members == whole).any())
        own = [int(piece) for piece in members if piece < whole]
        if not own:
            continue
        if len(own) == 1 and not attached:
            alone.append(own[0])
            continue
        turn, shift = (clusters.turns[whole], clusters.shifts[whole]) if attached else (1.0 + 0.0j, 0.0j)
        back = turn.conjugate()
        poses = {p: _pose(back * clusters.turns[p], back * (clusters.shifts[p] - shift), scene.unit) for p in own}
        groups.append(Group(poses, attached))
    groups.sort(key=lambda group: (not group.attached, -len(group.poses), min(group.poses)))
    return tuple(groups), tuple(sorted(alone))


def listed(scene: Scene, joints: Joints) -> tuple[Joint, ...]:
    """Joints in the units of the pieces."""
    return tuple(
        Joint(
            first=int(joints.first[k]) if joints.first[k] < scene.pieces else None,
            second=int(joints.second[k]),
            pose=_pose(joints.turns[k], joints.shifts[k], scene.unit),
            length=float(joints.measures[k, 1]) * scene.unit,
            telling=float(joints.measures[k, 2]) * scene.unit,
            residual=math.sqrt(float(joints.measures[k, 3])) * scene.unit,
            likelihood=0.5,
        )
        for k in range(len(joints.first))
    )


def _pose(turn: complex, shift: complex, unit: float) -> Pose:
    return Pose(unit * shift.real, unit * shift.imag, math.atan2(turn.imag, turn.real))
