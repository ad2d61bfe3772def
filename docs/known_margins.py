"""Whether FAN's page says margins, in standard errors, as the records have them."""

from __future__ import annotations

import re
from statistics import fmean, variance

from known_figures import ROOT, pooled, records

from sherd.bench.entries import entries_of
from sherd.bench.published import published_rows

PASSED = re.compile(r"published (0\.\d{3}) by (\d+\.\d) standard errors(?: and not by (\d+\.\d))?")
IN_REPORT = re.compile(r"\| (0\.\d{3}) \| 0\.\d{3}[^|]*\| 0\.\d{3} \| [+-](\d+\.\d) \|")
PAINT = "photographs"


def margin_problems(text: str) -> list[str]:
    """What the page should say, or says and no row of the report has."""
    page = " ".join(text.split())
    found = [f"fan.md: should say: {said}" for said in (_nearest(), _paint()) if said not in page]
    known = set(IN_REPORT.findall((ROOT / "REPORT.md").read_text(encoding="utf-8")))
    for published, *margins in PASSED.findall(page):
        found += (
            f"fan.md: no row of REPORT.md is {margin} standard errors from {published}"
            for margin in filter(None, margins)
            if (published, margin) not in known
        )
    return found


def _nearest() -> str:
    """By how much the row passes that passes by least, of how many, and where they were trained."""
    rows = {row.cell: row for row in published_rows() if row.cell.solver == "fan" and row.cell in pooled()}
    margins = [pooled()[cell].margin(row.figures.cov95) for cell, row in rows.items()]
    nearest = f"all {len(margins)} distinct rows of FAN do, the nearest by {min(margins):.1f}"
    commits = sorted({pooled()[cell].commit[:7] for cell in rows})
    return f"{nearest}. All are of `{'`, `'.join(commits)}`"


def _paint() -> str:
    """How far paint is below bare pieces, by the spread of trainings."""
    bare = pooled()[next(row.cell for row in published_rows() if row.cell.solver_label == "fan")]
    painted = [
        entry
        for entry in entries_of(records())
        if entry.result.cell.texture == PAINT and entry.record.commit == bare.commit
    ]
    runs = [[entry.result.figures.cov95 for entry in entries] for entries in (bare.entries, painted)]
    error = sum(variance(run) / len(run) for run in runs) ** 0.5
    below = (fmean(runs[0]) - fmean(runs[1])) / error
    return f"below bare on average by {below:.1f} standard errors of the trainings"
