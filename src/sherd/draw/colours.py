"""Colours that stay apart for every kind of colour vision, and which piece gets which."""

from __future__ import annotations

from collections.abc import Mapping

import shapely

from sherd.core.assembly import Assembly
from sherd.core.puzzle import Puzzle
from sherd.draw.scene import Paint

# Light enough for dark labels. The values maximise the least difference between any two of them (in
# Oklab) as seen with normal vision, protanopia, deuteranopia and tritanopia, from a hand-made start.
PALETTE = ("#7dc7fe", "#ffdc70", "#ec8f6a", "#3ec0a5", "#beb3d6", "#fbbdbf", "#7ca2d0", "#b4d388")

PAGE_COLOUR = "#ffffff"
INK = "#1f2733"
MUTED = "#667080"
OPEN = "#eef0f3"  # target that is still to be filled
GHOST = "#c3c9d2"  # outlines of pieces that have left the tray

# Darker than every piece, so that they stand out in grey too; the hatching tells them apart.
OVERLAP = Paint(fill="#c2102f")
OVERLAP_HATCH = Paint(stroke="#ffb3bd", width=1.2)
GAP = Paint(fill="#3a4454")
GAP_HATCH = Paint(stroke="#8fa0b8", width=1.0)
OUTSIDE_HATCH = Paint(stroke=INK, width=0.8)

# How much white is mixed into a colour that a neighbour has already.
PALER = (0.4, 0.7)
# Pieces closer than this share of the target's size count as neighbours.
NEAR = 0.01

Colours = Mapping[str, str]


def piece_colours(puzzle: Puzzle, assembly: Assembly | None = None) -> dict[str, str]:
    """A colour for every fragment id, unlike those of its neighbours in the assembly where possible.

    Each piece has the colour of its rank, in all pictures; where a neighbour has that one already, a paler
    one.
    """
    neighbours = {fragment.id: set[str]() for fragment in puzzle.fragments}
    if assembly is not None and len(assembly) > 0:
        ids = [placement.id for placement in assembly]
        tree = shapely.STRtree(outlines := puzzle.placed(assembly))
        near = tree.query(outlines, predicate="dwithin", distance=NEAR * puzzle.size)
        pairs: list[list[int]] = near.T.tolist()
        for first, second in pairs:
            if first != second:
                neighbours[ids[first]].add(ids[second])
    colours: dict[str, str] = {}
    for rank, fragment in enumerate(puzzle.fragments):
        taken = [colours[other] for other in neighbours[fragment.id] if other in colours]
        colours[fragment.id] = min(shades(rank), key=taken.count)
    return colours


def shades(rank: int) -> list[str]:
    """The colour of a piece's rank, and paler ones of it."""
    own = PALETTE[rank % len(PALETTE)]
    return [own, *(paler(own, share) for share in PALER)]


def paler(colour: str, share: float = 0.55) -> str:
    """The colour with ``share`` of white mixed in.

    >>> paler("#000000", 0.5)
    '#808080'
    """
    channels = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(c + (255 - c) * share):02x}" for c in channels)
