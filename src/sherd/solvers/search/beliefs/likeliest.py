"""The likeliest arrangements of rough pieces: what charts found, and what comes of it by exchanging parts.

Where every corner is off by about as much, or it is known how uncertain each is beside others, the sum of
squares that fitting cuts leaves is all that arrangements of the same pieces differ by: each has as many cuts
and corners. How large the noise is need not be known, only that it is the same in all: then the likelihood is
a power of that sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose
from sherd.core.symmetry import allowed_symmetries
from sherd.solvers.search.beliefs.cut_lines import CutFit, fit_cuts
from sherd.solvers.search.beliefs.edge_lines import Lines
from sherd.solvers.search.beliefs.rearrange import rearranged
from sherd.solvers.search.beliefs.uncertain_outline import with_traced_edges
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.beliefs import (
    ABOUT_AS_LIKELY,
    FAIR_BY_CHANCE,
    FAIR_SQUARES,
    FARTHEST_EXCHANGE,
    MOST_EXCHANGES,
    MOST_EXPANDED,
    MOST_FITTED,
    UNLIKELY,
)
from sherd.solvers.search.constants.rough_outlines import NEARLY_STRAIGHT
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.stop import Stop


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

    ``is_whole`` says that all that were there at first were fitted, and there was time to go on from them;
    ``is_fair`` that corners are off by no more than pixels explain, if there are some.
    """

    arrangements: tuple[Likely, ...]
    noise: float
    is_whole: bool
    is_fair: bool


def likeliest(
    case: Case, starts: Iterable[Arranged], stop: Stop, is_enough: Callable[[Likeliest], bool]
) -> Likeliest | None:
    """The likeliest arrangements, begun with some; None if no cuts can be fitted to any of these.

    It ends as soon as what was found so far is enough.
    """
    search = _Search(case)
    room = max(MOST_FITTED // case.pieces, 1)
    is_whole = True
    for start in starts:
        if search.tried >= room or stop(0):
            is_whole = False
            break
        search.add(start)
    if not search.fits:
        return None
    found = search.ended(is_whole=is_whole)
    while search.waiting and search.tried < 2 * room and len(search.expanded) < MOST_EXPANDED:
        if stop(0) or is_enough(found):
            return replace(found, is_whole=False)
        search.expand()
        found = search.ended(is_whole=is_whole)
    return replace(found, is_whole=is_whole and not search.is_cut_off)


class _Search:
    """What was fitted so far, by the lines of edges, and which of these were gone on from."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._target = CornerOutline.of(ring_of(case.puzzle.target), NEARLY_STRAIGHT).corners
        self._turns = case.puzzle.rotations.bins is None
        self._weights: dict[bytes, Floats] = {}
        self._seen: set[Lines] = set()
        self.tried = 0
        self.fits: dict[Lines, tuple[Arranged, CutFit]] = {}
        self._best: tuple[Arranged, CutFit] | None = None
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
            most=self._squares_at(UNLIKELY),
        )
        if found is not None:
            self.fits[key] = one, found
            if self._best is None or found.squares < self._best[1].squares:
                self._best = one, found

    @property
    def waiting(self) -> list[tuple[float, Lines]]:
        """What is likely and was not gone on from yet."""
        most = self._squares_at(UNLIKELY)
        return [
            (fit.squares, key)
            for key, (_, fit) in self.fits.items()
            if key not in self.expanded and fit.squares <= most
        ]

    @property
    def is_cut_off(self) -> bool:
        """Whether something that is about as likely as the likeliest was not gone on from."""
        return min(self.waiting, default=(math.inf,))[0] <= self._squares_at(ABOUT_AS_LIKELY)

    def expand(self) -> None:
        """Try all exchanges in the likeliest that waits."""
        _, key = min(self.waiting)
        self.expanded.add(key)
        one, fit = self.fits[key]
        farthest = FARTHEST_EXCHANGE * self._spread(fit, one) ** 2 * fit.freedom
        others = sorted(
            rearranged(one.lines, fit, self._case.puzzle.rotations, farthest), key=lambda other: other.off
        )
        for other in others[:MOST_EXCHANGES]:
            self.add(Arranged(other.lines, one.outlines, other.poses))

    def ended(self, *, is_whole: bool) -> Likeliest:
        """All that is likely."""
        assert self._best is not None  # there is a fit
        (least, best), most = self._best, self._squares_at(UNLIKELY)
        arrangements = [
            Likely(_logarithm(fit, best), fit.poses) for _, fit in self.fits.values() if fit.squares <= most
        ]
        arrangements.sort(key=lambda one: -one.logarithm)
        fair = FAIR_SQUARES + FAIR_BY_CHANCE / math.sqrt(best.freedom)
        is_fair = self._case.pixel is None or best.squares <= fair * best.freedom
        noise = self._spread(best, least) / self._case.size
        return Likeliest(tuple(arrangements), noise, is_whole, is_fair)

    def _squares_at(self, logarithm: float) -> float:
        """The squares of an arrangement that is so much less likely than the likeliest."""
        if self._best is None:
            return math.inf
        best = self._best[1]
        return best.squares * math.exp(2.0 * logarithm / best.freedom)

    def _weights_of(self, outlines: Sequence[Floats]) -> list[Floats] | None:
        """What makes corners as uncertain as each other: those of outlines from pixels are not."""
        pixel = self._case.puzzle.pixel_alone
        if pixel is None:
            return None
        for outline in outlines:
            if (key := outline.tobytes()) not in self._weights:
                covariance = with_traced_edges(outline, pixel).covariance
                weight = np.linalg.inv(np.linalg.cholesky(covariance))
                self._weights[key] = np.asarray(weight, dtype=np.float64)
        return [self._weights[outline.tobytes()] for outline in outlines]

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


def _logarithm(fit: CutFit, best: CutFit) -> float:
    """How likely a fit is beside the best; one of more corners has more squares by chance."""
    variance = best.squares / best.freedom
    squares = fit.squares - (fit.freedom - best.freedom) * variance
    return (
        -0.5 * best.freedom * math.log(max(squares, best.squares) / max(best.squares, np.finfo(float).tiny))
    )


def _numbered(lines: Lines, sides: int, turn: int) -> Lines:
    """The lines with cuts numbered as they come, and sides turned on."""
    numbers: dict[int, int] = {side: (side + turn) % sides for side in range(sides)}
    return tuple(tuple(numbers.setdefault(line, len(numbers)) for line in edges) for edges in lines)
