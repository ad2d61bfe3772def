"""Joints: two pieces, or a piece and the target, and a pose at which stretches of their outlines touch."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.core.geometry import TAU, Rotations
from sherd.core.threads import in_parts
from sherd.solvers.contours.contact import fit_all
from sherd.solvers.contours.corners import corner_candidates
from sherd.solvers.contours.loops import support
from sherd.solvers.contours.nearest import nearest_stretches
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene
from sherd.solvers.contours.screen import Candidates, make_windows, screen, together
from sherd.solvers.stop import Stop

# Between two questions whether to stop: pairs of positions that are screened, points that are fitted.
POSITIONS_AT_ONCE = 10_000_000
POINTS_AT_ONCE = 1_500_000
MOST_AT_ONCE = 1_000_000  # candidates that are held before most of them are dropped
# A step of the search looks at so many joints of a piece, the best, and at this share of the others.
BEST_OF_A_PIECE = 8
OTHERS_LOOKED_AT = 0.35
# A beam grows by so many of a piece.
GROWN_OF_A_PIECE = 30


class Joints(NamedTuple):
    """Joints by the array, the best first: the second's pose in the first's frame is turn * z + shift.

    ``measures`` are those of `fit_all`, shape (J, 7); ``support`` is what closed loops bear out (J,).
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    measures: NDArray[np.float64]
    support: NDArray[np.float64]

    @property
    def worth(self) -> NDArray[np.float64]:
        return self.measures[:, 0]

    @property
    def hope(self) -> NDArray[np.float64]:
        """What a joint is worth, and what more a third piece may bring."""
        return self.worth + self.support

    @property
    def often(self) -> NDArray[np.float64]:
        """How often to look at each: the best of a piece always, the many others now and then."""
        ranks = np.minimum(_ranks(self.first, self.hope), _ranks(self.second, self.hope))
        return np.where(ranks < BEST_OF_A_PIECE, 1.0, OTHERS_LOOKED_AT)

    @property
    def best_of_pieces(self) -> Joints:
        """Those that are among the best of either piece."""
        ranks = np.minimum(_ranks(self.first, self.hope), _ranks(self.second, self.hope))
        return self.chosen(ranks < GROWN_OF_A_PIECE)

    @staticmethod
    def none() -> Joints:
        whole, place = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.complex128)
        return Joints(whole, whole, place, place, np.empty((0, 7)), np.empty(0))

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Joints:
        """Some of them, by index or mask."""
        return Joints(
            self.first[which],
            self.second[which],
            self.turns[which],
            self.shifts[which],
            self.measures[which],
            self.support[which],
        )


def find_joints(
    scene: Scene, pairs: NDArray[np.int64], params: ContoursParams, *, rotations: Rotations, stop: Stop
) -> Joints:
    """The joints of pairs of pieces (P, 2), fitted and measured, the best first; poses that coincide are one.

    Each piece keeps its best few. If ``stop`` says so, only some of the pairs were looked at.
    """
    found = [_screened(scene, pairs, length, params, stop) for length in params.window_lengths]
    cornered = corner_candidates(scene, pairs, params)
    joints = either(
        refined(scene, together(found), params, most=params.joints_per_pair, stop=stop),
        refined(scene, cornered, params, most=params.corner_joints_per_pair, stop=stop),
    )
    joints = joints.chosen(_distinct(scene, joints, params, most=2 * params.joints_per_pair))
    joints = allowed(joints, rotations, params)
    ranks = np.minimum(_ranks(joints.first, joints.worth), _ranks(joints.second, joints.worth))
    joints = joints.chosen(ranks < params.joints_per_piece)
    return borne_out(scene, joints, params, stop)


def allowed(joints: Joints, rotations: Rotations, params: ContoursParams) -> Joints:
    """Those under which pieces are turned as they may."""
    if rotations.bins is None:
        return joints
    off = np.angle(joints.turns) * rotations.bins / TAU
    return joints.chosen(np.abs(off - np.round(off)) * TAU / rotations.bins < params.turn_slack)


