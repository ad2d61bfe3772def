"""In which fonts a line is printed: Helvetica where that is enough, else what this machine has.

Every reader of PDF has Helvetica, and it knows the letters of western Europe. Whoever names pieces in Greek,
Cyrillic or Chinese has a font for it; none comes with the package.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path

HELVETICA = Path("helvetica")
ENCODING = "cp1252"  # of Helvetica
FOLDERS = (
    "~/.local/share/fonts",
    "~/.fonts",
    "/usr/local/share/fonts",
    "/usr/share/fonts",
    "~/Library/Fonts",
    "/Library/Fonts",
    "/System/Library/Fonts",
    "C:/Windows/Fonts",
)
# Plain fonts of many scripts on Linux, Windows and macOS come first, and then all others by name.
PREFERRED = (
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
MOST_FONTS = 300
# What a font must have to be drawn with, and what holds its outlines, one of two.
TABLES, OUTLINES = {"cmap", "head", "hhea", "hmtx", "name", "OS/2", "post"}, {"glyf", "CFF "}
# What stands for a character that no font has.
BOX = "\u25a1"


@lru_cache(maxsize=4096)
def in_fonts(text: str) -> tuple[tuple[Path, str], ...]:
    """A line from left to right as runs of one font each, what is not printable as spaces.

    >>> in_fonts("left wing") == ((HELVETICA, "left wing"),)
    True
    """
    line = "".join(c if c.isprintable() else " " for c in unicodedata.normalize("NFC", text))
    if all(_western(c) for c in line):
        return ((HELVETICA, line),) if line else ()
    from fpdf.bidi import BidiParagraph

    line = BidiParagraph(line).get_reordered_string()
    fonts = _fonts_for(line)
    shown = [_shown(character, fonts) for character in line]
    return tuple((font, "".join(c for _, c in run)) for font, run in groupby(shown, key=lambda one: one[0]))


def _western(character: str) -> bytes:
    """The character as Helvetica has it, or nothing."""
    return character.encode(ENCODING, "ignore")


def _shown(character: str, fonts: Sequence[Path]) -> tuple[Path, str]:
    """A character in the first font that has it; a box, the letter without its accent or a question mark."""
    for wanted in (character, BOX):
        for font in fonts:
            if ord(wanted) in _characters(font):
                return font, wanted
    plain = unicodedata.normalize("NFKD", character)[0]
    return HELVETICA, plain if _western(plain) else "?"


def _fonts_for(text: str) -> list[Path]:
    """The preferred font that has most of a text, and others that have what it lacks."""
    files = _font_files()
    preferred = [path for path in files if path.name in PREFERRED]
    preferred.sort(key=lambda path: -sum(ord(character) in _characters(path) for character in text))
    fonts: list[Path] = []
    missing = set(map(ord, text))
    for path in (*preferred[:1], *files):
        if missing and missing & _characters(path):
            fonts.append(path)
            missing -= _characters(path)
    return fonts


@lru_cache(maxsize=1)
def _font_files() -> tuple[Path, ...]:
    """The fonts of this machine, those that are likely to suit first."""
    found = {
        path.name: path
        for folder in reversed(FOLDERS)
        for path in sorted(Path(folder).expanduser().rglob("*"))
        if path.suffix.lower() in (".ttf", ".otf", ".ttc")
    }
    rest = sorted(found.keys() - set(PREFERRED), key=lambda name: ("regular" not in name.lower(), name))
    return tuple(found[name] for name in (*PREFERRED, *rest) if name in found)[:MOST_FONTS]


@lru_cache(maxsize=MOST_FONTS)
def _characters(font: Path) -> frozenset[int]:
    """The characters that a font has; none where it cannot be read, or has no outlines to print."""
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with font.open("rb") as file, TTFont(file, fontNumber=0, lazy=True) as opened:
            tables = {str(name) for name in opened.keys()}  # noqa: SIM118 - it is no mapping
            if not tables >= TABLES or not OUTLINES & tables:
                return frozenset()
            return frozenset(opened.getBestCmap() or {})
    except (OSError, TTLibError, KeyError, AssertionError):
        return frozenset()
