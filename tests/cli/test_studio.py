"""The command ``sherd studio`` says what stands in its way in one line."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path

import pytest

from sherd.cli import run


def test_bad_options_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["studio", "--no-open", "--folder", str(tmp_path), "--workers", "0"]) == 2
    assert "workers must be at least 1" in capsys.readouterr().err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert run(["studio", "--no-open", "--folder", str(tmp_path), "--port", port]) == 2
    assert f"port {port} is taken" in capsys.readouterr().err


def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert run(["studio"]) == 2
    assert "pip install 'sherd[studio]'" in capsys.readouterr().err
