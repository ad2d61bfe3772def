"""Poses, allowed rotations, and overlays on a fine grid.

World coordinates: x right, y up, float64. Angles are radians, counter-clockwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import shapely
import shapely.affinity
from numpy.typing import ArrayLike, NDArray
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.errors import ArgumentError

Geometry = TypeVar("Geometry", bound=BaseGeometry)
# What pieces are to fill: one part or several, which may have holes and touch in points.
Region = Polygon | MultiPolygon

TAU = 2.0 * math.pi

# Tolerances are relative to the target's size (`size_of`), areas to its square.
LENGTH_TOLERANCE = 1e-9
AREA_TOLERANCE = 1e-12
ANGLE_TOLERANCE = 1e-9  # radians
# Overlays snap to a grid this fine. Without one, GEOS now and then loses a whole piece where neighbours
# meet within rounding (17 of 600 exact 33-piece puzzles lost more than 1e-9 of the area, with a grid none).
OVERLAY_GRID = 1e-12
FLOAT_GRID = 2.0**-50
# Coordinates beyond this many times the size of a thing are far: there its last digits are lost to rounding.
FAR = 1000.0
# More bins than anybody can tell from free rotation, and more angles than a list of them should hold.
MOST_BINS = 1_000_000


@dataclass(frozen=True, slots=True)
class Pose:
    """Mirror (if asked) left to right, rotate by ``theta`` about the origin, then translate by (x, y).

    >>> quarter = Pose(1.0, 0.0, math.pi / 2)
    >>> quarter.points([[1.0, 0.0]]).round(12).tolist()
    [[1.0, 1.0]]
    >>> (quarter @ quarter.inverse()).is_close(Pose())
    True
    """

    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0
    mirrored: bool = False

    @property
    def matrix(self) -> tuple[float, float, float, float, float, float]:
        """(a, b, c, d, e, f) as in SVG: x' = a x + c y + e and y' = b x + d y + f."""
        cos, sin = math.cos(self.theta), math.sin(self.theta)
        if self.mirrored:
            return (-cos, -sin, -sin, cos, self.x, self.y)
        return (cos, sin, -sin, cos, self.x, self.y)

    def apply(self, geometry: Geometry) -> Geometry:
        """The geometry moved by this pose."""
        a, b, c, d, e, f = self.matrix
        return shapely.affinity.affine_transform(geometry, [a, c, b, d, e, f])

    def points(self, points: ArrayLike) -> NDArray[np.float64]:
        """Points of shape (..., 2) moved by this pose."""
        xy = np.asarray(points, dtype=np.float64)
        a, b, c, d, e, f = self.matrix
        x, y = xy[..., 0], xy[..., 1]
        return np.stack([a * x + c * y + e, b * x + d * y + f], axis=-1)

    def inverse(self) -> Pose:
        """The pose that undoes this one."""
        undone = Pose(0.0, 0.0, self.theta if self.mirrored else -self.theta, self.mirrored)
        return Pose(*undone._point(-self.x, -self.y), undone.theta, self.mirrored)

    def __matmul__(self, other: Pose) -> Pose:
        """First ``other``, then this pose."""
        theta = self.theta + (-other.theta if self.mirrored else other.theta)
        return Pose(*self._point(other.x, other.y), theta, self.mirrored != other.mirrored)

    def _point(self, x: float, y: float) -> tuple[float, float]:
        """One point moved, to the same bits as by `points`, without an array for it."""
        a, b, c, d, e, f = self.matrix
        return a * x + c * y + e, b * x + d * y + f

    def is_close(self, other: Pose, tolerance: float = LENGTH_TOLERANCE) -> bool:
        """Whether both poses move points alike, up to an absolute tolerance in length and radians."""
        return (
            self.mirrored == other.mirrored
            and math.hypot(self.x - other.x, self.y - other.y) <= tolerance
            and angle_between(self.theta, other.theta) <= tolerance
        )


def apply_each(poses: Sequence[Pose], polygons: Sequence[Polygon]) -> list[Polygon]:
    """Each polygon moved by its own pose, to the same bits as one by one, in a fraction of the time."""
    matrices = np.array([pose.matrix for pose in poses]).reshape(-1, 6)
    a, b, c, d, e, f = matrices.repeat(shapely.get_num_coordinates(polygons), axis=0).T

    def move(points: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = points.T
        return np.stack([a * x + c * y + e, b * x + d * y + f], axis=-1)

    return np.asarray(shapely.transform(polygons, move)).tolist()


@dataclass(frozen=True, slots=True, init=False)
class Rotations:
    """Which angles a fragment may be placed at: multiples of 2 pi / ``bins``, or any if ``bins`` is None.

    >>> Rotations(4).allows(math.pi), Rotations(4).allows(1.0), Rotations(None).allows(1.0)
    (True, False, True)
    >>> Rotations("free") == Rotations(None), Rotations.parse(20).bins
    (True, 20)
    """

    bins: int | None

    def __init__(self, bins: int | Literal["free"] | None = 1) -> None:
        given: Any = None if bins == "free" else bins
        if given is not None and not (isinstance(given, int) and given >= 1):
            raise ArgumentError(f"rotations must be a positive number of bins or 'free', not {given!r}")
        if given is not None and given > MOST_BINS:  # each is a list of its angles
            raise ArgumentError(f"rotations of more than {MOST_BINS:,} bins are as good as free: say 'free'")
        object.__setattr__(self, "bins", given)

    @classmethod
    def parse(cls, value: Any) -> Rotations:
        """From what files and the command line say: a number of bins, or "free"."""
        if value == "free":
            return cls(None)
        try:
            whole = not isinstance(value, bool) and float(value) == int(value)
        except (TypeError, ValueError, OverflowError):
            whole = False
        if not whole or int(value) < 1:
            raise ArgumentError(f"rotations must be a positive number of bins or 'free', not {value!r}")
        return cls(int(value))

    def __str__(self) -> str:
        return "free" if self.bins is None else str(self.bins)

    def includes(self, other: Rotations) -> bool:
        """Whether all angles that the other allows are allowed.

        >>> Rotations(4).includes(Rotations(2)), Rotations(4).includes(Rotations(3)), FREE.includes(FIXED)
        (True, False, True)
        """
        return self.bins is None or (other.bins is not None and self.bins % other.bins == 0)

    @property
    def angles(self) -> NDArray[np.float64]:
        """The allowed angles in radians, shape (bins,); a free rotation has no list of them."""
        if self.bins is None:
            raise ArgumentError("free rotation has no list of angles")
        return np.arange(self.bins, dtype=np.float64) * (TAU / self.bins)

    def nearest(self, theta: float) -> float:
        """The allowed angle closest to ``theta``, in [0, 2 pi)."""
        if self.bins is None:
            return theta % TAU
        return (round(theta / TAU * self.bins) % self.bins) * (TAU / self.bins)

    def allows(self, theta: float, tolerance: float = ANGLE_TOLERANCE) -> bool:
        """Whether ``theta`` is one of the allowed angles."""
        return angle_between(theta, self.nearest(theta)) <= tolerance


FIXED = Rotations(1)
FREE = Rotations(None)


def angle_between(first: float, second: float) -> float:
    """The smaller angle between two directions, in [0, pi]."""
    return abs((first - second + math.pi) % TAU - math.pi)


def cos_sin(turns: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cosine and sine of angles given in turns, the same bits on every machine.

    Library sines differ in the last bit between processors; this uses only operations that IEEE 754
    fixes. Quarter turns are exact.

    >>> cos_sin([0.25, 0.5])
    (array([ 0., -1.]), array([1., 0.]))
    """
    t = np.asarray(turns, dtype=np.float64)
    quarter = np.round(t * 4.0)
    angle = (t - quarter * 0.25) * TAU  # within pi / 4 of 0
    square = angle * angle
    cos, sin = np.ones_like(t), np.ones_like(t)
    for k in range(18, 0, -2):  # Taylor's series by Horner's rule; the first term left out is below 1e-17
        cos = 1.0 - cos * square / (k * (k - 1))
        sin = 1.0 - sin * square / (k * (k + 1))
    sin = sin * angle
    turn = quarter.astype(np.int64) % 4
    flip_cos, flip_sin = np.where(turn % 3 == 0, 1.0, -1.0), np.where(turn < 2, 1.0, -1.0)
    swapped = turn % 2 == 1
    return np.where(swapped, sin, cos) * flip_cos + 0.0, np.where(swapped, cos, sin) * flip_sin + 0.0


