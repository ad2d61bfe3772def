"""The end of an attempt: which of its pieces belong together, as groups, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.core.geometry import Pose
from sherd.solvers.contours.attempt import GuessAttempt
from sherd.solvers.contours.bends import parts_by_bends
from sherd.solvers.contours.clusters import Clusters, copied, relisted
from sherd.solvers.contours.fusing import union_of
from sherd.solvers.contours.groups import (
    NO_JOINTS,
    SEVERAL_WHOLES,
    TELLS_NOTHING,
    TOO_ROUGH,
    TOO_SHORT,
    TOO_WORN,
    TURNED,
    WORN_APART,
    FoundGroup,
    FoundJoint,
    Groups,
    groups_of,
    listed,
)
from sherd.solvers.contours.joints import Joints
from sherd.solvers.contours.likelihood import likelihoods
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.posegraph import relax_all
from sherd.solvers.contours.scene import Scene
from sherd.solvers.contours.whole import holding, is_a_whole, strangers

ALIKE = 0.9
MANY = 12  # joints of a piece that are worth as much as its best, so that none tells
# Of worn pieces no more than this share may hang by edges that are straight as far as they are known: 10 of
# 16 wavy ones did, of which one in five was wrong (seeds 611 and 612), 3 or 4 of 8, all right. Nor of pieces
# that fit under the coarsest guess alone: of four straight cuts of 8 at 300 px two were wrong (seed 641).
MOST_STRAIGHT = 0.5
RECTANGULAR = 0.985  # share of the least rectangle about it that a rectangle fills
UNLIKELY = 0.1  # where no joint is likelier, and no more than two pieces lie together, none fit


@dataclass(frozen=True)
class Ending:
    """The best arrangement of an attempt at rest, what does not belong parted from it.

    ``foreign`` are those that the others make a whole without; ``parts`` is how many parts of a whole only
    straight edges join; ``explained`` says that all but those that are foreign make wholes.
    """

    scene: Scene
    clusters: Clusters
    worth: float
    foreign: list[int]
    parts: int
    explained: bool

    @property
    def placed(self) -> int:
        """How many pieces lie in the target, if there is one."""
        labels = self.clusters.labels
        return int((labels == labels[-1]).sum()) if self.scene.has_target else 0


def end_of(attempt: GuessAttempt) -> Ending:
    """Where the search under a guess has come to."""
    params, scene, best = attempt.task.params, attempt.scene, attempt.best or attempt.begin(0.0)
    clusters = copied(best.clusters)
    if attempt.fitted is not None and attempt.fitted.arrangement is best:
        scene, clusters = attempt.fitted.scene, copied(attempt.fitted.clusters)
    tolerance = params.slack * scene.tolerance
    relax_all(scene.shapes, clusters, tolerance, params.last_steps)
    if scene.has_target:
        if not attempt.whole:
            holding(scene, clusters, tolerance, params)
        parts = parts_by_bends(scene, clusters, tolerance, params)[
            clusters.labels[:-1] == clusters.labels[-1]
        ]
        return Ending(scene, clusters, best.worth, [], len(np.unique(parts)), attempt.whole)
    foreign = [] if attempt.whole else strangers(scene, clusters, tolerance, params)
    if foreign:
        return Ending(scene, clusters, best.worth, foreign, parts=1, explained=True)
    parts = parts_by_bends(scene, clusters, tolerance, params)
    if not attempt.whole:
        holding(scene, clusters, tolerance, params)
    several = _are_wholes(scene, clusters, parts, tolerance, params)
    if several and (not attempt.whole or _are_rectangles(scene, clusters, parts)):
        clusters.labels[:] = parts
        relisted(clusters)
    several = several or _are_wholes(scene, clusters, clusters.labels, tolerance, params)
    return Ending(scene, clusters, best.worth, [], len(np.unique(parts)), attempt.whole or several)


def _are_wholes(
    scene: Scene,
    clusters: Clusters,
    parts: NDArray[np.int64],
    tolerance: float,
    params: ContoursParams,
) -> bool:
    """Whether there are several parts, each a whole of its own."""
    names = np.unique(parts)
    alone = clusters._replace(labels=parts)
    return len(names) > 1 and all(
        is_a_whole(scene, alone, parts == part, tolerance, params) for part in names.tolist()
    )


def _are_rectangles(scene: Scene, clusters: Clusters, parts: NDArray[np.int64]) -> bool:
    """Whether all parts of a whole are: those of one tile that was cut are so seldom."""
    for part in np.unique(parts).tolist():
        members: list[int] = np.flatnonzero(parts == part).tolist()
        hull = union_of(scene, clusters, members, scene.tolerance).convex_hull
        if hull.area < RECTANGULAR * hull.minimum_rotated_rectangle.area:
            return False
    return True


def groups_at(attempt: GuessAttempt, end: Ending) -> Groups:
    """The end of an attempt in the pieces' own units, and what is known besides."""
    task, scene, clusters = attempt.task, end.scene, end.clusters
    groups, alone = groups_of(
        clusters,
        task.rotations,
        unit=scene.unit,
        centres=scene.shapes.centres,
        target=scene.pieces if scene.has_target else None,
    )
    is_one = attempt.whole and (scene.has_target or len(groups) == 1)
    note = "" if is_one else note_on(scene, attempt.joints)
    if end.explained and not end.foreign and len(groups) > 1:
        note = SEVERAL_WHOLES
    chances = likelihoods(attempt.scene, attempt.joints)
    if np.bincount(clusters.labels).max() <= 2 and float(chances.max(initial=0.0)) < UNLIKELY:
        note = NO_JOINTS
    joints = listed(scene, attempt.joints, chances)
    if not groups:
        groups, alone = _likeliest_pair(joints, alone)
    return Groups(
        groups=groups,
        joints=joints,
        alone=alone,
        strangers=tuple(end.foreign),
        tolerance=scene.tolerance * scene.unit,
        worth=end.worth,
        evaluations=task.evaluations,
        bent=attempt.whole and (end.parts == 1 or scene.has_target),
        whole=is_one,
        note=TOO_SHORT if note == NO_JOINTS and task.is_cut_short else note,
        doubt=_doubt(attempt, end),
    )


