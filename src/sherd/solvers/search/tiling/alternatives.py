"""All assemblies of an exact puzzle, those that are alike counted once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose, size_of
from sherd.core.puzzle import Puzzle
from sherd.core.symmetry import are_same
from sherd.solvers.search.tiling.exact import End
from sherd.solvers.search.tiling.tile_corners import areas_add_up, make_tiler
from sherd.solvers.stop import Stop

# Assemblies whose outlines are closer than so many times the tolerance are the same.
SAME_ASSEMBLY = 100.0


class Further(Enum):
    """What is known of assemblies besides those that were found."""

    NONE = "there are no others"
    MAYBE = "there may be others: so many were asked for, or the search was stopped"
    UNSEEN = "the tolerance is too tight: not even the known assembly was met"


def find_all(
    puzzle: Puzzle,
    known: Sequence[Assembly],
    rung: float,
    make: Callable[[dict[int, Pose]], Assembly],
    *,
    most: int,
    stop: Stop,
) -> tuple[tuple[Assembly, ...], Further, int]:
    """The known assemblies and others, ``most`` in all; whether there are more; how many tries it took.

    ``make`` turns poses by piece number into an assembly, at a tolerance relative to the target's size.
    """
    found, is_met = list(known), False
    if not areas_add_up(puzzle, rung):
        return tuple(found), Further.UNSEEN, 0
    tiler = make_tiler(puzzle, rung)
    tolerance = SAME_ASSEMBLY * rung * size_of(puzzle.target)
    while len(found) < most:
        end = tiler.run(stop)
        if end is End.EXHAUSTED:
            return tuple(found), Further.NONE if is_met else Further.UNSEEN, tiler.tried
        if end is End.STOPPED:
            break
        assembly = make(tiler.placed().poses)
        like = [k for k, other in enumerate(found) if are_same(assembly, other, puzzle, tolerance)]
        is_met = is_met or 0 in like
        if not like:
            found.append(assembly)
    return tuple(found), Further.MAYBE, tiler.tried
