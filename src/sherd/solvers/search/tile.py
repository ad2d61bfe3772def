"""Attempts at exact puzzles, convex or not: the quick ones first, and the reasons when all have failed."""

from __future__ import annotations

from sherd.geometry import Pose, size_of
from sherd.puzzle import Puzzle
from sherd.solvers.search.exact import End, Tiler
from sherd.solvers.stop import AnyOf, MaxEvaluations, Stop

# As many pieces in a corner as there are.
ANY = 1 << 30
# A quick attempt gives up after so many placements for each piece.
PATIENCE = 100


def tile(
    puzzle: Puzzle, rung: float, stop: Stop, *, most: int, quick: bool, whatever_areas: bool = False
) -> tuple[dict[int, Pose], int]:
    """The poses of all pieces, or of as many as could be placed at best, and how many placements were tried.

    ``most`` pieces may meet in a corner of what remains. Where areas do not add up, nothing is tried, unless
    it is asked for.
    """
    if not whatever_areas and not areas_add_up(puzzle, rung):
        return {}, 0
    tiler = make_tiler(puzzle, rung, most=most)
    patience = PATIENCE * len(puzzle.fragments)
    end = tiler.run(AnyOf((stop, MaxEvaluations(patience))) if quick else stop)
    return (tiler.placed() if end is End.FILLED else tiler.best()).poses, tiler.tried


def make_tiler(puzzle: Puzzle, rung: float, *, most: int = ANY) -> Tiler:
    """A search for the puzzle's exact assemblies, at a tolerance relative to the target's size."""
    return Tiler(
        [fragment.polygon for fragment in puzzle.fragments],
        puzzle.target,
        puzzle.rotations,
        rung * size_of(puzzle.target),
        mirror=puzzle.mirror,
        most=most,
    )


def areas_add_up(puzzle: Puzzle, rung: float) -> bool:
    """Whether the pieces have the target's area, but for the rung's tolerance along all their edges."""
    outlines = [fragment.polygon for fragment in puzzle.fragments]
    off = abs(puzzle.target.area - sum(outline.area for outline in outlines))
    return off <= rung * size_of(puzzle.target) * sum(outline.length for outline in outlines)
