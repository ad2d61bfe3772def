"""``sherd bench --suite real``: how many jobs such as people bring come out right, honest and wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from sherd.cli.console import INTERRUPTED, UNSOLVED, progress, say, say_error, say_table
from sherd.cli.many import say_shard
from sherd.core.errors import ArgumentError

REAL = "real"
# What goes with this suite, by the names of the options.
GOES_WITH = frozenset(
    (
        *("suite", "rows", "count", "seed", "time_limit", "json_path"),
        *("workers", "engine", "shards", "shard", "whole", "keeping"),
    )
)


def bench_real(given: Mapping[str, Any], rows: slice | None, json_path: Path | None) -> None:
    """Try the jobs, say what came of each kind, and end with 1 if an answer is wrong and called solved."""
    from rich.table import Table

    from sherd.bench import provenance
    from sherd.bench.real import KINDS, RealRequest, TriedJob, counts_of, try_jobs
    from sherd.bench.suites import some_rows
    from sherd.io import write_atomically

    for name in given:
        if name not in GOES_WITH:
            raise ArgumentError(f"--{name.replace('_', '-')} does not go with --suite {REAL}")
    named = {name: given[name] for name in ("count", "seed", "time_limit") if name in given}
    request = RealRequest(kinds=some_rows(REAL, tuple(KINDS), rows), **named)
    keeping = given["keeping"]
    tried: list[TriedJob] = []
    wanted = len(request.kinds) * request.count
    with progress("jobs", wanted) as advance:
        try:
            for one in try_jobs(request, workers=given.get("workers"), keeping=keeping):
                tried.append(one)
                advance()
        except KeyboardInterrupt:
            if not tried:
                raise
    if keeping is not None and keeping.shard[1] > 1:
        say_shard(keeping)
        return
    table = Table("kind", "right", "honest", "wrong")
    for column in table.columns[1:]:
        column.justify = "right"
    counts = counts_of(tried)
    for kind, of_kind in counts.items():
        table.add_row(kind, *(str(count) for count in of_kind.values()))
    commit = provenance.commit()
    say(f"seed {request.seed}, at most {request.time_limit:g} s a job, commit {commit}")
    say_table(table)
    total = {word: sum(of_kind[word] for of_kind in counts.values()) for word in next(iter(counts.values()))}
    say(f"of {len(tried)} jobs {', '.join(f'{count} {word}' for word, count in total.items())}")
    for one in tried:
        if one.outcome == "wrong":
            say(f"wrong: {one.kind}, seed {one.seed}: {one.verdict}")
    if json_path is not None:
        document = {"commit": commit, **asdict(request), "jobs": [asdict(one) for one in tried]}
        write_atomically(json_path, json.dumps(document, indent=1))
    if len(tried) < wanted:
        say_error(f"interrupted: {len(tried)} of {wanted} jobs are done")
        raise typer.Exit(INTERRUPTED)
    if total["wrong"]:
        raise typer.Exit(UNSOLVED)
