"""Attempts by tiling, at pieces of any shape: quick, thorough, or loose where outlines are not exact."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sherd.core.errors import InvalidPuzzleError
from sherd.core.puzzle import Fragment
from sherd.solvers.search.attempt import NOTHING, Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.tiling import QUICK_PLACEMENTS, QUICK_QUESTIONS, STRIDE
from sherd.solvers.search.polish import polish
from sherd.solvers.search.tiling.exact import End, Tiler
from sherd.solvers.search.tiling.facts import clean_rings
from sherd.solvers.search.tiling.one_piece_held import Held
from sherd.solvers.search.tiling.weld import weld
from sherd.solvers.stop import AnyOf, MaxEvaluations, MaxQuestions, Resumed, Stop

# As many pieces in a corner as there are.
ANY = 1 << 30


def tile(case: Case, off: float, stop: Stop, *, most: int, quick: bool) -> Found:
    """The poses of all pieces, or of as many as could be placed at best; its tries are placements.

    Corners may be ``off`` by this share of the target's size, and ``most`` pieces may meet in a corner of
    what remains.
    """
    return _run(make_tiler(case, off, most=most), stop, QUICK_PLACEMENTS * case.pieces if quick else None)


def _run(tiler: Tiler, stop: Stop, placements: int | None) -> Found:
    if placements is not None:
        questions = MaxQuestions(placements // STRIDE + QUICK_QUESTIONS)
        stop = AnyOf((stop, MaxEvaluations(placements), questions))
    end = tiler.run(stop)
    poses = (tiler.placed() if end is End.FILLED else tiler.best()).poses
    return Found(poses, tiler.tried, exhausted=end is not End.STOPPED)


def tile_at_once(case: Case, off: float, stop: Stop) -> Found:
    """The same, if there are so many different angles that the piece that fills a corner is soon found.

    More of them than pieces will do; puzzles of rectangles have one.
    """
    tiler = make_tiler(case, off, most=1)
    if tiler.different_angles() <= case.pieces:
        return NOTHING
    return _run(tiler, stop, QUICK_PLACEMENTS * case.pieces)


def tile_thoroughly(case: Case, off: float, stop: Stop, *, most_placements: int | None = None) -> Found:
    """The same by every way there is: neighbours welded first, two pieces in a corner, then all that fits.

    ``most_placements`` are made in all, if that is said.
    """
    if most_placements is not None:
        stop = AnyOf((stop, MaxEvaluations(most_placements)))
    best, tries, exhausted = NOTHING, 0, True
    for attempt in (
        tile_welded,
        partial(tile, most=2, quick=True),
        partial(tile, most=ANY, quick=most_placements is not None),
    ):
        found = attempt(case, off, Resumed(stop, tries))
        tries, exhausted = tries + found.tries, exhausted and found.exhausted
        best = max(best, found, key=lambda one: len(one.poses))
        if len(best.poses) == case.pieces or stop(tries):
            break
    return Found(best.poses, tries, exhausted and not stop(tries))


def tile_welded(case: Case, off: float, stop: Stop) -> Found:
    """The same with pieces that must be neighbours laid together before."""
    puzzle, slack = case.puzzle, off * case.size
    if puzzle.turns:  # what is welded has a rule that no piece alone tells
        return NOTHING
    *outlines, target = (tuple(rings) for rings in clean_rings([*case.outlines, puzzle.target], slack))
    everything = puzzle.mirror is True
    parts = weld(outlines, target, puzzle.rotations, slack, mirror=everything, stop=lambda: stop(1))
    nothing = Found({}, 1, exhausted=True)
    if len(parts) == case.pieces:
        return nothing
    fragments = tuple(Fragment(str(number), part.polygon) for number, part in enumerate(parts))
    mirror = case.may_mirror
    turning = frozenset(str(k) for k, part in enumerate(parts) if all(mirror[n] for n, _ in part.members))
    try:
        whole = Case(replace(puzzle, fragments=fragments, mirror=turning))
    except InvalidPuzzleError:
        return nothing  # a part is larger than the target: at a loose tolerance, edges are alike by chance
    best, tries, exhausted = NOTHING, 1, True
    if not whole.areas_add_up(off):
        return nothing
    for most in (1, 2, ANY):
        found = tile(whole, off, Resumed(stop, tries), most=most, quick=True)
        tries, exhausted = tries + found.tries, exhausted and found.exhausted
        best = max(best, found, key=lambda one: len(one.poses))
        if len(found.poses) == len(parts) or stop(tries):
            break
    poses = {
        number: pose @ member for part, pose in best.poses.items() for number, member in parts[part].members
    }
    return Found(poses, tries, exhausted)


def tile_loosely(case: Case, off: float, stop: Stop, *, at_once_only: bool = False) -> Found:
    """The same with rough outlines of any shape, refined on area; if asked, not every way is tried."""
    found = tile_at_once(case, off, stop)
    if len(found.poses) < case.pieces and not at_once_only:
        more = tile_thoroughly(case, off, Resumed(stop, found.tries))
        found = Found(more.poses, found.tries + more.tries, more.exhausted)
    if len(found.poses) < case.pieces:
        return found
    return replace(found, poses=polish(case.puzzle, found.poses, lambda evaluations: stop(found.tries)))


def make_tiler(case: Case, off: float, *, most: int = ANY, held: Held | None = None) -> Tiler:
    """A search for the puzzle's exact assemblies, at a tolerance relative to the target's size."""
    mirror = list(case.may_mirror)
    if held is not None and held.face_up:
        mirror[held.number] = False
    return Tiler(
        case.outlines,
        case.puzzle.target,
        case.rotations,
        off * case.size,
        mirror=mirror,
        most=most,
        held=None if held is None else (held.number, held.turned_within),
    )
