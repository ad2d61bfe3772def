"""Laying painted pieces one by one where their paint goes on: a beam over what lies together.

Where a piece is lost, outlines alone allow many arrangements, and paint tells the right one. The target is
laid like a piece, around the others, as soon as it fits best.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sherd.core.geometry import Pose
from sherd.solvers.paint.edges import PaintedEdges, edge_joints
from sherd.solvers.paint.seams import Motion, Seams, after, back, pose_of
from sherd.solvers.stop import Resumed, Stop

# How many arrangements are kept side by side, and how many ways on are tried from each: at first, and again.
WIDTH, WAYS = 8, 6
WIDTH_AGAIN, WAYS_AGAIN = 4, 4
# Joints that are looked at for each way on; most overlap something.
LOOKS = 12
# How often pieces are taken up and laid again while the paint of some speaks against their places.
MOST_ROUNDS = 40
# What speaks against nothing is taken after so many rounds that found nothing better.
PATIENCE = 8
# The most of the pieces that are taken up at once.
MOST_TAKEN_UP = 0.6
# Places that differ by less, in pixels, and turns, in radians, are the same.
SAME_PLACE_PX, SAME_TURN = 1.0, 0.02

Place = tuple[int, int, int, int]


@dataclass(frozen=True)
class _Laid:
    """What lies together, in a frame of its own, and what the paint says for it."""

    worth: float
    motions: Mapping[int, Motion]
    places: frozenset[Place]

    def rank(self, whole: int) -> tuple[bool, float]:
        """What is in the target first, then by the paint."""
        return whole in self.motions, self.worth


def lay_by_paint(seams: Seams, stop: Stop) -> tuple[dict[int, Pose], int]:
    """Poses in the target by piece number, as many as could be laid, and how many places were tried."""
    joints = edge_joints(seams)
    best, tries = _beam(_begun(seams), seams, joints, WIDTH, WAYS, stop)
    rng = np.random.default_rng(0)
    stale = 0
    for _ in range(MOST_ROUNDS):
        if stop(tries) or (stale >= PATIENCE and _is_content(best, seams)):
            break
        kept = _loosened(best, seams, rng)
        found, tried = _beam(kept, seams, joints, WIDTH_AGAIN, WAYS_AGAIN, Resumed(stop, tries))
        tries += tried
        is_better = found.rank(seams.whole) > best.rank(seams.whole)
        best, stale = (found, 0) if is_better else (best, stale + 1)
    if seams.whole not in best.motions:
        return {}, tries
    home = back(best.motions[seams.whole])
    rotations = seams.puzzle.rotations
    poses = {number: pose_of(after(motion, home)) for number, motion in best.motions.items()}
    return {
        number: Pose(pose.x, pose.y, rotations.nearest(pose.theta))
        for number, pose in sorted(poses.items())
        if number != seams.whole
    }, tries


def _begun(seams: Seams) -> _Laid:
    """The largest piece, where it is."""
    largest = max(range(seams.whole), key=lambda number: seams.outlines[number].area)
    return _Laid(0.0, {largest: (1.0 + 0.0j, 0.0j)}, frozenset())


def _shared(laid: _Laid, seams: Seams) -> dict[tuple[int, int], float]:
    """What each two pieces share, by their numbers."""
    return {
        (one, other): seams.between(one, other, after(there, back(here))) or 0.0
        for (one, here), (other, there) in combinations(laid.motions.items(), 2)
    }


def _is_content(laid: _Laid, seams: Seams) -> bool:
    """Whether all is laid, and nowhere the paint of two pieces speaks against them."""
    return len(laid.motions) > seams.whole and min(_shared(laid, seams).values()) >= 0.0


def _loosened(laid: _Laid, seams: Seams, rng: np.random.Generator) -> _Laid:
    """What is left when some pieces are taken up: those for which the paint says least, more or less."""
    shared = _shared(laid, seams)
    movable = [number for number in laid.motions if number != seams.whole]
    for_it = {number: sum(v for pair, v in shared.items() if number in pair) for number in movable}
    worst_first = sorted(
        movable,
        key=lambda number: for_it[number] / seams.outlines[number].length * math.exp(rng.normal(0.0, 0.5)),
    )
    out = worst_first[: 1 + int(rng.random() * MOST_TAKEN_UP * (len(movable) - 1))]
    if len(out) == len(movable):
        out = out[:-1]
    motions = {number: motion for number, motion in laid.motions.items() if number not in out}
    worth = sum(value for (one, other), value in shared.items() if one in motions and other in motions)
    return _Laid(worth, motions, frozenset(_place(n, motion, seams.pixel) for n, motion in motions.items()))


def _beam(
    start: _Laid, seams: Seams, joints: PaintedEdges, width: int, ways: int, stop: Stop
) -> tuple[_Laid, int]:
    """The best of what can be laid, one piece after the other, and how many places were tried."""
    best, tries = start, 0
    states = [best]
    while states and not stop(tries):
        best = max((best, *states), key=lambda one: one.rank(seams.whole))
        found: dict[frozenset[Place], _Laid] = {}
        for state in states:
            for one in _ways_on(state, seams, joints, ways):
                tries += 1
                found.setdefault(one.places, one)
        ranked = sorted(found.values(), key=lambda one: -one.worth)
        # What lies in the target and what does not cannot be compared by what they share.
        at_home = [one for one in ranked if seams.whole in one.motions]
        abroad = [one for one in ranked if seams.whole not in one.motions]
        states = at_home[:width] + abroad[:width]
    return best, tries


def _ways_on(state: _Laid, seams: Seams, joints: PaintedEdges, most: int) -> Iterator[_Laid]:
    """One more piece, or the target, laid where the joints are best and nothing overlaps."""
    is_laid = np.zeros(seams.whole + 1, dtype=np.bool_)
    is_laid[list(state.motions)] = True
    seen: set[Place] = set()
    ways = 0
    ahead = np.flatnonzero(is_laid[joints.first] & ~is_laid[joints.second] & (joints.evidence > 0.0))
    for j in ahead[: LOOKS * most].tolist():
        number, joint = int(joints.second[j]), (complex(joints.turns[j]), complex(joints.shifts[j]))
        motion = after(joint, state.motions[int(joints.first[j])])
        place = _place(number, motion, seams.pixel)
        if place in seen:
            continue
        seen.add(place)
        is_whole = number == seams.whole
        if not is_whole and ways == most:
            continue
        added = seams.added(state.motions, number, motion)
        if added is not None and (added > 0.0 or is_whole):
            yield _Laid(state.worth + added, {**state.motions, number: motion}, state.places | {place})
            ways += not is_whole
            if ways == most and is_laid[seams.whole]:
                return


def _place(number: int, motion: Motion, pixel: float) -> Place:
    turn, shift = motion
    steps = round(2.0 * cmath.pi / SAME_TURN)
    angle = round(cmath.phase(turn) / SAME_TURN) % steps
    size = SAME_PLACE_PX * pixel
    return number, round(shift.real / size), round(shift.imag / size), angle
