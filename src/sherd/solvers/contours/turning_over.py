"""Pieces that may be turned over: which of them are, told by joints with the mirror images of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import Pose, Region, Rotations
from sherd.solvers.contours.groups import Groups
from sherd.solvers.contours.guesses import contrast, guesses, probes
from sherd.solvers.contours.joints import find_joints
from sherd.solvers.contours.likelihood import likelihoods
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import make_scene
from sherd.solvers.stop import Resumed, Stop, share_after

OVER = Pose(mirrored=True)
# Shares of the time after which an attempt that makes no whole ends, and others are turned over.
ENDS = (0.4, 0.7, 1.0)
LEAST = 0.05  # likelihood of a joint that tells on which side two pieces lie

# Puts pieces together as they are given; what is reported on the way goes through the second.
Assemble = Callable[[Sequence[Polygon], Callable[[Groups], Groups], Stop], Groups]


@dataclass(frozen=True)
class _Until:
    """A rule that stops after a share of another's limit."""

    stop: Stop
    share: float

    def __call__(self, evaluations: int) -> bool:
        spent = share_after(self.stop, evaluations)
        return self.stop(evaluations) or (spent is not None and spent >= self.share)

    def share_spent(self) -> float | None:
        spent = share_after(self.stop, 0)
        return None if spent is None else spent / self.share


def assemble_turned_over(
    pieces: Sequence[Polygon],
    target: Region | None,
    may: NDArray[np.bool_],
    assemble: Assemble,
    *,
    rotations: Rotations,
    params: ContoursParams,
    pixel: float | None,
    stop: Stop,
) -> Groups:
    """What ``assemble`` makes of the pieces with some turned over that ``may`` be, (N,); poses say which.

    Where that is no whole, those that lie in no large group are turned over, and it is tried again.
    """
    over = sides_of(pieces, target, may, params, rotations=rotations, pixel=pixel, stop=stop)
    best, spent = None, 0
    for share in ENDS:
        laid = [OVER.apply(piece) if turned else piece for piece, turned in zip(pieces, over, strict=True)]
        found = assemble(laid, partial(_told, over=over), Resumed(_Until(stop, share), spent))
        spent += found.evaluations
        if best is None or (found.whole, found.worth) > (best.whole, best.worth):
            best = _told(found, over)
        if found.whole or stop(spent):
            break
        placed = list(found.groups[0].poses) if found.groups else []
        again = over.copy()
        again[may] = ~over[may]
        again[placed] = over[placed]
        if (again == over).all():  # all lie together, if in nothing whole
            again[may] = ~over[may]
        over = again
    assert best is not None
    return replace(best, evaluations=spent)


def _told(found: Groups, over: NDArray[np.bool_]) -> Groups:
    """The same of pieces as they were before some were turned over."""
    sides = [OVER if turned else Pose() for turned in over.tolist()]
    return replace(
        found,
        groups=tuple(
            replace(group, poses={piece: pose @ sides[piece] for piece, pose in group.poses.items()})
            for group in found.groups
        ),
        joints=tuple(
            replace(
                joint,
                pose=(Pose() if joint.first is None else sides[joint.first].inverse())
                @ joint.pose
                @ sides[joint.second],
            )
            for joint in found.joints
        ),
    )


def sides_of(
    pieces: Sequence[Polygon],
    target: Region | None,
    may: NDArray[np.bool_],
    params: ContoursParams,
    *,
    rotations: Rotations,
    pixel: float | None,
    stop: Stop,
) -> NDArray[np.bool_]:
    """Which pieces to turn over so that the likeliest joints hold, as few of them as can be, (N,).

    Each piece is matched as it lies and turned over. A target is not: mostly its edges are straight.
    """
    count = len(pieces)
    every = [*pieces, *(OVER.apply(piece) for piece in pieces)]
    first, second = np.triu_indices(2 * count, 1)
    pairs = np.stack([first, second], axis=1)
    pairs = pairs[first % count != second % count]
    clearest, alike = -1.0, np.zeros((count, count, 2))
    for guess in guesses(pieces, target, params, stop, pixel):
        if (guess.growth > 0.0 and target is None) or (clearest > 0.0 and stop(0)):
            continue
        scene = make_scene(every, None, params, tolerance=guess.tolerance, growth=guess.growth)
        joints = find_joints(scene, pairs, params, rotations=rotations, stop=stop)
        clear = contrast(scene, joints, probes(scene), params) * guess.weight
        if clear > clearest:
            clearest, alike = clear, np.zeros((count, count, 2))
            chance = likelihoods(scene, joints)
            a, b = joints.first, joints.second
            which = ((a >= count) != (b >= count)).astype(np.int64)
            np.maximum.at(alike, (a % count, b % count, which), chance)
        if pixel is not None:
            break
    alike = np.maximum(alike, alike.transpose(1, 0, 2))
    return _best_sides(np.where(alike < LEAST, 0.0, alike), may)


def _best_sides(alike: NDArray[np.float64], may: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The sides under which most joints hold: ``alike`` (N, N, 2) says how likely two lie so, or turned."""
    count = len(may)
    over, parts = np.zeros(count, dtype=np.bool_), np.arange(count)
    # Pieces that may not be turned over lie alike.
    parts[~may] = np.argmin(may)
    strength = np.abs(alike[:, :, 0] - alike[:, :, 1])
    for k in np.argsort(-strength, axis=None, kind="stable").tolist():
        a, b = divmod(k, count)
        if parts[a] == parts[b] or strength[a, b] <= 0.0:
            continue
        turned = bool(over[a] != over[b]) != bool(alike[a, b, 1] > alike[a, b, 0])
        moving = parts == parts[b]
        if turned and not may[moving].all():
            moving = parts == parts[a]
        if turned:
            over[moving] = ~over[moving]
        parts[parts == parts[b]] = parts[a]
    for _ in range(4 * count):  # one at a time, for as long as more joints hold
        same = over[:, None] == over[None, :]
        holds = np.where(same, alike[:, :, 0], alike[:, :, 1]).sum(axis=1)
        others = np.where(same, alike[:, :, 1], alike[:, :, 0]).sum(axis=1)
        gain = np.where(may, others - holds, -np.inf)
        if gain.max() <= 0.0:
            break
        over[int(gain.argmax())] ^= True
    for part in np.unique(parts).tolist():
        own = parts == part
        if may[own].all() and over[own].sum() > 0.5 * own.sum():
            over[own] = ~over[own]
    return over
