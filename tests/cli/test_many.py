"""Many puzzles on the command line: kept in shards, done in parts, merged."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sherd.cli import run

BENCH = ["bench", "--solver", "random", "--pieces", "4", "--count", "9", "--seed", "3"]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """What was measured, but for how long it took."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def figures_of(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text())["cells"]
    return [{name: value for name, value in cell.items() if "seconds" not in name} for cell in cells]


@pytest.fixture
def unbroken(tmp_path: Path) -> Path:
    """Figures and rows of the benchmark at one go."""
    folder = tmp_path / "unbroken"
    folder.mkdir()
    outputs = ["--json", str(folder / "all.json"), "--each", str(folder / "each.jsonl")]
    assert run([*BENCH, *outputs]) == 0
    assert [row["puzzle"] for row in rows_of(folder / "each.jsonl")] == list(range(9))
    return folder


def test_parts_merge_into_the_whole(
    tmp_path: Path, unbroken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = str(tmp_path / "run")
    merge = ["report", "--merge", shards, "--json", str(tmp_path / "all.json")]
    merge += ["--each", str(tmp_path / "each.jsonl")]
    for number in (2, 3):
        assert run([*BENCH, "--shards", shards, "--shard", f"{number}/3"]) == 0
        assert f"shard {number}/3 is in {shards}" in capsys.readouterr().out
    assert run(merge) == 2
    assert "3 of 9 jobs are missing, 0 to 2: run their shards first" in capsys.readouterr().err
    assert run([*BENCH, "--shards", shards, "--shard", "1/3", "--workers", "1"]) == 0
    assert run(merge) == 0
    assert rows_of(tmp_path / "each.jsonl") == rows_of(unbroken / "each.jsonl")
    assert figures_of(tmp_path / "all.json") == figures_of(unbroken / "all.json")
    first = (tmp_path / "each.jsonl").read_bytes()
    assert run(merge) == 0
    assert (tmp_path / "each.jsonl").read_bytes() == first  # how long it took comes from the shards too


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--shard", "1/2"], "--shard goes with --shards"),
        (["--shards", "{run}", "--shard", "3/2"], "such as 3/16, not '3/2'"),
        (
            ["--shards", "{run}", "--shard", "1/2", "--json", "{run}.json"],
            "--json goes with sherd report --merge",
        ),
        (["--shards", "{file}"], "there is a file in the way"),
        (["--engine", "spark://host:1"], "the engine must be local, dask://HOST:PORT or ray://HOST:PORT"),
        (["--engine", "dask://127.0.0.1:9"], "dask://127.0.0.1:9: cannot be reached"),
        (["--workers", "0"], "workers must be at least 1"),
        (["--json", "{run}.jsonl", "--each", "{run}.jsonl"], "--json and --each are two files, not one"),
        (["--each", "{run}.txt"], "the name of this file must end in .jsonl or .parquet"),
    ],
)
def test_bad_words_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    (tmp_path / "file").touch()
    places = {"run": tmp_path / "run", "file": tmp_path / "file"}
    assert run([*BENCH, *(word.format(**places) for word in words)]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1


def test_other_runs_and_other_folders_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = str(tmp_path / "run")
    assert run([*BENCH, "--count", "1", "--shards", shards]) == 0
    capsys.readouterr()
    for words, said in (
        ([*BENCH, "--shards", shards], f"{shards}: holds shards of another run: it differs in request"),
        (["report", "--merge", str(tmp_path)], "there is no run.json"),
        (["report", "--merge", shards, "--out", "there"], "--out does not go with shards of sherd bench"),
        (["report", "--json", "there"], "--json and --each go with --merge"),
    ):
        assert run(words) == 2
        complaint = capsys.readouterr().err
        assert said in complaint
        assert complaint.count("\n") == 1


def test_a_full_disk_is_one_line_and_what_was_kept_is_gone_on_with(
    tmp_path: Path, unbroken: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = tmp_path / "run"
    assert run([*BENCH, "--shards", str(shards), "--shard", "1/3"]) == 0
    kept = sorted(shards.iterdir())
    capsys.readouterr()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert run([*BENCH, "--shards", str(shards)]) == 2
    complaint = capsys.readouterr().err
    assert "No space left on device" in complaint
    assert complaint.count("\n") == 1
    assert sorted(shards.iterdir()) == kept
    assert run([*BENCH, "--shards", str(shards), "--each", str(tmp_path / "each.jsonl")]) == 0
    assert rows_of(tmp_path / "each.jsonl") == rows_of(unbroken / "each.jsonl")


def test_what_was_measured_is_told_though_the_disk_is_full(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr("sherd.bench.record.write_atomically", full)
    assert run([*BENCH, "--json", str(tmp_path / "record.json")]) == 2
    told = capsys.readouterr()
    assert "cov95" in told.out
    assert told.err.count("\n") == 1
    assert "No space left on device" in told.err


def test_a_disk_that_is_full_for_rows_and_shards_is_one_line(tmp_path: Path) -> None:
    """In a process of its own, for what Python says of errors that nobody waits for."""
    full = (
        "import errno, os, sys\n"
        "from sherd.cli import run\n"
        "from sherd.io import atomic\n"
        "from sherd.many import shards\n"
        "def fail(*_):\n"
        "    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))\n"
        "atomic.LineWriter.write = fail\n"
        "shards.write_atomically = lambda path, data: None if path.name == 'run.json' else fail()\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    words = [*BENCH, "--shards", str(tmp_path / "run"), "--each", str(tmp_path / "each.jsonl")]
    done = subprocess.run([sys.executable, "-c", full, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "each.jsonl").exists()


def test_a_broken_shard_is_one_line_and_is_run_again(
    tmp_path: Path, unbroken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = tmp_path / "run"
    assert run([*BENCH, "--shards", str(shards)]) == 0
    path = next((shards / "row-000").glob("*.shard"))
    path.write_bytes(path.read_bytes().replace(b"1", b"2"))
    capsys.readouterr()
    again = [*BENCH, "--shards", str(shards), "--each", str(tmp_path / "each.jsonl")]
    assert run(again) == 2
    complaint = capsys.readouterr().err
    assert "is not as it was written: remove it" in complaint
    assert complaint.count("\n") == 1
    path.unlink()
    assert run(again) == 0
    assert rows_of(tmp_path / "each.jsonl") == rows_of(unbroken / "each.jsonl")


@pytest.mark.parametrize("name", ["puzzles.parquet", "puzzles"])
def test_a_set_says_by_its_name_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert run(["generate", str(tmp_path / name), "--count", "1"]) == 2
    complaint = capsys.readouterr().err
    assert "must end in .jsonl or .arrow" in complaint
    assert complaint.count("\n") == 1
    assert not any(tmp_path.iterdir())


def test_shards_of_a_compact_set_make_a_compact_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = tmp_path / "run"
    make = ["generate", str(tmp_path / "puzzles.arrow"), "--count", "3", "--shards", str(shards)]
    assert run([*make, "--shard", "1/1"]) == 0
    made = (tmp_path / "puzzles.arrow").read_bytes()
    capsys.readouterr()
    lines = str(tmp_path / "puzzles.jsonl")
    for words, said in (
        (["report", "--merge", str(shards), "--out", lines], "must end in .arrow"),
        (["generate", lines, *make[2:]], "another run: it differs in ending of the file"),
    ):
        assert run(words) == 2
        complaint = capsys.readouterr().err
        assert said in complaint
        assert complaint.count("\n") == 1
    assert run(["report", "--merge", str(shards), "--out", str(tmp_path / "again.arrow")]) == 0
    assert (tmp_path / "again.arrow").read_bytes() == made
