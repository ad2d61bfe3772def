"""The search for pieces with straight edges: tolerance by tolerance, until they make a whole."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import TAU, Rotations, intersection, union
from sherd.solvers.contours.clusters import Clusters, copied, singles
from sherd.solvers.contours.groups import NO_JOINTS, TELLS_NOTHING, FoundJoint, Groups, groups_of, pose_of
from sherd.solvers.contours.improve import Arrangement
from sherd.solvers.contours.outlines import typical_size
from sherd.solvers.contours.straight.corners import WHOLE, Corners, EdgeJoints, corners_of, edge_joints
from sherd.solvers.contours.straight.hull import filling
from sherd.solvers.contours.straight.joining import Alone, borne_out, merge_edges, relax_edges, shaken_edges
from sherd.solvers.contours.straight.meeting import after, edge_bonds, place
from sherd.solvers.contours.straight.whole import is_whole, laid_in
from sherd.solvers.stop import Stop

# How far apart corners that meet may lie, in units: tried in this order.
FINE_TOLERANCES = (0.004, 0.012, 0.03)  # at which edges may meet at one end only, too
SOUNDED, SOUNDED_STEPS = 2, 20  # so many of these at once, for so many steps, which are enough where they fit
COARSE_TOLERANCES = (0.06, 0.1, 0.16)
STRAIGHTENED = 0.002
MARGIN, MARGIN_TOLERANCES = 0.02, 1.2  # how far inside a piece no other may reach
LEAST_EDGE = 2.0  # tolerances: shorter edges make no joints
EMPTINESS = 3.0  # what a unit of area that is empty in the hull costs, in corners that meet
ALONG_HULL = 0.8  # what an edge along the hull counts, where two corners that meet count 1 each
PATIENCE, PATIENCE_A_PIECE = 60, 20
TEMPERATURE = 0.03
STALE_NOISE = 0.4
SETTLED_ROUNDS = 8
RUNGS_A_ROUND = 3
LEAST_GAIN = 1e-6
LAST_STEPS = 6
UNFILLED = 0.02  # of the target: with more of it left open, pieces make no whole there
BY_CHANCE = 0.5  # of the most evidence under any tolerance: with less, a whole came about by chance
UNMATCHED = 0.05  # the weight of an edge having no partner, against one that fits perfectly


@dataclass(eq=False)
class _Rung:
    """A tolerance with its joints, and the best arrangement under it."""

    corners: Corners
    tolerance: float
    partial: bool
    joints: EdgeJoints
    table: NDArray[np.int64]
    liking: NDArray[np.float64]
    alone: Alone
    best: Arrangement | None = None
    whole: bool = False

    @property
    def evidence(self) -> float:
        """What the best arrangement is worth, where finer corners that meet count for more."""
        return self.best.worth * math.log(1.0 / self.tolerance) if self.best is not None else -math.inf


@dataclass
class StraightSearch:
    """One run over all tolerances."""

    pieces: Sequence[Polygon]
    target: Polygon | None
    rotations: Rotations
    stop: Stop
    rng: np.random.Generator
    on_progress: Callable[[Groups], None] | None
    evaluations: int = 0
    unit: float = field(init=False)

    def __post_init__(self) -> None:
        self.unit = typical_size(self.pieces)

    def sound(self) -> Groups | None:
        """A whole that fits closely, if a short search finds one."""
        for rung in self._finest():
            self._search(rung)
            if rung.whole:
                return self._groups(rung)
            if self.stop(self.evaluations):
                break
        return None

    def run(self) -> Groups:
        rungs: list[_Rung] = []
        stale = 0
        for turn in itertools.count():
            better = False
            for rung in self._chosen(rungs, turn):
                better |= self._search(rung)
                if rung not in rungs:
                    rungs.append(rung)
                best = _best_of(rungs)
                if (best.whole and best.tolerance <= SURE_TOLERANCE) or self.stop(self.evaluations):
                    return self._groups(best)
            best = _best_of(rungs)
            stale = 0 if better else stale + 1
            is_settled = self.target is None and stale >= SETTLED_ROUNDS and _is_one(best)
            if (_is_believed(best, rungs) and turn > 0) or is_settled:
                return self._groups(best)
        raise AssertionError("unreachable")

    def _is_filled(self, rung: _Rung) -> bool:
        """Whether the pieces fill the target, if there is one: wholes come by chance, too."""
        if self.target is None:
            return True
        laid = [
            pose.apply(self.pieces[k])
            for group in self._groups(rung).groups
            if group.attached
            for k, pose in group.poses.items()
        ]
        return intersection(union(laid), self.target).area > (1.0 - UNFILLED) * self.target.area

    def _chosen(self, rungs: Sequence[_Rung], turn: int) -> Iterator[_Rung]:
        """The tolerances to search under: each once, then the best few, and edges in part in turn.

        Edges in part of which corners are well known come before coarse tolerances, under which pieces make
        wholes by chance.
        """
        if turn == 0:
            yield from self._finest()
            yield from (self._rung(tolerance, partial=False) for tolerance in COARSE_TOLERANCES)
            return
        if any(_is_believed(rung, rungs) for rung in rungs):
            rungs = [rung for rung in rungs if rung.whole or not rung.partial]
        elif turn == 1:
            yield from (self._rung(tolerance, partial=True) for tolerance in FINE_TOLERANCES[SOUNDED:])
        else:
            in_part = [rung for rung in rungs if rung.partial]
            yield in_part[turn % len(in_part)]
        yield from sorted(rungs, key=lambda rung: -rung.evidence)[:RUNGS_A_ROUND]

    def _finest(self) -> Iterator[_Rung]:
        yield from (self._rung(tolerance, partial=False) for tolerance in FINE_TOLERANCES)
        yield from (self._rung(tolerance, partial=True) for tolerance in FINE_TOLERANCES[:SOUNDED])

    def _rung(self, tolerance: float, partial: bool) -> _Rung:
        margin = MARGIN + MARGIN_TOLERANCES * tolerance
        corners = corners_of(self.pieces, self.unit, min(STRAIGHTENED, 0.25 * tolerance), margin)
        joints = edge_joints(corners, 1.2 * tolerance, partial=partial, least=LEAST_EDGE * tolerance)
        joints = self._allowed(corners, joints)
        table = np.ascontiguousarray(np.stack(joints, axis=1))
        liking, alone = borne_out(corners, table, tolerance, partial, self.stop)
        return _Rung(corners, tolerance, partial, joints, table, liking, alone)

    def _allowed(self, corners: Corners, joints: EdgeJoints) -> EdgeJoints:
        """Those under which pieces are turned as they may."""
        if self.rotations.bins is None or not len(joints.first):
            return joints
        a, b = _ends(corners, joints.first, joints.first_edge)
        c, d = _ends(corners, joints.second, joints.second_edge)
        off = np.angle((a - b) / (d - c)) * self.rotations.bins / TAU
        chosen = np.abs(off - np.round(off)) * TAU / self.rotations.bins < TURN_SLACK
        return EdgeJoints(*(column[chosen] for column in joints))

    def _asked(self, evaluations: int) -> bool:
        """Whether to stop, in the midst of an evaluation."""
        return self.stop(self.evaluations + evaluations)

    def _worth(self, rung: _Rung, clusters: Clusters, shared: float) -> Arrangement:
        empty, along = filling(rung.corners, clusters, _placed(rung, clusters), rung.tolerance)
        return Arrangement(clusters, shared + ALONG_HULL * along - EMPTINESS * abs(empty))

    def _begin(self, rung: _Rung, noise: float) -> Arrangement:
        clusters = singles(len(self.pieces))
        liking = rung.liking * np.exp(noise * self.rng.standard_normal(len(rung.table)))
        merge_edges(
            rung.corners, clusters, rung.table, liking, rung.tolerance, rung.partial, self._asked, rung.alone
        )
        placed = _placed(rung, clusters)
        bonds = edge_bonds(rung.corners, clusters, placed, rung.tolerance, rung.partial)
        self.evaluations += 1
        return self._worth(rung, clusters, float(bonds.sum()) / 2.0)

    def _search(self, rung: _Rung) -> bool:
        """Search under a tolerance until nothing better comes for a while; whether anything better came."""
        before = rung.best
        here = self._begin(rung, 0.0 if before is None else STALE_NOISE)
        self._improve(rung, here)
        if before is not None and here is not rung.best and self.rng.random() < 0.5:
            here = before
        stale, patience = 0, PATIENCE + PATIENCE_A_PIECE * len(self.pieces)
        if before is None and rung.partial:
            patience = SOUNDED_STEPS
        if rung.whole and rung.tolerance <= SURE_TOLERANCE:
            return True
        while stale <= patience and len(rung.table) and not self.stop(self.evaluations):
            best = rung.best
            assert best is not None
            clusters, shared = shaken_edges(
                rung.corners,
                here.clusters,
                rung.table,
                rung.liking,
                rung.tolerance,
                rung.partial,
                self.rng,
                self._asked,
            )
            found = self._worth(rung, clusters, shared)
            self.evaluations += 1
            temperature = TEMPERATURE * abs(best.worth) * (1.0 - stale / (patience + 1))
            if self.rng.random() < math.exp(min(0.0, found.worth - here.worth) / max(temperature, 1e-9)):
                here = found
            stale = 0 if self._improve(rung, found) else stale + 1
            if rung.whole and rung.tolerance <= SURE_TOLERANCE:
                break
        return rung.best is not before

    def _improve(self, rung: _Rung, found: Arrangement) -> bool:
        """Keep an arrangement if it is better than the best so far; whether it was."""
        if rung.best is not None and found.worth <= rung.best.worth + LEAST_GAIN:
            return False
        rung.best = found
        placed = _placed(rung, found.clusters)
        rung.whole = is_whole(rung.corners, found.clusters, placed, rung.tolerance) and self._is_filled(rung)
        if self.on_progress is not None:
            self.on_progress(self._groups(rung))
        return True

    def _groups(self, rung: _Rung) -> Groups:
        """The best arrangement under a tolerance in the pieces' own units; in the target, if there is one."""
        assert rung.best is not None
        clusters, count = copied(rung.best.clusters), len(self.pieces)
        placed = _placed(rung, clusters)
        for label in np.unique(clusters.labels).tolist():
            relax_edges(rung.corners, clusters, placed, label, rung.tolerance, LAST_STEPS, rung.partial)
        if self.target is not None:
            clusters = self._in_target(rung, clusters, placed)
        centres = np.append(rung.corners.centres, 0.0)
        groups, alone = groups_of(
            clusters,
            self.rotations,
            unit=self.unit,
            centres=centres,
            target=count if self.target is not None else None,
        )
        joints = self._listed(rung)
        return Groups(
            groups=groups,
            joints=joints,
            alone=alone,
            tolerance=rung.tolerance * self.unit,
            worth=rung.best.worth,
            evaluations=self.evaluations,
            whole=rung.whole,
            note=_note(joints),
            doubt=ROUGHLY if rung.tolerance > SURE_TOLERANCE else "",
        )

    def _in_target(self, rung: _Rung, clusters: Clusters, placed: NDArray[np.complex128]) -> Clusters:
        """Clusters with the target as one more piece, and the largest laid into it."""
        assert self.target is not None
        count = len(self.pieces)
        sizes = np.bincount(clusters.labels, weights=rung.corners.areas, minlength=count)
        largest = int(sizes.argmax())
        own = clusters.labels == largest
        corner_is_own = np.repeat(own, np.diff(rung.corners.starts))
        target = shapely.transform(self.target, lambda xy: xy / self.unit)
        turn, shift = laid_in(target, placed[corner_is_own], rung.tolerance)
        wider = singles(count + 1)
        wider.turns[:count] = np.where(own, turn * clusters.turns, clusters.turns)
        wider.shifts[:count] = np.where(own, turn * clusters.shifts + shift, clusters.shifts)
        wider.labels[:count] = np.where(own, count, clusters.labels)
        return wider

    def _listed(self, rung: _Rung) -> tuple[FoundJoint, ...]:
        """Joints in the units of the pieces, the likeliest first.

        A joint is as likely as its lengths agree, against all other partners of its two edges, and none.
        """
        joints, corners = rung.joints, rung.corners
        whole = joints.way == WHOLE
        a, b = _ends(corners, joints.first, joints.first_edge)
        c, d = _ends(corners, joints.second, joints.second_edge)
        lengths = np.abs(b - a), np.abs(d - c)
        off = (lengths[0] - lengths[1]) / (0.5 * rung.tolerance)
        weight = np.where(whole, np.exp(-0.5 * off**2), 0.0)
        chance = UNMATCHED + rung.tolerance * len(corners.points)
        size = len(corners.points)
        of_first = np.bincount(joints.first_edge, weights=weight, minlength=size)
        of_second = np.bincount(joints.second_edge, weights=weight, minlength=size)
        total = of_first + of_second + chance
        likelihood = weight / np.maximum(total[joints.first_edge], total[joints.second_edge])
        turns = (a - b) / (d - c)
        turns /= np.abs(turns)
        shifts = 0.5 * (a + b) - turns * 0.5 * (c + d)
        order = [k for k in np.argsort(-likelihood, kind="stable").tolist() if whole[k]]
        return tuple(
            FoundJoint(
                first=int(joints.first[k]),
                second=int(joints.second[k]),
                pose=pose_of(complex(turns[k]), complex(shifts[k]), self.unit),
                length=float(lengths[0][k]) * self.unit,
                telling=float(lengths[0][k]) * self.unit * float(likelihood[k]),
                residual=abs(float(lengths[0][k] - lengths[1][k])) * 0.5 * self.unit,
                likelihood=float(likelihood[k]),
            )
            for k in order
        )