def with_more(scene: Scene, joints: Joints, more: Joints, params: ContoursParams, stop: Stop) -> Joints:
    """Joints and more of them, without doubles."""
    every = either(joints, more)
    return borne_out(
        scene, every.chosen(_distinct(scene, every, params, most=len(every.first))), params, stop
    )


def borne_out(scene: Scene, joints: Joints, params: ContoursParams, stop: Stop) -> Joints:
    """Joints with what closed loops of them bear out."""
    tolerance = max(scene.tolerance, params.least_loop)
    loops = support(
        joints.first,
        joints.second,
        joints.turns,
        joints.shifts,
        joints.worth,
        scene.shapes.centres,
        params.loop_gap * tolerance,
        params.loop_turn * tolerance,
        stop,
    )
    return joints._replace(support=params.loop_share * loops)


def either(first: Joints, second: Joints) -> Joints:
    """The joints of two lists in one."""
    return Joints(
        np.concatenate([first.first, second.first]),
        np.concatenate([first.second, second.second]),
        np.concatenate([first.turns, second.turns]),
        np.concatenate([first.shifts, second.shifts]),
        np.concatenate([first.measures, second.measures]),
        np.concatenate([first.support, second.support]),
    )


def _screened(
    scene: Scene, pairs: NDArray[np.int64], length: float, params: ContoursParams, stop: Stop
) -> Candidates:
    """The likest stretches of one length: of each bit of an outline, the best few over all other pieces."""
    samples = round(length / scene.spacing) | 1
    points = len(scene.shapes.points)
    stride = max(1, math.ceil(points / params.most_windows))
    bit = max(1, round(params.bit_length / scene.spacing))
    softening = scene.tolerance * params.softening
    if stride > 1 and len(pairs) == _count_of_pairs(scene):
        windows = make_windows(scene.outlines, samples=samples, degrees=params.degrees)
        near = nearest_stretches(
            windows,
            outer=scene.pieces,
            softening=softening,
            least=params.least_likeness,
            most=params.nearest,
            step=round(params.nearest_step * length),
            stop=stop,
        )
        return _best_of_bits(near, bit, params.nearest_per_bit)
    windows = make_windows(scene.outlines, samples=samples, degrees=params.degrees, stride=stride)
    every = together([])
    positions = len(windows.point) / len(scene.outlines)  # of a piece
    at_once = max(1, int(POSITIONS_AT_ONCE / positions**2))
    for low in range(0, len(pairs), at_once):
        if stop(0):
            break
        some = pairs[low : low + at_once]
        found = screen(windows, some, softening=softening, least=params.least_likeness, most=params.per_pair)
        every = together([every, found])
        if len(every.first) > MOST_AT_ONCE:
            every = _best_of_bits(every, bit, params.per_bit)
    return _best_of_bits(every, bit, params.per_bit)


def _count_of_pairs(scene: Scene) -> int:
    """How many pairs of pieces there are, and of a piece and the target."""
    return scene.pieces * (scene.pieces - 1) // 2 + (scene.pieces if scene.has_target else 0)


def _best_of_bits(every: Candidates, bit: int, most: int) -> Candidates:
    """The candidates that are among the best few of a bit of outline that they lie at."""
    ranks = np.minimum(
        _ranks(every.first_point // bit, every.likeness), _ranks(every.second_point // bit, every.likeness)
    )
    return every.chosen(ranks < most)


def _ranks(groups: NDArray[np.int64], worth: NDArray[np.float64]) -> NDArray[np.int64]:
    """The place of each in its group, the largest worth first, from 0."""
    order = np.lexsort((-worth, groups))
    ordered = groups[order]
    starts = (
        np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        if len(order)
        else np.empty(0, dtype=np.int64)
    )
    lengths = np.diff(np.r_[starts, len(order)])
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order)) - np.repeat(starts, lengths)
    return ranks


