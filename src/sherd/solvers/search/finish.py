"""Finishing what a chart could not glue: its parts are laid into the target from outside inwards.

Where one true joint is missing from a chart, because two pieces are known too badly, all parts around it are
there: what lay on the other side of each cut. As around a lost piece, such a part touches the region that was
cut with all its edges but one, and leaves a smaller convex region. The few pieces for which no part remains
are laid into the last region by area.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.compiled import compiled
from sherd.geometry import TAU, Pose, Rotations, difference
from sherd.solvers.search.clip import shared_area
from sherd.solvers.search.misfit import BITS
from sherd.solvers.search.outline import Floats, Outline, ring_of

Ints = NDArray[np.int64]
# The corners (n, 2) of a region and the numbers of the pieces left for it to ways to lay them.
GlueRest = Callable[[Floats, list[int]], list[dict[int, Pose]]]

# Of each set of pieces that is left, so many different regions are looked at.
MOST_ALIKE = 3
# Ways to lay a part into a region that are kept, at most.
MOST_WAYS = 256
# At most so many pieces are laid by area, the best few ways at each step, in so many last regions.
MOST_LEFT = 3
WAYS_LEFT = 4
MOST_LAST = 12
# At most so many pieces are glued anew into a region, until there are so many ways; each takes about as long
# as so many parts held against regions.
MOST_GLUED_ANEW = 12
ENOUGH_ANEW = 3
FITS_ANEW = 40_000
# Corners that turn by less, in radians, are not tried in a corner.
BLUNT = 0.1


@dataclass(frozen=True, eq=False)
class Parts:
    """What a chart holds, as arrays: corners of all parts one after another, and their pieces as bits."""

    corners: Floats  # (C, 2)
    begins: Ints  # (P + 1,)
    words: Ints  # (P, W)
    pieces: Ints  # (P,)
    costs: Floats  # (P,)


@dataclass(frozen=True, eq=False)
class _Region:
    """What is open, the pieces left for it as bits of words, and the parts that are laid."""

    corners: Floats
    words: Ints
    left: int
    misfit: float
    laid: tuple[tuple[int, Pose], ...]


@dataclass(frozen=True, eq=False)
class _Cut:
    """A part laid into a region: its edge that is the cut, and the region's first corner that it fills.

    ``words``, ``left`` and ``misfit`` are those of the region that it leaves.
    """

    region: _Region
    part: int
    edge: int
    corner: int
    pose: Pose
    words: Ints
    left: int
    misfit: float


@dataclass(frozen=True)
class Finished:
    """Poses of parts and of lone pieces, by number, and how much of these lies where it should not."""

    parts: tuple[tuple[int, Pose], ...]
    lone: tuple[tuple[int, Pose], ...]
    off: float


def finish(
    parts: Parts,
    pieces: Sequence[Polygon],
    target: Floats,
    rotations: Rotations,
    slack: float,
    *,
    most: int,
    glue_rest: GlueRest,
    stop: Callable[[], bool],
) -> tuple[list[Finished], Finished]:
    """Ways to lay all pieces into a target (n, 2), the best first, and the way that parts alone get farthest.

    Corners may be off by ``slack``. At ``most`` so many times a part is held against a region. Once few
    pieces are left ``glue_rest`` may glue them anew into a region.
    """
    words = np.bitwise_or.reduce(parts.words, axis=0)
    start = _Region(target, words, len(pieces), 0.0, ())
    areas = np.array([piece.area for piece in pieces])
    found: list[Finished] = []
    farthest, lasts, tried, glued = start, 0, set[bytes](), 0
    for region in _regions(parts, start, rotations, slack, most, stop):
        if region.left < farthest.left:
            farthest = region
        numbers = _numbers(region.words)
        if len(numbers) <= MOST_LEFT and lasts < MOST_LAST:
            lasts += 1
            found += _laid_by_area(region, numbers, pieces, rotations, stop)
        key = region.words.tobytes()
        if (
            not region.laid
            or not 1 < len(numbers) <= MOST_GLUED_ANEW
            or len(tried) >= most // FITS_ANEW
            or key in tried
        ):
            continue
        room = Polygon(region.corners)
        if abs(room.area - areas[numbers].sum()) <= slack * room.length / 2.0:
            tried.add(key)
            ways = glue_rest(region.corners, numbers)
            found += (Finished(region.laid, tuple(poses.items()), 0.0) for poses in ways)
            glued += len(ways)
            if glued >= ENOUGH_ANEW:
                break
    return sorted(found, key=lambda finished: finished.off), Finished(farthest.laid, (), 0.0)


def _regions(
    parts: Parts,
    start: _Region,
    rotations: Rotations,
    slack: float,
    most: int,
    stop: Callable[[], bool],
) -> Iterator[_Region]:
    """The regions that are left when parts are laid, those with the fewest pieces left first."""
    yield start
    agenda: list[tuple[int, float, int, _Cut]] = []
    met: dict[bytes, int] = {}
    region, offered = start, 0
    for _ in range(max(1, most // len(parts.pieces))):
        if stop():
            return
        if region.left > 1:
            for cut in _cuts(parts, region, rotations, slack):
                key = cut.words.tobytes()
                if met.get(key, 0) < MOST_ALIKE:
                    met[key] = met.get(key, 0) + 1
                    offered += 1
                    heapq.heappush(agenda, (cut.left, cut.misfit, offered, cut))
        # Most cuts are never come to, so what they leave is worked out only here.
        while agenda:
            rest = _rest(parts, heapq.heappop(agenda)[-1])
            if rest is not None:
                break
        else:
            return
        region = rest
        yield region


def _cuts(parts: Parts, region: _Region, rotations: Rotations, slack: float) -> Iterator[_Cut]:
    """The parts that fit the region with all edges but one, the best fit first."""
    ways, poses = np.empty((MOST_WAYS, 3), dtype=np.int64), np.empty((MOST_WAYS, 4))
    count = find_cuts(
        region.corners,
        region.words,
        parts.corners,
        parts.begins,
        parts.words,
        rotations.bins or 0,
        slack,
        ways,
        poses,
    )
    count = min(count, MOST_WAYS)
    total = poses[:count, 3] + parts.costs[ways[:count, 0]]
    for k in np.argsort(total, kind="stable").tolist():
        number, edge, corner = ways[k].tolist()
        x, y, theta, _ = poses[k].tolist()
        yield _Cut(
            region=region,
            part=number,
            edge=edge,
            corner=corner,
            pose=Pose(x, y, theta),
            words=region.words & ~parts.words[number],
            left=region.left - int(parts.pieces[number]),
            misfit=region.misfit + float(total[k]),
        )


def _rest(parts: Parts, cut: _Cut) -> _Region | None:
    """What a cut leaves of its region: the corners that the part does not touch, and the cut's ends."""
    part = parts.corners[parts.begins[cut.part] : parts.begins[cut.part + 1]]
    region, corner = cut.region.corners, cut.corner
    count, touched = len(region), len(part) - 2
    ends = cut.pose.points(part[[(cut.edge + 1) % len(part), cut.edge]])
    # The cut ends on the region's own edges, whatever the part's are like.
    before = _onto(ends[0], region[corner - 1], region[corner])
    after = _onto(ends[1], region[(corner + touched - 1) % count], region[(corner + touched) % count])
    kept = np.roll(region, -(corner + touched), axis=0)[: count - touched]
    rest = np.vstack([kept, before, after])
    if len(rest) < 3 or not Polygon(rest).is_valid:
        return None
    return _Region(rest, cut.words, cut.left, cut.misfit, (*cut.region.laid, (cut.part, cut.pose)))


