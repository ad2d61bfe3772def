from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sherd.io import write_atomically, writing_lines


def test_write_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a much longer old text")
    write_atomically(path, "new")
    assert path.read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_files_have_the_usual_permissions(tmp_path: Path) -> None:
    write_atomically(tmp_path / "ours", b"x")
    (tmp_path / "plain").write_bytes(b"x")
    assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "plain").stat().st_mode
    )


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("old")
    with pytest.raises(RuntimeError), writing_lines(path) as lines:
        lines.write("new")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_an_interruption_caught_inside_keeps_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with writing_lines(path) as lines:
        lines.write("one")
        lines._file.write(b"tw")  # as if interrupted in the middle of a line
    assert path.read_bytes() == b"one\n"
    assert lines.count == 1


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"the folder .*nowhere does not exist"):
        write_atomically(tmp_path / "nowhere" / "a.txt", "x")


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_atomically(tmp_path, "x")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_device_is_reported_and_stays_a_device() -> None:
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically("/dev/full", "x")
    assert caught.value.filename == "/dev/full"
    assert Path("/dev/full").is_char_device()


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(tmp_path / "a.txt", "x")
    assert caught.value.filename == str(tmp_path / "a.txt")
    assert [path.name for path in tmp_path.iterdir()] == []


KILLED = """
import os, signal, sys
from sherd.io.atomic import writing_lines
with writing_lines(sys.argv[1]) as lines:
    lines.write("half of it")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_gone_after_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)])
    assert killed.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    (left,) = tmp_path.glob(".sherd-*.tmp")
    # That of a process that is still at work, such as this one, stays.
    own = tmp_path / left.name.replace(left.name.split("-")[2], str(os.getpid()))
    own.write_text("half")
    write_atomically(path, "new")
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([own.name, "a.txt"])
