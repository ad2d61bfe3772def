"""What was asked for, checked beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.cli import request
from sherd.cli.request import AssembleRequest


def test_the_limit_counts_from_when_the_command_started(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = AssembleRequest(file=Path("a.svg"), out=Path("o"), seconds=10.0, started=100.0)
    monkeypatch.setattr(request, "working_seconds", lambda: 103.0)
    assert asked.seconds_left == 7.0
    monkeypatch.setattr(request, "working_seconds", lambda: 160.0)
    assert asked.seconds_left == 5.0


def test_pieces_are_kept_of_an_answer_only() -> None:
    with pytest.raises(ValueError, match="--keep goes with --start"):
        AssembleRequest(file=Path("a.svg"), out=Path("o"), keep=("a",))
