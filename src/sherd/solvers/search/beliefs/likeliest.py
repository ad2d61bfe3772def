"""The likeliest arrangements of rough pieces: what charts found, and what comes of it by exchanging parts.

Where every corner is off by about as much, the sum of squares that fitting cuts leaves is all that
arrangements of the same pieces differ by: each has as many cuts and corners. How large the noise is need not
be known, only that it is the same in all: then the likelihood is a power of that sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose
from sherd.core.symmetry import allowed_symmetries
from sherd.solvers.search.beliefs.cut_lines import CutFit, fit_cuts
from sherd.solvers.search.beliefs.edge_lines import Lines
from sherd.solvers.search.beliefs.rearrange import rearranged
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants import (
    FARTHEST_EXCHANGE,
    MOST_EXCHANGES,
    MOST_EXPANDED,
    MOST_FITTED,
    NEARLY_STRAIGHT,
    UNLIKELY,
)
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.stop import Stop


@dataclass(frozen=True, eq=False)
class Likely:
    """An arrangement with the logarithm of how likely it is beside the likeliest."""

    logarithm: float
    lines: Lines
    poses: dict[int, Pose]


@dataclass(frozen=True, eq=False)
class Likeliest:
    """Arrangements, the likeliest first, and the noise that it shows, as a share of the size.

    ``is_whole`` says that all that seemed likely were gone on from.
    """

    arrangements: tuple[Likely, ...]
    noise: float
    is_whole: bool


def likeliest(
    case: Case, starts: Iterable[tuple[Lines, Mapping[int, Pose]]], stop: Stop
) -> Likeliest | None:
    """The likeliest arrangements, begun with some; None if no cuts can be fitted to any of these."""
    search = _Search(case)
    room = max(MOST_FITTED // case.pieces, 1)
    is_whole = True
    for lines, poses in starts:
        if search.tried >= room or stop(0):
            is_whole = False
            break
        search.add(lines, poses)
    if not search.fits:
        return None
    while search.waiting and not stop(0):
        if search.tried >= 2 * room or len(search.expanded) >= MOST_EXPANDED:
            is_whole = False
            break
        search.expand()
    return search.ended(is_whole=is_whole)


class _Search:
    """What was fitted so far, by the lines of edges, and which of these were gone on from."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._rings = [CornerOutline.of(ring_of(one), NEARLY_STRAIGHT).corners for one in case.outlines]
        self._target = CornerOutline.of(ring_of(case.puzzle.target), NEARLY_STRAIGHT).corners
        self._turns = case.puzzle.rotations.bins is None
        self.tried = 0
        self.fits: dict[Lines, tuple[Lines, CutFit]] = {}
        self.expanded: set[Lines] = set()
        self._seen: set[Lines] = set()

    def add(self, lines: Lines, poses: Mapping[int, Pose]) -> None:
        """Fit cuts to an arrangement, unless that was done."""
        if any(len(ring) != len(edges) for ring, edges in zip(self._rings, lines, strict=True)):
            return
        key = min(_numbered(lines, len(self._target), turn) for turn in self._symmetries)
        if key in self._seen:
            return
        self._seen.add(key)
        self.tried += 1
        most = math.inf if not self.fits else self._most
        found = fit_cuts(self._rings, lines, self._target, poses, turns=self._turns, most=most)
        if found is not None:
            self.fits[key] = lines, found

    @property
    def waiting(self) -> list[tuple[float, Lines]]:
        """What is likely and was not gone on from yet."""
        return [
            (fit.squares, key)
            for key, (_, fit) in self.fits.items()
            if key not in self.expanded and fit.squares <= self._most
        ]

    def expand(self) -> None:
        """Try all exchanges in the likeliest that waits."""
        _, key = min(self.waiting)
        self.expanded.add(key)
        lines, fit = self.fits[key]
        farthest = FARTHEST_EXCHANGE * fit.squares
        others = sorted(
            rearranged(lines, fit, self._case.puzzle.rotations, farthest), key=lambda one: one.off
        )
        for other in others[:MOST_EXCHANGES]:
            self.add(other.lines, other.poses)

    def ended(self, *, is_whole: bool) -> Likeliest:
        best = min((fit for _, fit in self.fits.values()), key=lambda fit: fit.squares)
        floor = best.squares + np.finfo(float).tiny
        every = sorted(self.fits.values(), key=lambda one: one[1].squares)
        arrangements = tuple(
            Likely(-0.5 * best.freedom * math.log(max(fit.squares / floor, 1.0)), lines, fit.poses)
            for lines, fit in every
            if fit.squares <= self._most
        )
        return Likeliest(arrangements, math.sqrt(best.squares / best.freedom) / self._case.size, is_whole)

    @property
    def _most(self) -> float:
        """The squares of the least likely arrangement that counts."""
        best = min((fit for _, fit in self.fits.values()), key=lambda fit: fit.squares)
        return best.squares * math.exp(2.0 * UNLIKELY / best.freedom)

    @cached_property
    def _symmetries(self) -> list[int]:
        """By how many sides the target may be turned so that nothing changes."""
        middles = (self._target + np.roll(self._target, -1, axis=0)) / 2.0
        turned = [
            motion.points(middles[:1]) for motion in allowed_symmetries(self._case.puzzle) if not motion.mirrored
        ]
        return sorted({int(_distances(middles, one).argmin()) for one in turned})


def _distances(points: Floats, to: Floats) -> Floats:
    return np.hypot(*(points - to).T)


def _numbered(lines: Lines, sides: int, turn: int) -> Lines:
    """The lines with cuts numbered as they come, and sides turned on."""
    numbers: dict[int, int] = {side: (side + turn) % sides for side in range(sides)}
    return tuple(tuple(numbers.setdefault(line, len(numbers)) for line in edges) for edges in lines)
