"""What is seen of a broken thing, in the words of ``--input``."""

from __future__ import annotations

import re
from dataclasses import replace

from sherd.core.errors import ArgumentError
from sherd.generation.observed import ObservedParams

# The published protocols move vertices by these normal errors on an extent of 105, at levels 0 to 4.
LEVELS = (0.02, 0.3, 0.65, 1.2, 2.05)
EXTENT = 105.0
INPUT_HELP = (
    "exact, or moved-P, worn-P, level-K, grey-N, binary-N, painted-N, missing-N and foreign-N, joined by +"
)


def observation(name: str, pieces_across: int = 1) -> ObservedParams:
    """How pieces are seen, from words such as those of ``--input``, joined by ``+``.

    exact; moved-P and worn-P, by P hundredths of the side; level-K of the published protocols; grey-N and
    binary-N, scans of N pixels across the side, or across a piece with ``-a-piece`` behind; painted-N, with
    paint of N pixels across it; missing-N and foreign-N.

    >>> observation("binary-300+missing-2") == ObservedParams(scan_px=300, binary=True, missing=2)
    True
    """
    params = ObservedParams()
    for word in name.split("+"):
        found = re.fullmatch(r"([a-z]+)-(\d+(?:\.\d+)?)(-a-piece)?", word)
        if word == "exact":
            continue
        if found is None:
            raise ArgumentError(f"input {word!r} is unknown: {INPUT_HELP}")
        what, number, a_piece = found.group(1), found.group(2), found.group(3) is not None
        params = replace(params, **_change(what, number, pieces_across if a_piece else 1, word))
    return params


def _change(what: str, number: str, times: int, word: str) -> dict[str, float | int | bool]:
    """The parameters that one word stands for."""
    share = float(number) / 100.0
    if what in ("moved", "worn"):
        return {what: share}
    if number.isdecimal():
        if what in ("grey", "binary"):
            return {"scan_px": int(number) * times, "binary": what == "binary"}
        if what == "painted":
            return {"paint_px": int(number) * times}
        if what in ("missing", "foreign"):
            return {what: int(number)}
        if what == "level" and int(number) < len(LEVELS):
            return {"normal": LEVELS[int(number)] / EXTENT}
    raise ArgumentError(f"input {word!r} is unknown: {INPUT_HELP}")
