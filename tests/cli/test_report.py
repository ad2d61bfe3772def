"""sherd report writes the page and the spreadsheets beside the records."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sherd.bench.measure import empty_record
from sherd.bench.record import to_json, write_record
from sherd.cli import run


def test_an_empty_record_makes_a_page_and_a_spreadsheet_without_contours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = tmp_path / "results"
    records.mkdir()
    write_record(records / "a.json", empty_record(8000, "sherd bench"))
    out = tmp_path / "REPORT.md"
    assert run(["report", "--results", str(records), "--out", str(out)]) == 0
    assert capsys.readouterr().out.strip() == f"{out}, {records / 'all.csv'}: 0 measured cells from 1 records"
    assert (records / "all.csv").read_text().count("\n") == 1
    assert not (records / "contours.csv").exists()
    assert "41 not measured" in out.read_text()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "--results", str(tmp_path / "none")]) == 2
    assert "there is no such folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: re.sub('"date": "[^"]*"', '"date": "yesterday"', text), "expected a date such as"),
        (lambda text: text[: len(text) // 2], "not JSON"),
    ],
)
def test_a_record_that_is_broken_is_named_in_a_line_and_nothing_is_written(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[str], str],
    message: str,
) -> None:
    (tmp_path / "bad.json").write_text(damage(to_json(empty_record(8000, "sherd bench"))))
    assert run(["report", "--results", str(tmp_path), "--out", str(tmp_path / "REPORT.md")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{tmp_path / 'bad.json'}:" in line
    assert message in line
    assert {path.name for path in tmp_path.iterdir()} == {"bad.json"}
