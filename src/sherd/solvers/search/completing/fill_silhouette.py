"""Filling a silhouette drawn by hand: exact pieces, laid nearly flush, and slivers that closing left.

As in `fill_corners` every corner of the region is filled by corners of pieces. Here no piece is lost, so
that what does not count is little: slivers have no more area together than the target has beyond the pieces,
and each part of the region has the area of some of the pieces that are left. Of all corners that is
filled next in which the fewest pieces lie inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose, Region, Rotations, difference, size_of
from sherd.solvers.search.constants.completing import LAST_ANYWHERE, SAME_SHAPE, SLIVER_SHARE
from sherd.solvers.search.corner_outline import CornerOutline, ring_of


@dataclass(frozen=True, eq=False)
class _Tan:
    """A piece as it is or turned over, and its kind: pieces of one kind, so turned, are alike."""

    number: int
    outline: CornerOutline
    mirrored: bool
    kind: int


@dataclass(frozen=True, eq=False)
class _Lying:
    """A piece laid into a corner of the region, the corners where it lies (n, 2), and its contact there."""

    tan: _Tan
    pose: Pose
    corners: Floats
    contact: float

    @cached_property
    def polygon(self) -> Polygon:
        """Where it lies."""
        return Polygon(self.corners)

    def is_like(self, other: _Lying, slack: float) -> bool:
        """Whether both are of one shape and cover the same."""
        if self.tan.kind != other.tan.kind or len(self.corners) != len(other.corners):
            return False
        apart = np.abs(self.corners[:, None] - other.corners[None]).max(axis=-1)
        return bool((apart.min(axis=1) <= slack).all())


class _Silhouette:
    """One search: the pieces, how far edges may be from flush, in length and in radians, and the tips.

    No farther do pieces reach into others or out of the target, and edges as short may be of slivers. If it
    ``skips_corners``, one that no piece lies in is left, where moved corners hide which does, else it ends.
    """

    def __init__(
        self,
        polygons: Sequence[Polygon],
        target: Region,
        rotations: Rotations,
        mirror: Sequence[bool],
        *,
        slack: float,
        angle: float,
        tip: float,
        skips_corners: bool,
    ) -> None:
        self.tip, self.skips_corners = tip, skips_corners
        self.rotations, self.slack, self.angle = rotations, slack, angle
        self.areas = np.array([polygon.area for polygon in polygons])
        self.tans = list(_tans(polygons, mirror))
        self.sliver = SLIVER_SHARE * float(self.areas.min())
        around = sum(polygon.length for polygon in polygons)
        # What slivers may have together: what the target has beyond the pieces, and what these waste.
        self.spare = max(0.0, target.area - float(self.areas.sum())) + slack * around

    def without_slivers(self, region: BaseGeometry) -> list[Polygon]:
        """The parts of a region without what is narrower than two slacks, or too small for any piece."""
        with np.errstate(invalid="ignore"):  # of what is narrower than rounding
            kept = shapely.buffer(region, -self.slack, join_style="mitre")
            opened = shapely.buffer(kept, self.slack, join_style="mitre")
        return [p for p in shapely.get_parts(opened) if isinstance(p, Polygon) and p.area > self.sliver]

    def may_be_filled(self, parts: Sequence[Polygon], left: Sequence[int], spare: float) -> bool:
        """Whether each part has the area of some pieces that are left, but for slivers."""
        sums = np.zeros(1)
        for number in left:
            sums = np.concatenate([sums, sums + self.areas[number]])
        sums.sort()
        return all(
            np.searchsorted(sums, part.area + self.slack * part.length, side="right")
            > np.searchsorted(sums, part.area - spare - self.slack * part.length)
            for part in parts
        )

    def ways_on(
        self, parts: Sequence[Polygon], left: Sequence[int], is_over: Callable[[], bool]
    ) -> Iterator[_Lying]:
        """What lies in the corner that the fewest pieces lie in; the last pieces in any corner."""
        tans, kinds = list[_Tan](), set[tuple[int, bool]]()
        for tan in self.tans:
            if tan.number in left and (tan.kind, tan.mirrored) not in kinds:
                kinds.add((tan.kind, tan.mirrored))
                tans.append(tan)
        best: list[_Lying] | None = None
        last: list[_Lying] = []
        for part in parts:
            part = shapely.orient_polygons(part)  # the inside is to the left of every ring
            near = shapely.buffer(part, self.tip, join_style="mitre")
            shapely.prepare(near)
            for outline, corner in self._corners(part):
                if is_over():
                    return
                lying = self._in_corner(outline, corner, tans, part, near, is_over)
                if (
                    len(left) <= LAST_ANYWHERE
                ):  # where they lie does not hang on what a sliver leaves of one corner
                    last.extend(one for one in lying if not any(one.is_like(o, self.slack) for o in last))
                    continue
                if not lying and self.skips_corners:
                    continue
                if best is None or len(lying) < len(best):
                    best = lying
                if not best:
                    return
        yield from last
        yield from sorted(best or [], key=lambda one: -one.contact)

    def _corners(self, part: Polygon) -> list[tuple[CornerOutline, int]]:
        """Corners that are to be filled: those between long edges, if there are any.

        Short ones are left where pieces lie in each other by a tip, or gape.
        """
        found: list[tuple[CornerOutline, int]] = []
        for ring in (part.exterior, *part.interiors):
            corners = np.asarray(shapely.simplify(ring, self.slack).coords)[:-1]
            outline = CornerOutline.of(corners, self.angle)
            is_convex = outline.angles < np.pi - self.angle
            found.extend((outline, corner) for corner in np.flatnonzero(is_convex).tolist())
        sure = [(o, k) for o, k in found if min(o.lengths[k], o.lengths[k - 1]) > self.tip]
        return sure or found

    def _in_corner(
        self,
        region: CornerOutline,
        corner: int,
        tans: Sequence[_Tan],
        part: Polygon,
        near: BaseGeometry,
        is_over: Callable[[], bool],
    ) -> list[_Lying]:
        """Every way in which a piece lies inside in a corner, flush with one of its edges.

        Of outlines with hundreds of corners there are thousands, so that it is asked whether time is over.
        """
        found: list[_Lying] = []
        laid = [one for tan in tans for one in self._laid(region, corner, tan)]
        if not laid:
            return found
        counts = np.array([len(one.corners) for one in laid])
        points = np.concatenate([one.corners for one in laid])
        inside = shapely.contains_xy(near, points[:, 0], points[:, 1])
        within = np.logical_and.reduceat(inside, np.concatenate([[0], np.cumsum(counts)[:-1]]))
        for one in (one for one, holds in zip(laid, within, strict=True) if holds):
            if is_over():
                break
            if any(one.is_like(other, 2.0 * self.slack) for other in found):
                continue
            if difference(one.polygon, part).area <= self.slack * one.polygon.length:
                found.append(one)
        return found

    def _laid(self, region: CornerOutline, corner: int, tan: _Tan) -> Iterator[_Lying]:
        at, angle, outline = region.corners[corner], region.angles[corner], tan.outline
        for own in np.flatnonzero(outline.angles <= angle + self.angle).tolist():
            fills = bool(outline.angles[own] >= angle - self.angle)
            # Flush with the edge that leaves the corner, and with the one that comes to it; where the
            # corner is filled the two are the same.
            for step in (0,) if fills else (0, -1):
                theta = float(region.directions[corner + step] - outline.directions[own + step])
                if not self.rotations.allows(theta, self.angle):
                    continue
                turned = Pose(theta=self.rotations.nearest(theta))
                x, y = (at - turned.points(outline.corners[own])).tolist()
                along = min(region.lengths[corner + step], outline.lengths[own + step])
                if fills:
                    along += min(region.lengths[corner - 1], outline.lengths[own - 1])
                lies = Pose(x, y, turned.theta)
                pose = Pose(x, y, turned.theta, tan.mirrored)
                yield _Lying(tan, pose, lies.points(outline.corners), float(along))


def fill_silhouette(
    polygons: Sequence[Polygon],
    target: Region,
    rotations: Rotations,
    *,
    mirror: Sequence[bool],
    slack: float,
    angle: float,
    tip: float,
    fits: Callable[[dict[int, Pose]], bool],
    stop: Callable[[int], bool],
    skips_corners: bool = False,
) -> tuple[dict[int, Pose], int, bool]:
    """The poses of most area, how many placements were tried, and whether that is all there is.

    Edges are flush to within ``slack`` and ``angle`` radians, and corners reach into others or out of the
    target by no more than ``tip``. It ends with the first poses of all pieces that
    fit, else when nothing is left to try or ``stop`` says so. A corner that no piece lies in is an end, or
    left for others if it ``skips_corners``.
    """
    search = _Silhouette(
        polygons, target, rotations, mirror, slack=slack, angle=angle, tip=tip, skips_corners=skips_corners
    )
    best, covered, tried = dict[int, Pose](), 0.0, 0

    def is_over() -> bool:
        return stop(tried)

    every = range(len(polygons))
    parts = search.without_slivers(target)
    spare = search.spare - (target.area - sum(part.area for part in parts))
    # A frame of the search: what is placed, what is open and what slivers may still have; the ways on.
    frames: list[tuple[dict[int, Pose], list[Polygon], float, Iterator[_Lying]]] = [
        ({}, parts, spare, search.ways_on(parts, every, is_over))
    ]
    while frames and not is_over():
        placed, parts, spare, ways = frames[-1]
        way = next(ways, None)
        if way is None:
            frames.pop()
            continue
        tried += 1
        poses = {**placed, way.tan.number: way.pose}
        area = float(search.areas[list(poses)].sum())
        if area > covered:
            best, covered = poses, area
        if len(poses) == len(polygons):
            if fits(poses):
                return poses, tried, True
            continue
        rest = difference(MultiPolygon(parts), way.polygon)
        left = [number for number in every if number not in poses]
        opened = search.without_slivers(rest)
        lost = rest.area - sum(part.area for part in opened)
        if lost > spare or not search.may_be_filled(opened, left, spare - lost):
            continue
        frames.append((poses, opened, spare - lost, search.ways_on(opened, left, is_over)))
    return best, tried, not is_over()


def _tans(polygons: Sequence[Polygon], mirror: Sequence[bool]) -> Iterator[_Tan]:
    kinds: list[tuple[Polygon, bool]] = []
    for number, polygon in enumerate(polygons):
        kind = next(
            (k for k, one in enumerate(kinds) if one[1] == mirror[number] and _alike(one[0], polygon)), None
        )
        if kind is None:
            kind = len(kinds)
            kinds.append((polygon, mirror[number]))
        for mirrored in (False, True) if mirror[number] else (False,):
            turned = Pose(mirrored=mirrored).apply(polygon)
            yield _Tan(number, CornerOutline(ring_of(turned)), mirrored, kind)


def _alike(first: Polygon, second: Polygon) -> bool:
    """Whether two outlines are of one shape, however they are turned: by edges and angles in turn."""
    limit = SAME_SHAPE * size_of(first)
    one, other = CornerOutline(ring_of(first)), CornerOutline(ring_of(second))
    if len(one) != len(other):
        return False
    return any(
        np.abs(np.roll(other.lengths, k) - one.lengths).max() <= limit
        and np.abs(np.roll(other.angles, k) - one.angles).max() <= SAME_SHAPE
        for k in range(len(one))
    )
