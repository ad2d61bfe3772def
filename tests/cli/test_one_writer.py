from __future__ import annotations

import os
from pathlib import Path

import pytest

from sherd.cli.one_writer import alone_in

fcntl = pytest.importorskip("fcntl")


def test_who_waits_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    flock = fcntl.flock

    def let_go_first(lock: int, how: int) -> None:
        if how == fcntl.LOCK_EX:
            os.close(other)
        flock(lock, how)

    monkeypatch.setattr(fcntl, "flock", let_go_first)
    with alone_in(tmp_path):
        pass
    assert capsys.readouterr().out == f"another process of sherd writes into {tmp_path}/: waiting for it\n"
