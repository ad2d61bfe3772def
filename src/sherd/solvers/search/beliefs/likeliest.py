"""The likeliest arrangements of rough pieces: what charts found, and what comes of it by exchanging parts.

Where every corner is off by about as much, or it is known how uncertain each is beside others, the sum of
squares that fitting cuts leaves is all that arrangements of the same pieces differ by: each has as many cuts
and corners. How large the noise is need not be known, only that it is the same in all: then the likelihood is
a power of that sum. Where some pieces were never damaged, what lies exactly comes before that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sherd.core.arrays import Floats
from sherd.core.geometry import LENGTH_TOLERANCE, Pose, angle_between
from sherd.core.symmetry import allowed_symmetries
from sherd.solvers.search.beliefs.cut_lines import CutFit, fit_cuts
from sherd.solvers.search.beliefs.edge_lines import Lines
from sherd.solvers.search.beliefs.eroded import restored_in
from sherd.solvers.search.beliefs.exactly import Tied, tied
from sherd.solvers.search.beliefs.lacking import lacks_a_piece
from sherd.solvers.search.beliefs.rearrange import rearranged
from sherd.solvers.search.beliefs.uncertain_outline import with_traced_edges
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.beliefs import (
    ABOUT_AS_LIKELY,
    FAIR_BY_CHANCE,
    FAIR_SQUARES,
    FAIR_WORN,
    FARTHEST_BEHIND,
    FARTHEST_EXCHANGE,
    FEW_BINS,
    LOOKED_AT_FOR_EXACT,
    MOST_EXCHANGES,
    MOST_EXCHANGES_EXACT,
    MOST_FITTED,
    MOST_FITTED_EXACT,
    SOUND_DOUBT,
    TIE,
    UNLIKELY,
)
from sherd.solvers.search.constants.rough_outlines import NEARLY_STRAIGHT
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.stop import Stop

# Radians: angles that differ by less are the same.
SAME_TURN = 1e-6


@dataclass(frozen=True, eq=False)
class Arranged:
    """The line of each edge of each piece, what pieces are taken for, by number, and where they lie about."""

    lines: Lines
    outlines: tuple[Floats, ...]
    poses: Mapping[int, Pose]


@dataclass(frozen=True, eq=False)
class Likely:
    """Poses of all pieces, and the logarithm of how likely they are beside the likeliest."""

    logarithm: float
    poses: dict[int, Pose]


@dataclass(frozen=True, eq=False)
class Likeliest:
    """Arrangements, the likeliest first, and the noise that it shows, as a share of the size.

    ``is_whole`` says that all that were there at first were fitted, and that it was gone on from all that is
    about as likely; ``is_fair`` that corners are off by no more than pixels explain, if there are some. It
    ``lacks_a_piece`` if the area that lacks is more than such corners explain. ``exact`` is how many pieces
    lie exactly in the likeliest: the noise is that of the others.
    """

    arrangements: tuple[Likely, ...]
    noise: float
    is_whole: bool
    is_fair: bool
    lacks_a_piece: bool
    exact: int = 0


def likeliest(
    case: Case,
    starts: Iterable[Arranged],
    stop: Stop,
    is_enough: Callable[[Likeliest], bool],
    *,
    times: int = 1,
) -> Likeliest | None:
    """The likeliest arrangements, begun with some; None if no cuts can be fitted to any of these.

    It ends as soon as what was found so far is enough. ``times`` as many as usual are fitted.
    """
    search = _Search(case, times)
    is_whole = True
    for start in starts:
        if search.tried >= search.room or stop(0):
            is_whole = False
            break
        search.add(start)
    if not search.fits:
        return None
    found = search.ended(is_whole=is_whole)
    while search.is_going_on:
        if is_enough(found):
            return found
        if not search.expand(stop):
            return search.ended(is_whole=False)
        found = search.ended(is_whole=is_whole)
    return replace(found, is_whole=is_whole and not search.is_cut_off)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """An arrangement with the cuts fitted to it, and how many numbers agree exactly in which pieces."""

    arranged: Arranged
    fit: CutFit
    ties: int = 0
    exact: frozenset[int] = frozenset()

    def logarithm(self, variance: float) -> float:
        """How likely it is, as a logarithm, beside one without ties whose squares are such on average."""
        average = max(self.fit.squares / self.fit.freedom / variance, np.finfo(float).tiny)
        return TIE * self.ties - 0.5 * self.fit.freedom * math.log(average)


class _Search:
    """What was fitted so far, by the lines of edges, and which of these were gone on from."""

    def __init__(self, case: Case, times: int) -> None:
        self._case, self._times = case, times
        self._target = CornerOutline.of(ring_of(case.puzzle.target), NEARLY_STRAIGHT).corners
        self._turns = case.puzzle.rotations.bins is None
        self._weights: dict[bytes, Floats] = {}
        self._seen: set[Lines] = set()
        self.tried = 0
        self.fits: dict[Lines, _Fitted] = {}
        # Of all corners alike, and how many arrangements were looked at for pieces that lie exactly.
        self._least: CutFit | None = None
        self._looked_at, self._any_exact = 0, False
        self.expanded: set[Lines] = set()

    def add(self, one: Arranged) -> None:
        """Fit cuts to an arrangement, unless that was done."""
        key = min(_numbered(one.lines, len(self._target), turn) for turn in self._symmetries)
        if key in self._seen:
            return
        self._seen.add(key)
        self.tried += 1
        found = fit_cuts(
            one.outlines,
            one.lines,
            self._target,
            one.poses,
            turns=self._turns,
            weights=self._weights_of(one.outlines),
            most=self._squares_at(FARTHEST_BEHIND if self._may_lie_exactly else UNLIKELY),
        )
        if found is None:
            return
        if self._least is None or found.squares < self._least.squares:
            self._least = found
        self.fits[key] = self._looked_closer(_Fitted(one, found))

    @property
    def _may_lie_exactly(self) -> bool:
        """Whether pieces may lie exactly, as far as arrangements have shown."""
        return self._case.pixel is None and (self._any_exact or self._looked_at < LOOKED_AT_FOR_EXACT)

    def _looked_closer(self, one: _Fitted) -> _Fitted:
        """What was fitted, with pieces that lie exactly told apart, if there may be some."""
        if not self._may_lie_exactly or one.fit.squares > self._squares_at(FARTHEST_BEHIND):
            return one
        self._looked_at += 1
        found = self._tied(one.arranged, one.fit, turns=self._turns)
        if (self._case.puzzle.rotations.bins or 1) > FEW_BINS:
            found = max(found, self._turned_to_bins(one.arranged, found), key=lambda tied: tied.ties)
        self._any_exact |= found.ties > 0
        return replace(one, fit=found.fit, ties=found.ties, exact=found.pieces)

    def _tied(self, one: Arranged, fit: CutFit, *, turns: bool) -> Tied:
        weights, size = self._weights_of(one.outlines), self._case.size
        return tied(one.outlines, one.lines, self._target, fit, weights, turns=turns, size=size)

    def _turned_to_bins(self, one: Arranged, found: Tied) -> Tied:
        """The same with pieces turned as they would be if they were free, to the nearest allowed angle."""
        rotations = self._case.puzzle.rotations
        free = self._tied(one, found.fit, turns=True).fit.poses
        poses = {k: replace(pose, theta=rotations.nearest(pose.theta)) for k, pose in free.items()}
        before = found.fit.poses
        if all(angle_between(pose.theta, before[k].theta) < SAME_TURN for k, pose in poses.items()):
            return found
        weights = self._weights_of(one.outlines)
        fit = fit_cuts(one.outlines, one.lines, self._target, poses, turns=False, weights=weights)
        return found if fit is None else self._tied(one, fit, turns=False)

    @property
    def room(self) -> int:
        """How many arrangements are fitted at first."""
        most = MOST_FITTED_EXACT if self._any_exact else MOST_FITTED
        return max(self._times * most // self._case.pieces, 1)

    @property
    def is_going_on(self) -> bool:
        """Whether there is something to go on from, and not too much was tried."""
        return bool(self.waiting) and self.tried < 2 * self.room

    @property
    def waiting(self) -> list[tuple[float, Lines]]:
        """What is likely and was not gone on from yet, and how much less likely than the likeliest.

        Where pieces lie exactly, what has all of them so may be two exchanges away.
        """
        most = FARTHEST_BEHIND if self._any_exact else UNLIKELY
        return [(by, key) for by, key in self._ranked if key not in self.expanded and by <= most]

    @property
    def is_cut_off(self) -> bool:
        """Whether something that is about as likely as the likeliest was not gone on from."""
        return min(self.waiting, default=(math.inf,))[0] <= ABOUT_AS_LIKELY

    @property
    def _ranked(self) -> list[tuple[float, Lines]]:
        """All, the likeliest first, and how much less likely they are than that, as a logarithm."""
        if self._least is None:
            return []
        variance = max(self._least.squares / self._least.freedom, np.finfo(float).tiny)
        every = {key: one.logarithm(variance) for key, one in self.fits.items()}
        most = max(every.values())
        return sorted(((most - logarithm, key) for key, logarithm in every.items()), key=lambda one: one[0])

    def expand(self, stop: Stop) -> bool:
        """Try all exchanges in the likeliest that waits; whether there was time for that."""
        if stop(0):
            return False
        _, key = self.waiting[0]
        self.expanded.add(key)
        one, fit = self.fits[key].arranged, self.fits[key].fit
        farthest = FARTHEST_EXCHANGE * self._spread(fit, one) ** 2 * fit.freedom
        others = sorted(
            rearranged(one.lines, fit, self._case.puzzle.rotations, farthest), key=lambda other: other.off
        )
        for other in others[: MOST_EXCHANGES_EXACT if self._any_exact else MOST_EXCHANGES]:
            if stop(0):
                return False
            self.add(Arranged(other.lines, one.outlines, other.poses))
        return True

    def ended(self, *, is_whole: bool) -> Likeliest:
        """All that is likely."""
        likely = [one for one in self._ranked if one[0] <= UNLIKELY]
        best = self.fits[likely[0][1]]
        arrangements = tuple(Likely(-by, self.fits[key].fit.poses) for by, key in likely)
        fair = FAIR_SQUARES + FAIR_BY_CHANCE / math.sqrt(best.fit.freedom)
        if self._case.pixel is None:
            fair = FAIR_WORN if self._are_worn else math.inf
        is_fair = best.fit.squares <= fair * best.fit.freedom
        noise = self._spread(best.fit, best.arranged) / self._case.size
        variance = max(best.fit.squares / best.fit.freedom, (LENGTH_TOLERANCE * self._case.size) ** 2)
        outlines = best.arranged.outlines
        # What was traced from pixels may all be drawn a little too small.
        lacks = self._case.pixel is None and lacks_a_piece(
            self._target, outlines, variance, self._weights_of(outlines)
        )
        return Likeliest(arrangements, noise, is_whole, is_fair, lacks, len(best.exact))

    def _squares_at(self, logarithm: float) -> float:
        """The squares, of all corners alike, of an arrangement that is so much less likely than the least."""
        if self._least is None:
            return math.inf
        return self._least.squares * math.exp(2.0 * logarithm / self._least.freedom)

    def _weights_of(self, outlines: Sequence[Floats]) -> list[Floats] | None:
        """What makes corners as uncertain as each other: those from pixels, and of worn pieces, are not."""
        pixel = self._case.puzzle.pixel_alone
        if pixel is None and not self._are_worn:
            return None
        for outline in outlines:
            if (key := outline.tobytes()) not in self._weights:
                if pixel is None:  # worn ones are known
                    self._weights[key] = np.eye(2 * len(outline)) / (SOUND_DOUBT * self._case.size)
                else:
                    self._weights[key] = _weight(with_traced_edges(outline, pixel).covariance)
        return [self._weights[outline.tobytes()] for outline in outlines]

    @cached_property
    def _are_worn(self) -> bool:
        """Whether some pieces are worn; what is known of those is remembered."""
        if self._case.pixel is None:
            for belief in restored_in(self._case):
                self._weights[belief.corners.tobytes()] = _weight(belief.covariance)
        return bool(self._weights)

    def _spread(self, fit: CutFit, one: Arranged) -> float:
        """How far corners are off to each side, on average."""
        weights = self._weights_of(one.outlines)
        spread = math.sqrt(fit.squares / fit.freedom)
        if weights is None:
            return spread
        variances = [np.mean(np.diag(np.linalg.inv(weight.T @ weight))) for weight in weights]
        return spread * math.sqrt(float(np.mean(variances)))

    @cached_property
    def _symmetries(self) -> list[int]:
        """By how many sides the target may be turned so that nothing changes."""
        middles = (self._target + np.roll(self._target, -1, axis=0)) / 2.0
        motions = [motion for motion in allowed_symmetries(self._case.puzzle) if not motion.mirrored]
        off = [np.hypot(*(middles - motion.points(middles[:1])).T) for motion in motions]
        return sorted({int(one.argmin()) for one in off})


def _weight(covariance: Floats) -> Floats:
    """What makes numbers of such a covariance as uncertain as each other, each by one."""
    return np.asarray(np.linalg.inv(np.linalg.cholesky(covariance)), dtype=np.float64)


def _numbered(lines: Lines, sides: int, turn: int) -> Lines:
    """The lines with cuts numbered as they come, and sides turned on."""
    numbers: dict[int, int] = {side: (side + turn) % sides for side in range(sides)}
    return tuple(tuple(numbers.setdefault(line, len(numbers)) for line in edges) for edges in lines)
