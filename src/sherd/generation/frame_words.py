"""What the name of a frame on a grid says: its kind and, after a colon, how large it is and what of its cuts.

>>> FrameWords.of("frame:60x40+corners-12")
FrameWords(kind='frame', size=(60, 40), corners=12, convex=False)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sherd.core.errors import ArgumentError
from sherd.generation.polyominoes import PENTOMINO_BOXES

# The largest frame of the contests that these puzzles follow, the smallest that can be cut, and corners.
WIDEST, HIGHEST = 100, 65
NARROWEST = 20
FEWEST_CORNERS, MOST_CORNERS = 4, 45

FREELY, RIGHT_ANGLES, EQUAL, POLYOMINOES = "frame", "rectilinear", "equal", "polyomino"
LATTICE_SHAPES = (FREELY, RIGHT_ANGLES, EQUAL, POLYOMINOES, *PENTOMINO_BOXES)
# Which words go with which kinds.
SIZED, CORNERED = (FREELY, RIGHT_ANGLES, EQUAL, POLYOMINOES), (FREELY, RIGHT_ANGLES)


@dataclass(frozen=True)
class FrameWords:
    """A kind of frame; if told, the width and height of its box, its corners, and that pieces are convex."""

    kind: str
    size: tuple[int, int] | None = None
    corners: int | None = None
    convex: bool = False

    @classmethod
    def of(cls, name: str) -> FrameWords:
        """What a name says; `ArgumentError` if that makes no frame."""
        kind, _, words = name.partition(":")
        if kind not in LATTICE_SHAPES:
            raise ArgumentError(f"unknown frame {kind!r}: choose {', '.join(LATTICE_SHAPES)}")
        size, corners, convex = None, None, False
        for word in words.split("+") if words else ():
            if (found := re.fullmatch(r"(\d{1,3})x(\d{1,3})", word)) and kind in SIZED:
                size = int(found[1]), int(found[2])
            elif (found := re.fullmatch(r"corners-(\d{1,3})", word)) and kind in CORNERED:
                corners = int(found[1])
            elif word == "convex" and kind == FREELY:
                convex = True
            else:
                raise ArgumentError(
                    f"{word!r} says nothing of {kind}: WIDTHxHEIGHT goes with {', '.join(SIZED)}, "
                    f"corners-N with {' and '.join(CORNERED)}, convex with {FREELY}"
                )
        made = cls(kind, size, corners, convex)
        made._check()
        return made

    def _check(self) -> None:
        least = 1 if self.kind == POLYOMINOES else NARROWEST
        if self.size is not None and not (
            least <= self.size[0] <= WIDEST and least <= self.size[1] <= HIGHEST
        ):
            raise ArgumentError(
                f"a box must be {least}x{least} to {WIDEST}x{HIGHEST}, not {self.size[0]}x{self.size[1]}"
            )
        if self.corners is not None and not FEWEST_CORNERS <= self.corners <= MOST_CORNERS:
            raise ArgumentError(f"a frame has {FEWEST_CORNERS} to {MOST_CORNERS} corners, not {self.corners}")
        if self.kind == RIGHT_ANGLES and self.corners is not None and self.corners % 2:
            raise ArgumentError(f"a frame of right angles has an even number of corners, not {self.corners}")
        if self.convex and self.corners not in (None, FEWEST_CORNERS):
            raise ArgumentError("convex pieces fill a box of 4 corners: leave corners out")
