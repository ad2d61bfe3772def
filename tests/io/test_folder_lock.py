"""Of two processes that write into one folder the second waits, or is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sherd.core.clock import working_seconds
from sherd.core.errors import UnsupportedError
from sherd.io.folder_lock import held

# Holds a folder, says so, and goes when its input ends.
HOLDER = """
import sys
from pathlib import Path
from sherd.io.folder_lock import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_second_waits_until_the_first_is_gone_and_its_limit_stands_still(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdin and first.stdout
    assert first.stdout.readline() == "held\n"
    with pytest.raises(UnsupportedError, match="another process of sherd writes there"), held(tmp_path):
        pass
    said: list[str] = []

    def on_wait() -> None:
        said.append("waiting")
        assert first.stdin
        first.stdin.close()

    before = working_seconds()
    with held(tmp_path, on_wait):
        assert first.wait() == 0
    assert said == ["waiting"]
    assert working_seconds() - before < 1.0
    first.stdout.close()
    assert list(tmp_path.iterdir()) == []


def test_whoever_is_killed_holds_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    first = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert first.stdin and first.stdout
    first.stdout.readline()
    first.kill()
    first.wait()
    first.stdin.close()
    first.stdout.close()
    with held(folder):
        assert folder.is_dir()
