"""Outlines as corners with smooth edges between them, each edge straight or an arc of a circle."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import Region, polygons_in
from sherd.core.puzzle import Puzzle

Points = NDArray[np.complex128]

# Chords of an arc turn by less than this, corners by more.
CORNER = math.radians(15.0)
# An edge is straight, or an arc, if it is no farther off than this share of the target's size.
OFF = 1e-3
# Pieces of arcs have no more corners than this; outlines of few points have no arcs.
MOST_CORNERS = 12
LEAST_POINTS = 8
# An arc has at least so many chords.
LEAST_CHORDS = 3


@dataclass(frozen=True)
class Edge:
    """A smooth stretch of outline as seen from a corner: points, and how far along it each of them is."""

    points: Points
    along: NDArray[np.float64]

    @classmethod
    def through(cls, points: Points) -> Edge:
        """The edge from the first of these points to the last."""
        return cls(points, np.concatenate([[0.0], np.cumsum(np.abs(np.diff(points)))]))

    @property
    def length(self) -> float:
        """From end to end, along it."""
        return float(self.along[-1])

    def at(self, distances: NDArray[np.float64]) -> Points:
        """The points at these distances from its beginning."""
        return np.interp(distances, self.along, self.points.real) + 1j * np.interp(
            distances, self.along, self.points.imag
        )


@dataclass(frozen=True)
class Corner:
    """A corner of a shape that lies to the left of its outline, with the edges that leave and reach it."""

    point: complex
    angle: float
    ahead: Edge
    behind: Edge


@dataclass(frozen=True)
class Circle:
    """The circle that an edge is an arc of; ``is_outer`` if the shape lies inside of it."""

    middle: complex
    radius: float
    is_outer: bool

    @property
    def around(self) -> Points:
        """Four points of it."""
        return np.asarray(self.middle + self.radius * np.array([1.0, 1j, -1.0, -1j]), dtype=np.complex128)


@dataclass(frozen=True)
class Outline:
    """The corners of a shape, and the circles that its edges lie on."""

    corners: tuple[Corner, ...]
    circles: tuple[Circle, ...]
    off: float

    @classmethod
    def of(cls, shape: Region, slack: float) -> Outline:
        """Edges within ``slack`` of a line or circle are one; ``off`` is how far the worst is from both."""
        corners: list[Corner] = []
        circles: list[Circle] = []
        off = 0.0
        for ring in _rings(shape):
            edges, angles = _edges(ring)
            for edge in edges:
                if _sagitta(edge) <= slack:
                    continue
                circle, far = _circle(edge)
                off = max(off, far if len(edge) > LEAST_CHORDS else math.inf)
                circles.append(circle)
            for k, angle in enumerate(angles):
                behind = Edge.through(edges[k - 1][::-1])
                corners.append(Corner(complex(edges[k][0]), angle, Edge.through(edges[k]), behind))
        return cls(tuple(corners), tuple(circles), off)


def has_arcs(puzzle: Puzzle) -> bool:
    """Whether many pieces have arcs, and all edges of all pieces are arcs or straight."""
    shapes = [fragment.polygon for fragment in puzzle.fragments]
    if np.median(shapely.get_num_coordinates(shapes)) <= LEAST_POINTS:
        return False  # without a closer look, which would cost exact puzzles time
    slack = OFF * puzzle.size
    with_arcs = 0
    for shape in shapes:
        outline = Outline.of(shape, slack)
        if outline.off > slack or len(outline.corners) > MOST_CORNERS:
            return False
        with_arcs += len(outline.circles) > 0
    return 3 * with_arcs >= len(shapes)


def _rings(shape: Region) -> Iterator[Points]:
    """The rings, closed, with the shape to their left."""
    for part in polygons_in(shape):
        whole = shapely.orient_polygons(part)
        assert isinstance(whole, Polygon)
        for ring in (whole.exterior, *whole.interiors):
            points = shapely.get_coordinates(ring).view(np.complex128)[:, 0]
            yield points[np.concatenate([[True], np.abs(np.diff(points)) > 0.0])]


def _edges(ring: Points) -> tuple[list[Points], list[float]]:
    """The edges from corner to corner, and the angle inside at the beginning of each; one if it is smooth."""
    steps = np.diff(ring)
    turns = np.angle(steps / np.roll(steps, 1))
    at = np.flatnonzero(np.abs(turns) >= CORNER)
    if not len(at):
        return [ring], []
    points = np.concatenate([ring[:-1], ring[:-1]])
    ends = [*at[1:].tolist(), int(at[0]) + len(steps)]
    edges = [points[begin : end + 1] for begin, end in zip(at.tolist(), ends, strict=True)]
    return edges, (math.pi - turns[at]).tolist()


def _sagitta(edge: Points) -> float:
    """How far an edge is from the straight line between its ends."""
    chord = edge[-1] - edge[0]
    if abs(chord) == 0.0:
        return float(np.abs(edge - edge[0]).max())
    return float(np.abs(((edge - edge[0]) / (chord / abs(chord))).imag).max())


def _circle(edge: Points) -> tuple[Circle, float]:
    """The circle through an edge by least squares, and how far the edge is from it."""
    middle = edge.mean()
    x, y = (edge - middle).real, (edge - middle).imag
    terms = np.stack([x, y, np.ones_like(x)], axis=1)
    fitted = np.zeros(3)
    fitted[:] = np.linalg.lstsq(terms, x * x + y * y, rcond=None)[0]
    a, b, c = float(fitted[0]), float(fitted[1]), float(fitted[2])
    centre = complex(a / 2.0, b / 2.0)
    radius = math.sqrt(max(c + abs(centre) ** 2, 0.0))
    far = float(np.abs(np.abs(edge - middle - centre) - radius).max())
    turned = np.angle(np.diff(edge)[1:] / np.diff(edge)[:-1]).sum()
    return Circle(complex(middle + centre), radius, bool(turned > 0.0)), far
