"""How the pieces of a group, which has no target, fit each other."""

from __future__ import annotations

from sherd.core.assembly import Assembly
from sherd.core.geometry import LENGTH_TOLERANCE
from sherd.core.in_target import LEAST_SEAMS
from sherd.core.overlaps import farthest, hang_together, is_too_much, listed, reaches, shared
from sherd.core.puzzle import Puzzle
from sherd.core.tolerance import WIDEST_SEAMS, Tolerance


def misfits_in_a_group(puzzle: Puzzle, assembly: Assembly, tolerance: Tolerance) -> list[str]:
    """Which pieces of a group overlap, and how far, or that some touch no other."""
    names, laid, own = [placement.id for placement in assembly], puzzle.placed(assembly), puzzle.tolerance
    far = tolerance.depth * puzzle.size
    if not hang_together(laid, max(far, own or 0.0)):
        return ["pieces lie apart"]
    seam = tolerance.seam if own is None else min(tolerance.seam, own / puzzle.size)
    area = sum(piece.area for piece in laid)
    most = max(LEAST_SEAMS * area, seam * puzzle.size * sum(piece.length for piece in laid))
    in_others = shared(laid)
    doubled = sum(part.area for _, part in in_others) / 2.0  # each pair is there twice
    fits_so_far = doubled <= min(most, WIDEST_SEAMS * area) and not is_too_much(laid, in_others, far)
    if fits_so_far and own is None:
        return []
    depths = reaches(laid)
    if fits_so_far and max(depths) <= (own or 0.0):
        return []
    least = LENGTH_TOLERANCE * puzzle.size
    return farthest(names, depths, least, ("overlaps another", "overlap")) or ["pieces overlap"]


def sliding_in_a_group(puzzle: Puzzle, assembly: Assembly, tolerance: Tolerance) -> list[str]:
    """Which pieces of a group that fit could as well lie pushed along others, as arcs and lines let them."""
    from sherd.core.slides import sliding  # scipy's solvers take a moment to load

    names = [placement.id for placement in assembly]
    found = [names[k] for k in sliding(puzzle.placed(assembly), tolerance.seam * puzzle.size)]
    return [f"{listed(found)} could be pushed along the others: nothing tells where"] if found else []
