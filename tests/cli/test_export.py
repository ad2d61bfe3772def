"""sherd export refuses before it loads anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.cli import run


def test_a_file_in_the_way_and_an_unknown_network_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert run(["export", "fan", "--out", str(tmp_path / "file")]) == 2
    assert "a file in the way" in capsys.readouterr().err
    assert run(["export", "vgan", "--out", str(tmp_path / "new")]) == 2
    assert "vgan" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
