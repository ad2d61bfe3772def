"""sherd generate: sets and their parts."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sherd.cli import run
from sherd.core.puzzle import Puzzle
from sherd.io import read_all, read_samples


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_set_is_the_same_every_time_and_begins_with_a_shorter_one() -> None:
    arguments = ["--shape", "pentagon", "--pieces", "5", "--rotations", "free", "--seed", "9"]
    for name, count in (("a.jsonl", "7"), ("b.jsonl", "7"), ("c.jsonl", "3")):
        assert run(["generate", name, "--count", count, *arguments]) == 0
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    assert Path("a.jsonl").read_bytes().startswith(Path("c.jsonl").read_bytes())
    assert len(list(read_samples("a.jsonl"))) == 7


def test_a_set_is_the_same_on_every_machine() -> None:
    options = "--shape hexagon --rotations free --order random --count 600 --seed 11"
    assert run(["generate", "a.jsonl", *options.split()]) == 0
    assert hashlib.sha256(Path("a.jsonl").read_bytes()).hexdigest() == (
        "2416b19ea49f165fd6bdb9663db210bd00d25710132c9d2fa270152bd2a84f72"
    )


def test_a_puzzle_with_foreign_pieces_has_no_answer_beside_it() -> None:
    assert run(["generate", "a.jsonl", "--count", "1", "--input", "binary-300+foreign-2"]) == 0
    (item,) = read_all("a.jsonl")
    assert isinstance(item, Puzzle)
    assert len(item.fragments) == 10


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("--roughness 0.1", "roughness is of broken or cracked pieces, not of cuts"),
        ("--straight 0.5 --dissection cracks", "straight is of broken pieces, not of cracks"),
        ("--straight 2 --dissection broken", "straight must be between 0 and 1, not 2.0"),
        ("--roughness 0.5 --dissection broken", "roughness must be between 0 and 0.2, not 0.5"),
        ("--dissection crosscut --pieces 17", "crossing cuts make 2 to 12 pieces, not 17"),
        ("--dissection jigsaw --pieces 7", "7 pieces do not make rows and columns of a jigsaw"),
        ("--input torn", "input 'torn' is unknown"),
    ],
)
def test_what_no_puzzle_can_be_is_said(words: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["generate", "a.jsonl", *words.split()]) == 2
    assert capsys.readouterr().err.startswith(f"sherd: {reason}")


def test_the_parts_of_a_split_make_up_the_set() -> None:
    for part in ("all", "train", "validation", "test"):
        assert run(["generate", f"{part}.jsonl", "--count", "25", "--split", part, "--pieces", "2"]) == 0
    parts = [Path(f"{part}.jsonl").read_text() for part in ("train", "validation", "test")]
    assert [text.count("\n") for text in parts] == [16, 4, 5]
    assert "".join(parts) == Path("all.jsonl").read_text()


def test_a_shape_from_a_file() -> None:
    Path("kite.json").write_text('{"exterior": [[0, 0], [2, -1], [3, 0], [2, 1]]}')
    assert run(["generate", "a.jsonl", "--shape", "kite.json", "--count", "1", "--pieces", "3"]) == 0
    (sample,) = read_samples("a.jsonl")
    assert sample.puzzle.target.area == 3.0


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "sherd", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture
def endless() -> Iterator[subprocess.Popen[str]]:
    """A set on its way, with more than its first block written already."""
    with start("generate", "a.jsonl", "--count", "1000000") as process:
        enough = 1e5
        for _ in range(2):
            while (size := max([0, *(path.stat().st_size for path in Path().glob(".sherd-*"))])) < enough:
                assert process.poll() is None
                time.sleep(0.02)
            enough = 2 * size
        yield process
        process.kill()


def test_a_terminated_set_leaves_nothing(endless: subprocess.Popen[str]) -> None:
    endless.send_signal(signal.SIGTERM)
    assert endless.communicate(timeout=60) == ("", "")
    assert endless.returncode == 128 + signal.SIGTERM
    assert list(Path().iterdir()) == []


def test_an_interrupted_set_keeps_what_is_finished(endless: subprocess.Popen[str]) -> None:
    process = endless
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    lines = Path("a.jsonl").read_text().splitlines()
    count = len(lines)
    assert said == f"sherd: interrupted: a.jsonl holds the first {count:,} of 1,000,000 puzzles\n"
    Path("last.jsonl").write_text(lines[-1])
    assert len(list(read_all("last.jsonl"))) == 1
    assert [path.name for path in Path().glob(".sherd-*")] == []


def test_a_lattice_has_a_frame_of_its_own_and_pentominoes_are_twelve(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lattice = ["--dissection", "lattice", "--count", "1"]
    assert run(["generate", "free.jsonl", *lattice]) == 0
    assert run(["generate", "named.jsonl", *lattice, "--shape", "frame", "--pieces", "8"]) == 0
    assert Path("free.jsonl").read_bytes() == Path("named.jsonl").read_bytes()
    assert run(["generate", "box.jsonl", *lattice, "--shape", "6x10"]) == 0
    assert len(next(iter(read_samples("box.jsonl"))).puzzle.fragments) == 12
    assert run(["generate", "few.jsonl", *lattice, "--shape", "6x10", "--pieces", "8"]) == 2
    assert "there are 12 pentominoes, not 8" in capsys.readouterr().err
    assert run(["generate", "square.jsonl", *lattice, "--shape", "square"]) == 2
