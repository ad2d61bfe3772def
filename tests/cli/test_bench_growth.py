"""The suite growth says what each size cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sherd.cli import run


def test_a_row_is_measured_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "growth.json"
    assert run(["bench", "--suite", "growth", "--rows", "0:1", "--seed", "3", "--json", str(record)]) == 0
    (cost,) = json.loads(record.read_text())["costs"]
    assert (cost["kind"], cost["pieces"], cost["solved"]) == ("exact cuts", 4, True)
    assert cost["tries"] >= 1
    assert "exact cuts" in capsys.readouterr().out


def test_what_does_not_go_with_it_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--suite", "growth", "--count", "2"]) == 2
    assert "--count does not go with --suite growth" in capsys.readouterr().err
