"""A target broken in two along a line, and each part again, the largest first.

The parts are rings of points. Both parts of a break share the points of its line, and a line that ends on an
earlier one ends at a point of it, so neighbours agree to the last bit; only along straight cuts and the
target's own sides may an end lie within an edge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import numpy as np
import shapely
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import substring

from sherd.core.arrays import Floats
from sherd.core.errors import ArgumentError, InvalidPolygonError
from sherd.core.geometry import size_of

Place = tuple[int, Floats]
# A line (n, 2) from one point to another, whose stretches are about as long as the third value says; the
# fourth, at most 1, is how much of its usual deviation it may show.
Line = Callable[[Floats, Floats, float, float], Floats]

MOST_PIECES = 1000
# A line is as fine as this share of the target's size, and of the root of the mean piece's area.
FINEST, FINEST_OF_PIECE = 0.008, 0.05
# How many pairs of ends are drawn at once, of which the nearest is tried first, and how often: then the next
# largest part is broken. Each time smaller parts and smoother lines will do.
PAIRS, DRAWS = 6, 30
LEAST_SHARE, LEAST_OF_ALL = 0.3, 0.1
FADING = 0.93
# A line keeps this many steps from the outline, but for this share of it at either end.
CLEARANCE, NEAR_END = 1.0, 0.1


def check_pieces(pieces: int) -> None:
    """`ValueError` unless a target can be broken into this number of pieces."""
    if not 1 <= pieces <= MOST_PIECES:
        raise ArgumentError(f"pieces must be between 1 and {MOST_PIECES:,}, not {pieces:,}")


def outline_of(target: Polygon) -> Floats:
    """The outline of a target without holes, counter-clockwise, (n, 2)."""
    if target.interiors:
        raise InvalidPolygonError("only targets without holes are broken")
    ring = np.asarray(target.exterior.coords)[:-1]
    return ring if target.exterior.is_ccw else ring[::-1]


def step_for(target: Polygon, pieces: int) -> float:
    """How long the stretches of a line are that breaks a target into this number of pieces."""
    return min(FINEST * size_of(target), FINEST_OF_PIECE * math.sqrt(target.area / pieces))


def break_until(
    parts: list[Floats], pieces: int, step: float, draw: Callable[[], Line], rng: np.random.Generator
) -> list[Floats]:
    """So many parts, as counter-clockwise rings (n, 2); ``draw`` gives the kind of line of each break."""
    parts = list(parts)
    while len(parts) < pieces:
        line = draw()
        largest_first: list[int] = np.argsort([-area(part) for part in parts], kind="stable").tolist()
        for which in largest_first:
            halves = _break(parts[which], line, step, rng)
            if halves is not None:
                parts[which : which + 1] = halves
                break
        else:
            raise InvalidPolygonError(f"the target cannot be broken into {pieces} pieces")
    return parts


def area(ring: Floats) -> float:
    """The area within a ring (n, 2), above 0 if it runs counter-clockwise."""
    x, y = (ring - ring[0]).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _break(ring: Floats, draw_line: Line, step: float, rng: np.random.Generator) -> list[Floats] | None:
    """A ring in two along a line that meets its outline at its ends only; None if no draw is such."""
    whole = Polygon(ring)
    shapely.prepare(whole)
    for draw in range(DRAWS):
        fade = FADING**draw
        least = max(LEAST_SHARE * fade, LEAST_OF_ALL) * whole.area
        pairs = [_ends(ring, step, rng) for _ in range(PAIRS)]
        for one, other in sorted(pairs, key=lambda pair: math.dist(pair[0][1], pair[1][1])):
            line = draw_line(one[1], other[1], step, fade)
            halves = _halves(ring, one, other, line)
            if min(map(area, halves)) < least or not _runs_inside(line, whole, step):
                continue
            if all(Polygon(half).is_valid for half in halves):
                return halves
    return None


def _ends(ring: Floats, step: float, rng: np.random.Generator) -> tuple[Place, Place]:
    """Two places on a ring, in its order: the number of the vertex at or before each, and the point."""
    edge = np.roll(ring, -1, axis=0) - ring
    length = np.hypot(edge[:, 0], edge[:, 1])
    total = np.cumsum(length)
    first = rng.random()
    at = np.sort([first, (first + rng.uniform(0.3, 0.7)) % 1.0]) * total[-1]
    edges = cast("list[int]", np.searchsorted(total, at, side="right").tolist())
    one, other = (min(k, len(ring) - 1) for k in edges)

    def place(k: int, far: float) -> Place:
        """A point of the outline: a vertex where they are close, as neighbours have the same ones."""
        if length[k] <= 4.0 * step:
            return k, ring[k]
        share = min(max((far - total[k] + length[k]) / length[k], 0.02), 0.98)
        return k, ring[k] + share * edge[k]

    return place(one, float(at[0])), place(other, float(at[1]))


def _halves(ring: Floats, one: Place, other: Place, line: Floats) -> list[Floats]:
    """Both parts of a ring cut along a line from the first of two places on it to the second."""
    (low, start), (high, end) = one, other
    # A place at a vertex is that vertex, which must not stand in a ring twice.
    between = ring[low + 1 : high if (ring[high] == end).all() else high + 1]
    around = np.concatenate([ring[high + 1 :], ring[: low if (ring[low] == start).all() else low + 1]])
    return [np.concatenate([line[::-1], between]), np.concatenate([line, around])]


def _runs_inside(line: Floats, whole: Polygon, step: float) -> bool:
    """Whether a line between two points of an outline is simple, inside, and well clear of the outline."""
    path = LineString(line)
    if not path.is_simple:
        return False
    inner, clear = (_trimmed(path, share) for share in (0.001, NEAR_END))
    return bool(
        whole.contains_properly(inner) and shapely.distance(clear, whole.exterior) >= CLEARANCE * step
    )


def _trimmed(path: LineString, share: float) -> BaseGeometry:
    """A line without this share of it at either end."""
    return substring(path, share, 1.0 - share, normalized=True)
