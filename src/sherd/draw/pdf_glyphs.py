"""Letters that Helvetica lacks, as outlines from a font of this machine.

Whoever names pieces in Greek, Cyrillic or Chinese has a font for it; none comes with the package.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

# Plain fonts of many scripts on Linux, Windows and macOS. Of those that are there, the first that has most of
# a text's letters is taken.
FONTS = (
    "DejaVuSans.ttf",
    "arial.ttf",
    "Arial.ttf",
    "LiberationSans-Regular.ttf",
    "NotoSans-Regular.ttf",
    "Arial Unicode.ttf",
    "arialuni.ttf",
    "msyh.ttc",
    "NotoSansCJK-Regular.ttc",
    "PingFang.ttc",
)
# What stands for a character that no font has.
BOX = "\u25a1"


def is_western(text: str) -> bool:
    """Whether Helvetica, as every reader of PDF has it, knows all characters of a text."""
    return all(not c.isprintable() or c.encode("cp1252", "ignore") for c in text)


@dataclass(frozen=True)
class Glyphs:
    """The outlines of a line of text, its size being 1: how long it is, and steps of a PDF path."""

    width: float
    path: str


@lru_cache(maxsize=1024)
def glyphs_of(text: str) -> Glyphs | None:
    """The outlines of a text, characters that the font lacks as boxes; None if there is no font at all."""
    text = "".join(c if c.isprintable() else " " for c in unicodedata.normalize("NFC", text))
    best = max(_fonts(), key=lambda font: sum(ord(c) in font.names for c in text), default=None)
    if best is None:
        return None
    from fontTools.pens.transformPen import TransformPen

    steps: list[str] = []
    x = 0.0
    for character in text:
        name = best.names.get(ord(character)) or best.names.get(ord(BOX)) or ".notdef"
        glyph = best.glyphs[name]
        glyph.draw(TransformPen(_pen(best.glyphs, steps), (best.scale, 0.0, 0.0, best.scale, x, 0.0)))
        x += glyph.width * best.scale
    return Glyphs(x, " ".join(steps))


@dataclass(frozen=True, eq=False)
class _Font:
    names: Mapping[int, str]  # of glyphs, by character
    glyphs: Any
    scale: float


@lru_cache(maxsize=1)
def _fonts() -> list[_Font]:
    """The fonts that this machine has of those above."""
    from fontTools.ttLib import TTFont, TTLibError
    from PIL import ImageFont

    found: list[_Font] = []
    for name in FONTS:
        try:
            font: Any = TTFont(str(ImageFont.truetype(name).path), fontNumber=0, lazy=True)
            found.append(_Font(font.getBestCmap() or {}, font.getGlyphSet(), 1.0 / font["head"].unitsPerEm))
        except (OSError, TTLibError, KeyError):
            continue
    return found


def _pen(glyphs: Any, steps: list[str]) -> Any:
    """A pen that writes what it draws as steps of a PDF path."""
    from fontTools.pens.basePen import BasePen

    class Writer(BasePen):
        def _moveTo(self, pt: Any) -> None:  # noqa: N802 - the names are those of the base class
            steps.append(f"{pt[0]:.4f} {pt[1]:.4f} m")

        def _lineTo(self, pt: Any) -> None:  # noqa: N802
            steps.append(f"{pt[0]:.4f} {pt[1]:.4f} l")

        def _curveToOne(self, pt1: Any, pt2: Any, pt3: Any) -> None:  # noqa: N802
            steps.append(" ".join(f"{v:.4f}" for pt in (pt1, pt2, pt3) for v in pt) + " c")

        def _closePath(self) -> None:  # noqa: N802
            steps.append("h")

    return Writer(glyphs)
