"""Polyominoes: shapes of whole squares, in boxes that they fill."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sherd.core.errors import ArgumentError

Cell = tuple[int, int]
Ring = list[tuple[int, int]]

# No polyomino has more cells, if neighbours can be had that have room.
MOST_CELLS = 8


@dataclass(frozen=True)
class FilledBox:
    """A box that is full: rows of letters from top to bottom, one letter a piece."""

    rows: tuple[str, ...]

    @property
    def width(self) -> int:
        """In cells."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """In cells."""
        return len(self.rows)

    @property
    def letters(self) -> list[str]:
        """One for each piece."""
        return sorted({letter for row in self.rows for letter in row})


PENTOMINO_BOXES: dict[str, FilledBox] = {
    "6x10": FilledBox(("YWWTTTXLLI", "YYWWTXXXLI", "YZZWTFXNLI", "YZVFFFNNLI", "ZZVUFUNPPI", "VVVUUUNPPP")),
    "5x12": FilledBox(("LLLLUUNNNFFY", "LPZZUNNWFFYY", "PPVZUUWWXFTY", "PPVZZWWXXXTY", "VVVIIIIIXTTT")),
    "4x15": FilledBox(("PNNNIIIIIFFUUUL", "PPVNNZWWFFTUXUL", "PPVZZZYWWFTXXXL", "VVVZYYYYWTTTXLL")),
    "3x20": FilledBox(("VVVZWWTTTFLLLLPPPXUU", "VZZZYWWTFFFNNLPPXXXU", "VZYYYYWTFNNNIIIIIXUU")),
}


def letters_in_place(filled: FilledBox) -> list[Ring]:
    """The outlines of a box's pieces where they lie, by letter."""
    cells: dict[str, list[Cell]] = {letter: [] for letter in filled.letters}
    for y, row in enumerate(reversed(filled.rows)):
        for x, letter in enumerate(row):
            cells[letter].append((x, y))
    return [outline_of(own) for own in cells.values()]


def filled_box(width: int, height: int, pieces: int, rng: np.random.Generator) -> list[Ring]:
    """The outlines of polyominoes without holes that fill a box, grown from single cells."""
    while True:
        parts: list[set[Cell]] = [{(x, y)} for x in range(width) for y in range(height)]
        while len(parts) > pieces:
            drawn: list[int] = rng.choice(len(parts), min(3, len(parts)), replace=False).tolist()
            k = min(drawn, key=lambda k: len(parts[k]))
            around = {(x + dx, y + dy) for x, y in parts[k] for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))}
            near = [n for n, part in enumerate(parts) if n != k and part & around]
            small = [n for n in near if len(parts[n]) + len(parts[k]) <= MOST_CELLS] or near
            other = small[int(rng.integers(len(small)))]
            parts[k] |= parts[other]
            del parts[other]
        try:
            return [outline_of(part) for part in parts]
        except ValueError:
            continue  # one encloses another, or touches itself in a corner: they are drawn again


def outline_of(cells: Iterable[Cell]) -> Ring:
    """The outline of cells that hang together by their edges, counter-clockwise; no holes, no corner twice.

    >>> outline_of([(0, 0), (1, 0)])
    [(0, 0), (2, 0), (2, 1), (0, 1)]
    """
    own = set(cells)
    onward: dict[Cell, Cell] = {}
    for x, y in sorted(own):
        sides = (
            ((x, y - 1), (x, y), (x + 1, y)),
            ((x + 1, y), (x + 1, y), (x + 1, y + 1)),
            ((x, y + 1), (x + 1, y + 1), (x, y + 1)),
            ((x - 1, y), (x, y + 1), (x, y)),
        )
        for beyond, start, end in sides:
            if beyond not in own:
                if start in onward:
                    raise ArgumentError(f"the cells touch in the corner {start} alone")
                onward[start] = end
    ring = [min(onward)]
    while onward[ring[-1]] != ring[0]:
        ring.append(onward[ring[-1]])
    if len(ring) < len(onward):
        raise ArgumentError("the cells have a hole, or do not hang together")
    around = zip([ring[-1], *ring[:-1]], ring, [*ring[1:], ring[0]], strict=True)
    return [b for a, b, c in around if (b[0] - a[0]) * (c[1] - b[1]) != (b[1] - a[1]) * (c[0] - b[0])]
