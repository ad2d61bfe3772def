"""Like pieces exchanged: where outlines do not tell which piece lies where, or how it is turned, paint does.

Places are filled one after the other, each time where the paint around says most for a piece; then some are
emptied where it says least and filled again, as long as that helps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import shapely

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose, Region, turning_symmetries
from sherd.core.symmetry import turn_onto
from sherd.solvers.paint.seams import Motion, Seams, after, back, motion_of, pose_of
from sherd.solvers.stop import Stop

# Pieces whose outlines differ by less than this, in pixels of their paint, are alike.
ALIKE_PX = 0.5
# Rounds without anything better after which places are taken for right.
PATIENCE = 30
MOST_EMPTIED = 0.4


@dataclass(frozen=True)
class _Way:
    """A piece that fits a place, and its motion into it."""

    piece: int
    place: int
    motion: Motion


def exchange(seams: Seams, poses: Mapping[int, Pose], stop: Stop) -> tuple[list[dict[int, Pose]], int]:
    """The poses with like pieces exchanged, or turned where they lie, as the paint has it; and tries.

    After it, if there is any, the arrangement that one more exchange makes and that is next to it. A place is
    named by the piece that was in it.
    """
    ways = _ways(seams, poses)
    if all(len(found) == 1 for found in ways.values()):
        return [dict(poses)], 0
    board = _Board(seams, ways, _neighbours(seams, poses), stop)
    known: dict[int, _Way] = {place: next(w for w in ways[place] if w.piece == place) for place in poses}
    best = board.filled({place: known[place] for place in poses if len(ways[place]) == 1})
    rng = np.random.default_rng(0)
    best, rounds = _bettered(board, max(known, best, key=board.worth), rng, 1)
    # Where colours break off, what was laid first may have been in the wrong place, and all the rest with it.
    for first in board.first_ways():
        if seams.is_content(_poses(best)) or stop(rounds):
            break
        found, rounds = _bettered(board, board.filled({first.place: first}), rng, rounds + 1)
        best = max(best, found, key=board.worth)
    rival = board.rival(best)
    both = (best,) if rival is None else (best, rival)
    return [_poses(one) for one in both], rounds


LEAST_GAIN = 1e-6


def _poses(laid: Mapping[int, _Way]) -> dict[int, Pose]:
    return {way.piece: pose_of(way.motion) for way in laid.values()}


def _bettered(
    board: _Board, laid: dict[int, _Way], rng: np.random.Generator, rounds: int
) -> tuple[dict[int, _Way], int]:
    """What comes of emptying places and filling them again, as long as that helps; and rounds so far."""
    stale = 0
    while stale < PATIENCE and not board.stop(rounds):
        found = board.filled(board.emptied(laid, rng))
        rounds, stale = rounds + 1, stale + 1
        if board.worth(found) > board.worth(laid) + LEAST_GAIN:
            laid, stale = found, 0
    return laid, rounds


class _Board:
    """Places with the pieces that fit each, and what those beside each other share."""

    def __init__(
        self,
        seams: Seams,
        ways: Mapping[int, list[_Way]],
        neighbours: Mapping[int, list[int]],
        stop: Stop,
    ) -> None:
        self.seams, self.ways, self.neighbours, self.stop = seams, ways, neighbours, stop
        self.movable = [place for place, found in ways.items() if len(found) > 1]

    def first_ways(self) -> list[_Way]:
        """The ways to fill the place with the most neighbours, if no piece is known to lie anywhere."""
        if len(self.movable) < len(self.ways):
            return []
        return self.ways[max(self.ways, key=lambda place: len(self.neighbours[place]))]

    def shared(self, one: _Way, other: _Way) -> float:
        """What two pieces share where they lie; overlaps are not looked at, for places do not overlap."""
        motion = after(other.motion, back(one.motion))
        return self.seams.between(one.piece, other.piece, motion, trusted=True) or 0.0

    def alone(self, way: _Way) -> float:
        """What a piece shares with the target's own picture."""
        if not self.seams.puzzle.has_target:
            return 0.0
        return self.seams.between(self.seams.whole, way.piece, way.motion, trusted=True) or 0.0

    def around(self, way: _Way, laid: Mapping[int, _Way]) -> float:
        beside = sum(self.shared(way, laid[one]) for one in self.neighbours[way.place] if one in laid)
        return beside + self.alone(way)

    def worth(self, laid: Mapping[int, _Way]) -> float:
        """What is said for all of them, minus infinity if some are not laid."""
        if len(laid) < len(self.ways):
            return -math.inf
        return sum(self.around(way, laid) + self.alone(way) for way in laid.values()) / 2.0

    def filled(self, laid: Mapping[int, _Way]) -> dict[int, _Way]:
        """All places filled, the one next where the paint is clearest; not all if it is to stop."""
        full, used = dict(laid), {way.piece for way in laid.values()}
        open_places = [place for place in self.ways if place not in full]
        values = {place: [self.around(way, full) for way in self.ways[place]] for place in open_places}
        while open_places and not self.stop(0):
            place, chosen = self._clearest(open_places, values, used)
            full[place] = chosen
            used.add(chosen.piece)
            open_places.remove(place)
            for beside in self.neighbours[place]:
                if beside not in full:
                    for number, way in enumerate(self.ways[beside]):
                        if way.piece not in used:
                            values[beside][number] += self.shared(way, chosen)
        return full

    def _clearest(
        self, open_places: list[int], values: Mapping[int, list[float]], used: set[int]
    ) -> tuple[int, _Way]:
        """The place where one piece beats all others by most, and that piece."""
        best: tuple[float, int, _Way] | None = None
        for place in open_places:
            ranked = sorted(
                (
                    (value, k)
                    for k, value in enumerate(values[place])
                    if self.ways[place][k].piece not in used
                ),
                reverse=True,
            )
            first = self.ways[place][ranked[0][1]]
            others = (value for value, k in ranked if self.ways[place][k].piece != first.piece)
            lead = ranked[0][0] - next(others, 0.0)
            if best is None or lead > best[0]:
                best = lead, place, first
        assert best is not None
        return best[1], best[2]

    def emptied(self, laid: Mapping[int, _Way], rng: np.random.Generator) -> dict[int, _Way]:
        """What is left when some places are emptied, those with least paint in their favour, more or less."""
        liked = {
            place: self.around(laid[place], laid) / self.seams.outlines[laid[place].piece].length
            for place in self.movable
        }
        spread = float(np.std(list(liked.values()))) or 1.0
        order = sorted(self.movable, key=lambda place: liked[place] + float(rng.normal(0.0, 0.5 * spread)))
        count = max(2, math.ceil(rng.random() * MOST_EMPTIED * len(order)))
        out = set(order[:count])
        return {place: way for place, way in laid.items() if place not in out}

    def rival(self, laid: Mapping[int, _Way]) -> dict[int, _Way] | None:
        """What is worth most of all that one exchange makes of it, or one turn where a piece lies."""
        best: tuple[float, dict[int, _Way]] | None = None
        for place in self.movable:
            if self.stop(0):
                break
            for way in self.ways[place]:
                there = next(one for one in laid.values() if one.piece == way.piece)
                if there.place < place or way == there or not self._differ(way, laid[place]):
                    continue
                changed = {**laid, place: way}
                if there.place != place:
                    moved = laid[place].piece
                    changed[there.place] = max(
                        (one for one in self.ways[there.place] if one.piece == moved),
                        key=lambda one: self.around(one, changed),
                    )
                touched = (place, there.place)
                gain = sum(
                    self.around(changed[one], changed) - self.around(laid[one], laid) for one in touched
                )
                if best is None or gain > best[0]:
                    best = gain, changed
        return None if best is None else best[1]

    def _differ(self, one: _Way, other: _Way) -> bool:
        """Whether two ways to fill a place look different."""
        face = self.seams.face(one.piece)
        there = pose_of(after(one.motion, back(other.motion))).points(face.points)
        texture = self.seams.puzzle.fragments[other.piece].texture
        assert texture is not None
        squares = ((face.colours - texture.sample(there)) ** 2).mean(axis=1)
        return bool((squares > SAME_PRINT * face.doubts).mean() > LEAST_PRINT)


