"""Gluing rough outlines: a chart of all parts that could be, the most convincing joints made first.

As in gluing exact outlines, a binary space partition is undone from its last cut. But where outlines are
rough, edges match that do not belong together, so nothing is ever undone or used up: like a chart parser, the
search keeps every part that it has made, and a part may be glued to any other that shares no piece with it. A
wrong joint seldom fits anything further, and ends there.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import TAU, Pose, Rotations
from sherd.solvers.search.beliefs.edge_lines import EdgeLines, Lines, glued, laid_instead, lines_of, lone
from sherd.solvers.search.beliefs.inwards import ChartParts
from sherd.solvers.search.beliefs.misfit import BITS, find_matches, has_room, same_outline
from sherd.solvers.search.beliefs.uncertain_outline import DIRECTION, START_ANGLE, Belief, join, lay
from sherd.solvers.search.constants.beliefs import (
    AGREEING,
    CHANCE,
    FAIR_COST,
    FARTHEST_JOINT,
    FARTHEST_WHOLE,
    MOST_OUTLINES,
    MOST_REFLEX,
    SAME_ANGLE,
    SAME_LENGTH,
    SIDE_LIKE_CUTS,
    STICKING_OUT,
    STICKING_OUT_BY_NOISE,
)

Array = TypeVar("Array", bound=NDArray[Any])


@dataclass(frozen=True, eq=False)
class Start:
    """What is there from the beginning: pieces by number and their poses in the belief's frame.

    Several starts may be beliefs in the same pieces; ``penalty`` says how much less likely one is. Of several
    pieces ``lines`` are those that their edges lie on, each taken for one of the ``outlines``, if known.
    """

    belief: Belief
    members: tuple[tuple[int, Pose], ...]
    penalty: float = 0.0
    lines: EdgeLines | None = None
    outlines: tuple[Floats, ...] = ()


@dataclass(frozen=True)
class Whole:
    """All pieces glued and laid onto the target; a lower cost fits better.

    ``joints`` is how many misfits of joints are in the cost, none where only area speaks for it. ``parts``
    are those that it was made of, by number, and their poses on the target. ``lines`` are those that edges
    of pieces lie on, and ``outlines`` what these are taken for, by number, if it is known of all parts.
    """

    poses: dict[int, Pose]
    cost: float
    joints: int = 0
    parts: tuple[tuple[int, Pose], ...] = field(default=(), compare=False)
    lines: Lines | None = field(default=None, compare=False)
    outlines: tuple[Floats, ...] = field(default=(), compare=False)


@dataclass(frozen=True, eq=False)
class _Part:
    """What is believed of a part's outline, its pieces as bits of words, and how well its joints fit.

    ``made_of`` says how: two parts by number, and where the second one lies in the frame of the first.
    ``lines`` are those that edges of its pieces lie on, if known.
    """

    belief: Belief
    words: Ints
    pieces: int
    cost: float
    made_of: tuple[int, int, Pose] | None = None
    lines: EdgeLines | None = None

    @property
    def excess(self) -> float:
        """How much worse than fair its joints are."""
        return max(0.0, self.cost - FAIR_COST * (self.pieces - 1))


class Chart:
    """All parts made so far and the joints that could be made next."""

    def __init__(self, target: Belief, rotations: Rotations, pieces: int, noise: float = 0.0) -> None:
        """``noise`` is how far corners of pieces may be off."""
        self.target, self.rotations, self.pieces = target, rotations, pieces
        self.joints_made = 0
        corners = target.corners
        self._size = float((corners.max(axis=0) - corners.min(axis=0)).max())
        # A small target may be known worse than by the share that is allowed, and so may pieces.
        doubt = 3.0 * float(np.sqrt(target.covariance.diagonal().max()))
        out = max(STICKING_OUT * self._size, STICKING_OUT_BY_NOISE * noise, doubt)
        self._room = corners.max(axis=0) - corners.min(axis=0) + out
        self._longest = _diameter(corners) + out
        self._step = TAU / (rotations.bins or 1)
        self._counted = 3 if rotations.bins is None else 4
        self._word_count = -(-pieces // BITS)
        self._parts: list[_Part] = []
        self._taken_for: list[Floats] = []  # outlines of single pieces
        self._members: dict[int, tuple[tuple[int, Pose], ...]] = {}
        # Of each set of pieces the outlines that were kept, and the numbers of their parts; what else was
        # made with such an outline, by the number of the part that was kept.
        self._outlines: dict[bytes, list[tuple[Floats, int]]] = {}
        self._alike: dict[int, list[_Part]] = {}
        # Joints, the best first: their rank, a number that settles ties, cost, and two parts with edges.
        self._agenda: list[tuple[float, int, float, int, int, int, int]] = []
        self._offered = 0
        # Of all edges of all parts: their values, covariances, words, and (part, edge).
        self._edges = 0
        self._values, self._covariances = np.empty((256, 4)), np.empty((256, 4, 4))
        self._words = np.empty((256, self._word_count), dtype=np.int64)
        self._owners = np.empty((256, 2), dtype=np.int64)
        self._side_costs = np.empty(256)
        self._pairs, self._costs = np.empty((256, 2), dtype=np.int64), np.empty((256, 2))

    def wholes(self, starts: Sequence[Start], joints: int, stop: Callable[[int], bool]) -> Iterator[Whole]:
        """Ways to glue everything into the target, as they are found, with this many ``joints`` at most."""
        for start in starts:
            if stop(self.joints_made):
                return
            words = self._words_of([number for number, _ in start.members])
            lines = self._lines_in(start)
            part = _Part(start.belief, words, len(start.members), start.penalty, lines=lines)
            self._members[len(self._parts)] = start.members
            self._add(part)
            if part.pieces == self.pieces:
                yield from self._laid(part, dict(start.members), ())
        while self._agenda and self.joints_made < joints and not stop(self.joints_made):
            _, _, cost, first, edge, second, other_edge = heapq.heappop(self._agenda)
            words = self._parts[first].words | self._parts[second].words
            if len(self._outlines.get(words.tobytes(), ())) >= MOST_OUTLINES:
                continue
            self.joints_made += 1
            part = self._joined(cost, first, edge, second, other_edge)
            if part is None or not self._fits(part.belief):
                continue
            if part.pieces == self.pieces:
                assert part.made_of is not None
                one, other, at = part.made_of
                yield from self._laid(part, self._members_of(part), ((one, Pose()), (other, at)))
            elif self._is_new(part):
                self._add(part)

    def parts(self) -> ChartParts | None:
        """All parts made so far, if there are any."""
        if not self._parts:
            return None
        outlines = [part.belief.corners for part in self._parts]
        return ChartParts(
            corners=np.concatenate(outlines),
            begins=np.concatenate([[0], np.cumsum([len(outline) for outline in outlines])]),
            words=np.stack([part.words for part in self._parts]),
            pieces=np.array([part.pieces for part in self._parts]),
            costs=np.array([part.excess for part in self._parts]),
        )

    def members(self, number: int) -> dict[int, Pose]:
        """The poses of the pieces of a part, by its number, in its frame."""
        return (
            dict(self._members[number]) if number in self._members else self._members_of(self._parts[number])
        )

    def other_ways(self, whole: Whole, dearest: float) -> Iterator[Whole]:
        """The same but for one part, whose pieces lie otherwise within about the same outline.

        None that costs more than the whole by ``dearest``.
        """
        left = list(whole.parts)
        while left:
            number, pose = left.pop()
            part = self._parts[number]
            for other in self._alike.get(number, ()):
                if other.cost > part.cost + dearest:
                    continue
                members = self._members_of(other)
                for onto, first in _ways_onto(other.belief, part.belief, self.rotations):
                    moved = {one: self._snapped(pose @ onto @ own) for one, own in members.items()}
                    cost = whole.cost + other.cost - part.cost
                    lines, outlines = None, list(whole.outlines)
                    if whole.lines and part.lines and other.lines:
                        lines = laid_instead(whole.lines, part.lines, other.lines.begun_at(first))
                        for piece, taken in other.lines.taken_for:
                            outlines[piece] = self._taken_for[taken]
                    poses = {**whole.poses, **moved}
                    yield Whole(poses, cost, whole.joints, lines=lines, outlines=tuple(outlines))
            if part.made_of is not None:
                one, second, at = part.made_of
                left += [(one, pose), (second, pose @ at)]

    def _laid(
        self, part: _Part, members: dict[int, Pose], parts: tuple[tuple[int, Pose], ...]
    ) -> Iterator[Whole]:
        """All ways to lay a part that is all there is onto the target."""
        turned = next(iter(members.values())).theta
        joints = sum(map(self._joints_in, (number for number, _ in parts))) + len(parts) - 1
        for misfit, pose, first in lay(part.belief, self.target, self.rotations, turned):
            if misfit <= FARTHEST_WHOLE:
                snapped = {number: self._snapped(pose @ own) for number, own in members.items()}
                on_target = tuple((number, pose @ own) for number, own in parts)
                cost, lines, outlines = part.cost + misfit / 2.0, None, ()
                if part.lines is not None:
                    lines = lines_of(part.lines.begun_at(first), self.pieces)
                    outlines = self._outlines_in(part.lines)
                yield Whole(snapped, cost, max(joints, 0), on_target, lines, outlines)

    def _lines_in(self, start: Start) -> EdgeLines | None:
        """The lines of a start's edges; its outlines are remembered."""
        known = len(self._taken_for)
        if len(start.members) == 1:
            self._taken_for.append(start.belief.corners)
            return lone(start.members[0][0], len(start.belief), known)
        self._taken_for += start.outlines
        if start.lines is None:
            return None
        taken_for = tuple((number, known + k) for number, k in start.lines.taken_for)
        return start.lines._replace(taken_for=taken_for)

    def _outlines_in(self, lines: EdgeLines) -> tuple[Floats, ...]:
        """What each piece of a whole is taken for, by number."""
        return tuple(self._taken_for[taken] for _, taken in sorted(lines.taken_for))

    def _snapped(self, pose: Pose) -> Pose:
        """The pose at an angle that is allowed."""
        return Pose(pose.x, pose.y, self.rotations.nearest(pose.theta))

    def _joints_in(self, number: int) -> int:
        """How many joints a part was made with."""
        made_of = self._parts[number].made_of
        return 0 if made_of is None else 1 + sum(map(self._joints_in, made_of[:2]))

    def _members_of(self, part: _Part) -> dict[int, Pose]:
        """The poses of a part's pieces in its frame."""
        assert part.made_of is not None  # what was there from the beginning is remembered
        members: dict[int, Pose] = {}
        left = [
            (number, pose) for number, pose in zip(part.made_of[:2], (Pose(), part.made_of[2]), strict=True)
        ]
        while left:
            number, pose = left.pop()
            made_of = self._parts[number].made_of
            if made_of is None:
                members |= {one: pose @ own for one, own in self._members[number]}
            else:
                left += [(made_of[0], pose), (made_of[1], pose @ made_of[2])]
        return members

    def _is_new(self, part: _Part) -> bool:
        """Whether no part of the same pieces has such an outline yet; remembers it.

        How the pieces lie within does not matter: parts of one outline fit the same others.
        """
        known = self._outlines.setdefault(part.words.tobytes(), [])
        values, variances = part.belief.values, part.belief.covariances
        for other, number in known:
            if same_outline(values, variances, other, SAME_LENGTH * self._size, SAME_ANGLE):
                self._alike.setdefault(number, []).append(part)
                return False
        known.append((values, len(self._parts)))
        return True

    def _add(self, part: _Part) -> None:
        """Take a part into the chart, with all joints between it and others."""
        belief, here = part.belief, len(self._parts)
        self._parts.append(part)
        arguments = (belief.values, belief.covariances, part.words)
        others = (self._values, self._covariances, self._words, self._edges)
        rules = (self._step, self._counted, FARTHEST_JOINT[self._counted])
        found = find_matches(*arguments, *others, *rules, self._pairs, self._costs)
        if found > len(self._pairs):
            self._pairs, self._costs = np.empty((2 * found, 2), dtype=np.int64), np.empty((2 * found, 2))
            find_matches(*arguments, *others, *rules, self._pairs, self._costs)
        side_costs = self._side_costs_of(belief)
        for k in range(found):
            edge, other = self._pairs[k].tolist()
            half, logarithm = self._costs[k].tolist()
            owner: list[int] = self._owners[other].tolist()
            second, other_edge = owner
            partner = self._parts[second]
            # How well it fits, against how well it would by chance, which is more likely between large parts.
            rank = half + CHANCE * logarithm + part.excess + partner.excess
            rank += side_costs[edge] + self._side_costs[other]
            self._offered += 1
            cost = part.cost + partner.cost + half
            heapq.heappush(self._agenda, (rank, self._offered, cost, here, edge, second, other_edge))
        self._append_edges(part, here, side_costs)

    def _side_costs_of(self, belief: Belief) -> Floats:
        """What gluing each edge costs for its looking like a side of the target, (n,)."""
        off = belief.values[:, None, :DIRECTION] - self.target.values[:, :DIRECTION]
        doubt = np.diagonal(belief.covariances, axis1=1, axis2=2)[:, None, :DIRECTION]
        doubt = doubt + np.diagonal(self.target.covariances, axis1=1, axis2=2)[:, :DIRECTION]
        alike = (off * off / doubt).sum(axis=-1) <= FARTHEST_JOINT[3]
        sharpness = np.sqrt(doubt[..., START_ANGLE:].min(axis=-1)) * SIDE_LIKE_CUTS
        return np.where(alike, np.maximum(0.0, -np.log(sharpness)), 0.0).max(axis=1)

    def _append_edges(self, part: _Part, here: int, side_costs: Floats) -> None:
        count = len(part.belief)
        while self._edges + count > len(self._values):
            self._values, self._covariances = _doubled(self._values), _doubled(self._covariances)
            self._words, self._owners = _doubled(self._words), _doubled(self._owners)
            self._side_costs = _doubled(self._side_costs)
        new = slice(self._edges, self._edges + count)
        self._values[new], self._covariances[new] = part.belief.values, part.belief.covariances
        self._words[new], self._side_costs[new] = part.words, side_costs
        self._owners[new, 0], self._owners[new, 1] = here, np.arange(count)
        self._edges += count

    def _joined(self, cost: float, first: int, edge: int, second: int, other_edge: int) -> _Part | None:
        """The part that a joint makes, in the frame of the larger of the two; None if no outline is left."""
        one, other = self._parts[first], self._parts[second]
        if other.pieces > one.pieces:
            one, other, edge, other_edge = other, one, other_edge, edge
            first, second = second, first
        if len(one.belief) + len(other.belief) < 7:
            return None
        belief, pose = join(one.belief, edge, other.belief, other_edge, self.rotations)
        words = one.words | other.words
        lines = glued(one.lines, edge, other.lines, other_edge) if one.lines and other.lines else None
        return _Part(belief, words, one.pieces + other.pieces, cost, (first, second, pose), lines)

    def _fits(self, belief: Belief) -> bool:
        """Whether the target has room for such a part, which has to be convex more or less."""
        fixed = self.rotations.bins == 1
        return has_room(belief.corners, belief.values, self._longest, self._room, fixed, MOST_REFLEX)

    def _words_of(self, numbers: Sequence[int]) -> Ints:
        words = np.zeros(self._word_count, dtype=np.int64)
        for number in numbers:
            words[number // BITS] |= 1 << (number % BITS)
        return words


def _ways_onto(moved: Belief, fixed: Belief, rotations: Rotations) -> Iterator[tuple[Pose, int]]:
    """All ways to lay an outline on one with as many corners, so that these agree within what is known.

    And the corner that comes to lie on the other's first.
    """
    middle, centre = moved.corners.mean(axis=0), fixed.corners.mean(axis=0)
    a, b = moved.corners - middle, fixed.corners - centre
    doubt = float(moved.covariance.diagonal().sum() + fixed.covariance.diagonal().sum())
    for shift in range(len(a)):
        turned = np.roll(a, shift, axis=0)
        cross = turned[:, 0] * b[:, 1] - turned[:, 1] * b[:, 0]
        theta = rotations.nearest(math.atan2(float(cross.sum()), float((turned * b).sum())))
        off = Pose(theta=theta).points(turned) - b
        if float((off * off).sum()) <= AGREEING * doubt:
            x, y = (centre - Pose(theta=theta).points(middle)).tolist()
            yield Pose(x, y, theta), -shift % len(a)


def _diameter(corners: Floats) -> float:
    apart = corners[:, None] - corners
    return float(np.sqrt((apart * apart).sum(axis=-1).max()))


def _doubled(array: Array) -> Array:
    """The array with as much room again behind it."""
    return cast(Array, np.concatenate([array, np.empty_like(array)]))
