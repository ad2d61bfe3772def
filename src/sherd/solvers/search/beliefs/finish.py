"""Finishing what a chart could not glue: its parts are laid into the target from outside inwards.

Where one true joint is missing from a chart, because two pieces are known too badly, all parts around it are
there: what lay on the other side of each cut. They are laid one within what another leaves. The few pieces
for which no part remains are glued anew into the last region, or laid into it by area.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import Pose, Rotations
from sherd.solvers.search.beliefs.flush import lay_by_area
from sherd.solvers.search.beliefs.inwards import ChartParts, OpenRegion, regions
from sherd.solvers.search.beliefs.misfit import BITS
from sherd.solvers.search.constants.beliefs import (
    ENOUGH_ANEW,
    FITS_ANEW,
    MOST_GLUED_ANEW,
    MOST_LAID_BY_AREA,
    MOST_LAST_REGIONS,
)

# The corners (n, 2) of a region and the numbers of the pieces left for it to ways to lay them.
GlueRest = Callable[[Floats, list[int]], list[dict[int, Pose]]]


@dataclass(frozen=True)
class Finished:
    """Poses of parts and of lone pieces, by number, and how much of these lies where it should not."""

    parts: tuple[tuple[int, Pose], ...]
    lone: tuple[tuple[int, Pose], ...]
    off: float


def finish(
    parts: ChartParts,
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

    Corners may be off by ``slack``. A part is held against a region ``most`` times in all. Once few
    pieces are left ``glue_rest`` may glue them anew into a region.
    """
    words = np.bitwise_or.reduce(parts.words, axis=0)
    start = OpenRegion(target, words, len(pieces), 0.0, ())
    areas = np.array([piece.area for piece in pieces])
    found: list[Finished] = []
    farthest, lasts, tried, glued = start, 0, set[bytes](), 0
    for region in regions(parts, start, rotations, slack, most, stop):
        if region.left < farthest.left:
            farthest = region
        numbers = _numbers(region.words)
        if len(numbers) <= MOST_LAID_BY_AREA and lasts < MOST_LAST_REGIONS:
            lasts += 1
            ways = lay_by_area(region.corners, numbers, pieces, rotations, stop)
            found += (Finished(region.laid, way.laid, way.off) for way in ways)
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
            anew = glue_rest(region.corners, numbers)
            found += (Finished(region.laid, tuple(poses.items()), 0.0) for poses in anew)
            glued += len(anew)
            if glued >= ENOUGH_ANEW:
                break
    return sorted(found, key=lambda finished: finished.off), Finished(farthest.laid, (), 0.0)


def _numbers(words: Ints) -> list[int]:
    """Which bits of words are set."""
    return [BITS * w + bit for w, word in enumerate(words.tolist()) for bit in range(BITS) if word >> bit & 1]