def refined(scene: Scene, found: Candidates, params: ContoursParams, *, most: int, stop: Stop) -> Joints:
    """Candidates fitted, measured, and without doubles, ``most`` a pair; those worth nothing are dropped.

    A first fit looks at few points of each and drops most. The likest come first, in case ``stop`` says so.
    """
    no = np.zeros(len(found.first))
    rough = Joints(
        found.first, found.second, found.turns.copy(), found.shifts.copy(), found.likeness[:, None], no
    )
    rough = rough.chosen(_distinct(scene, rough, params, most=len(found.first)))
    tolerance = scene.tolerance
    for steps, looked_at, stride, least in (
        (params.rough_tolerances, params.rough_tolerances[-1], params.rough_stride, 0.0),
        (params.fit_tolerances, 1.0, 1, params.least_worth),
    ):
        fitted = _fitted(scene, rough, tolerance * np.array(steps), tolerance * looked_at, stride, stop)
        fitted = fitted.chosen(fitted.worth > least)
        rough = fitted.chosen(_distinct(scene, fitted, params, most=most if stride == 1 else 60))
    return rough


def _fitted(
    scene: Scene, rough: Joints, steps: NDArray[np.float64], tolerance: float, stride: int, stop: Stop
) -> Joints:
    """Joints after the steps of a fit, measured; only the first of them if ``stop`` says so."""
    turns, shifts = rough.turns.copy(), rough.shifts.copy()
    measures = [np.empty((0, 7))]
    done = 0
    at_once = max(1, POINTS_AT_ONCE * len(scene.outlines) // len(scene.shapes.points))

    def fit(part: slice) -> NDArray[np.float64]:
        return fit_all(
            scene.shapes,
            rough.first[part],
            rough.second[part],
            turns[part],
            shifts[part],
            steps,
            tolerance,
            stride,
        )

    while done < len(turns) and not (done and stop(0)):
        some = range(done, min(done + at_once, len(turns)))
        measures += in_parts(some, fit)
        done = some.stop
    every = np.arange(done)
    return rough.chosen(every)._replace(
        turns=turns[:done], shifts=shifts[:done], measures=np.concatenate(measures)
    )


@compiled
def _doubles(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    places: NDArray[np.complex128],
    turns: NDArray[np.complex128],
    same_shift: float,
    same_turn: float,
    most: int,
) -> NDArray[np.bool_]:
    """Which of these, sorted by pair and then the best first, repeat a better one or are one too many."""
    double = np.zeros(len(first), dtype=np.bool_)
    begin, kept = 0, 0
    for k in range(len(first)):
        if k == 0 or first[k] != first[k - 1] or second[k] != second[k - 1]:
            begin, kept = k, 0
        if kept >= most:
            double[k] = True
            continue
        for other in range(begin, k):
            if (
                not double[other]
                and abs(places[k] - places[other]) < same_shift
                and abs(turns[k] - turns[other]) < same_turn
            ):
                double[k] = True
                break
        if not double[k]:
            kept += 1
    return double


def _distinct(scene: Scene, joints: Joints, params: ContoursParams, *, most: int) -> NDArray[np.int64]:
    """The joints that repeat no better one of the same pair, at most ``most`` a pair, the best first."""
    if not len(joints.first):
        return np.empty(0, dtype=np.int64)
    order = np.lexsort((-joints.worth, joints.second, joints.first))
    places = joints.turns * scene.shapes.centres[joints.second] + joints.shifts
    first, second, ordered, turns = (
        joints.first[order],
        joints.second[order],
        places[order],
        joints.turns[order],
    )
    begins = np.flatnonzero(np.r_[True, (first[1:] != first[:-1]) | (second[1:] != second[:-1])])
    ends = np.r_[begins[1:], len(order)]

    def look(part: slice) -> NDArray[np.bool_]:
        own = slice(begins[part.start], ends[part.stop - 1])
        same = params.same_shift, params.same_turn
        return _doubles(first[own], second[own], ordered[own], turns[own], *same, most)

    double = np.concatenate(in_parts(range(len(begins)), look))
    kept = order[~double]
    return kept[np.argsort(-joints.worth[kept], kind="stable")]
