"""What no piece covers: the shapes of missing pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import MultiPolygon, Polygon

from sherd.core.geometry import difference, intersection, polygons_in, union
from sherd.layout.beside import Beside, points_each
from sherd.layout.layout import Layout

# Corners keep their points when a gap is shrunk and grown again, down to very sharp ones.
SHARPEST = 50.0
# The side of the smallest square that is a gap, in tolerances.
LEAST_SIDE = 5.0
# Where no tolerance is given, seams are up to twice as wide as half of the outlines lie apart, but in no case
# wider than WIDEST_SEAM of the tolerances that are taken instead.
WIDEST_SEAM = 5.0
POINTS = 100


@dataclass(frozen=True)
class Gap:
    """A part of the target that is open, by number, the largest being number 1."""

    number: int
    polygon: Polygon

    @property
    def area(self) -> float:
        """Its area, in the drawing's unit squared."""
        return self.polygon.area


def find_gaps(layout: Layout) -> tuple[Gap, ...]:
    """The open parts of the target that are wider than its seams somewhere, the largest first.

    Seams along pieces that leave from a gap are cut off it, since they are no part of the missing piece. What
    is left must have the area of a small square, or it is a chipped corner.
    """
    covered = union(layout.fitted) if layout.fitted else MultiPolygon()
    seam = _seam(layout)
    wide: list[Polygon] = []
    for part in polygons_in(difference(layout.target, covered)):
        wide += _without_seams(part, seam)
    least = (LEAST_SIDE * seam) ** 2
    wide = sorted((part for part in wide if part.area >= least), key=lambda part: -part.area)
    return tuple(Gap(number, polygon) for number, polygon in enumerate(wide, start=1))


def _seam(layout: Layout) -> float:
    """How wide an opening may be that is only a seam: what is given or, if nothing is, what is usual here."""
    if layout.is_tolerance_given or len(layout.fitted) < 2:
        return layout.tolerance
    at = np.linspace(0.0, 1.0, points_each(len(layout.fitted), POINTS), endpoint=False)
    rim, beside = layout.target.boundary, Beside(layout.fitted)
    apart: list[NDArray[np.float64]] = []
    for k, outline in enumerate(layout.fitted):
        points = np.asarray(shapely.line_interpolate_point(outline.exterior, at, normalized=True))
        apart.append(np.fmin(beside.distances(k, points)[0], shapely.distance(points, rim)))
    usual = 2.0 * float(np.median(np.concatenate(apart)))
    return usual if layout.tolerance < usual <= WIDEST_SEAM * layout.tolerance else layout.tolerance


def _without_seams(part: Polygon, width: float) -> list[Polygon]:
    """What is left of an open part without stretches narrower than ``width``."""
    core = part.buffer(-width / 2.0, join_style="mitre", mitre_limit=SHARPEST)
    if core.is_empty:
        return []
    grown = core.buffer(width / 2.0, join_style="mitre", mitre_limit=SHARPEST)
    opened = [p for p in polygons_in(intersection(grown, part)) if p.intersects(core)]
    # A part that has no seams is kept to the last bit. Seams may have next to no area, but they reach far.
    if len(opened) == 1 and shapely.hausdorff_distance(part, opened[0]) <= width:
        return [part]
    return opened
