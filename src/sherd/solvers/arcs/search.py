"""Pieces laid into the corners of what is still open, smooth edge along smooth edge, depth first."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import Pose, Region, Rotations, difference, polygons_in
from sherd.solvers.arcs.smooth_edges import Corner, Edge, Outline
from sherd.solvers.stop import Stop

# The first chord of an arc is off its tangent by half of what a chord turns.
ANGLE_SLACK = math.radians(8.0)
# Sharper corners lie between straight edges or long arcs, and are as much more exact.
SHARP = math.radians(60.0)
# Corners that are flatter say nothing about where a piece begins.
FLATTEST = math.radians(150.0)
# Two edges run along each other if they do so at these shares of the shorter one.
LOOKED_AT = np.array([0.25, 0.5, 0.75, 1.0])
# Shorter edges, in tolerances, are what is left of seams.
LEAST_EDGE = 4.0
# So many corners of what is open are looked at, the sharpest first, for the one that the fewest pieces fit.
MOST_LOOKED_AT = 4
MITRE = 60.0
# How far the tip of a piece may reach out of what is open, in tolerances.
TIPS = 6.0

Turn = complex


@dataclass(frozen=True)
class Piece:
    """A piece as it lies or turned over: its outline, and the pose that makes it so."""

    number: int
    polygon: Polygon
    outline: Outline
    first: Pose

    @cached_property
    def some_points(self) -> NDArray[np.float64]:
        """A few points along the outline, (N, 2)."""
        edges = [corner.ahead for corner in self.outline.corners]
        points = [edge.at(edge.length * LOOKED_AT) for edge in edges] or [self.outline.circles[0].around]
        return np.concatenate(points).view(np.float64).reshape(-1, 2)


@dataclass(frozen=True)
class _Place:
    piece: Piece
    pose: Pose
    placed: Polygon


@dataclass
class CornerSearch:
    """A search for places of all pieces; ``best`` is what was laid farthest, ``tries`` how often."""

    pieces: Mapping[int, Sequence[Piece]]
    rotations: Rotations
    tolerance: float
    stop: Stop
    best: dict[int, Pose] = field(default_factory=dict[int, Pose])
    tries: int = 0

    def fill(self, open_: Region, laid: dict[int, Pose]) -> bool:
        """Lay what is not laid yet into what is open; whether that came out."""
        if len(laid) > len(self.best):
            self.best = dict(laid)
        left = [number for number in self.pieces if number not in laid]
        if not left:
            return True
        least = min(self.pieces[number][0].polygon.area for number in left)
        slack = self.tolerance * math.sqrt(least)
        if any(part.area < least - 4.0 * slack for part in polygons_in(open_)):
            return False
        places = self._places(open_, left)
        if len(places) > 1:  # what lies along most of the edge of what is open is likeliest
            rim = open_.boundary.buffer(2.0 * self.tolerance)
            held = {id(one): _share_in(one.placed, rim) for one in places}
            places.sort(key=lambda one: -held[id(one)])
        for place in places:
            if self.stop(self.tries):
                return False
            rest = _opened(difference(open_, place.placed), self.tolerance)
            if self.fill(rest, {**laid, place.piece.number: place.pose @ place.piece.first}):
                return True
        return False

    def _places(self, open_: Region, left: Sequence[int]) -> list[_Place]:
        """The places in that corner of what is open that the fewest pieces fit; along a circle if none is."""
        outline = Outline.of(open_, self.tolerance)
        least = LEAST_EDGE * self.tolerance
        corners = [
            corner
            for corner in outline.corners
            if corner.angle < FLATTEST and min(corner.ahead.length, corner.behind.length) > least
        ]
        corners.sort(key=lambda corner: corner.angle)
        if not corners:
            return self._fitting(open_, self._along_circles(outline, left))
        found: list[_Place] | None = None
        for corner in corners[:MOST_LOOKED_AT]:
            here = self._fitting(open_, self._in_corner(corner, left))
            if found is None or len(here) < len(found):
                found = here
            if not found:
                break
        return found or []

    def _fitting(self, open_: Region, poses: Iterator[tuple[Piece, Pose]]) -> list[_Place]:
        """Those that lie inside, each place and each shape once, the largest pieces first."""
        found: list[_Place] = []
        grown = open_.buffer(TIPS * self.tolerance, join_style="mitre")
        shapely.prepare(grown)
        for piece, pose in poses:
            self.tries += 1
            # Most poses are out of the question by a few points of the outline.
            some = pose.points(piece.some_points)
            if not shapely.contains_xy(grown, some).all():
                continue
            placed = pose.apply(piece.polygon)
            outside = difference(placed, open_)
            # Sharp tips may reach farther out, but are narrow there.
            fits = outside.area <= self.tolerance * placed.length and outside.buffer(-self.tolerance).is_empty
            if fits and not any(_are_alike(one.placed, placed, self.tolerance) for one in found):
                found.append(_Place(piece, pose, placed))
        return sorted(found, key=lambda one: -one.placed.area)

    def _in_corner(self, corner: Corner, left: Sequence[int]) -> Iterator[tuple[Piece, Pose]]:
        for number in left:
            for piece in self.pieces[number]:
                for own in piece.outline.corners:
                    slack = ANGLE_SLACK * min(1.0, corner.angle / SHARP)
                    if own.angle > corner.angle + slack:
                        continue
                    turns = [
                        (min(here.length, there.length), turn)
                        for here, there in ((own.ahead, corner.ahead), (own.behind, corner.behind))
                        if (turn := self._turn(here, there)) is not None
                    ]
                    # What fills the corner runs along both of its edges, and the longer tells better how.
                    if own.angle >= corner.angle - slack:
                        turns = [max(turns, key=lambda one: one[0])] if len(turns) == 2 else []
                    for _, turn in turns:
                        pose = self._allowed(turn, own.point, corner.point)
                        if pose is not None:
                            yield piece, pose

    def _turn(self, own: Edge, other: Edge) -> Turn | None:
        """By how much the first edge is turned to run along the other; None if it does not."""
        shorter = min(own.length, other.length)
        if shorter <= LEAST_EDGE * self.tolerance:
            return None
        here = own.at(shorter * LOOKED_AT) - own.points[0]
        there = other.at(shorter * LOOKED_AT) - other.points[0]
        turn = complex((here.conj() * there).sum())
        if abs(turn) == 0.0:
            return None
        turn /= abs(turn)
        return turn if float(np.abs(here * turn - there).max()) <= self.tolerance else None

    def _along_circles(self, outline: Outline, left: Sequence[int]) -> Iterator[tuple[Piece, Pose]]:
        """Pieces whose arcs lie on a circle of what is open, however turned about its middle."""
        angles = [0.0] if self.rotations.bins is None else self.rotations.angles.tolist()
        for circle in outline.circles:
            for number in left:
                for piece in self.pieces[number]:
                    for own in piece.outline.circles:
                        if (
                            own.is_outer == circle.is_outer
                            and abs(own.radius - circle.radius) <= 2.0 * self.tolerance
                        ):
                            for angle in angles:
                                pose = self._allowed(cmath.rect(1.0, angle), own.middle, circle.middle)
                                if pose is not None:
                                    yield piece, pose

    def _allowed(self, turn: Turn, point: complex, there: complex) -> Pose | None:
        """The pose that turns a piece and brings a point of it there, if it may be turned so."""
        theta = self.rotations.nearest(cmath.phase(turn))
        turned = cmath.rect(1.0, theta)
        if abs(turned - turn) > ANGLE_SLACK:
            return None
        shift = there - turned * point
        return Pose(shift.real, shift.imag, theta)


def _opened(shape: BaseGeometry, by: float) -> Region:
    """The shape without what is narrower than twice ``by``: seams."""
    inner = shape.buffer(-by, join_style="mitre", mitre_limit=MITRE)
    return inner.buffer(by, join_style="mitre", mitre_limit=MITRE)


def _share_in(piece: Polygon, region: Region) -> float:
    return shapely.intersection(piece.exterior, region).length / piece.exterior.length


def _are_alike(first: Polygon, second: Polygon, slack: float) -> bool:
    return bool(
        abs(first.area - second.area) <= slack * first.length
        and first.centroid.distance(second.centroid) <= slack
        and shapely.hausdorff_distance(first, second) <= 4.0 * slack
    )
