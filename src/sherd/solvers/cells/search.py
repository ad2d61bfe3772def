"""The search for cells: arrangements grown side by side for several errors, then parts of them again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import Pose
from sherd.solvers.cells.corners import Complexes, ConvexCells, cells_of
from sherd.solvers.cells.evidence import worth_of
from sherd.solvers.cells.growing import Growths, extended, grown
from sherd.solvers.cells.mating import laid, mated, rest
from sherd.solvers.cells.settling import at_rest
from sherd.solvers.contours.compact import hull_of
from sherd.solvers.stop import MaxEvaluations, Stop

# Standard errors of a corner's coordinate, in units (the root of the mean piece's area), tried in this order.
ERRORS = (0.0015, 0.006, 0.012, 0.024, 0.045)
LEAST_ERROR = 5e-4
PRIOR = 4.0  # equations that the guess of the error counts for, beside those of the corners
WIDTH = 100  # arrangements that are kept at each step
WIDER = 2  # times: so many are brought to rest
MOST_EXTENSIONS = 100_000  # where there are more in a step, edges tell nothing
JUDGED = 3  # arrangements of all pieces that are looked at closely
STARTS = 8  # and those of which parts are taken out
REGROWN_WIDTH, REGROWN_PARTS, STALE, FEWEST_REGROWN = 60, 6, 6, 4
CLEARER = 0.7
SURE_ERROR = 0.008  # units: a whole with less is not there by chance
LENGTH = 0.5  # units: by chance corners lie anywhere in a square of this side
MOST_PIECES, MOST_CORNERS = 40, 16
LEAST_CONVEX, MOSTLY_CONVEX = 0.8, 0.97
LAST_SWEEPS = 100
# A whole fills its hull, up to a share of it or errors along it.
EMPTY, EMPTY_ERRORS = 0.01, 1.2
# Edges that are free must be those along the hull, up to this share.
FREE = 1.08


@dataclass(frozen=True, eq=False)
class CellsFound:
    """All pieces in one frame, in the pieces' own units.

    ``evidence`` is the logarithm of how much likelier this is than chance, ``error`` the standard error of a
    corner's coordinate; ``whole`` says that each edge within is shared and the rim is convex.
    """

    poses: Mapping[int, Pose]
    evidence: float
    error: float
    whole: bool


@dataclass(frozen=True, eq=False)
class _Judged:
    turns: Complexes
    shifts: Complexes
    mates: NDArray[np.int64]
    evidence: float
    error: float
    whole: bool

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


def find_cells(pieces: Sequence[Polygon], stop: Stop) -> CellsFound | None:
    """The likeliest arrangement of all pieces in which they share whole edges; None if there is none."""
    unit = math.sqrt(float(np.mean(shapely.area(pieces))))
    search = _Search(cells_of(pieces, unit), float(shapely.area(pieces).sum()) / unit**2, stop)
    best = search.run()
    return (
        None
        if best is None
        else CellsFound(_poses(best.turns, best.shifts, unit), best.evidence, best.error * unit, best.whole)
    )


def evidence_of(pieces: Sequence[Polygon], poses: Mapping[int, Pose], error: float) -> CellsFound:
    """An arrangement of all pieces from elsewhere, judged in the same way, for about this error."""
    unit = math.sqrt(float(np.mean(shapely.area(pieces))))
    search = _Search(cells_of(pieces, unit), float(shapely.area(pieces).sum()) / unit**2, MaxEvaluations(0))
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

    def run(self) -> _Judged | None:
        best: _Judged | None = None
        beam: Growths | None = None
        for error in ERRORS:
            grown_up = self._grown(self._singles(), len(self.cells.centres) - 1, error, WIDTH)
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
            beam = _unique(_joined((again, beam)), WIDTH)
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
        return max(
            (
                self.judged(beam.turns[k], beam.shifts[k], beam.mates[k], error)
                for k in range(min(JUDGED, len(beam.worth)))
            ),
            key=lambda one: one.rank,
        )

    def judged(self, turns: Complexes, shifts: Complexes, mates: NDArray[np.int64], error: float) -> _Judged:
        """An arrangement of all pieces at rest, with the error that it shows and the evidence for it."""
        cells = self.cells
        turns, shifts, mates = turns.copy(), shifts.copy(), mates.copy()
        placed = np.ones(len(turns), dtype=np.bool_)
        corners = np.zeros(len(mates), np.complex128)
        laid(cells, placed, turns, shifts, corners)
        mated(cells, placed, mates, corners, error)
        rest(cells, placed, turns, shifts, mates, corners, LAST_SWEEPS)
        turns, shifts, squared, over = at_rest(cells, turns, shifts, mates, error)
        laid(cells, placed, turns, shifts, corners)
        shown = max(math.sqrt((squared + PRIOR * error**2) / (over + PRIOR)), LEAST_ERROR)
        evidence = worth_of(cells, placed, turns, shifts, mates, corners, shown, reward_of(shown))
        return _Judged(turns, shifts, mates, evidence, shown, self._is_whole(mates, corners, shown, evidence))

    def _is_whole(self, mates: NDArray[np.int64], corners: Complexes, error: float, evidence: float) -> bool:
        hull = hull_of(corners)
        empty = hull.area - self.area
        free = float(self.cells.lengths[mates < 0].sum())
        return (
            evidence > 0.0
            and empty < max(EMPTY * hull.area, EMPTY_ERRORS * error * hull.length)
            and free < FREE * hull.length + 2.0 * error
        )


def _unique(beam: Growths, width: int) -> Growths:
    """The best arrangements, each once."""
    order = np.argsort(-beam.worth, kind="stable")
    seen: set[bytes] = set()
    kept: list[int] = []
    for k in order.tolist():
        name = beam.mates[k].tobytes() + beam.placed[k].tobytes()
        if name not in seen and beam.worth[k] > -np.inf and len(kept) < width:
            seen.add(name)
            kept.append(k)
    return Growths(beam.placed[kept], beam.turns[kept], beam.shifts[kept], beam.mates[kept], beam.worth[kept])


def _joined(beams: Sequence[Growths]) -> Growths:
    """All arrangements in one."""
    return Growths(
        np.concatenate([beam.placed for beam in beams]),
        np.concatenate([beam.turns for beam in beams]),
        np.concatenate([beam.shifts for beam in beams]),
        np.concatenate([beam.mates for beam in beams]),
        np.concatenate([beam.worth for beam in beams]),
    )
