"""Check that every figure in README.md and docs/ stands in a record at a commit that its page names.

A figure is a number with three decimals. On a page it must be one of a record whose commit the page names, of
the paper, of the weights that ship, or of the log (which is for figures that a script of their own gave). On
pages that say so, four figures as cov95 / cov90 / cov / iou must stand together in one cell or in the log.
Those in README.md must be what the report has for those puzzles and solvers.

    python docs/check_figures.py
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from sherd.bench.cell import Cell
from sherd.bench.entries import counting, entries_of, load_records
from sherd.bench.published import published_for
from sherd.bench.report import Pooled
from sherd.core.geometry import Rotations

ROOT = Path(__file__).parents[1]
FIGURE = re.compile(r"(?<![\d.])\d\.\d{3}(?!\d)")
TOGETHER = re.compile(r"(\d\.\d{3}) / (\d\.\d{3}) / (\d\.\d{3}) / (\d\.\d{3})")
COMMIT = re.compile(r"(?<![0-9a-f])[0-9a-f]{7}(?![0-9a-f])")
ORDER = ("cov95", "cov90", "cov", "iou")
IN_THIS_ORDER = " / ".join(ORDER)
# Numbers with three decimals that are no results: lengths that are asked for.
SETTINGS = {"search.md": {"0.005"}, "baselines.md": {"0.005"}, "concepts.md": {"0.003", "0.005"}}
README_ROW = re.compile(r"\| (\w+), (\d+)(?: pieces)?(?:, turned by (\d+) angles)? \|(.*)\|")
README_COLUMNS = ("fan", "matcher", "search")


def page_problems(name: str, text: str) -> list[str]:
    """What on a page of the documentation stands in no record that it may stand in."""
    commits = set(COMMIT.findall(text))
    known = _elsewhere() | SETTINGS.get(name, set())
    known = known.union(*(figures for commit, figures in _by_commit().items() if commit in commits))
    found: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        found += [
            f"{name}:{number}: {figure} stands in no record at a commit that the page names"
            for figure in FIGURE.findall(line)
            if figure not in known
        ]
        found += [
            f"{name}:{number}: {' / '.join(four)} do not stand together in a record"
            for four in TOGETHER.findall(line)
            if IN_THIS_ORDER in text and four not in _cells() | _logged_together()
        ]
    return found


def readme_problems(text: str) -> list[str]:
    """What in README's table of results is not what the report has."""
    pooled = {cell: Pooled(found, 0) for cell, found in counting(entries_of(_records())).items()}
    found: list[str] = []
    rows = README_ROW.findall(text)
    for shape, pieces, angles, figures in rows:
        puzzle = Cell(solver="", shape=shape, pieces=int(pieces), rotations=Rotations(int(angles or 1)))
        published = published_for(puzzle.with_solver("fan"))
        wanted = [f"{published.cov95:.3f}" if published else "none"]
        wanted += [pooled[puzzle.with_solver(solver)].shown("cov95") for solver in README_COLUMNS]
        said = [figure.strip() for figure in figures.split("|")]
        if said != wanted:
            found.append(f"README.md: {puzzle.puzzle_label}: {said} should be {wanted}")
    return found if rows else ["README.md: has no table of results"]


def problems() -> list[str]:
    """All of them."""
    found = readme_problems((ROOT / "README.md").read_text(encoding="utf-8"))
    for page in sorted((ROOT / "docs").glob("*.md")):
        found += page_problems(page.name, page.read_text(encoding="utf-8"))
    return found


@cache
def _records() -> dict[str, Any]:
    return dict(load_records(ROOT / "experiments" / "results"))


@cache
def _by_commit() -> dict[str, set[str]]:
    """All figures by the first seven digits of the commit that they were measured at."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "experiments").rglob("*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        commit = str(document.get("commit") or path.stem)[:7]
        found.setdefault(commit, set()).update(_figures(document))
    return found


@cache
def _elsewhere() -> set[str]:
    """Figures that belong to no commit: published ones, those of the weights that ship, those of the log."""
    package = ROOT / "src" / "sherd"
    paths = (package / "bench" / "published.json", *(package / "weights").glob("*.json"))
    found = (_figures(json.loads(path.read_text(encoding="utf-8"))) for path in paths)
    return _logged().union(*found)


@cache
def _logged() -> set[str]:
    return set(FIGURE.findall((ROOT / "experiments" / "LOG.md").read_text(encoding="utf-8")))


@cache
def _logged_together() -> set[tuple[str, ...]]:
    return set(TOGETHER.findall((ROOT / "experiments" / "LOG.md").read_text(encoding="utf-8")))


@cache
def _cells() -> set[tuple[str, ...]]:
    results = [result for record in _records().values() for result in record.cells]
    published = [result.published for result in results if result.published is not None]
    each = [*(result.figures for result in results), *published]
    return {tuple(f"{getattr(figures, name):.3f}" for name in ORDER) for figures in each}


def _figures(value: Any) -> set[str]:
    return {f"{number:.3f}" for number in _numbers(value)}


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)


if __name__ == "__main__":
    found = problems()
    sys.exit("\n".join(found) if found else 0)
