"""Whether the pieces have the area of the target, in words."""

from __future__ import annotations

from sherd.core.puzzle import Puzzle


def area_in_words(puzzle: Puzzle, least: float) -> str:
    """By how much the pieces' area differs from the target's; nothing up to the share ``least`` of it."""
    share = sum(fragment.polygon.area for fragment in puzzle.fragments) / puzzle.target.area
    if abs(share - 1.0) <= least:
        return ""
    off = f"{abs(share - 1.0):.1%}".replace("%", " %")
    return f"the pieces have {off} {'less' if share < 1.0 else 'more'} area than the target"
