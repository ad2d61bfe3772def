"""Counts such as "17 of 30" on the pages: each stands in the log, follows from a record, or is listed here.

In the log a count stands in an entry that shares `WORDS` words with the page's paragraph, none of which is
in more than a share `USUAL` of all entries. Of fewer than `FEWEST` nothing is asked: so many stand in the
log that nearly any would. What is listed was summed up over several rows, or is of runs that the log tells
of in other words; no other may join it.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from known_figures import ROOT, known_figures

COUNT = re.compile(r"(?<![\d.,:-])(\d+) of (\d+)\b(?![.,:]\d)")
COMMIT = re.compile(r"`([0-9a-f]{7})`")
WORD = re.compile(r"[a-z][a-z-]{3,}")
FEWEST, WORDS, USUAL = 8, 3, 0.3
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
    "your-own-pieces.md": frozenset(
        {"9 of 9", "237 of 237", "73 of 81", "86 of 128", "175 of 192", "196 of 236"}
    ),
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
    """The paragraph that a character stands in; of a table also the paragraph before."""
    end = text.find("\n\n", place)
    start = text.rfind("\n\n", 0, place) + 1
    if text[start:].lstrip().startswith("|"):
        start = text.rfind("\n\n", 0, max(start - 1, 0)) + 1
    return text[start : len(text) if end < 0 else end]


def stands(some: int, of: int, words: str) -> bool:
    """Whether an entry of the log on the same has such a count, or a record of a commit that is named."""
    own = _words(words)
    return (
        of < FEWEST
        or any(len(own & entry) >= WORDS for entry in _logged().get((some, of), ()))
        or any((some, of) in _recorded(commit) for commit in COMMIT.findall(words))
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.lower()))


@cache
def _logged() -> dict[tuple[int, int], list[frozenset[str]]]:
    """The words of each entry that has a count, but for usual ones."""
    entries = (ROOT / "experiments" / "LOG.md").read_text(encoding="utf-8").split("\n## ")[1:]
    seen = Counter(word for entry in entries for word in _words(entry))
    usual = {word for word, count in seen.items() if count > USUAL * len(entries)}
    found: dict[tuple[int, int], list[frozenset[str]]] = {}
    for entry in entries:
        for some, of in COUNT.findall(entry):
            found.setdefault((int(some), int(of)), []).append(_words(entry) - usual)
    return found


@cache
def _recorded(commit: str) -> frozenset[tuple[int, int]]:
    return frozenset(
        (round(known.value * int(known.traits["count"])), int(known.traits["count"]))
        for known in known_figures().get(commit, ())
        if known.kind in SHARES and "count" in known.traits
    )