# Prints are the same if next to no points differ by more than this many times their variance.
SAME_PRINT, LEAST_PRINT = 16.0, 0.005


def _ways(seams: Seams, poses: Mapping[int, Pose]) -> dict[int, list[_Way]]:
    """The pieces that fit each place, in every way in which they do."""
    slack = ALIKE_PX * seams.pixel
    centred = {number: _centred(seams, number) for number in poses}
    classes: list[
        list[tuple[int, float]]
    ] = []  # piece, and the turn that lays the first of its class onto it
    for number in poses:
        for like in classes:
            first = centred[like[0][0]][0]
            if abs(first.area - centred[number][0].area) <= slack * first.length:
                turn = turn_onto(first, centred[number][0], slack)
                if turn is not None:
                    like.append((number, turn))
                    break
        else:
            classes.append([(number, 0.0)])
    ways: dict[int, list[_Way]] = {number: [] for number in poses}
    for like in classes:
        own = turning_symmetries(centred[like[0][0]][0], slack / seams.outlines[like[0][0]].length)
        for place, to_place in like:
            there = poses[place]
            middle = there.points(centred[place][1])
            for piece, to_piece in like:
                rotations = seams.puzzle.rotations_of(seams.puzzle.fragments[piece].id)
                for symmetry in own:
                    theta = there.theta + to_place + symmetry - to_piece
                    if piece == place and abs(symmetry) < 1e-9:
                        theta = there.theta
                    if not rotations.allows(theta, TURN_SLACK):
                        continue
                    if rotations.bins is not None:
                        theta = rotations.nearest(theta)
                    x, y = (middle - Pose(theta=theta).points(centred[piece][1])).tolist()
                    ways[place].append(_Way(piece, place, motion_of(Pose(x, y, theta))))
    return ways


TURN_SLACK = 1e-3


def _centred(seams: Seams, number: int) -> tuple[Region, Floats]:
    """An outline with its centroid at (0, 0), and where that was."""
    outline = seams.puzzle.fragments[number].polygon
    middle = np.array([outline.centroid.x, outline.centroid.y])
    return Pose(-float(middle[0]), -float(middle[1])).apply(outline), middle


def _neighbours(seams: Seams, poses: Mapping[int, Pose]) -> dict[int, list[int]]:
    """The places that lie beside each."""
    numbers = list(poses)
    laid = [poses[number].apply(seams.outlines[number]) for number in numbers]
    near = np.asarray(shapely.dwithin(np.array(laid)[:, None], np.array(laid), seams.pixel))
    return {
        number: [numbers[k] for k in np.flatnonzero(row).tolist() if numbers[k] != number]
        for number, row in zip(numbers, near, strict=True)
    }