def _onto(point: Floats, start: Floats, end: Floats) -> Floats:
    along = end - start
    share = float((point - start) @ along) / float(along @ along)
    return start + min(max(share, 0.02), 0.98) * along


@compiled
def find_cuts(
    region: Floats,
    left: Ints,
    corners: Floats,
    begins: Ints,
    words: Ints,
    bins: int,
    slack: float,
    ways: Ints,
    poses: Floats,
) -> int:
    """Find the parts of pieces that are left that fit a convex region (n, 2) with all edges but one.

    ``ways`` (M, 3) gets the part, its edge that is the cut, and the region's first corner that it fills;
    ``poses`` (M, 4) x, y, theta and half the squares of what corners are off by, in units of ``slack``.
    Ways beyond M are counted but not kept.
    """
    n, found = len(region), 0
    for part in range(len(begins) - 1):
        outside, equal = False, True
        for w in range(words.shape[1]):
            if words[part, w] & ~left[w]:
                outside = True
                break
            if words[part, w] != left[w]:
                equal = False
        own = corners[begins[part] : begins[part + 1]]
        m = len(own)
        if outside or equal or m - 2 > n - 1 or m < 3:
            continue
        for cut in range(m):
            for corner in range(n):
                # Edges of the part from the end of the cut around to its start lie on edges of the region.
                dot, cross = 0.0, 0.0
                for k in range(m - 1):
                    a, b = own[(cut + 1 + k) % m], own[(cut + 2 + k) % m]
                    c, d = region[(corner - 1 + k) % n], region[(corner + k) % n]
                    x, y, u, v = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
                    long = math.sqrt(u * u + v * v)
                    dot += (x * u + y * v) / long
                    cross += (x * v - y * u) / long
                theta = math.atan2(cross, dot)
                if bins > 0:
                    step = TAU / bins
                    theta = round(theta / step) * step
                cos, sin = math.cos(theta), math.sin(theta)
                x, y = 0.0, 0.0
                for k in range(m - 2):
                    a, c = own[(cut + 2 + k) % m], region[(corner + k) % n]
                    x += c[0] - (cos * a[0] - sin * a[1])
                    y += c[1] - (sin * a[0] + cos * a[1])
                x, y = x / (m - 2), y / (m - 2)
                square, fits = 0.0, True
                for k in range(m - 2):
                    a, c = own[(cut + 2 + k) % m], region[(corner + k) % n]
                    u = cos * a[0] - sin * a[1] + x - c[0]
                    v = sin * a[0] + cos * a[1] + y - c[1]
                    off = u * u + v * v
                    if off > slack * slack:
                        fits = False
                        break
                    square += off
                if not fits:
                    continue
                for which in range(2):
                    if which == 0:
                        a, c, d = own[(cut + 1) % m], region[corner], region[corner - 1]
                    else:
                        a, c, d = own[cut], region[(corner + m - 3) % n], region[(corner + m - 2) % n]
                    u, v = d[0] - c[0], d[1] - c[1]
                    long = math.sqrt(u * u + v * v)
                    p = cos * a[0] - sin * a[1] + x - c[0]
                    q = sin * a[0] + cos * a[1] + y - c[1]
                    along, off = (p * u + q * v) / long, (p * v - q * u) / long
                    if abs(off) > slack or along < 0.0 or along > long + 0.5 * slack:
                        fits = False
                        break
                    square += off * off
                if not fits:
                    continue
                if found < len(ways):
                    ways[found, 0], ways[found, 1], ways[found, 2] = part, cut, corner
                    poses[found, 0], poses[found, 1], poses[found, 2] = x, y, theta
                    poses[found, 3] = 0.5 * square / (slack * slack)
                found += 1
    return found


