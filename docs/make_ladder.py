"""Writes the table of the search's attempts into the pages that have it: ``python docs/make_ladder.py``.

It goes between the lines that say where it begins and ends.
"""

from __future__ import annotations

from pathlib import Path

from sherd.io.atomic import write_atomically
from sherd.solvers.search.ladder import ladder_in_markdown

BEGIN, END = "<!-- ladder -->", "<!-- /ladder -->"


def main() -> None:
    """Write the table into every page of docs that has a place for it."""
    for page in sorted(Path(__file__).parent.rglob("*.md")):
        text = page.read_text()
        if BEGIN in text:
            before, rest = text.split(BEGIN)
            after = rest.split(END)[1]
            write_atomically(page, f"{before}{BEGIN}\n{ladder_in_markdown()}\n{END}{after}")


if __name__ == "__main__":
    main()
