"""One table over all suites and solvers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sherd.bench.entries import load_records
from sherd.bench.leaderboard import HEADER, leaderboard_table
from sherd.core.errors import FileFormatError

ROOT = Path(__file__).parents[2]
ANSWER: dict[str, Any] = {"claims_solved": True, "against": [], "seconds": 0.25}


def rows(table: str) -> list[dict[str, str]]:
    lines = [[word.strip() for word in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]
    return [dict(zip(HEADER, line, strict=True)) for line in lines]


def entry(folder: Path, name: str = "hexagon-8", **changes: Any) -> Path:
    path = folder / "theirs" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    wrong = {**ANSWER, "against": ["f0 and f1 overlap"], "seconds": 0.75}
    document = {
        "format": "sherd.score",
        "version": 1,
        "tolerance": 0.02,
        "set": "hexagon-8",
        "unanswered": 4,
        "figures": {"cov95": 0.5, "cov90": 0.5, "cov": 0.75, "iou": 0.7, "right": 0.6},
        "answers": [ANSWER] * 12 + [wrong] * 8,
    }
    path.write_text(json.dumps(document | changes))
    return path


def test_our_records_and_the_paper_are_there() -> None:
    found = rows(leaderboard_table(load_records(ROOT / "experiments" / "results"), ROOT / "none"))
    assert {row["by"] for row in found} == {"the paper", "sherd", "baseline"}
    assert {"fan", "search", "matcher", "contours", "random"} <= {row["solver"] for row in found}
    told = {row["told"] for row in found}
    assert {"target, exact outlines, no colour", "target, masks of 128 px, no colour"} <= told
    assert any(one.startswith("no target") for one in told)
    (published,) = (row for row in found if row["by"] == "the paper" and row["cov95"] == "0.470")
    assert (published["puzzles"], published["solver"], published["±"]) == ("square, 8 pieces", "fan", "0.016")
    assert all(row["from"] for row in found)


def test_an_entry_is_a_row(tmp_path: Path) -> None:
    entry(tmp_path)
    row = rows(leaderboard_table({}, tmp_path))[0]
    assert (row["solver"], row["by"], row["n"], row["cov95"], row["±"]) == (
        *("theirs", "entered", "24", "0.500", "0.098"),
    )
    assert (row["solved"], row["seconds"]) == ("0.500", "0.25")


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("hexagon-8", {"set": None}, "hexagon-8.json.*only answers to a frozen public set can be entered"),
        ("hexagon-8", {"unanswered": 3}, "hexagon-8.json.*hexagon-8 has 24 puzzles"),
        ("hexagon-8", {"format": "sherd.puzzle"}, "hexagon-8.json.*sherd.score"),
        ("star-15", {}, "star-15.json: answers to hexagon-8, so its name should be hexagon-8.json"),
    ],
)
def test_what_is_no_entry_is_refused(
    name: str, changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    entry(tmp_path, name, **changes)
    with pytest.raises(FileFormatError, match=message):
        leaderboard_table({}, tmp_path)
