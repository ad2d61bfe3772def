"""What is said on a terminal, and how."""

from __future__ import annotations

import logging
import os

import pytest
from rich.table import Table

from sherd.cli.console import (
    PLAIN_WIDTH,
    Advance,
    SaysRecords,
    Terminals,
    printable,
    progress,
    say_error,
    say_note,
    say_table,
    telling,
)


@pytest.mark.parametrize(("text", "shown"), [("a\tb", "a\\tb"), ("\x1b[2J", "\\x1b[2J"), ("piéce", "piéce")])
def test_nothing_acts_on_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_errors_and_the_log_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    say_error("first\nsecond")
    SaysRecords().emit(logging.makeLogRecord({"msg": "compiling %s", "args": ("it",)}))
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "sherd: first\\nsecond\nsherd: compiling it\n")


def test_a_wide_table_is_not_cut_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table()
    table.add_column("x" * (PLAIN_WIDTH - 10), no_wrap=True)
    table.add_row("[markup]")
    say_table(table)
    out = capsys.readouterr().out
    assert "x" * (PLAIN_WIDTH - 10) in out
    assert "[markup]" in out


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("puzzles", 3) as advance, telling("working") as tell:
        advance()
        tell("half done")
    assert capsys.readouterr() == ("", "")


def test_a_bar_is_taken_away_while_another_is_shown() -> None:
    did: list[str] = []

    class Bar:
        task_ids = (0,)

        def advance(self, task: int) -> None:
            did.append("advance")

        def stop(self) -> None:
            did.append("stop")

        def start(self) -> None:
            did.append("start")

    advance = Advance(Bar())  # type: ignore[arg-type]
    advance()
    with pytest.raises(KeyboardInterrupt), advance.aside():
        raise KeyboardInterrupt
    assert did == ["advance", "stop", "start"]
    with Advance().aside():
        pass


def test_a_terminal_that_went_away_is_spoken_to_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {1: True, 2: False}
    replaced: list[int] = []
    monkeypatch.setattr(os, "isatty", lambda stream: there.get(stream, False))
    terminals = Terminals()
    there[1] = False
    monkeypatch.setattr(os, "dup2", lambda nowhere, stream: replaced.append(stream))
    terminals.leave_gone()
    assert replaced == [1]


def test_notes_are_broken_between_words_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "note: " + " ".join(["piece"] * 40)
    say_note(text, indent="  ")
    assert capsys.readouterr().out == f"  {text}\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    say_note(text, indent="  ")
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("  note: piece")
    assert all(len(line) <= 80 for line in (first, *others))
    assert others and all(line.startswith("    piece") for line in others)
    assert " ".join([first, *others]).split() == text.split()