def size_of(polygon: BaseGeometry) -> float:
    """The longer side of the bounding box: the length that tolerances are relative to."""
    low_x, low_y, high_x, high_y = polygon.bounds
    return max(high_x - low_x, high_y - low_y)


def origin_for(shape: BaseGeometry) -> Pose:
    """A place to reckon from: the origin or, if the shape is far from it, the lower left corner of its box.

    >>> origin_for(shapely.box(0, 0, 1, 1)), origin_for(shapely.box(450_000, 0, 450_001, 1))
    (Pose(x=0.0, y=0.0, theta=0.0, mirrored=False), Pose(x=450000.0, y=0.0, theta=0.0, mirrored=False))
    """
    if shape.is_empty:
        return Pose()
    low_x, low_y, high_x, high_y = shape.bounds
    if max(-low_x, -low_y, high_x, high_y) <= FAR * size_of(shape):
        return Pose()
    # A corner of the shape: floats near each other are subtracted without rounding.
    return Pose(low_x, low_y)


def union(geometries: Sequence[BaseGeometry]) -> BaseGeometry:
    """All of the geometries in one, safe for pieces that meet within rounding."""
    return shapely.union_all(geometries, grid_size=_overlay_grid(*geometries))


def intersection(first: BaseGeometry, second: BaseGeometry) -> BaseGeometry:
    """What both geometries cover, safe for outlines that meet within rounding."""
    return shapely.intersection(first, second, grid_size=_overlay_grid(first, second))


