"""Gluing: undoing a binary space partition from the last cut to the first.

The two parts of a cut share it as a full edge, and as no cut ends in a corner, their angles at each of its
ends add up to a straight one. Two pieces with such edges are glued into the piece that was cut, until one
piece is left, which is the target. Exact pieces match in one way only; where outlines are uncertain, a beam
of the most likely sequences is kept.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import Pose, Rotations, angle_between
from sherd.core.tolerance import Tolerance
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.attempt import Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.tiling import FARTHEST_MATCH, MOST_ANGLE_DOUBT
from sherd.solvers.search.corner_outline import CornerOutline, from_last, from_next, outlines_of
from sherd.solvers.stop import Stop

# Boxes of lengths are this much wider than lengths of a pair may differ, so that rounding skips none.
WIDER = 1.001


@dataclass(frozen=True, kw_only=True)
class GluingBeam:
    """How many sequences are kept side by side, and how many ways on are tried from each."""

    width: int = 1
    ways: int = 1

    def __str__(self) -> str:
        return f"{self.width} sequences, {self.ways} ways on"


@dataclass(frozen=True)
class GluedPart:
    """Pieces glued together: their joint outline and each one's pose in its frame, by number."""

    outline: CornerOutline
    members: tuple[tuple[int, Pose], ...]

    @cached_property
    def numbers(self) -> frozenset[int]:
        """Which pieces it is made of."""
        return frozenset(number for number, _ in self.members)


@dataclass(frozen=True, order=True)
class _Match:
    """Two edges that may be the banks of one cut; a lower cost is a better fit."""

    cost: float
    first: int
    first_edge: int
    second: int
    second_edge: int


@dataclass(frozen=True)
class _GlueState:
    """The parts that lie about, how well those already glued fitted, and what may be glued next."""

    cost: float
    parts: frozenset[int]
    matches: tuple[_Match, ...]


def glue_exactly(case: Case, off: float, stop: Stop, *, beam: GluingBeam | None = None) -> Found:
    """Poses by gluing, none where it leads nowhere; each way that is weighed is a try.

    Corners may be ``off`` by this share of the target's size.
    """
    puzzle = case.puzzle
    pieces, target = outlines_of(puzzle, off)
    best, ways = Arrangement({}, 0.0), 0
    for poses in glue(
        pieces, target, puzzle.rotations, off * case.size, beam=beam or GluingBeam(), stop=lambda: stop(1)
    ):
        way, ways = arrangement_of(puzzle, poses), ways + 1
        best = max(best, way, key=lambda one: one.coverage)
        if best.fits(puzzle, Tolerance.of_corners(off)) or stop(ways):
            break
    return Found(best.poses, max(1, ways))


def glue(
    pieces: Sequence[CornerOutline],
    target: CornerOutline,
    rotations: Rotations,
    uncertainty: float,
    *,
    beam: GluingBeam,
    stop: Callable[[], bool],
) -> Iterator[dict[int, Pose]]:
    """The pose of every piece, by number, in every way kept that ends in the target, the best fit first.

    ``uncertainty`` is how far a corner may lie from its true place. An edge that looks like a whole side of
    the target most likely is one, and nothing is glued to it; only if that leads nowhere, as where a cut
    runs from side to side of a rectangle, are such edges glued too.
    """
    for spare in (target, None):
        bench = _Bench(rotations, uncertainty, spare)
        for parts in bench.glue_all(pieces, beam, stop):
            poses = _lay(parts[0], target, rotations, uncertainty) if len(parts) == 1 else None
            if poses is not None:
                yield poses


def glue_some(
    pieces: Sequence[CornerOutline],
    target: CornerOutline,
    rotations: Rotations,
    uncertainty: float,
    *,
    stop: Callable[[], bool],
) -> list[GluedPart]:
    """What is left when gluing has come to its end, as where a piece is lost: parts of one or more pieces."""
    endings = _Bench(rotations, uncertainty, spare=target).glue_all(pieces, GluingBeam(), stop)
    return endings[0] if endings else []


