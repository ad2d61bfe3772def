from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

from sherd.bench.trial import reason_of
from sherd.cli import generate, run
from sherd.cli.console import UNFORESEEN
from sherd.core.errors import ArgumentError, InvalidPuzzleError
from sherd.core.unforeseen import REPORTS
from sherd.studio import worker

SOURCE = Path(__file__).parents[2] / "src" / "sherd"
# Readers that raise a plain ValueError for themselves, and catch it.
OWN_VALUE_ERRORS = {"dxf.py", "svg.py", "svg_paths.py", "svg_values.py", "params.py", "target.py"}


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def generate_nothing(out: str) -> None:
        raise KeyError(out)

    monkeypatch.setattr(generate, "generate", generate_nothing)


@pytest.mark.usefixtures("broken")
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


@pytest.mark.usefixtures("broken")
def test_without_a_place_for_the_report_it_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv(REPORTS, str(tmp_path / "nowhere"))
    assert run(["generate", "a.jsonl"]) == UNFORESEEN
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("no report could be written: No such file or directory")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ArgumentError("it must be 3, not 4"), "sherd: it must be 3, not 4"),
        (InvalidPuzzleError("no piece"), "sherd: no piece"),
        (PermissionError(13, "Permission denied", "a.svg"), "sherd: a.svg: Permission denied"),
        (MemoryError(), "sherd: there is not enough memory for this: give it smaller pictures, fewer"),
    ],
)
def test_what_is_foreseen_is_a_line_for_users(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(out: str) -> None:
        raise error

    monkeypatch.setattr(generate, "generate", refuse)
    assert run(["generate", "a.jsonl"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(said)


@pytest.mark.parametrize(
    "error", [ValueError("operands"), OSError("said by a library"), RecursionError(), AssertionError()]
)
def test_what_libraries_say_is_no_line_for_users(
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    no_unforeseen_errors: Path,
) -> None:
    def fail(out: str) -> None:
        raise error

    monkeypatch.setattr(generate, "generate", fail)
    assert run(["generate", "a.jsonl"]) == UNFORESEEN
    (report,) = no_unforeseen_errors.iterdir()
    report.unlink()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"sherd: {type(error).__name__}, which is an error of sherd's own: please send ")


def test_benchmarks_and_the_studio_have_the_same_net(
    no_unforeseen_errors: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Breaks:
        def run(self, task: object) -> None:
            raise ValueError("operands")

    with caplog.at_level(logging.WARNING):
        assert reason_of(InvalidPuzzleError("no piece")) == "InvalidPuzzleError: no piece"
        assert list(no_unforeseen_errors.iterdir()) == []
        assert reason_of(ValueError("operands")) == "ValueError: operands"
    (report,) = no_unforeseen_errors.iterdir()
    assert str(report) in caplog.text
    report.unlink()
    answer = worker._answer(Breaks(), {"task": "read"}, 1)  # pyright: ignore[reportPrivateUsage]
    assert answer == {"error": "sherd made a mistake here (ValueError), which is a bug"}
    (report,) = no_unforeseen_errors.iterdir()
    assert "operands" in report.read_text()
    report.unlink()


def test_only_readers_raise_plain_value_errors_and_catch_them() -> None:
    plain = {path.name for path in SOURCE.rglob("*.py") if re.search(r"raise ValueError\b", path.read_text())}
    assert plain <= OWN_VALUE_ERRORS
