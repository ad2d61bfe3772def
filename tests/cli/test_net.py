from __future__ import annotations

from pathlib import Path

import pytest

from sherd.cli import generate, run
from sherd.cli.net import REPORTS, UNFORESEEN


@pytest.fixture
def breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    def generate_nothing(out: str) -> None:
        raise KeyError(out)

    monkeypatch.setattr(generate, "generate", generate_nothing)


@pytest.mark.usefixtures("breaks")
def test_what_was_not_foreseen_is_one_line_and_a_report(
    no_unforeseen_errors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["generate", "a b.jsonl"]) == UNFORESEEN
    (report,) = no_unforeseen_errors.iterdir()
    text = report.read_text()
    report.unlink()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("sherd: KeyError, which is an error of sherd's own: please send ")
    assert str(report) in line
    assert "sherd 'generate' 'a b.jsonl'" in text
    assert "in generate_nothing" in text


@pytest.mark.usefixtures("breaks")
def test_without_a_place_for_the_report_it_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv(REPORTS, str(tmp_path / "nowhere"))
    assert run(["generate", "a.jsonl"]) == UNFORESEEN
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("no report could be written: No such file or directory")