SURE_TOLERANCE = 0.035  # below it a whole is not there by chance
ROUGHLY = "corners meet only roughly: the pieces might lie otherwise as well"
TURN_SLACK = 0.06


def _is_believed(rung: _Rung, rungs: Sequence[_Rung]) -> bool:
    """Whether pieces make a whole, and not by chance: no other tolerance has far more to say for itself."""
    return rung.whole and rung.evidence >= BY_CHANCE * max(other.evidence for other in rungs)


def _best_of(rungs: Sequence[_Rung]) -> _Rung:
    return max(rungs, key=lambda rung: (_is_believed(rung, rungs), rung.evidence))


def _ends(
    corners: Corners, pieces: NDArray[np.int64], edges: NDArray[np.int64]
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Where edges (J,) of pieces begin and end."""
    following = [after(corners, p, k) for p, k in zip(pieces.tolist(), edges.tolist(), strict=True)]
    return corners.points[edges], corners.points[np.array(following, dtype=np.int64)]


def _placed(rung: _Rung, clusters: Clusters) -> NDArray[np.complex128]:
    placed = np.empty(len(rung.corners.points), dtype=np.complex128)
    place(rung.corners, clusters, placed)
    return placed


def _note(joints: Sequence[FoundJoint]) -> str:
    """What stands in the way, if joints show it: there are none, or none is likelier than many others."""
    if not joints:
        return NO_JOINTS
    return TELLS_NOTHING if joints[0].likelihood < LIKELY else ""


LIKELY = 0.1


def _is_one(rung: _Rung) -> bool:
    """Whether no piece is in hand."""
    assert rung.best is not None
    labels = rung.best.clusters.labels
    return bool((labels == labels[0]).all())
