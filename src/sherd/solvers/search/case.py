"""What is seen of the pieces before any is laid: holes, bends, and area that is lost."""

from __future__ import annotations

from shapely import Polygon

from sherd.core.puzzle import Puzzle

# Wear and tracing make a convex piece's hull larger by no more: eroded pieces of 32 came to 1.10.
MOST_BENT = 1.15
# Pieces that have less of the target's area than all but this share are not all there.
LOST_AREA = 1e-3


def has_holes(puzzle: Puzzle) -> bool:
    """Whether the target or a piece has a hole."""
    return any(p.interiors for p in (puzzle.target, *(fragment.polygon for fragment in puzzle.fragments)))


def any_bends_inward(puzzle: Puzzle) -> bool:
    """Whether some piece is not convex, and more so than wear makes it."""
    return any(_bends_inward(fragment.polygon) for fragment in puzzle.fragments)


def _bends_inward(polygon: Polygon) -> bool:
    return polygon.convex_hull.area > MOST_BENT * polygon.area


def lacks_area(puzzle: Puzzle) -> bool:
    """Whether the pieces' areas add up to so little that one may be lost."""
    return _possible_coverage(puzzle) < 1.0 - LOST_AREA


def _possible_coverage(puzzle: Puzzle) -> float:
    """The share of the target that the pieces' areas could cover."""
    return min(1.0, sum(fragment.polygon.area for fragment in puzzle.fragments) / puzzle.target.area)
