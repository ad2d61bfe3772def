"""What no piece covers: the shapes of missing pieces."""

from __future__ import annotations

from dataclasses import dataclass

import shapely
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.geometry import difference, intersection, union
from sherd.plan.layout import Layout

# Corners keep their points when a gap is shrunk and grown again, down to very sharp ones.
SHARPEST = 50.0
# The side of the smallest square that is a gap, in tolerances.
LEAST_SIDE = 5.0


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
    """The open parts of the target that are wider than the tolerance somewhere, the largest first.

    Seams along pieces that leave from a gap are cut off it, since they are no part of the missing piece. What
    is left must have the area of a small square, or it is a chipped corner.
    """
    covered = union(layout.fitted) if layout.fitted else MultiPolygon()
    wide: list[Polygon] = []
    for part in _polygons(difference(layout.target, covered)):
        wide += _without_seams(part, layout.tolerance)
    least = (LEAST_SIDE * layout.tolerance) ** 2
    wide = sorted((part for part in wide if part.area >= least), key=lambda part: -part.area)
    return tuple(Gap(number, polygon) for number, polygon in enumerate(wide, start=1))


def _without_seams(part: Polygon, width: float) -> list[Polygon]:
    """What is left of an open part without stretches narrower than ``width``."""
    core = part.buffer(-width / 2.0, join_style="mitre", mitre_limit=SHARPEST)
    if core.is_empty:
        return []
    grown = core.buffer(width / 2.0, join_style="mitre", mitre_limit=SHARPEST)
    opened = [p for p in _polygons(intersection(grown, part)) if p.intersects(core)]
    # A part that has no seams is kept to the last bit. Seams may have next to no area, but they reach far.
    if len(opened) == 1 and shapely.hausdorff_distance(part, opened[0]) <= width:
        return [part]
    return opened


def _polygons(geometry: BaseGeometry) -> list[Polygon]:
    return [part for part in shapely.get_parts(geometry) if isinstance(part, Polygon) and part.area > 0.0]
