"""Writes the leaderboard and how to enter it: ``python docs/make_leaderboard.py``.

The table comes from experiments/results and experiments/entries; the list of public sets in enter.md from
the sets themselves.
"""

from __future__ import annotations

import re
from pathlib import Path

from sherd.bench.entries import load_records
from sherd.bench.leaderboard import leaderboard_table
from sherd.bench.markdown import markdown_table
from sherd.bench.public_sets import PUBLIC_SETS, TRUTH, frozen_hashes
from sherd.io.atomic import write_atomically

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "leaderboard"
INTRODUCTION = """\
# Leaderboard

All suites and all solvers: what was measured here, what the paper reports, baselines, and what others
[entered](enter.md) on the frozen public sets. On the site a click on a column sorts by it, and the box
keeps the rows that hold all of its words, such as `hexagon free search`.

`told` is what the solver knew: the target or not, exact outlines or such from masks, colour or not. cov95
is the share of puzzles covered to 95 %, ± its standard error (with a row of several trainings, theirs
included), cov and iou are means, right the mean share of pieces that lie where they were cut from (of
broken things, and without a target, the share of puzzles in which all do), solved the share by [the
verdict](../verdict.md), and seconds the median a puzzle. Solved of `fan`, `fan-look` and the matchers, and
of the search on damage, noise and masks, is by an older verdict, laxer than today's. Times are of
different machines. Seeds of 7000 were [looked at](../concepts.md#suites) while solvers were made. Which
run counts, and all figures with their records, is told [beside
them](../../experiments/results/README.md).

"""
# Between these lines enter.md lists the sets.
SETS = re.compile(r"(?<=<!-- sets -->\n).*(?=<!-- end of sets -->)", re.DOTALL)


def table_page() -> str:
    """The page with the table."""
    records = load_records(ROOT / "experiments" / "results")
    return INTRODUCTION + leaderboard_table(records, ROOT / "experiments" / "entries")


def enter_page(text: str) -> str:
    """How to enter, with the list of sets as they are."""
    lines = [
        [
            *(f"`{name}`", public.about, public.told, f"{public.each * len(public.kinds)}"),
            f"`{frozen_hashes()[name + TRUTH][:12]}`",
        ]
        for name, public in PUBLIC_SETS.items()
    ]
    table = markdown_table(["set", "puzzles", "told", "n", "SHA-256 of the truth"], lines)
    return SETS.sub(lambda _: f"\n{table}\n", text)


def main() -> None:
    """Write both pages."""
    write_atomically(PAGES / "index.md", table_page())
    enter = PAGES / "enter.md"
    write_atomically(enter, enter_page(enter.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
