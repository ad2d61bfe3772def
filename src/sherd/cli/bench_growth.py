"""``sherd bench --suite growth``: what the whole command costs from 4 to 16,384 pieces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from sherd.cli.console import INTERRUPTED, progress, say, say_error, say_table
from sherd.core.errors import ArgumentError

GROWTH = "growth"
# What goes with this suite, by the names of the options.
GOES_WITH = frozenset(("suite", "rows", "seed", "time_limit", "json_path"))


def assemble_words(file: Path, out: Path, seconds: float) -> list[str]:
    """What the interpreter is called with to assemble a file as anybody does."""
    return [
        "-m",
        "sherd",
        "assemble",
        str(file),
        "--out",
        str(out),
        "--verbose",
        "--time-limit",
        f"{seconds:g}",
    ]


def bench_growth(given: Mapping[str, Any], rows: slice | None, json_path: Path | None) -> None:
    """Run the command on each row's puzzle, and say what it cost."""
    from rich.table import Table

    from sherd.bench import provenance
    from sherd.bench.growth import ROWS, Cost, GrowthRequest, measure_growth
    from sherd.bench.suites import some_rows
    from sherd.io import write_atomically

    for name, value in given.items():
        if name not in GOES_WITH and value is not None:
            raise ArgumentError(f"--{name.replace('_', '-')} does not go with --suite {GROWTH}")
    named = {name: given[name] for name in ("seed", "time_limit") if name in given}
    request = GrowthRequest(rows=some_rows(GROWTH, ROWS, rows), **named)
    costs: list[Cost] = []
    done = 0
    with progress("puzzles", len(request.rows)) as advance:
        try:
            for cost in measure_growth(request, assemble_words):
                done += 1
                if cost is not None:
                    costs.append(cost)
                advance()
        except KeyboardInterrupt:
            if not costs:
                raise
    table = Table("kind", "pieces", "solved", "seconds", "CPU", "solving", "MiB", "tries")
    for column in table.columns[1:]:
        column.justify = "right"
    for cost in costs:
        table.add_row(
            cost.kind,
            f"{cost.pieces:,}",
            "yes" if cost.solved else "no",
            f"{cost.seconds:.1f}",
            f"{cost.cpu_seconds:.1f}",
            "-" if cost.solver_seconds is None else f"{cost.solver_seconds:.2f}",
            f"{cost.peak_mib:.0f}",
            "-" if cost.tries is None else f"{cost.tries:,}",
        )
    commit = provenance.commit()
    say(f"seed {request.seed}, at most {request.time_limit:g} s a puzzle, commit {commit}")
    say_table(table)
    if left_out := done - len(costs):
        say(f"{left_out} rows left out: a smaller puzzle of the kind was not solved")
    if json_path is not None:
        document: dict[str, Any] = {"commit": commit, "seed": request.seed, "time_limit": request.time_limit}
        document["costs"] = [asdict(cost) for cost in costs]
        write_atomically(json_path, json.dumps(document, indent=1))
    if done < len(request.rows):
        say_error(f"interrupted: {done} of {len(request.rows)} rows are done")
        raise typer.Exit(INTERRUPTED)
