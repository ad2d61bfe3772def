"""``sherd report``: all figures measured so far, beside the paper's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sherd.cli.console import say


def report(
    results: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder with the files that sherd bench --json wrote.")
    ] = Path("experiments/results"),
    out: Annotated[Path, typer.Option(metavar="FILE", help="The Markdown file to write.")] = Path(
        "REPORT.md"
    ),
) -> None:
    """Write the paper's tables with our figures beside the published ones.

    \b
    Example:
      sherd report --results experiments/results --out REPORT.md
    """
    from sherd.bench.report import load_records, report_text
    from sherd.io import write_atomically

    records = load_records(results)
    write_atomically(out, report_text(records))
    cells = sum(len(record.cells) for record in records.values())
    say(f"{out}: {cells:,} measured cells from {len(records):,} records")
