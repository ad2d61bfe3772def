"""All assemblies of an exact puzzle, those that are alike counted once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sherd.assembly import Assembly
from sherd.geometry import Pose, size_of
from sherd.puzzle import Puzzle
from sherd.solvers.search.exact import End
from sherd.solvers.search.tile import areas_add_up, make_tiler
from sherd.solvers.stop import Stop
from sherd.symmetry import are_same

# Assemblies whose outlines are closer than so many times the tolerance are the same.
ALIKE = 100.0


def find_all(
    puzzle: Puzzle,
    known: Sequence[Assembly],
    rung: float,
    make: Callable[[dict[int, Pose]], Assembly],
    *,
    most: int,
    stop: Stop,
) -> tuple[tuple[Assembly, ...], bool, int]:
    """The known assemblies and others, ``most`` in all; whether there are no more; how many tries it took.

    ``make`` turns poses by piece number into an assembly, at a tolerance relative to the target's size.
    """
    found = list(known)
    if not areas_add_up(puzzle, rung):
        return tuple(found), False, 0
    tiler = make_tiler(puzzle, rung)
    tolerance = ALIKE * rung * size_of(puzzle.target)
    while len(found) < most:
        end = tiler.run(stop)
        if end is not End.FILLED:
            return tuple(found), end is End.EXHAUSTED, tiler.tried
        assembly = make(tiler.placed().poses)
        if not any(are_same(assembly, other, puzzle, tolerance) for other in found):
            found.append(assembly)
    return tuple(found), False, tiler.tried
