"""What a file of shapes holds, whatever its format: named figures in one frame and one unit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import shapely
from shapely import Polygon

from sherd.core.texture import Texture
from sherd.io.puzzle_files import LONGEST_ID

Unit = Literal["mm", "km", "px", "unknown"]

# What one of each is in millimetres. A px is what CSS takes it for; in pictures it is whatever the scan was.
MM_PER = {
    "mm": 1.0,
    "cm": 10.0,
    "m": 1000.0,
    "km": 1e6,
    "in": 25.4,
    "ft": 304.8,
    "pt": 25.4 / 72.0,
    "pc": 25.4 / 6.0,
    "Q": 0.25,
    "px": 25.4 / 96.0,
}
TARGET = "target"
# Factors that a wrong unit makes of lengths, and how nearly they must be met: a piece may be lost as well.
SUSPECT_FACTORS = {
    25.4: "inches and millimetres",
    10.0: "centimetres and millimetres",
    1000.0: "metres and millimetres",
    96.0 / 25.4: "pixels at 96 an inch and millimetres",
    72.0 / 25.4: "points and millimetres",
}
FACTOR_SLACK = 0.06


@dataclass(frozen=True)
class Figure:
    """One closed outline of a drawing, holes and all, in the drawing's frame: x right, y up.

    ``id`` is unique in its drawing and fit to be shown: the label, title or id that the file gives, or a
    name made up. ``groups`` are the layers, groups or blocks around it, the outermost first. ``texture`` is
    what it looks like, in the drawing's frame too, if it was read from a picture. ``label`` is what the file
    itself calls it, which several figures may share, such as parts of one shape. A border is there as a
    target only: lines cut it up into pieces.
    """

    id: str
    polygon: Polygon
    groups: tuple[str, ...] = ()
    texture: Texture | None = field(default=None, compare=False)
    label: str = ""
    is_border: bool = False

    @property
    def layer(self) -> str:
        """The outermost group: a layer of the DXF file, a top-level group of the SVG file."""
        return self.groups[0] if self.groups else ""

    @property
    def is_target(self) -> bool:
        """Whether this figure, or a group around it, is called target."""
        return any(name.strip().casefold() == TARGET for name in (self.label or self.id, *self.groups))

    def scaled(self, factor: float) -> Figure:
        """The same figure with all lengths times ``factor``."""
        polygon = shapely.transform(self.polygon, lambda xy: xy * factor)
        texture = None if self.texture is None else self.texture.scaled(factor)
        return replace(self, polygon=polygon, texture=texture)


@dataclass(frozen=True)
class Drawing:
    """The figures of one file; ``notes`` say what was closed, mended or left out on the way.

    Lengths are in ``unit``: physical units are turned into millimetres when the file is read, but for km.
    ``scan`` is the picture that they were read from, made smaller, in the same frame; ``pixel`` is how large
    the pixels were that outlines were traced from, if any.
    """

    source: str
    figures: tuple[Figure, ...]
    unit: Unit = "unknown"
    notes: tuple[str, ...] = ()
    scan: Texture | None = field(default=None, compare=False)
    pixel: float | None = None

    @property
    def targets(self) -> tuple[Figure, ...]:
        """The figures called target."""
        return tuple(figure for figure in self.figures if figure.is_target)

    @property
    def pieces(self) -> tuple[Figure, ...]:
        """All the other figures."""
        return tuple(figure for figure in self.figures if not figure.is_target)

    def scaled(self, factor: float, unit: Unit) -> Drawing:
        """The same drawing with all lengths times ``factor``."""
        figures = tuple(figure.scaled(factor) for figure in self.figures)
        scan = None if self.scan is None else self.scan.scaled(factor)
        pixel = None if self.pixel is None else factor * self.pixel
        return replace(self, figures=figures, unit=unit, scan=scan, pixel=pixel)


def suspected_units(share: float) -> str:
    """The units that may have been mixed up if areas have this ratio, "" if none.

    >>> suspected_units(25.4**2), suspected_units(0.0101), suspected_units(0.9)
    ('inches and millimetres', 'centimetres and millimetres', '')
    """
    factor = math.sqrt(max(share, 1.0 / share))
    for suspect, units in SUSPECT_FACTORS.items():
        if abs(factor / suspect - 1.0) < FACTOR_SLACK:
            return units
    return ""


@lru_cache(maxsize=1024)  # copies have the names of what they copy
def clean_name(name: str) -> str:
    """A name on one line and not too long, or "" where there is nothing to show.

    >>> clean_name('  the "left"\\n wing \\x1b ')
    'the "left" wing'
    """
    words = "".join(c if c.isprintable() else " " for c in name).split()
    return " ".join(words)[: LONGEST_ID - 10].strip()


def unique_names(names: Iterable[str]) -> Iterator[str]:
    """Each name as it is when it comes first, and with a number afterwards; none is "" or too long.

    >>> list(unique_names(["a", "a", "", "a.2"]))
    ['a', 'a.2', 'piece 3', 'a.2.2']
    """
    taken: set[str] = set()
    times: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        base = clean_name(name) or f"piece {number}"
        found = base
        while found in taken:
            times[base] = times.get(base, 1) + 1
            found = f"{base}.{times[base]}"
        taken.add(found)
        yield found
