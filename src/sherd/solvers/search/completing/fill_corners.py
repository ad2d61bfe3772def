"""Filling: corner by corner, the remaining region is filled with pieces that fit, and undone where stuck.

Every corner of the region must be filled by corners of pieces. The corner with the fewest candidates is
filled first; a candidate has a corner no wider than the region's and lies flush along one of its two edges.
Where a piece is missing, a corner may have to stay empty, and only those with a candidate count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import Pose, Region, Rotations, difference, size_of
from sherd.solvers.search.constants.completing import SAME_SHAPE
from sherd.solvers.search.corner_outline import CornerOutline, ring_of


@dataclass(frozen=True, kw_only=True)
class Flush:
    """How far edges may be from flush: in length, and in radians."""

    length: float
    angle: float


@dataclass(frozen=True)
class FillPiece:
    """A piece as it is or turned over, and which pieces are its equals: the lowest number among them."""

    number: int
    polygon: Polygon
    outline: CornerOutline
    mirrored: bool
    kind: int


@dataclass(frozen=True)
class Partial:
    """Pieces placed so far, and how much of the target they cover."""

    poses: tuple[tuple[int, Pose], ...] = ()
    area: float = 0.0


@dataclass(frozen=True)
class _Candidate:
    piece: FillPiece
    pose: Pose
    fills: bool  # whether it fills its corner by itself
    contact: float


def fill(
    polygons: Sequence[Polygon],
    target: Region,
    rotations: Rotations,
    flush: Flush,
    *,
    mirror: Sequence[bool],
    stop: Callable[[int], bool],
    is_end: Callable[[Partial], bool] = lambda whole: True,
) -> tuple[Partial, int]:
    """The assembly that covers most, and how many placements were tried.

    Ends with the first assembly of all pieces that ``is_end``, when nothing is left to try, or when ``stop``
    says so.
    """
    pieces = _pieces(polygons, flush, mirror)
    slack = flush.length
    all_there = sum(polygon.area for polygon in polygons) >= target.area - slack * target.length
    best, tried = Partial(), 0

    def is_over() -> bool:
        return stop(tried)

    # A frame of the search: what is placed, and the ways to go on from there that are not tried yet.
    root = _ways_on(target, pieces, rotations, flush, slack, all_there, is_over)
    frames: list[tuple[Partial, Iterator[tuple[_Candidate, BaseGeometry]]]] = [(Partial(), root)]
    while frames and not is_over():
        placed, ways = frames[-1]
        way = next(ways, None)
        if way is None:
            frames.pop()
            continue
        candidate, region = way
        tried += 1
        number = candidate.piece.number
        partial = Partial(
            (*placed.poses, (number, candidate.pose)), placed.area + candidate.piece.polygon.area
        )
        if partial.area > best.area:
            best = partial
        if len(partial.poses) == len(polygons):
            if is_end(partial):
                return partial, tried
            continue
        used = {one for one, _ in partial.poses}
        unused = [piece for piece in pieces if piece.number not in used]
        if all_there and _is_hopeless(region, unused, slack):
            continue
        frames.append((partial, _ways_on(region, unused, rotations, flush, slack, all_there, is_over)))
    return best, tried


def _pieces(polygons: Sequence[Polygon], flush: Flush, mirror: Sequence[bool]) -> list[FillPiece]:
    pieces: list[FillPiece] = []
    for number, polygon in enumerate(polygons):
        for mirrored in (False, True) if mirror[number] else (False,):
            turned = Pose(mirrored=mirrored).apply(polygon)
            outline = CornerOutline.of(ring_of(turned), flush.angle)
            alike = (p for p in pieces if mirror[p.number] == mirror[number] and _same(p.polygon, turned))
            kind = next((p.number for p in alike), number)
            pieces.append(FillPiece(number, turned, outline, mirrored, kind))
    return pieces


def _same(first: Polygon, second: Polygon) -> bool:
    limit = SAME_SHAPE * size_of(first)
    near = np.abs(np.subtract(first.bounds, second.bounds)).max() <= limit
    return bool(near) and bool(shapely.hausdorff_distance(first, second) <= limit)


def _is_hopeless(region: BaseGeometry, unused: Sequence[FillPiece], slack: float) -> bool:
    """Whether some part of the region is smaller than every piece that is left."""
    smallest = min(piece.polygon.area for piece in unused)
    return any(part.area < smallest - slack * size_of(part) for part in _parts(region, slack))


def _parts(region: BaseGeometry, slack: float) -> list[Polygon]:
    """The region's polygons, without slivers thinner than rounding leaves."""
    return [
        part
        for part in shapely.get_parts(region)
        if isinstance(part, Polygon) and part.area > 4.0 * slack * size_of(part)
    ]


