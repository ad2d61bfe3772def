"""Why a puzzle was not solved, in words."""

from __future__ import annotations

from collections.abc import Mapping

import shapely
from shapely import Polygon

from sherd.core.area_in_words import area_in_words
from sherd.core.geometry import Pose, difference, union
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.tiling import STUCK_TOLERANCE, UNEXPLAINED_AREA
from sherd.solvers.search.tiling.exact import Tiler
from sherd.solvers.search.tiling.tile_corners import ANY


def reason(
    case: Case,
    poses: Mapping[int, Pose],
    *,
    tries: int,
    stopped: bool,
    is_makeshift: bool = False,
    is_proven: bool = False,
) -> str:
    """What stands against a solution: a proof, areas, the time or a corner nothing fits, and what is left.

    If what was laid ``is_makeshift``, it is no part of what is asked about; that there is none may be proven.
    """
    found: list[str] = []
    if is_proven:
        found.append("no assembly fits, which is proven: every way to lay these pieces was tried")
    elif differs := area_in_words(case.puzzle, UNEXPLAINED_AREA):
        found.append(differs)
    if stopped and not is_proven:
        found.insert(0, f"stopped after {tries:,} {'try' if tries == 1 else 'tries'}")
    elif not found:
        found.append(_stuck(case, {} if is_makeshift else poses))
    left = case.pieces - len(poses)
    if is_makeshift:
        found.append(f"{len(poses):,} of {case.pieces:,} pieces laid only to show something")
    elif left:
        found.append(f"{left:,} of {case.pieces:,} pieces not placed")
    return "; ".join(found)


def _stuck(case: Case, poses: Mapping[int, Pose]) -> str:
    """Where no piece fits what remains, if that is so."""
    puzzle, left = case.puzzle, [number for number in range(case.pieces) if number not in poses]
    unplaced = [case.outlines[number] for number in left]
    if not unplaced:
        return "the pieces do not fit the target"
    placed = [pose.apply(case.outlines[number]) for number, pose in poses.items()]
    region = difference(puzzle.target, union(placed)) if placed else puzzle.target
    slack = STUCK_TOLERANCE * case.size
    for part in shapely.get_parts(region):
        if isinstance(part, Polygon) and part.area > slack * part.length:
            mirror = [case.may_mirror[number] for number in left]
            rotations = [case.rotations[number] for number in left]
            corner = Tiler(unplaced, part, rotations, slack, mirror=mirror, most=ANY).hopeless_corner()
            if corner is not None:
                x, y = (0.0 if abs(value) < slack else value for value in corner)
                return f"no piece fits the corner at ({x:.4g}, {y:.4g})"
    return "no piece fits what remains"
