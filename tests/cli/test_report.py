"""sherd report writes the page and the spreadsheets beside the records."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.bench.measure import empty_record
from sherd.bench.record import write_record
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
