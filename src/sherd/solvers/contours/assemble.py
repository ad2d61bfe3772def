"""Pieces put together from stretches of outline, with a target or without: the whole path."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import Pose, Rotations
from sherd.solvers.contours.closure import closed_shares
from sherd.solvers.contours.clusters import Clusters, copied, singles
from sherd.solvers.contours.groups import Group, Groups, Joint
from sherd.solvers.contours.guesses import Guess, evidence, guesses
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


@dataclass
class _Attempt:
    """A guess with its scene and joints, and where the search under it stands."""

    scene: Scene
    joints: Joints
    rules: Rules
    evidence: float
    best: Arrangement | None = None


class _Search:
    """One run: attempts under several guesses, and the best arrangement of all."""

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
        attempts: list[_Attempt] = []
        for guess in guesses(self.pieces, self.target, self.params):
            attempts.append(self._attempt(guess))
            if attempts[-1].evidence > self.params.clear_evidence or self.stop(self.evaluations):
                break
        attempts.sort(key=lambda attempt: -attempt.evidence)
        leader = attempts[0]
        for turn in itertools.count():
            for place, attempt in enumerate(attempts):
                if turn == 0 or place <= turn:
                    whole = self._search(attempt)
                    if whole or self.stop(self.evaluations):
                        chosen = attempt if whole else leader
                        return self._groups(chosen, chosen.best or self._begin(chosen))
        raise AssertionError("unreachable")

    def _attempt(self, guess: Guess) -> _Attempt:
        scene = make_scene(
            self.pieces, self.target, self.params, growth=guess.growth, tolerance=guess.tolerance
        )
        joints = find_joints(scene, pairs_of(scene), self.params)
        self.evaluations += len(joints.first)
        rules = Rules(scene.tolerance, self.params.least_merge, self.params.most_inside, 2)
        return _Attempt(scene, joints, rules, evidence(scene, joints))

    def _search(self, attempt: _Attempt) -> bool:
        """Search under a guess until nothing better comes for a while; whether all came together."""
        scene, joints, rules = attempt.scene, attempt.joints, attempt.rules
        start = self._begin(attempt, noise=0.0 if attempt.best is None else 0.3)
        if attempt.best is None or start.worth > attempt.best.worth:
            attempt.best = start
        here, stale = start if self.rng.random() < 0.5 else attempt.best, 0
        patience = 40 + 12 * scene.pieces
        while not self.stop(self.evaluations):
            if stale == 0 and here is attempt.best and is_whole(scene, here.clusters, rules, self.params):
                return True
            found = shake(scene.shapes, here, joints, rules, self.rng)
            self.evaluations += 1
            temperature = self.params.temperature * abs(attempt.best.worth) * (1.0 - stale / patience)
            chance = math.exp(min(0.0, found.worth - here.worth) / max(temperature, 1e-9))
            if found.worth > here.worth or self.rng.random() < chance:
                here = found
            stale += 1
            if found.worth > attempt.best.worth + 1e-9:
                attempt.best, stale = found, 0
                if self.on_progress is not None:
                    self.on_progress(self._groups(attempt, found))
            if stale > patience:
                return False
        return False

    def _begin(self, attempt: _Attempt, noise: float = 0.0) -> Arrangement:
        clusters = singles(len(attempt.scene.outlines))
        liking = np.exp(noise * self.rng.standard_normal(len(attempt.joints.first)))
        merge_joints(attempt.scene.shapes, clusters, attempt.joints, liking, attempt.rules)
        self.evaluations += 1
        return Arrangement(clusters, worth_of(attempt.scene.shapes, clusters, attempt.rules))

    def _groups(self, attempt: _Attempt, found: Arrangement) -> Groups:
        scene, rules = attempt.scene, attempt.rules
        clusters = copied(found.clusters)
        for label in np.unique(clusters.labels).tolist():
            relax(scene.shapes, clusters, label, rules.tolerance, 4)
        groups, alone = groups_of(scene, clusters)
        return Groups(
            groups=groups,
            joints=listed(scene, attempt.joints),
            alone=alone,
            tolerance=scene.tolerance * scene.unit,
            worth=found.worth,
            evaluations=self.evaluations,
            whole=is_whole(scene, clusters, rules, self.params),
        )


def pairs_of(scene: Scene) -> NDArray[np.int64]:
    """All pairs of pieces, and the target with each: (P, 2), the target first."""
    first, second = np.triu_indices(scene.pieces, 1)
    pairs = np.stack([first, second], axis=1)
    if scene.has_target:
        whole = np.full(scene.pieces, scene.pieces)
        pairs = np.concatenate([pairs, np.stack([whole, np.arange(scene.pieces)], axis=1)])
    return pairs.astype(np.int64)


def is_whole(scene: Scene, clusters: Clusters, rules: Rules, params: ContoursParams) -> bool:
    """Whether all pieces are in one cluster without gaps: about the target, or to a convex outline."""
    if (clusters.labels != clusters.labels[0]).any():
        return False
    touched, inside = closed_shares(scene.shapes, clusters, 2.0 * rules.tolerance)
    own = slice(0, scene.pieces)
    if inside[own].mean() > 1.0 - params.closed:
        return False
    points, starts = scene.shapes.points, scene.shapes.starts
    if scene.has_target:
        return bool(touched[own].mean() > params.closed and touched[own].min() > params.closed_least)
    placed = [
        clusters.turns[p] * points[starts[p] : starts[p + 1]] + clusters.shifts[p] for p in range(scene.pieces)
    ]
    every = np.concatenate(placed)
    hull = shapely.convex_hull(shapely.multipoints(np.stack([every.real, every.imag], axis=1)))
    # What is not touched must be the outline of the whole, and no more than that.
    free = float(((1.0 - touched[own]) * np.diff(starts)[own]).sum()) * scene.spacing
    return free < FREE * hull.length and float(scene.pieces) > FILLED * hull.area


# Without a target: how much longer than its convex hull an assembly's outline may be, and how much of the
# hull it fills.
FREE = 1.06
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
