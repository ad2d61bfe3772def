"""Why a puzzle was not solved, in words."""

from __future__ import annotations

from collections.abc import Mapping

import shapely
from shapely import Polygon

from sherd.core.area_in_words import area_in_words
from sherd.core.geometry import Pose, difference, size_of, union
from sherd.core.puzzle import Puzzle
from sherd.solvers.search.tiling.exact import Tiler
from sherd.solvers.search.tiling.tile_corners import ANY

# Areas that differ by less than this share of the target's may do so by rounding and tracing.
AREA_DIFFERENCE = 2e-3
# What a corner may be off, relative to the target's size, when pieces are tried in it once more.
TOLERANCE = 1e-5


def reason(puzzle: Puzzle, poses: Mapping[int, Pose], *, tries: int, stopped: bool) -> str:
    """What stands against a solution: areas, the time, or a corner that nothing fits, and what is left."""
    found: list[str] = []
    if differs := area_in_words(puzzle, AREA_DIFFERENCE):
        found.append(differs)
    if stopped:
        found.insert(0, f"stopped after {tries:,} {'try' if tries == 1 else 'tries'}")
    elif not found:
        found.append(_stuck(puzzle, poses))
    left = len(puzzle.fragments) - len(poses)
    if left:
        found.append(f"{left:,} of {len(puzzle.fragments):,} pieces not placed")
    return "; ".join(found)


def _stuck(puzzle: Puzzle, poses: Mapping[int, Pose]) -> str:
    """Where no piece fits what remains, if that is so."""
    left = [fragment for number, fragment in enumerate(puzzle.fragments) if number not in poses]
    unplaced = [fragment.polygon for fragment in left]
    if not unplaced:
        return "the pieces do not fit the target"
    placed = [pose.apply(puzzle.fragments[number].polygon) for number, pose in poses.items()]
    region = difference(puzzle.target, union(placed)) if placed else puzzle.target
    slack = TOLERANCE * size_of(puzzle.target)
    for part in shapely.get_parts(region):
        if isinstance(part, Polygon) and part.area > slack * part.length:
            mirror = [puzzle.may_mirror(fragment.id) for fragment in left]
            corner = Tiler(unplaced, part, puzzle.rotations, slack, mirror=mirror, most=ANY).hopeless_corner()
            if corner is not None:
                x, y = (0.0 if abs(value) < slack else value for value in corner)
                return f"no piece fits the corner at ({x:.4g}, {y:.4g})"
    return "no piece fits what remains"
