"""All assemblies of an exact puzzle, those that are alike counted once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

import numpy as np
import shapely

from sherd.core.arrays import Floats
from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.symmetry import are_same
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.tiling import SAME_ASSEMBLY
from sherd.solvers.search.tiling.exact import End
from sherd.solvers.search.tiling.one_piece_held import hold_one
from sherd.solvers.search.tiling.tile_corners import make_tiler
from sherd.solvers.stop import Stop


class Further(Enum):
    """What is known of assemblies besides those that were found."""

    NONE = "there are no others"
    MAYBE = "there may be others: no more were asked for, or the search was stopped"
    UNSEEN = "the tolerance is too tight: not even the known assembly was met"


def find_all(
    case: Case,
    known: Sequence[Assembly],
    off: float,
    make: Callable[[dict[int, Pose]], Assembly],
    *,
    most: int,
    stop: Stop,
) -> tuple[tuple[Assembly, ...], Further, int]:
    """The known assemblies and others, ``most`` in all; whether there are more; how many tries it took.

    Corners may be ``off`` by this share of the target's size; ``make`` turns poses by piece number into an
    assembly.
    """
    found, is_met = list(known), False
    if not case.areas_add_up(off):
        return tuple(found), Further.UNSEEN, 0
    tiler = make_tiler(case, off, held=hold_one(case, off))
    tolerance = SAME_ASSEMBLY * off * case.size
    reaches = [_reach(case, assembly) for assembly in found]
    while len(found) < most:
        end = tiler.run(stop)
        if end is End.EXHAUSTED:
            return tuple(found), Further.NONE if is_met else Further.UNSEEN, tiler.tried
        if end is End.STOPPED:
            break
        assembly = make(tiler.placed().poses)
        reach = _reach(case, assembly)
        near = np.flatnonzero((np.abs(np.array(reaches) - reach) <= tolerance).all(axis=1)).tolist()
        like = [k for k in near if are_same(assembly, found[k], case.puzzle, tolerance)]
        is_met = is_met or 0 in like
        if not like:
            found.append(assembly)
            reaches.append(reach)
    return tuple(found), Further.MAYBE, tiler.tried


def _reach(case: Case, assembly: Assembly) -> Floats:
    """How far from the target's middle each piece reaches, sorted, (n,): about the same where two are alike.

    No symmetry of the target moves its middle, and outlines that lie within a tolerance of each other reach
    as far within it. So few of many assemblies have to be compared.
    """
    middle = case.puzzle.target.centroid
    laid = case.puzzle.placed(assembly)
    return np.sort(
        [float(np.hypot(*(shapely.get_coordinates(one) - (middle.x, middle.y)).T).max()) for one in laid]
    )
