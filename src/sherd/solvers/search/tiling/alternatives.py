"""All assemblies of an exact puzzle, those that are alike counted once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.symmetry import are_same
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants import SAME_ASSEMBLY
from sherd.solvers.search.tiling.exact import End
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
    tiler = make_tiler(case, off)
    tolerance = SAME_ASSEMBLY * off * case.size
    while len(found) < most:
        end = tiler.run(stop)
        if end is End.EXHAUSTED:
            return tuple(found), Further.NONE if is_met else Further.UNSEEN, tiler.tried
        if end is End.STOPPED:
            break
        assembly = make(tiler.placed().poses)
        like = [k for k, other in enumerate(found) if are_same(assembly, other, case.puzzle, tolerance)]
        is_met = is_met or 0 in like
        if not like:
            found.append(assembly)
    return tuple(found), Further.MAYBE, tiler.tried
