"""``sherd report``: all figures measured so far, beside the paper's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sherd.cli.console import say

SPREADSHEET = "all.csv"
OF_CONTOURS = "contours.csv"


def report(
    results: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder with the files that sherd bench --json wrote.")
    ] = Path("experiments/results"),
    out: Annotated[Path, typer.Option(metavar="FILE", help="The Markdown file to write.")] = Path(
        "REPORT.md"
    ),
) -> None:
    """Write the paper's rows with our figures beside the published ones, and all.csv with every figure.

    The page has a line for each row of the paper, with the standard error of ours and whether it passes.
    The CSV lies in the folder of the records and has a line for every cell of each of them. Those of broken
    things, whose figures are others, are in contours.csv beside it.

    \b
    Example:
      sherd report --results experiments/results --out REPORT.md
    """
    from sherd.bench.entries import load_records
    from sherd.bench.report import report_text
    from sherd.bench.spreadsheet import contours_csv, csv_text
    from sherd.io import write_atomically

    records = load_records(results)
    write_atomically(out, report_text(records))
    write_atomically(results / SPREADSHEET, csv_text(records))
    if contours := contours_csv(records):
        write_atomically(results / OF_CONTOURS, contours)
    cells = sum(len(record.cells) + len(record.contours) for record in records.values())
    say(f"{out}, {results / SPREADSHEET}: {cells:,} measured cells from {len(records):,} records")
