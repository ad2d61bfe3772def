"""Lines, Bezier curves and elliptic arcs, moved by any affine map and then flattened.

Curves keep their exact form until everything is in one frame, so that the tolerance is that of the drawing.
A curve and its reverse are flattened into the same points: pieces that share an edge still share it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.io.document import LARGEST_NUMBER

Floats = NDArray[np.float64]

# A curve is never divided more finely, however small the tolerance.
MOST_STEPS = 2000


@dataclass(frozen=True)
class Affine:
    """x' = a x + c y + e and y' = b x + d y + f, as SVG writes it.

    >>> (Affine(e=2.0) @ Affine(a=3.0))([[1.0, 1.0]]).tolist()
    [[5.0, 1.0]]
    """

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def __call__(self, points: object) -> Floats:
        """Points (..., 2) moved."""
        return self.turn(points) + np.array([self.e, self.f])

    def turn(self, vectors: object) -> Floats:
        """Vectors (..., 2): all but the shift."""
        return np.asarray(vectors, dtype=np.float64) @ np.array([[self.a, self.b], [self.c, self.d]])

    def __matmul__(self, other: Affine) -> Affine:
        """First ``other``, then this."""
        if other == UNMOVED:
            return self
        (a, b), (c, d) = self.turn([[other.a, other.b], [other.c, other.d]]).tolist()
        e, f = self([other.e, other.f]).tolist()
        return Affine(a, b, c, d, e, f)


UNMOVED = Affine()


@dataclass(frozen=True)
class Line:
    """Straight lines through points (K, 2), all but the one where they begin."""

    points: Floats

    def hull(self) -> Floats:
        """Points around all of it but its beginning."""
        return self.points

    def moved(self, by: Affine) -> Line:
        """The same lines elsewhere."""
        return Line(by(self.points))

    def flattened(self, tolerance: float) -> Floats:
        """The points themselves."""
        return self.points


@dataclass(frozen=True)
class Cubic:
    """A cubic Bezier curve by its control points (4, 2)."""

    points: Floats

    @classmethod
    def quadratic(cls, points: object) -> Cubic:
        """The quadratic curve with control points (3, 2)."""
        first, middle, last = np.asarray(points, dtype=np.float64)
        return cls(np.stack([first, (first + 2.0 * middle) / 3.0, (last + 2.0 * middle) / 3.0, last]))

    def hull(self) -> Floats:
        """Its control points."""
        return self.points

    def moved(self, by: Affine) -> Cubic:
        """The same curve elsewhere."""
        return Cubic(by(self.points))

    def flattened(self, tolerance: float) -> Floats:
        """Points (K, 2) after the first, no chord farther from the curve than the tolerance."""
        # A chord over a share h of the parameter misses the curve by h^2 / 8 of the second derivative.
        bend = np.abs(np.diff(self.points, 2, axis=0))
        steps = _steps(math.sqrt(6.0 * float(np.hypot(*bend.max(axis=0))) / (8.0 * tolerance)))
        t = (np.arange(1, steps + 1) / steps)[:, None]
        a, b, c, d = self.points
        at = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
        at[-1] = d
        return at


@dataclass(frozen=True)
class Arc:
    """centre + cos(t) u + sin(t) v for t from ``start`` over ``sweep`` radians: part of an ellipse."""

    centre: Floats
    u: Floats
    v: Floats
    start: float
    sweep: float
    last: Floats | None = None

    @classmethod
    def ellipse(cls, centre: object, radius_x: float, radius_y: float) -> Arc:
        """A whole ellipse along the axes."""
        middle = np.asarray(centre, dtype=np.float64)
        return cls(middle, np.array([radius_x, 0.0]), np.array([0.0, radius_y]), 0.0, 2.0 * math.pi)

    def at(self, t: object) -> Floats:
        """Points (..., 2) at angles."""
        angle = np.asarray(t, dtype=np.float64)[..., None]
        return self.centre + np.cos(angle) * self.u + np.sin(angle) * self.v

    def hull(self) -> Floats:
        """The corners of a box around the whole ellipse."""
        reach = np.hypot(self.u, self.v)
        return np.stack([self.centre - reach, self.centre + reach])

    def moved(self, by: Affine) -> Arc:
        """The same arc elsewhere."""
        last = None if self.last is None else by(self.last)
        return Arc(by(self.centre), by.turn(self.u), by.turn(self.v), self.start, self.sweep, last)

    def flattened(self, tolerance: float) -> Floats:
        """Points (K, 2) after the first, no chord farther from the arc than the tolerance."""
        long, short, mixed = float(self.u @ self.u), float(self.v @ self.v), float(self.u @ self.v)
        square = (long + short) / 2.0 + math.hypot((long - short) / 2.0, mixed)  # of the longest radius
        if not math.isfinite(square):
            return self.at([self.start + self.sweep])
        radius = max(tolerance, math.sqrt(square))
        widest = 4.0 * math.asin(math.sqrt(tolerance / (2.0 * radius)))  # stable for tiny shares
        steps = max(
            4 if abs(self.sweep) > math.pi else 1,
            _steps(abs(self.sweep) / widest if widest > 0.0 else math.inf),
        )
        if abs(self.sweep) >= 2.0 * math.pi:
            steps += -steps % 4  # so that a whole circle is as wide and high as it should be
        points = self.at(self.start + self.sweep * np.arange(1, steps + 1) / steps)
        if self.last is not None:
            points[-1] = self.last
        return points


Curve = Line | Cubic | Arc


@dataclass(frozen=True)
class Path:
    """Curves one after another from a place on."""

    start: Floats
    curves: tuple[Curve, ...]
    closed: bool = False

    def moved(self, by: Affine) -> Path:
        """The same path elsewhere."""
        return Path(by(self.start), tuple(curve.moved(by) for curve in self.curves), self.closed)

    def hull(self) -> Floats:
        """Points (K, 2) around all of it."""
        return np.concatenate([self.start[None], *(curve.hull() for curve in self.curves)])

    def flattened(self, tolerance: float) -> Floats:
        """The points (K, 2) of the path as straight lines."""
        return np.concatenate([self.start[None], *(curve.flattened(tolerance) for curve in self.curves)])


def polyline(points: object, closed: bool = False) -> Path:
    """Straight lines through points (K, 2)."""
    places = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    return Path(places[0], (Line(places[1:]),), closed)


def extent(paths: Sequence[Path]) -> float:
    """The longer side of the box around the largest path of a sensible size.

    Not of the box around all: one stray dot far away would make everything else look small.
    """
    sizes = [
        np.ptp(path.hull(), axis=0).max() for path in paths if np.abs(path.hull()).max() <= LARGEST_NUMBER
    ]
    return float(max(sizes, default=0.0))


def _steps(wanted: float) -> int:
    return max(1, min(MOST_STEPS, math.ceil(wanted))) if math.isfinite(wanted) else 1
