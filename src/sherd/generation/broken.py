"""Broken targets: torn in two along a fractal line, and each part again, the largest first.

The parts are rings of points. Both parts of a break share the points of its line, and a line that ends on an
earlier one ends at a point of it, so neighbours agree to the last bit; only along straight cuts and the
target's own sides may an end lie within an edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import substring

from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import Rotations, size_of
from sherd.core.puzzle import Sample
from sherd.generation.fractal import fractal_line
from sherd.generation.scattering import FREE, scattered

Floats = NDArray[np.float64]

MOST_PIECES = 1000
JAGGED, WAVY = 0.1, 0.03
MOST_ROUGHNESS = 0.2
# A fractal line is as fine as this share of the target's size, and of the root of the mean piece's area.
FINEST, FINEST_OF_PIECE = 0.008, 0.05
# How many pairs of ends are drawn at once, of which the nearest is tried first, and how often: then the next
# largest part is broken. Each time smaller parts and smoother lines will do.
PAIRS, DRAWS = 6, 30
LEAST_SHARE, LEAST_OF_ALL = 0.3, 0.1
FADING = 0.93
# A line keeps this many steps from the outline, but for this share of it at either end.
CLEARANCE, NEAR_END = 1.0, 0.1


@dataclass(frozen=True, kw_only=True)
class BrokenParams:
    """How many pieces, how they may lie in the puzzle, and what their edges are like.

    roughness  how far the middle of a stretch strays, as a share of its length: .1 is jagged, .03 wavy
    straight   the share of breaks that are straight cuts instead
    """

    pieces: int = 8
    rotations: Rotations = FREE
    mirror: bool = False
    roughness: float = JAGGED
    straight: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.pieces <= MOST_PIECES:
            raise ValueError(f"pieces must be between 1 and {MOST_PIECES:,}, not {self.pieces:,}")
        if not 0.0 <= self.roughness <= MOST_ROUGHNESS:
            raise ValueError(f"roughness must be between 0 and {MOST_ROUGHNESS}, not {self.roughness}")
        if not 0.0 <= self.straight <= 1.0:
            raise ValueError(f"straight must be between 0 and 1, not {self.straight}")


def broken(target: Polygon, params: BrokenParams, rng: np.random.Generator) -> Sample:
    """A puzzle of pieces with jagged or wavy edges, and its answer."""
    outlines = broken_outlines(target, params, rng)
    return scattered(target, outlines, rng, rotations=params.rotations, mirror=params.mirror)


def broken_outlines(target: Polygon, params: BrokenParams, rng: np.random.Generator) -> list[Floats]:
    """The pieces in place, as counter-clockwise rings (n, 2)."""
    if target.interiors:
        raise InvalidPolygonError("only targets without holes are broken")
    ring = np.asarray(target.exterior.coords)[:-1]
    parts = [ring if target.exterior.is_ccw else ring[::-1]]
    step = min(FINEST * size_of(target), FINEST_OF_PIECE * math.sqrt(target.area / params.pieces))
    while len(parts) < params.pieces:
        roughness = 0.0 if rng.random() < params.straight else params.roughness
        largest_first = np.argsort([-_area(part) for part in parts], kind="stable").tolist()
        for which in largest_first:
            halves = _break(parts[which], roughness, step, rng)
            if halves is not None:
                parts[which : which + 1] = halves
                break
        else:
            raise InvalidPolygonError(f"the target cannot be broken into {params.pieces} pieces")
    return parts


def _break(ring: Floats, roughness: float, step: float, rng: np.random.Generator) -> list[Floats] | None:
    """A ring in two along a line that meets its outline at its ends only; None if no draw is such."""
    whole = Polygon(ring)
    shapely.prepare(whole)
    for draw in range(DRAWS):
        fade = FADING**draw
        least = max(LEAST_SHARE * fade, LEAST_OF_ALL) * whole.area
        pairs = [_ends(ring, step, rng) for _ in range(PAIRS)]
        for one, other in sorted(pairs, key=lambda pair: math.dist(pair[0][1], pair[1][1])):
            line = fractal_line(one[1], other[1], roughness * fade, step, rng)
            halves = _halves(ring, one, other, line)
            if min(map(_area, halves)) < least or not _runs_inside(line, whole, step):
                continue
            if all(Polygon(half).is_valid for half in halves):
                return halves
    return None


def _ends(
    ring: Floats, step: float, rng: np.random.Generator
) -> tuple[tuple[int, Floats], tuple[int, Floats]]:
    """Two places on a ring, in its order: the number of the vertex at or before each, and the point."""
    edge = np.roll(ring, -1, axis=0) - ring
    length = np.hypot(edge[:, 0], edge[:, 1])
    total = np.cumsum(length)
    first = rng.random()
    at = np.sort([first, (first + rng.uniform(0.3, 0.7)) % 1.0]) * total[-1]
    one, other = (min(int(k), len(ring) - 1) for k in np.searchsorted(total, at, side="right"))

    def place(k: int, far: float) -> tuple[int, Floats]:
        """A point of the outline: a vertex where they are close, as neighbours have the same ones."""
        if length[k] <= 4.0 * step:
            return k, ring[k]
        share = min(max((far - total[k] + length[k]) / length[k], 0.02), 0.98)
        return k, ring[k] + share * edge[k]

    return place(one, float(at[0])), place(other, float(at[1]))


def _halves(ring: Floats, one: tuple[int, Floats], other: tuple[int, Floats], line: Floats) -> list[Floats]:
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


def _area(ring: Floats) -> float:
    x, y = (ring - ring[0]).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