def difference(first: BaseGeometry, second: BaseGeometry) -> BaseGeometry:
    """What only the first geometry covers, safe for outlines that meet within rounding."""
    return shapely.difference(first, second, grid_size=_overlay_grid(first, second))


def symmetric_difference(first: BaseGeometry, second: BaseGeometry) -> BaseGeometry:
    """What only one of the geometries covers, safe for outlines that meet within rounding."""
    return shapely.symmetric_difference(first, second, grid_size=_overlay_grid(first, second))


def polygons_in(geometry: BaseGeometry) -> list[Polygon]:
    """The parts of a geometry that have an area, whatever it is a collection of.

    >>> mixed = shapely.from_wkt("GEOMETRYCOLLECTION (POINT (0 0), MULTIPOLYGON (((0 0, 1 0, 0 1, 0 0))))")
    >>> [part.area for part in polygons_in(mixed)]
    [0.5]
    """
    parts = shapely.get_parts(shapely.get_parts(geometry))
    return [part for part in parts if isinstance(part, Polygon) and part.area > 0.0]


def _overlay_grid(*geometries: BaseGeometry) -> float:
    if not geometries:
        return 0.0
    low_x, low_y, high_x, high_y = shapely.total_bounds(geometries).tolist()
    size = max(high_x - low_x, high_y - low_y)
    if not size > 0.0:  # nor is nan, the bounds of nothing
        return 0.0
    # Far from the origin floats are coarser than that, and a finer grid than theirs breaks overlays.
    return max(OVERLAY_GRID * size, FLOAT_GRID * max(-low_x, -low_y, high_x, high_y))


def is_convex(polygon: Region) -> bool:
    """Whether a shape is in one part and has no hole and no reflex corner."""
    if not isinstance(polygon, Polygon) or polygon.interiors:
        return False
    return polygon.convex_hull.area - polygon.area <= AREA_TOLERANCE * size_of(polygon) ** 2


def outer_corners(region: Region) -> NDArray[np.float64]:
    """The corners (K, 2) around all parts, without those of holes."""
    return np.concatenate([shapely.get_coordinates(part.exterior)[:-1] for part in polygons_in(region)])


def turning_symmetries(polygon: Region, tolerance: float = 1e-6) -> tuple[float, ...]:
    """Angles in [0, 2 pi), 0 first, by which a shape can turn about its centroid onto itself.

    >>> len(turning_symmetries(shapely.box(0, 0, 1, 1))), len(turning_symmetries(shapely.box(0, 0, 2, 1)))
    (4, 2)
    """
    centre = polygon.centroid
    ring = outer_corners(polygon) - (centre.x, centre.y)
    centred = Pose(-centre.x, -centre.y).apply(polygon)  # with its holes
    radius = np.hypot(ring[:, 0], ring[:, 1])
    # A true corner comes first: a vertex in the middle of an edge has no images to look for.
    ring, radius = (np.roll(a, -int(radius.argmax()), axis=0) for a in (ring, radius))
    direction = np.arctan2(ring[:, 1], ring[:, 0])
    allowance = tolerance * size_of(polygon)
    found = [0.0]
    for k in range(1, len(ring)):
        if abs(radius[k] - radius[0]) <= allowance:
            angle = float(direction[k] - direction[0]) % TAU
            if shapely.hausdorff_distance(Pose(theta=angle).apply(centred), centred) <= allowance:
                found.append(angle)
    return tuple(sorted(found))