def _numbers(words: Ints) -> list[int]:
    return [BITS * w + bit for w, word in enumerate(words.tolist()) for bit in range(BITS) if word >> bit & 1]


def _laid_by_area(
    region: _Region,
    numbers: list[int],
    pieces: Sequence[Polygon],
    rotations: Rotations,
    stop: Callable[[], bool],
) -> list[Finished]:
    """The best ways to lay single pieces into a region: edges flush, least area outside or on each other.

    None if it is time to stop.
    """
    hulls = {number: hull_of(pieces[number]) for number in numbers}
    ways: list[_Way] = [_Way(0.0, (), Polygon(region.corners))]
    for _ in numbers:
        longer: list[_Way] = []
        for way in ways:
            done = {number for number, _ in way.laid}
            laid = [pose.points(hulls[number]) for number, pose in way.laid]
            for number in (number for number in numbers if number not in done):
                if stop():
                    return []
                for off, pose in _flush(hulls[number], way.room, region.corners, laid, rotations):
                    longer.append(_Way(way.off + off, (*way.laid, (number, pose)), way.room))
        longer.sort(key=lambda way: way.off)
        ways = [way.without(hulls) for way in longer[:WAYS_LEFT]]
    return [Finished(region.laid, way.laid, way.off) for way in ways]


