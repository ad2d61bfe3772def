"""Seams: what the paint of pieces that lie together says for or against their places."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import cast

import numpy as np
import shapely
from scipy.spatial import KDTree

from sherd.core.arrays import Floats, Ints
from sherd.core.errors import ArgumentError
from sherd.core.geometry import Pose, Region
from sherd.core.puzzle import Puzzle
from sherd.solvers.paint.rims import Contrast, Rim, contrast_of, faces_of, pixel_of, rim_of

# A motion: what turns and shifts points, as complex numbers, z -> turn * z + shift.
Motion = tuple[complex, complex]

# Points of two rims lie together if they are no farther apart than this many pixels, and face each other.
TOGETHER_PX, FACING = 1.0, -0.7
# How wide an overlap may be on average, in pixels.
OVERLAP_PX = 0.1
# What a point on the target's outline, which has no paint, counts.
ON_THE_TARGET = 0.5
# Two pieces that share less than this do not belong together; a few points at a corner may say anything.
AGAINST = -10.0
# Pieces are compared with the target's picture in points this many pixels apart.
LATTICE_PX = 4.0
# Motions this near to each other, in pixels, are the same.
SAME_PX = 0.05


def motion_of(pose: Pose) -> Motion:
    """A pose, not mirrored, as a motion."""
    return cmath.rect(1.0, pose.theta), complex(pose.x, pose.y)


def pose_of(motion: Motion) -> Pose:
    """A motion as a pose."""
    turn, shift = motion
    return Pose(shift.real, shift.imag, cmath.phase(turn))


def after(first: Motion, then: Motion) -> Motion:
    """The motion that does one after the other."""
    return then[0] * first[0], then[0] * first[1] + then[1]


def back(motion: Motion) -> Motion:
    """The inverse."""
    turn = motion[0].conjugate()
    return turn, -turn * motion[1]


@dataclass
class Seams:
    """All pieces of a painted puzzle ready to be laid beside each other; the target is number ``whole``.

    What two pieces share is remembered: arrangements have most of their pairs in common.
    """

    puzzle: Puzzle
    pixel: float
    rims: list[Rim]
    contrast: Contrast
    outlines: list[Region]
    _trees: list[KDTree]
    _middles: list[complex]
    _radii: list[float]
    _faces: dict[int, Rim] = field(default_factory=dict[int, Rim])
    _known: dict[tuple[int, ...], float | None] = field(default_factory=dict[tuple[int, ...], float | None])

    @classmethod
    def of(cls, puzzle: Puzzle) -> Seams:
        """Of a puzzle all of whose pieces are painted."""
        pixel = pixel_of(puzzle)
        if pixel is None:
            raise ArgumentError("not every piece is painted")
        rims = [rim_of(fragment, pixel) for fragment in puzzle.fragments]
        outlines: list[Region] = [fragment.polygon for fragment in puzzle.fragments]
        trees = [KDTree(rim.points) for rim in rims]
        if puzzle.has_target:
            outlines.append(puzzle.target)
            trees.append(KDTree(shapely.get_coordinates(shapely.segmentize(puzzle.target, pixel))))
        boxes = shapely.bounds(outlines)
        middles = (boxes[:, :2] + boxes[:, 2:]) / 2.0
        return cls(
            puzzle,
            pixel,
            rims,
            contrast_of(rims),
            outlines,
            trees,
            [complex(x, y) for x, y in middles.tolist()],
            (np.hypot(*(boxes[:, 2:] - boxes[:, :2]).T) / 2.0).tolist(),
        )

    def face(self, number: int) -> Rim:
        """The colours inside of a piece."""
        if number not in self._faces:
            self._faces[number] = faces_of(self.puzzle.fragments[number], LATTICE_PX * self.pixel)
        return self._faces[number]

    @property
    def whole(self) -> int:
        """The target's number."""
        return len(self.rims)

    def worth(self, poses: Mapping[int, Pose]) -> float:
        """What all paint says of pieces, by number, in the target; minus infinity where they overlap."""
        motions = {number: motion_of(pose) for number, pose in poses.items()}
        if self.puzzle.has_target:
            motions[self.whole] = (1.0 + 0.0j, 0.0j)
        total, laid = 0.0, dict[int, Motion]()
        for number, motion in motions.items():
            shared = self.added(laid, number, motion)
            if shared is None:
                return -math.inf
            total += shared
            laid[number] = motion
        return total

    def is_content(self, poses: Mapping[int, Pose]) -> bool:
        """Whether nowhere the paint of two pieces that lie together speaks against them."""
        motions = [(number, motion_of(pose)) for number, pose in poses.items()]
        shared = (
            self.between(one, other, after(there, back(here)))
            for (one, here), (other, there) in combinations(motions, 2)
        )
        return all(value is not None and value > AGAINST for value in shared)

    def added(self, laid: Mapping[int, Motion], number: int, motion: Motion) -> float | None:
        """What one more piece, or the target, shares with those laid; None if it overlaps one of them."""
        total = 0.0
        for other, there in laid.items():
            shared = self.between(other, number, after(motion, back(there)))
            if shared is None:
                return None
            total += shared
        return total

    def between(self, first: int, second: int, motion: Motion, *, trusted: bool = False) -> float | None:
        """What two pieces share at a motion of the second into the first's frame; None if they overlap.

        Where places are ``trusted`` not to overlap, that is not looked at.
        """
        if first < second:  # the target, whose number is the highest, is always the one that is asked
            first, second, motion = second, first, back(motion)
        turn, shift = motion
        if first != self.whole:
            apart = abs(turn * self._middles[second] + shift - self._middles[first])
            if apart > self._radii[first] + self._radii[second] + self.pixel:
                return 0.0
        fine = SAME_PX * self.pixel
        there = turn * self._middles[second] + shift
        angle = round(cmath.phase(turn) * self._radii[second] / fine)
        key = first, second, round(there.real / fine), round(there.imag / fine), angle
        if key not in self._known:
            self._known[key] = self._shared(first, second, motion, trusted)
        return self._known[key]

    def _shared(self, first: int, second: int, motion: Motion, trusted: bool) -> float | None:
        pose = pose_of(motion)
        if not trusted and self._overlap(first, pose.apply(self.outlines[second])):
            return None
        rim = self.rims[second]
        reach = TOGETHER_PX * self.pixel
        distances, nearest = cast(
            "tuple[Floats, Ints]",
            self._trees[first].query(pose.points(rim.points), distance_upper_bound=reach),
        )
        own = np.flatnonzero(np.isfinite(distances))
        if first == self.whole:
            return ON_THE_TARGET * len(own) + self._in_the_picture(second, pose)
        theirs, there = nearest[own], self.rims[first]
        turned = Pose(theta=pose.theta).points(rim.normals[own])
        facing = (turned * there.normals[theirs]).sum(axis=1) < FACING
        own, theirs = own[facing], theirs[facing]
        squares: Floats = ((rim.colours[own] - there.colours[theirs]) ** 2).mean(axis=1)
        return float(self.contrast.evidence(squares, rim.doubts[own] + there.doubts[theirs]).sum())

    def _overlap(self, first: int, laid: Region) -> bool:
        """Whether a piece lies on another, or, if that is the target, sticks out of it."""
        common = float(shapely.area(shapely.intersection(laid, self.outlines[first])))
        return (laid.area - common if first == self.whole else common) > OVERLAP_PX * self.pixel * laid.length

    def _in_the_picture(self, number: int, pose: Pose) -> float:
        """How well a piece agrees with the target's own picture where it lies, 0 where none is known."""
        picture = self.puzzle.texture
        if picture is None:
            return 0.0
        face = self.face(number)
        squares: Floats = ((face.colours - picture.sample(pose.points(face.points))) ** 2).mean(axis=1)
        return float(self.contrast.evidence(squares, 2.0 * face.doubts).sum())