def _likeliest_pair(
    joints: Sequence[FoundJoint], alone: tuple[int, ...]
) -> tuple[tuple[FoundGroup, ...], tuple[int, ...]]:
    """Where nothing holds, the two pieces that are likeliest to lie together, if any are, and the others."""
    best = next((one for one in joints if one.first is not None), None)
    if best is None or best.first is None or best.likelihood < UNLIKELY:
        return (), alone
    pair = FoundGroup({best.first: Pose(0.0, 0.0, 0.0), best.second: best.pose})
    return (pair,), tuple(piece for piece in alone if piece not in pair.poses)


def _doubt(attempt: GuessAttempt, end: Ending) -> str:
    """What speaks against a whole: parts that could be turned, or edges straight as far as they are known.

    Without a target, any wear: how far apart pieces lay is then told by where they lie themselves.
    """
    if not attempt.whole:
        return ""
    if attempt.has_rivals:
        return TURNED
    if not end.scene.has_target:
        growth = attempt.guess.growth if attempt.fitted is None else attempt.fitted.growth
        return WORN_APART if growth > 0.0 else ""
    if end.parts <= MOST_STRAIGHT * end.scene.pieces:
        return ""
    if attempt.guess.growth > 0.0:
        return TOO_WORN
    is_rough = attempt.guess.tolerance >= attempt.task.params.tolerances[-1]
    return TOO_ROUGH if is_rough else ""


def note_on(scene: Scene, joints: Joints) -> str:
    """What stands in the way, if joints show it: there are none, or all are alike."""
    if not len(joints.first):
        return NO_JOINTS
    own = joints.first < scene.pieces
    rivals: list[int] = []
    for piece in range(scene.pieces):
        worth = joints.worth[own & ((joints.first == piece) | (joints.second == piece))]
        rivals.append(int((worth > ALIKE * worth.max(initial=0.0)).sum()))
    return TELLS_NOTHING if np.median(rivals) > MANY else ""
