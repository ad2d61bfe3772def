"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NOTHING = "–"


def markdown_table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; bars inside a cell are escaped."""
    rows = [header, ["---"] * len(header), *lines]
    return "".join(f"| {' | '.join(map(_one_line, row))} |\n" for row in rows)


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