@dataclass(frozen=True)
class _Way:
    """Lone pieces laid into a region: the area that lies where it should not, and the room that is left."""

    off: float
    laid: tuple[tuple[int, Pose], ...]
    room: Polygon

    def without(self, hulls: Mapping[int, Floats]) -> _Way:
        """The same with the last piece taken out of the room."""
        number, pose = self.laid[-1]
        rest = shapely.get_parts(difference(self.room, Polygon(pose.points(hulls[number]))))
        parts = [part for part in rest if isinstance(part, Polygon)]
        return _Way(self.off, self.laid, max(parts, key=lambda part: part.area, default=self.room))


def hull_of(piece: Polygon) -> Floats:
    """The corners of a piece's convex hull but the blunt ones, counter-clockwise."""
    hull = piece.convex_hull
    assert isinstance(hull, Polygon)  # a piece has some area
    return Outline.of(ring_of(hull), BLUNT).corners


def _flush(
    piece: Floats, room: Polygon, region: Floats, laid: list[Floats], rotations: Rotations
) -> list[tuple[float, Pose]]:
    """The best few poses of a piece, an edge on one of the room's, and the area where it should not be."""
    there = ring_of(room)
    poses, off = np.empty((2 * len(piece) * len(there), 3)), np.empty(2 * len(piece) * len(there))
    begins = np.concatenate([[0], np.cumsum([len(ring) for ring in laid])]).astype(np.int64)
    others = np.concatenate(laid) if laid else np.empty((0, 2))
    flush_ways(piece, there, region, others, begins, rotations.bins or 0, poses, off)
    return [(float(off[k]), Pose(*poses[k].tolist())) for k in np.argsort(off, kind="stable")[:WAYS_LEFT]]


@compiled
def flush_ways(
    piece: Floats,
    room: Floats,
    region: Floats,
    others: Floats,
    begins: Ints,
    bins: int,
    poses: Floats,
    off: Floats,
) -> None:
    """Write all poses (2 m n, 3) that lay an edge of a convex piece (m, 2) along one of a room (n, 2).

    Either the edges' starts meet or their ends. ``off`` gets the piece's area outside a convex region and on
    other convex rings, which lie one after another and begin at ``begins``.
    """
    m, n = len(piece), len(room)
    moved = np.empty((m, 2))
    size = 4 * (m + len(region) + len(others) + 4)
    spare, other_spare = np.empty((size, 2)), np.empty((size, 2))
    way = 0
    for k in range(m):
        a, b = piece[k], piece[(k + 1) % m]
        for j in range(n):
            c, d = room[j], room[(j + 1) % n]
            theta = math.atan2(d[1] - c[1], d[0] - c[0]) - math.atan2(b[1] - a[1], b[0] - a[0])
            if bins > 0:
                theta = round(theta / (TAU / bins)) * (TAU / bins)
            cos, sin = math.cos(theta), math.sin(theta)
            for at_end in range(2):
                own, to = (b, d) if at_end else (a, c)
                x, y = to[0] - cos * own[0] + sin * own[1], to[1] - sin * own[0] - cos * own[1]
                for corner in range(m):
                    moved[corner, 0] = cos * piece[corner, 0] - sin * piece[corner, 1] + x
                    moved[corner, 1] = sin * piece[corner, 0] + cos * piece[corner, 1] + y
                wrong = -shared_area(moved, m, region, len(region), spare, other_spare)
                for ring in range(len(begins) - 1):
                    other = others[begins[ring] : begins[ring + 1]]
                    wrong += shared_area(moved, m, other, len(other), spare, other_spare)
                poses[way, 0], poses[way, 1], poses[way, 2], off[way] = x, y, theta, wrong
                way += 1
    area = 0.0
    for k in range(m):
        area += (piece[k, 0] * piece[(k + 1) % m, 1] - piece[k, 1] * piece[(k + 1) % m, 0]) / 2.0
    for k in range(way):
        off[k] += area
