"""What an outline traced from pixels may have been: tips that were lost, or short ends taken for tips.

A pixel does not show how a sharp corner ends. The tracer may have cut it off, or drawn two lines to a tip
where a short edge was.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sherd.core.arrays import Floats
from sherd.solvers.search.constants.rough_outlines import (
    END_COST,
    FARTHEST_CUT_TIP,
    SHARP,
    SHORT_EDGE,
    SHORT_END,
    TIP_COST,
)
from sherd.solvers.search.corner_outline import CornerOutline


def other_tips(corners: Floats, pixel: float) -> Iterator[tuple[Floats, float]]:
    """The corners (n, 2) of other outlines that would look the same, and what each costs."""
    outline = CornerOutline(corners)
    short = [k for k in range(len(outline)) if outline.lengths[k] < SHORT_EDGE * pixel]
    sharpened = {k: _sharpened(corners, k, FARTHEST_CUT_TIP * pixel) for k in short}
    for changed in sharpened.values():
        if changed is not None:
            yield changed, TIP_COST
    if all(angle >= SHARP for angle in outline.angles):
        return
    for k in range(len(outline)):
        cut = SHORT_END * pixel / 2.0 / math.sin(outline.angles[k] / 2.0)
        if outline.angles[k] < SHARP and cut < 0.5 * min(outline.lengths[k], outline.lengths[k - 1]):
            before = corners[k] - outline.edges[k - 1] * (cut / outline.lengths[k - 1])
            after = corners[k] + outline.edges[k] * (cut / outline.lengths[k])
            yield np.concatenate([corners[:k], [before, after], corners[k + 1 :]]), END_COST


def _sharpened(corners: Floats, edge: int, farthest: float) -> Floats | None:
    """The corners with an edge drawn together to where its neighbours meet, if they do so near by."""
    count = len(corners)
    if count < 4:
        return None
    rolled = np.roll(corners, -edge, axis=0)  # the edge is now between the first two corners
    start, end = rolled[0], rolled[1]
    along, back = start - rolled[-1], end - rolled[2]
    cross = float(along[0] * back[1] - along[1] * back[0])
    if cross >= 0.0:
        return None
    share = float((end - start)[0] * back[1] - (end - start)[1] * back[0]) / cross
    tip = start + share * along
    if share < 0.0 or max(float(np.hypot(*(tip - start))), float(np.hypot(*(tip - end)))) > farthest:
        return None
    return np.concatenate([[tip], rolled[2:]])
