"""sherd report: all figures measured so far, beside the paper's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    results: Annotated[Path, typer.Option(help="The folder with the records of sherd bench.")] = Path(
        "experiments/results"
    ),
    out: Annotated[Path, typer.Option(help="The Markdown file to write.")] = Path("REPORT.md"),
) -> None:
    """Write the paper's tables with our figures beside the published ones.

    Example: sherd report --results experiments/results --out REPORT.md
    """
    from sherd.bench.report import load_records
    from sherd.bench.report import report as make_report
    from sherd.io import write_atomically

    records = load_records(results)
    write_atomically(out, make_report(records))
    cells = sum(len(record.cells) for record in records.values())
    typer.echo(f"{out}: {cells:,} measured cells in {len(records):,} records")