def _ways_on(
    region: BaseGeometry,
    pieces: Sequence[FillPiece],
    rotations: Rotations,
    flush: Flush,
    slack: float,
    all_there: bool,
    stop: Callable[[], bool],
) -> Iterator[tuple[_Candidate, BaseGeometry]]:
    """Placements at the corner with the fewest candidates, and the region that each leaves.

    Outlines of many vertices have so many candidates that ``stop`` is asked at every corner and placement.
    """
    corners: list[list[_Candidate]] = []
    for part in _parts(region, slack):
        part = shapely.orient_polygons(part)  # so that the inside is to the left of every ring
        for ring in (part.exterior, *part.interiors):
            outline = CornerOutline.of(np.asarray(shapely.simplify(ring, slack).coords)[:-1], flush.angle)
            for corner in range(len(outline)):
                if stop():
                    return
                if outline.angles[corner] < np.pi - flush.angle:
                    corners.append(_candidates(outline, corner, pieces, rotations, flush))
    # Where some corners must stay empty, those that one piece fills by itself say most.
    for candidates in sorted(
        corners, key=lambda c: (not all_there and not any(one.fills for one in c), len(c))
    ):
        seen: list[tuple[int, bool, Pose]] = []
        for candidate in sorted(candidates, key=lambda c: (not all_there and not c.fills, -c.contact)):
            if stop():
                return
            piece, pose = candidate.piece, candidate.pose
            if any(
                (piece.kind, piece.mirrored) == (kind, mirrored) and pose.is_close(other, slack)
                for kind, mirrored, other in seen
            ):
                continue  # an equal piece was tried here before
            seen.append((piece.kind, piece.mirrored, pose))
            lying = Pose(pose.x, pose.y, pose.theta).apply(piece.polygon)
            if difference(lying, region).area <= slack * lying.length:
                yield candidate, MultiPolygon(_parts(difference(region, lying), slack))
        if all_there:
            return  # this corner must be filled, so no other can help


def _candidates(
    region: CornerOutline, corner: int, pieces: Sequence[FillPiece], rotations: Rotations, flush: Flush
) -> list[_Candidate]:
    """Every way to lay a corner of a piece into a corner of the region, flush with one of its edges."""
    found: list[_Candidate] = []
    at, angle = region.corners[corner], region.angles[corner]
    for piece in pieces:
        outline = piece.outline
        for own in np.flatnonzero(outline.angles <= angle + flush.angle).tolist():
            fills = bool(outline.angles[own] >= angle - flush.angle)
            # Flush with the edge that leaves the corner, and with the one that comes to it; where the
            # corner is filled the two are the same.
            for step in (0,) if fills else (0, -1):
                theta = float(region.directions[corner + step] - outline.directions[own + step])
                allowed = rotations.nearest(theta)
                if not rotations.allows(theta, flush.angle):
                    continue
                x, y = (at - Pose(theta=allowed).points(outline.corners[own])).tolist()
                along = min(region.lengths[corner + step], outline.lengths[own + step])
                if fills:
                    along += min(region.lengths[corner - 1], outline.lengths[own - 1])
                pose = Pose(x, y, allowed, piece.mirrored)
                found.append(_Candidate(piece, pose, fills, float(along)))
    return found
