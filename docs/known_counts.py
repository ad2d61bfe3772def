"""Counts such as "17 of 30" on the pages: each stands in the log, follows from a record, or is listed here.

Of fewer than `FEWEST` nothing is asked: so many stand in the log that nearly any would. What is listed was
summed up over several rows, or is of runs that the log tells of in other words; no other may join it.
"""

from __future__ import annotations

import re
from functools import cache

from known_figures import ROOT, known_figures

COUNT = re.compile(r"(?<![\d.,:-])(\d+) of (\d+)\b(?![.,:]\d)")
COMMIT = re.compile(r"`([0-9a-f]{7})`")
FEWEST = 8
SHARES = ("cov95", "cov90", "solved", "all_right", "in_order")
SUMMED_UP: dict[str, frozenset[str]] = {
    "colour.md": frozenset({"19 of 24"}),
    "contours.md": frozenset({"109 of 110", "150 of 325", "20 of 24"}),
    "search-measured.md": frozenset(
        {
            "144 of 192",
            "128 of 132",
            "91 of 96",
            "83 of 83",
            "112 of 192",
            "72 of 79",
            "5 of 8",
            "160 of 164",
            "115 of 115",
            "165 of 172",
            "42 of 42",
            "11 of 11",
            "142 of 144",
            "250 of 255",
            "341 of 355",
            "162 of 162",
            "239 of 239",
            "134 of 134",
            "232 of 237",
            "2 of 53",
            "20 of 48",
            "128 of 128",
            "76 of 76",
            "44 of 44",
            "25 of 25",
            "599 of 600",
            "6 of 300",
            "2 of 300",
        }
    ),
    "your-own-pieces.md": frozenset({"237 of 237", "73 of 81", "86 of 128", "175 of 192", "196 of 236"}),
}


def count_problems(name: str, text: str) -> list[str]:
    """The counts of a page that stand nowhere."""
    listed = SUMMED_UP.get(name, frozenset())
    places = (
        (text.count("\n", 0, match.start()) + 1, match)
        for match in COUNT.finditer(text)
        if match[0] not in listed and not stands(int(match[1]), int(match[2]), paragraph(text, match.start()))
    )
    return [f"{name}:{line}: {match[0]} stands neither in the log nor in a record" for line, match in places]


def paragraph(text: str, place: int) -> str:
    """The paragraph, or the table, that a character stands in."""
    end = text.find("\n\n", place)
    return text[text.rfind("\n\n", 0, place) + 1 : len(text) if end < 0 else end]


def stands(some: int, of: int, words: str) -> bool:
    """Whether the log has such a count, or a record of a commit named in the words, of as many puzzles."""
    return (
        of < FEWEST
        or (some, of) in _logged()
        or any((some, of) in _recorded(commit) for commit in COMMIT.findall(words))
    )


@cache
def _logged() -> frozenset[tuple[int, int]]:
    text = (ROOT / "experiments" / "LOG.md").read_text(encoding="utf-8")
    return frozenset((int(some), int(of)) for some, of in COUNT.findall(text))


@cache
def _recorded(commit: str) -> frozenset[tuple[int, int]]:
    return frozenset(
        (round(known.value * int(known.traits["count"])), int(known.traits["count"]))
        for known in known_figures().get(commit, ())
        if known.kind in SHARES and "count" in known.traits
    )
