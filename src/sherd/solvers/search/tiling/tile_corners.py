"""Attempts by tiling, at pieces of any shape: quick, thorough, or loose where outlines are not exact."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sherd.core.errors import InvalidPuzzleError
from sherd.core.geometry import Pose, size_of
from sherd.core.puzzle import Fragment, Puzzle
from sherd.solvers.search.polish import polished
from sherd.solvers.search.tiling.exact import STRIDE, End, Tiler
from sherd.solvers.search.tiling.facts import clean_rings
from sherd.solvers.search.tiling.weld import weld
from sherd.solvers.stop import AnyOf, MaxEvaluations, MaxQuestions, Resumed, Stop

# As many pieces in a corner as there are.
ANY = 1 << 30
# A quick attempt gives up after so many placements for each piece; where corners are so many that these take
# long, after it has asked whether to stop so much more often than placements alone let it.
PATIENCE = 100
MORE_QUESTIONS = 8
# Where nothing is known about how far outlines are off, tiling is no looser than this.
LOOSEST = 2e-3


def tile(
    puzzle: Puzzle, rung: float, stop: Stop, *, most: int, quick: bool, whatever_areas: bool = False
) -> tuple[dict[int, Pose], int]:
    """The poses of all pieces, or of as many as could be placed at best, and how many placements were tried.

    ``most`` pieces may meet in a corner of what remains. Where areas do not add up, nothing is tried, unless
    it is asked for.
    """
    if not whatever_areas and not areas_add_up(puzzle, rung):
        return {}, 0
    return _run(
        make_tiler(puzzle, rung, most=most), stop, PATIENCE * len(puzzle.fragments) if quick else None
    )


def _run(tiler: Tiler, stop: Stop, patience: int | None) -> tuple[dict[int, Pose], int]:
    if patience is not None:
        stop = AnyOf((stop, MaxEvaluations(patience), MaxQuestions(patience // STRIDE + MORE_QUESTIONS)))
    end = tiler.run(stop)
    return (tiler.placed() if end is End.FILLED else tiler.best()).poses, tiler.tried


def tile_at_once(puzzle: Puzzle, rung: float, stop: Stop) -> tuple[dict[int, Pose], int]:
    """The same, if there are so many different angles that the piece that fills a corner is soon found.

    More of them than pieces will do; puzzles of rectangles have one.
    """
    pieces = len(puzzle.fragments)
    if not areas_add_up(puzzle, rung):
        return {}, 0
    tiler = make_tiler(puzzle, rung, most=1)
    return _run(tiler, stop, PATIENCE * pieces) if tiler.different_angles() > pieces else ({}, 0)


def tile_thoroughly(
    puzzle: Puzzle, rung: float, stop: Stop, *, most_tries: int | None = None
) -> tuple[dict[int, Pose], int]:
    """The same by every way there is: neighbours welded first, two pieces in a corner, then all that fits.

    ``most_tries`` placements are made in all, if that is said.
    """
    if most_tries is not None:
        stop = AnyOf((stop, MaxEvaluations(most_tries)))
    best: dict[int, Pose] = {}
    tried = 0
    for attempt in (
        tile_welded,
        partial(tile, most=2, quick=True),
        partial(tile, most=ANY, quick=most_tries is not None),
    ):
        found, spent = attempt(puzzle, rung, Resumed(stop, tried))
        tried += spent
        best = max(best, found, key=len)
        if len(best) == len(puzzle.fragments) or stop(tried):
            break
    return best, tried


def tile_welded(puzzle: Puzzle, rung: float, stop: Stop) -> tuple[dict[int, Pose], int]:
    """The same with pieces that must be neighbours laid together before."""
    if not areas_add_up(puzzle, rung):
        return {}, 0
    slack = rung * size_of(puzzle.target)
    *outlines, target = (
        tuple(rings)
        for rings in clean_rings([*(fragment.polygon for fragment in puzzle.fragments), puzzle.target], slack)
    )
    everything = puzzle.mirror is True
    parts = weld(outlines, target, puzzle.rotations, slack, mirror=everything, stop=lambda: stop(1))
    if len(parts) == len(puzzle.fragments):
        return {}, 1
    fragments = tuple(Fragment(str(number), part.polygon) for number, part in enumerate(parts))
    mirror = [puzzle.may_mirror(fragment.id) for fragment in puzzle.fragments]
    turning = frozenset(str(k) for k, part in enumerate(parts) if all(mirror[n] for n, _ in part.members))
    try:
        whole = replace(puzzle, fragments=fragments, mirror=turning)
    except InvalidPuzzleError:
        return {}, 1  # a part is larger than the target: at a loose rung, edges are of one length by chance
    tried = 1
    best: dict[int, Pose] = {}
    for most in (1, 2, ANY):
        found, spent = tile(whole, rung, Resumed(stop, tried), most=most, quick=True)
        tried += spent
        best = max(best, found, key=len)
        if len(found) == len(parts) or stop(tried):
            break
    return {
        number: pose @ member for part, pose in best.items() for number, member in parts[part].members
    }, tried


def tile_loosely(
    puzzle: Puzzle, rung: float, stop: Stop, *, quick: bool = False, only_told: bool = False
) -> tuple[dict[int, Pose], int]:
    """The same with rough outlines of any shape, refined on area, if the puzzle tolerates as much.

    If ``quick``, not every way is tried; if ``only_told``, none where the puzzle tells no tolerance.
    """
    size = size_of(puzzle.target)
    if only_told and puzzle.tolerance is None:
        return {}, 0
    if rung * size > (LOOSEST * size if puzzle.tolerance is None else puzzle.tolerance):
        return {}, 0
    poses, tried = tile_at_once(puzzle, rung, stop)
    if len(poses) < len(puzzle.fragments) and not quick:
        poses, more = tile_thoroughly(puzzle, rung, Resumed(stop, tried))
        tried += more
    if len(poses) < len(puzzle.fragments):
        return poses, tried
    return polished(puzzle, poses, lambda evaluations: stop(tried)), tried


def make_tiler(puzzle: Puzzle, rung: float, *, most: int = ANY) -> Tiler:
    """A search for the puzzle's exact assemblies, at a tolerance relative to the target's size."""
    return Tiler(
        [fragment.polygon for fragment in puzzle.fragments],
        puzzle.target,
        puzzle.rotations,
        rung * size_of(puzzle.target),
        mirror=[puzzle.may_mirror(fragment.id) for fragment in puzzle.fragments],
        most=most,
    )


def areas_add_up(puzzle: Puzzle, rung: float) -> bool:
    """Whether the pieces have the target's area, but for the rung's tolerance along all their edges."""
    outlines = [fragment.polygon for fragment in puzzle.fragments]
    off = abs(puzzle.target.area - sum(outline.area for outline in outlines))
    return off <= rung * size_of(puzzle.target) * sum(outline.length for outline in outlines)
