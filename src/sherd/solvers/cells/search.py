"""The search for cells: arrangements grown side by side for several errors, then parts of them again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import Pose
from sherd.solvers.cells.along_target import ON_RIM, rims_of
from sherd.solvers.cells.corners import Complexes, ConvexCells, cells_of, fitted
from sherd.solvers.cells.evidence import worth_of
from sherd.solvers.cells.growing import Growths, extended, grown
from sherd.solvers.cells.mating import MEET, laid, mated, rest
from sherd.solvers.cells.settling import at_rest
from sherd.solvers.contours.compact import hull_of
from sherd.solvers.stop import MaxEvaluations, Stop

# Standard errors of a corner's coordinate, in units (the root of the mean piece's area), tried in this order.
ERRORS = (0.0015, 0.006, 0.012, 0.024, 0.045)
# In a target, which tells more, larger ones too.
ERRORS_IN_TARGET = (*ERRORS, 0.07, 0.1)
LEAST_ERROR = 5e-4
PRIOR = 4.0  # equations that the guess of the error counts for, beside those of the corners
WIDTH = 100  # arrangements that are kept at each step
WIDER = 2  # times: so many are brought to rest
MOST_EXTENSIONS = 100_000  # where there are more in a step, edges tell nothing
JUDGED, JUDGED_IN_TARGET = 3, 12  # arrangements of all pieces that are looked at closely
ROUGHLY = 2.0  # parts of a unit: arrangements in a target whose pieces lie nearer than that are the same
OTHER_PLACE, OTHER_TURN = 0.3, 0.4  # units and radians: pieces that are off by more lie otherwise
STARTS = 8  # and those of which parts are taken out
REGROWN_WIDTH, REGROWN_PARTS, STALE, FEWEST_REGROWN = 60, 6, 6, 4
CLEARER = 0.7
SURE_ERROR = 0.008  # units: a whole with less is not there by chance
# Of evidence: what has so much a piece, and leads the best other arrangement by so much, is not doubted.
# Of 26 crossing cuts at level 3 and 14 at level 4 (seed 721) most wrong ones had 1.7 a piece, or led by 5.
# Two more led by 6.0 and 6.5, each with its own error, and by 2.5 and 4.5 with the same (seeds 9500 and 830).
SURE_EVIDENCE, SURE_LEAD = 2.5, 6.0
BY_CHANCE = 3.0  # standard errors of the error that corners show
SURE_ERROR_IN_TARGET = 0.05  # units: where errors are larger, one of 14 led by 10.7 and was wrong
LENGTH = 0.5  # units: by chance corners lie anywhere in a square of this side
MOST_PIECES, MOST_CORNERS = 40, 16
LEAST_CONVEX, MOSTLY_CONVEX = 0.8, 0.97
LAST_SWEEPS = 100
# A whole fills its hull, up to a share of it or errors along it.
EMPTY, EMPTY_ERRORS = 0.01, 1.2
# Edges that are free must be those along the hull, up to this share.
FREE = 1.08
# In a target, edges that are neither one with another nor along the rim, as a share of the rim.
LOOSE = 0.25


@dataclass(frozen=True, eq=False)
class CellsFound:
    """All pieces in one frame, in the pieces' own units.

    ``evidence`` is the logarithm of how much likelier this is than chance, ``error`` the standard error of a
    corner's coordinate; ``whole`` says that each edge within is shared and the rim is convex, ``is_sure``
    that in a target much speaks for it, and much less for the best one found in which pieces lie otherwise.
    """

    poses: Mapping[int, Pose]
    evidence: float
    error: float
    whole: bool
    is_sure: bool = False


@dataclass(frozen=True, eq=False)
class _Judged:
    turns: Complexes
    shifts: Complexes
    mates: NDArray[np.int64]
    evidence: float
    error: float
    told_by: float
    whole: bool

    @property
    def most_error(self) -> float:
        """The largest error that would show as little by chance."""
        return self.error * (1.0 + BY_CHANCE / math.sqrt(2.0 * self.told_by))

    @property
    def rank(self) -> tuple[bool, float]:
        return self.whole, self.evidence


def are_cells(pieces: Sequence[Polygon]) -> bool:
    """Whether pieces are few, convex but for noise, and have few corners."""
    if not 3 <= len(pieces) <= MOST_PIECES or any(piece.interiors for piece in pieces):
        return False
    if max(shapely.get_num_coordinates(pieces).tolist()) - 1 > MOST_CORNERS:
        return False
    filled = shapely.area(pieces) / shapely.area(shapely.convex_hull(pieces))
    return bool(filled.min() >= LEAST_CONVEX and filled.mean() >= MOSTLY_CONVEX)


def find_cells(pieces: Sequence[Polygon], stop: Stop, target: Polygon | None = None) -> CellsFound | None:
    """The likeliest arrangement of all pieces in which they share whole edges; None if there is none.

    With a target, which must be convex, it lies there.
    """
    unit = math.sqrt(float(np.mean(shapely.area(pieces))))
    search = _Search(cells_of(pieces, unit, target), float(shapely.area(pieces).sum()) / unit**2, stop)
    best = search.run()
    if best is None:
        return None
    is_sure = (
        best.whole
        and best.error < SURE_ERROR_IN_TARGET
        and best.evidence > SURE_EVIDENCE * len(pieces)
        and search.lead_of(best) > SURE_LEAD
    )
    poses = _poses(best.turns, best.shifts, unit)
    return CellsFound(poses, best.evidence, best.error * unit, best.whole, is_sure)


def evidence_of(
    pieces: Sequence[Polygon], poses: Mapping[int, Pose], error: float, target: Polygon | None = None
) -> CellsFound:
    """An arrangement of all pieces from elsewhere, judged in the same way, for about this error."""
    unit = math.sqrt(float(np.mean(shapely.area(pieces))))
    cells, area = cells_of(pieces, unit, target), float(shapely.area(pieces).sum()) / unit**2
    search = _Search(cells, area, MaxEvaluations(0))
    turns = np.array([np.exp(1j * poses[k].theta) for k in range(len(pieces))])
    shifts = np.array([complex(poses[k].x, poses[k].y) / unit for k in range(len(pieces))])
    mates = np.full(len(search.cells.points), -1)
    judged = search.judged(turns, shifts, mates, max(error / unit, LEAST_ERROR))
    return CellsFound(_poses(turns, shifts, unit), judged.evidence, judged.error * unit, judged.whole)


def _poses(turns: Complexes, shifts: Complexes, unit: float) -> dict[int, Pose]:
    return {
        k: Pose(unit * shift.real, unit * shift.imag, math.atan2(turn.imag, turn.real))
        for k, (turn, shift) in enumerate(zip(turns.tolist(), shifts.tolist(), strict=True))
    }


def reward_of(error: float) -> float:
    """How much evidence it is that two corners lie together: two coordinates, each within the error."""
    return max(2.0 * math.log(LENGTH / (error * math.sqrt(4.0 * math.pi))), LEAST_REWARD)


LEAST_REWARD = 0.5


@dataclass(eq=False)
class _Search:
    """One run over all guesses of the error."""

    cells: ConvexCells
    area: float
    stop: Stop
    evaluations: int = 0
    tells_nothing: bool = False
    seen: list[_Judged] = field(default_factory=list["_Judged"])

    def run(self) -> _Judged | None:
        best: _Judged | None = None
        beam: Growths | None = None
        for error in ERRORS_IN_TARGET if len(self.cells.rim) else ERRORS:
            begun = self._at_a_corner(error) if len(self.cells.rim) else self._singles()
            grown_up = self._grown(begun, len(self.cells.centres) - 1, error, WIDTH)
            if grown_up is not None:
                found = self._best(grown_up, error)
                if best is None or found.rank > best.rank:
                    best, beam = found, grown_up
            is_found = best is not None and best.whole and best.error <= error
            if is_found or self.tells_nothing or self.stop(self.evaluations):
                break
        if best is None or beam is None or (best.whole and best.error < SURE_ERROR):
            return best
        return self._regrown(beam, best)

    def _singles(self) -> Growths:
        count = len(self.cells.centres)
        return Growths(
            np.eye(count, dtype=np.bool_),
            np.ones((count, count), np.complex128),
            np.zeros((count, count), np.complex128),
            np.full((count, len(self.cells.points)), -1),
            np.zeros(count),
        )

    def _at_a_corner(self, error: float) -> Growths:
        """Each piece in that corner of the target into which the fewest fit."""
        cells, rim = self.cells, self.cells.rim
        count, begun = len(cells.centres), list[list[tuple[int, complex, complex]]]()
        before = np.empty_like(cells.following)
        before[cells.following] = np.arange(len(before))
        for t in range(len(rim)):
            ways = np.array([rim[t - 1] - rim[t], rim[(t + 1) % len(rim)] - rim[t]])
            ways /= np.abs(ways)
            fit: list[tuple[int, complex, complex]] = []
            for k in range(len(cells.points)):
                at = np.array([before[k], k, cells.following[k]])
                here = cells.points[at]
                there = rim[t] + np.array(
                    [ways[0] * abs(here[0] - here[1]), 0.0, ways[1] * abs(here[2] - here[1])]
                )
                turn, shift = fitted(here, there, 3)
                if np.abs(turn * here + shift - there).max() < MEET * error:
                    fit.append((int(cells.piece[k]), turn, shift))
            begun.append(fit)
        fewest = min(begun, key=len)
        placed = np.zeros((len(fewest), count), np.bool_)
        turns, shifts = (
            np.ones((len(fewest), count), np.complex128),
            np.zeros((len(fewest), count), np.complex128),
        )
        for k, (piece, turn, shift) in enumerate(fewest):
            placed[k, piece], turns[k, piece], shifts[k, piece] = True, turn, shift
        mates, worth = np.full((len(fewest), len(cells.points)), -1), np.zeros(len(fewest))
        for k in range(len(fewest)):
            corners = turns[k][cells.piece] * cells.points + shifts[k][cells.piece]
            worth[k] = worth_of(
                cells, placed[k], turns[k], shifts[k], mates[k], corners, error, reward_of(error)
            )
        return Growths(placed, turns, shifts, mates, worth)

    def lead_of(self, best: _Judged) -> float:
        """The evidence by which it leads all arrangements looked at in which pieces lie otherwise.

        Corners have one error, whichever is true, and few corners tell it roughly: both are weighed with the
        same as well, the one that the other shows or the largest that could show as little by chance, for
        what shows less looks likelier by that alone.
        """
        middles, turns = self._seen_from_the_first(best)
        leads = list[float]()
        for one in self.seen:
            moved, turned = self._seen_from_the_first(one)
            if np.abs(moved - middles).max() > OTHER_PLACE or np.abs(turned - turns).max() > OTHER_TURN:
                error = max(best.error, min(one.error, best.most_error))
                leads.append(best.evidence - one.evidence)
                leads.append(self._weighed(best, error) - self._weighed(one, error))
        return min(leads, default=math.inf)

    def _weighed(self, one: _Judged, error: float) -> float:
        """The evidence for an arrangement, if corners have this error."""
        placed = np.ones(len(one.turns), dtype=np.bool_)
        corners = one.turns[self.cells.piece] * self.cells.points + one.shifts[self.cells.piece]
        return worth_of(
            self.cells, placed, one.turns, one.shifts, one.mates, corners, error, reward_of(error)
        )

    def _seen_from_the_first(self, one: _Judged) -> tuple[Complexes, Complexes]:
        """The middles and turns of all pieces in the frame of the first."""
        back = one.turns[0].conjugate()
        return (one.turns * self.cells.centres + one.shifts - one.shifts[0]) * back, one.turns * back

    def _regrown(self, beam: Growths, best: _Judged) -> _Judged:
        """The likeliest arrangement after parts were taken out and grown again, until nothing comes of it."""
        rng, count, stale = np.random.default_rng(0), len(self.cells.centres), 0
        while stale < STALE and count > FEWEST_REGROWN and not self.stop(self.evaluations):
            removed = int(rng.integers(2, max(3, count // 2 + 1)))
            # A wrong arrangement looks noisier than the pieces are.
            error = best.error * (1.0 if stale % 2 else CLEARER)
            again = self._grown(self._without(beam, removed, error, rng), removed, error, REGROWN_WIDTH)
            stale += 1
            if again is None:
                continue
            found = self._best(again, error)
            if found.rank > best.rank:
                best, stale = found, 0
            beam = _unique(_joined((again, beam)), WIDTH, in_target=len(self.cells.rim) > 0)
        return best

    def _grown(self, beam: Growths, steps: int, error: float, width: int) -> Growths | None:
        """The likeliest arrangements with so many more pieces; None if there are none."""
        reward = reward_of(error)
        for _ in range(steps):
            if self.stop(self.evaluations):
                return None
            worth, of, piece, pose, partners, key = extended(self.cells, beam, error, reward, MOST_EXTENSIONS)
            self.tells_nothing = len(worth) == MOST_EXTENSIONS
            if self.tells_nothing or not len(worth):
                return None
            order = np.argsort(-worth, kind="stable")
            order = order[np.sort(np.unique(key[order], return_index=True)[1])][: WIDER * width]
            self.evaluations += 1
            beam = _unique(
                grown(self.cells, beam, of[order], piece[order], pose[order], partners[order], error, reward),
                width,
                in_target=len(self.cells.rim) > 0,
            )
            if not len(beam.worth):
                return None
        return beam

    def _without(self, beam: Growths, removed: int, error: float, rng: np.random.Generator) -> Growths:
        """The best arrangements without so many pieces that lie next to each other, in several ways."""
        cells, parts = self.cells, list[Growths]()
        for k in range(min(STARTS, len(beam.worth))):
            turns, shifts = beam.turns[k], beam.shifts[k]
            middles = turns * cells.centres + shifts
            corners = turns[cells.piece] * cells.points + shifts[cells.piece]
            for centre in rng.integers(0, len(middles), REGROWN_PARTS).tolist():
                placed = np.ones(len(middles), dtype=np.bool_)
                placed[np.argsort(np.abs(middles - middles[centre]), kind="stable")[:removed]] = False
                mates = beam.mates[k].copy()
                mates[~placed[cells.piece] | ~placed[cells.piece[mates]]] = -1
                worth = worth_of(cells, placed, turns, shifts, mates, corners, error, reward_of(error))
                parts.append(Growths(placed[None], turns[None], shifts[None], mates[None], np.array([worth])))
        return _joined(parts)

    def _best(self, beam: Growths, error: float) -> _Judged:
        most = JUDGED_IN_TARGET if len(self.cells.rim) else JUDGED
        found = [
            self.judged(beam.turns[k], beam.shifts[k], beam.mates[k], error)
            for k in range(min(most, len(beam.worth)))
        ]
        self.seen += found
        return max(found, key=lambda one: one.rank)

    def judged(self, turns: Complexes, shifts: Complexes, mates: NDArray[np.int64], error: float) -> _Judged:
        """An arrangement of all pieces at rest, with the error that it shows and the evidence for it."""
        cells = self.cells
        turns, shifts, mates = turns.copy(), shifts.copy(), mates.copy()
        placed = np.ones(len(turns), dtype=np.bool_)
        corners = np.zeros(len(mates), np.complex128)
        laid(cells, placed, turns, shifts, corners)
        mated(cells, placed, mates, corners, error)
        rest(cells, placed, turns, shifts, mates, corners, error, LAST_SWEEPS)
        turns, shifts, squared, over = at_rest(cells, turns, shifts, mates, error)
        laid(cells, placed, turns, shifts, corners)
        shown = max(math.sqrt((squared + PRIOR * error**2) / (over + PRIOR)), LEAST_ERROR)
        evidence = worth_of(cells, placed, turns, shifts, mates, corners, shown, reward_of(shown))
        whole = self._is_whole(mates, corners, shown, evidence)
        return _Judged(turns, shifts, mates, evidence, shown, over + PRIOR, whole)

    def _is_whole(self, mates: NDArray[np.int64], corners: Complexes, error: float, evidence: float) -> bool:
        if len(self.cells.rim):
            is_rough = error > 1.5 * ERRORS_IN_TARGET[-1]
            return evidence > 0.0 and not is_rough and self._loose(mates, corners, error) < LOOSE
        hull = hull_of(corners)
        empty = hull.area - self.area
        free = float(self.cells.lengths[mates < 0].sum())
        return (
            evidence > 0.0
            and empty < max(EMPTY * hull.area, EMPTY_ERRORS * error * hull.length)
            and free < FREE * hull.length + 2.0 * error
        )

    def _loose(self, mates: NDArray[np.int64], corners: Complexes, error: float) -> float:
        """How long edges are, by the rim, that neither are one with another nor lie along it."""
        cells, rims = self.cells, np.full(len(mates), -1)
        for q in range(len(cells.centres)):
            rims_of(cells, q, mates, corners, ON_RIM * error, rims)
        loose = float(cells.lengths[(mates < 0) & (rims < 0)].sum())
        return loose / float(np.abs(np.roll(cells.rim, -1) - cells.rim).sum())


def _unique(beam: Growths, width: int, in_target: bool = False) -> Growths:
    """The best arrangements, each once."""
    order = np.argsort(-beam.worth, kind="stable")
    seen: set[bytes] = set()
    kept: list[int] = []
    for k in order.tolist():
        name = beam.mates[k].tobytes() + beam.placed[k].tobytes() + _roughly(beam, k, in_target)
        if name not in seen and beam.worth[k] > -np.inf and len(kept) < width:
            seen.add(name)
            kept.append(k)
    return Growths(beam.placed[kept], beam.turns[kept], beam.shifts[kept], beam.mates[kept], beam.worth[kept])


def _roughly(beam: Growths, k: int, in_target: bool) -> bytes:
    """Where the pieces of an arrangement lie, which matters in a target."""
    if not in_target:
        return b""
    turns, shifts = beam.turns[k][beam.placed[k]], ROUGHLY * beam.shifts[k][beam.placed[k]]
    return np.rint(np.concatenate([turns.real, turns.imag, shifts.real, shifts.imag])).tobytes()


def _joined(beams: Sequence[Growths]) -> Growths:
    """All arrangements in one."""
    return Growths(
        np.concatenate([beam.placed for beam in beams]),
        np.concatenate([beam.turns for beam in beams]),
        np.concatenate([beam.shifts for beam in beams]),
        np.concatenate([beam.mates for beam in beams]),
        np.concatenate([beam.worth for beam in beams]),
    )