class _Bench:
    """All parts made so far, and which of their edges match."""

    def __init__(self, rotations: Rotations, uncertainty: float, spare: CornerOutline | None) -> None:
        self.rotations, self.uncertainty, self.spare = rotations, uncertainty, spare
        self.parts: list[GluedPart] = []
        self._edges: list[_GlueEdges] = []
        # Whose edges are about as long, and how long: in boxes a little wider than lengths of a pair differ.
        self._by_length: defaultdict[int, dict[int, list[float]]] = defaultdict(dict)
        self._joined: dict[tuple[int, int, int, int], int] = {}
        self._matches: dict[tuple[int, int], list[_Match]] = {}

    def glue_all(
        self, pieces: Sequence[CornerOutline], beam: GluingBeam, stop: Callable[[], bool]
    ) -> list[list[GluedPart]]:
        """The parts that are left when nothing more can be glued, in every way kept, the best fit first."""
        start = [self._add(GluedPart(outline, ((number, Pose()),))) for number, outline in enumerate(pieces)]
        matches: list[_Match] = []
        for k in start:
            if stop():
                return []
            before = sorted(other for other in self._near(k) if other < k)
            matches += (match for other in before for match in self._between(k, other))
        if beam == GluingBeam():
            return self._glue_best_first(start, matches, stop)
        states = [_GlueState(0.0, frozenset(start), tuple(sorted(matches)))]
        for _ in range(len(pieces) - 1):
            found: dict[frozenset[frozenset[int]], _GlueState] = {}
            for state in states:
                for match in state.matches[: beam.ways]:
                    if stop():
                        return []
                    after = self._after(state, match)
                    same = frozenset(self.parts[part].numbers for part in after.parts)
                    if same not in found or after.cost < found[same].cost:
                        found[same] = after
            if not found:
                break
            states = sorted(found.values(), key=lambda state: state.cost)[: beam.width]
        return [[self.parts[part] for part in sorted(state.parts)] for state in states]

    def _glue_best_first(
        self, start: list[int], matches: list[_Match], stop: Callable[[], bool]
    ) -> list[list[GluedPart]]:
        """The same for one sequence with one way on: always the best match of parts that still lie about."""
        about = set(start)
        heapify(matches)
        while matches:
            match = heappop(matches)
            if match.first not in about or match.second not in about:
                continue
            if stop():
                return []
            about -= {match.first, match.second}
            whole = self._join(match)
            for other in self._near(whole) & about:
                for fresh in self._between(whole, other):
                    heappush(matches, fresh)
            about.add(whole)
        return [[self.parts[part] for part in sorted(about)]]

    def _after(self, state: _GlueState, match: _Match) -> _GlueState:
        """The state once two edges are glued."""
        whole = self._join(match)
        gone = (match.first, match.second)
        others = state.parts.difference(gone)
        kept = (m for m in state.matches if m.first not in gone and m.second not in gone)
        fresh = (m for other in self._near(whole) & others for m in self._between(whole, other))
        return _GlueState(state.cost + match.cost, others | {whole}, tuple(sorted((*kept, *fresh))))

    def _add(self, part: GluedPart) -> int:
        self.parts.append(part)
        edges = _GlueEdges.of(part.outline, self.uncertainty, self.spare)
        self._edges.append(edges)
        number = len(self.parts) - 1
        for length in edges.length.tolist():
            self._by_length[self._box(length)].setdefault(number, []).append(length)
        return number

    @property
    def _apart(self) -> float:
        """By how much edges of a pair may differ in length."""
        return FARTHEST_MATCH * 2.0 * self.uncertainty

    def _box(self, length: float) -> int:
        return int(length / (WIDER * self._apart))

    def _near(self, part: int) -> set[int]:
        """The parts that have an edge about as long as one of this part's: few, where pieces are exact."""
        found: set[int] = set()
        apart = self._apart
        for own in self._edges[part].length.tolist():
            box = self._box(own)
            for beside in (box - 1, box, box + 1):
                for number, lengths in self._by_length.get(beside, {}).items():
                    if number not in found and any(abs(length - own) <= apart for length in lengths):
                        found.add(number)
        return found

    def _between(self, first: int, second: int) -> list[_Match]:
        """All matches of two parts."""
        if (first, second) not in self._matches:
            one, other = self._edges[first], self._edges[second]
            length = (one.length[:, None] - other.length) / (2.0 * self.uncertainty)
            at_start = _supplement(one.start_angle[:, None], other.end_angle)
            at_end = _supplement(one.end_angle[:, None], other.start_angle)
            at_start = at_start / (one.start_doubt[:, None] + other.end_doubt)
            at_end = at_end / (one.end_doubt[:, None] + other.start_doubt)
            worst = np.maximum(np.maximum(np.abs(length), np.abs(at_start)), np.abs(at_end))
            found: list[_Match] = []
            for k, m in np.argwhere(worst <= FARTHEST_MATCH).tolist():
                turn = float(one.direction[k] + math.pi - other.direction[m])
                doubt = FARTHEST_MATCH * self.uncertainty * (1.0 / one.length[k] + 1.0 / other.length[m])
                if self.rotations.allows(turn, min(MOST_ANGLE_DOUBT, doubt)):
                    cost = float(length[k, m] ** 2 + at_start[k, m] ** 2 + at_end[k, m] ** 2)
                    found.append(_Match(cost, first, int(one.number[k]), second, int(other.number[m])))
            self._matches[first, second] = found
        return self._matches[first, second]

    def _join(self, match: _Match) -> int:
        """Glue the second part to the first along two edges; the corners at their ends vanish."""
        key = (match.first, match.first_edge, match.second, match.second_edge)
        if key not in self._joined:
            one, other = self.parts[match.first], self.parts[match.second]
            turn = one.outline.directions[match.first_edge] + math.pi
            theta = self.rotations.nearest(float(turn - other.outline.directions[match.second_edge]))
            # Middle on middle: a misfit in length is shared by both ends.
            onto = _middle(one.outline, match.first_edge)
            start = Pose(theta=theta).points(_middle(other.outline, match.second_edge))
            move = Pose(float(onto[0] - start[0]), float(onto[1] - start[1]), theta)
            moved = CornerOutline(move.points(other.outline.corners))
            corners = np.vstack([_all_but(one.outline, match.first_edge), _all_but(moved, match.second_edge)])
            members = tuple((number, move @ pose) for number, pose in other.members)
            self._joined[key] = self._add(GluedPart(CornerOutline(corners), (*one.members, *members)))
        return self._joined[key]


