"""``sherd report``: all figures measured so far, beside the paper's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sherd.cli.console import say
from sherd.cli.many import ENDING
from sherd.core.errors import ArgumentError

SPREADSHEET = "all.csv"
OF_CONTOURS = "contours.csv"


def report(
    results: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder with the files that sherd bench --json wrote.")
    ] = Path("experiments/results"),
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The Markdown file to write; with --merge the puzzles, or the folder of the answers.",
            show_default="REPORT.md",
        ),
    ] = None,
    merge: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Instead: put the shards in this folder together, as the command that made them would have.",
        ),
    ] = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="With --merge of a benchmark: its figures.")
    ] = None,
    each: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="With --merge of a benchmark: a row for each puzzle, .jsonl or .parquet."
        ),
    ] = None,
) -> None:
    """Write the paper's rows with our figures beside the published ones, and all.csv with every figure.

    The page has a line for each row of the paper, with the standard error of ours and whether it passes.
    The CSV lies in the folder of the records and has a line for every cell of each of them. Those of broken
    things, whose figures are others, are in contours.csv beside it.

    \b
    Example:
      sherd report --results experiments/results --out REPORT.md
      sherd report --merge run --json figures.json --each rows.parquet
    """
    if merge is not None:
        raise typer.Exit(merge_shards(merge, out, json_path, each))
    if json_path is not None or each is not None:
        raise ArgumentError("--json and --each go with --merge")
    from sherd.bench.entries import load_records
    from sherd.bench.report import report_text
    from sherd.bench.spreadsheet import contours_csv, csv_text
    from sherd.io import write_atomically
    from sherd.io.folder_lock import claimed

    out = Path("REPORT.md") if out is None else out
    records = load_records(results)
    with claimed(out), claimed(results / SPREADSHEET):
        write_atomically(out, report_text(records))
        write_atomically(results / SPREADSHEET, csv_text(records))
        if contours := contours_csv(records):
            write_atomically(results / OF_CONTOURS, contours)
    cells = sum(len(record.cells) + len(record.contours) for record in records.values())
    say(f"{out}, {results / SPREADSHEET}: {cells:,} measured cells from {len(records):,} records")


def merge_shards(folder: Path, out: Path | None, json_path: Path | None, each: Path | None) -> int:
    """Call the command that the shards are of again, with nothing left for it to do; its exit code."""
    from sherd.cli import run
    from sherd.io.atomic import LINES, check_ending
    from sherd.many.shards import read_about

    about = read_about(folder)
    name, *words = [str(word) for word in about["arguments"]] or [""]
    said = {"--out": out, "--json": json_path, "--each": each}
    takes = {"bench": ("--json", "--each"), "generate": ("--out",), "assemble": ("--out",)}
    if name not in takes:
        raise ArgumentError(f"{folder}: does not say which command its shards are of")
    for option, value in said.items():
        if value is not None and option not in takes[name]:
            raise ArgumentError(f"{option} does not go with shards of sherd {name}")
    if name == "generate":
        if out is None:
            raise ArgumentError(f"say where the puzzles go to: sherd report --merge {folder} --out FILE")
        check_ending(out, str(about["about"].get(ENDING, LINES)))
        words.insert(0, str(out))
    else:
        for option in takes[name]:
            words += [] if said[option] is None else [option, str(said[option])]
    return run([name, *words, "--shards", str(folder), "--whole"])
