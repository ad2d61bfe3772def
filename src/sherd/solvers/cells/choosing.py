"""Which of two answers is the likelier: the one from contours, or the one from whole edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import shapely
from shapely import Polygon

from sherd.solvers.cells.search import LEAST_ERROR, CellsFound, evidence_of
from sherd.solvers.contours.groups import FoundGroup, Groups
from sherd.solvers.contours.straight.search import ROUGHLY, SURE_TOLERANCE

APART = 3.0  # errors: corners that are one may be apart by this
AS_LIKELY = 0.5  # of evidence: answers that differ by less are the same


def likelier(
    pieces: Sequence[Polygon], groups: Groups, found: CellsFound, target: Polygon | None = None
) -> Groups:
    """The groups, or all pieces in one as found, if that is a whole, likelier, and the pieces are not exact.

    What is no whole is not believed: where edges meet in part, whole edges are the wrong evidence. In a
    target what was found is doubted where it is not sure.
    """
    unit = math.sqrt(float(np.mean(shapely.area(pieces))))
    is_sure = target is not None and groups.whole and not groups.doubt
    if not found.whole or is_sure:
        return groups
    if len(groups.groups) == 1 and not groups.alone:
        other = evidence_of(pieces, groups.groups[0].poses, found.error, target)
        is_whole = other.whole or groups.whole
        is_exact = groups.whole and found.error <= 2.0 * LEAST_ERROR * unit
        if is_exact or (is_whole and other.evidence - AS_LIKELY > found.evidence):
            return groups
    tolerance = APART * found.error
    is_rough = tolerance > SURE_TOLERANCE * unit if target is None else not found.is_sure
    return replace(
        groups,
        groups=(FoundGroup(found.poses, attached=target is not None),),
        alone=(),
        tolerance=max(groups.tolerance, tolerance),
        whole=True,
        doubt=ROUGHLY if is_rough else "",
        note="" if target is not None else groups.note,
    )