@dataclass(frozen=True)
class _GlueEdges:
    """The edges of a part that may be glued, (n,) each: doubts are uncertainties of angles, in radians."""

    number: Ints
    length: Floats
    direction: Floats
    start_angle: Floats
    end_angle: Floats
    start_doubt: Floats
    end_doubt: Floats

    @classmethod
    def of(cls, outline: CornerOutline, uncertainty: float, spare: CornerOutline | None) -> _GlueEdges:
        # A repeated corner makes an edge of no length.
        lengths, angles = np.maximum(outline.lengths, uncertainty), outline.angles
        doubt = np.minimum(
            MOST_ANGLE_DOUBT / FARTHEST_MATCH / 2.0, uncertainty * (1.0 / lengths + 1.0 / from_last(lengths))
        )
        number = np.arange(len(outline))
        if spare is not None:
            number = number[~_looks_like_a_side(outline, doubt, spare, uncertainty)]
        after = (number + 1) % len(outline)
        return cls(
            number,
            lengths[number],
            outline.directions[number],
            angles[number],
            angles[after],
            doubt[number],
            doubt[after],
        )


def _looks_like_a_side(
    outline: CornerOutline, doubt: Floats, target: CornerOutline, uncertainty: float
) -> NDArray[np.bool_]:
    """Which edges could be a whole side of the target, (n,)."""
    length = np.abs(outline.lengths[:, None] - target.lengths) / (2.0 * uncertainty)
    start = np.abs(outline.angles[:, None] - target.angles) / doubt[:, None]
    end = np.abs(from_next(outline.angles)[:, None] - from_next(target.angles))
    end = end / from_next(doubt)[:, None]
    alike = np.maximum(np.maximum(length, start), end) <= FARTHEST_MATCH  # (n, sides)
    return np.any(alike, axis=1)


def _supplement(first: Floats, second: Floats) -> Floats:
    return first + second - math.pi


def _middle(outline: CornerOutline, edge: int) -> Floats:
    return outline.corners[edge] + outline.edges[edge] / 2.0


def _all_but(outline: CornerOutline, edge: int) -> Floats:
    """The corners from behind an edge around to before it, without its own two."""
    first = (edge + 2) % len(outline)
    return np.concatenate([outline.corners[first:], outline.corners[:first]])[:-2]


def _lay(
    whole: GluedPart, target: CornerOutline, rotations: Rotations, uncertainty: float
) -> dict[int, Pose] | None:
    """Lay what was glued onto the target, if it has its shape and can be turned so that all are allowed."""
    count, pieces = len(target), len(whole.members)
    if len(whole.outline) != count:
        return None
    doubt = min(MOST_ANGLE_DOUBT, FARTHEST_MATCH * uncertainty * pieces / float(target.lengths.min()))
    best: tuple[float, dict[int, Pose]] | None = None
    for shift in range(count):
        corners = np.roll(whole.outline.corners, -shift, axis=0)
        theta = _mean_turn(target.directions - CornerOutline(corners).directions, target.lengths)
        first_theta = whole.members[0][1].theta
        theta = rotations.nearest(theta + first_theta) - first_theta
        x, y = (target.corners.mean(axis=0) - Pose(theta=theta).points(corners).mean(axis=0)).tolist()
        pose = Pose(x, y, theta)
        off = float(np.hypot(*(pose.points(corners) - target.corners).T).max())
        if off > FARTHEST_MATCH * count * pieces * uncertainty or (best is not None and off >= best[0]):
            continue
        poses = {number: pose @ member for number, member in whole.members}
        if all(rotations.allows(p.theta, doubt) for p in poses.values()):
            best = off, {number: _snapped(p, rotations) for number, p in poses.items()}
    return None if best is None else best[1]


def _mean_turn(turns: Floats, weights: Floats) -> float:
    return math.atan2(float(np.sum(weights * np.sin(turns))), float(np.sum(weights * np.cos(turns))))


def _snapped(pose: Pose, rotations: Rotations) -> Pose:
    """The pose at the allowed angle that is nearest to its own."""
    theta = rotations.nearest(pose.theta)
    return pose if angle_between(theta, pose.theta) == 0.0 else Pose(pose.x, pose.y, theta, pose.mirrored)
