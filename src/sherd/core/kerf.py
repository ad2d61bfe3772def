"""What a saw, a laser or scissors took of pieces: outlines before the cut, and how wide it was."""

from __future__ import annotations

from collections.abc import Sequence

import shapely
from shapely import Polygon

from sherd.core.geometry import Region, size_of

# A corner that sticks out farther than this, in half kerfs, is cut off when a piece is grown.
MITRE_LIMIT = 5.0
# A kerf wider than this share of the target's size is none; KERF_STEPS steps find what it was.
WIDEST_KERF = 0.01
KERF_STEPS = 2


def grow(polygon: Polygon, by: float) -> Polygon:
    """The polygon with its outline moved outward, corners kept sharp.

    >>> grow(shapely.box(0, 0, 1, 1), 0.5).area
    4.0
    """
    if by == 0.0:
        return polygon
    grown = shapely.buffer(polygon, by, join_style="mitre", mitre_limit=MITRE_LIMIT)
    assert isinstance(grown, Polygon)  # growing never parts a shape
    return shapely.geometry.polygon.orient(grown)


def likely_kerf(outlines: Sequence[Polygon], target: Region) -> float:
    """The kerf that would make up for what the outlines lack of the target's area; 0 if it is too wide.

    >>> halves = [shapely.box(0, 0, 49.9, 100), shapely.box(50.1, 0, 100, 100)]
    >>> round(likely_kerf(halves, shapely.box(-0.1, -0.1, 100.1, 100.1)), 6)
    0.2
    """
    missing = target.area - float(shapely.area(outlines).sum())
    if missing <= 0.0:
        return 0.0
    kerf = 2.0 * missing / float(shapely.length(outlines).sum())
    for _ in range(KERF_STEPS):  # corners take some area too
        if kerf > 2.0 * WIDEST_KERF * size_of(target):
            return 0.0
        grown = [grow(outline, kerf / 2.0) for outline in outlines]
        left = target.area - float(shapely.area(grown).sum())
        kerf += 2.0 * left / float(shapely.length(grown).sum())
    return kerf if 0.0 < kerf <= WIDEST_KERF * size_of(target) else 0.0
