"""Of two processes that write into one folder the second waits, or is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sherd.core.clock import working_seconds
from sherd.core.errors import UnsupportedError
from sherd.io.folder_lock import claimed, held

# Holds a folder, says so, and goes when its input ends.
HOLDER = """
import sys
from pathlib import Path
from sherd.io.folder_lock import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""

# The same of a file.
CLAIMER = HOLDER.replace("held(", "claimed(").replace("import held", "import claimed")


def started(program: str, path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "held\n"
    return process


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


@pytest.mark.parametrize("killed", [False, True])
def test_a_file_is_claimed_by_one_process(tmp_path: Path, killed: bool) -> None:
    path = tmp_path / "a.jsonl"
    first = started(CLAIMER, path)
    with (
        pytest.raises(UnsupportedError, match=r"a\.jsonl: another process of sherd writes it"),
        claimed(path),
    ):
        pass
    with claimed(tmp_path / "b.jsonl"):
        pass
    if killed:
        first.kill()
        first.wait()
        assert len(list(tmp_path.iterdir())) == 1
    first.communicate()
    with claimed(path):
        pass
    if not killed:
        assert list(tmp_path.iterdir()) == []


def test_what_is_no_file_is_claimed_by_nobody(tmp_path: Path) -> None:
    with claimed(Path("/dev/stdout")), claimed(tmp_path / "nowhere" / "a"), claimed(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []
