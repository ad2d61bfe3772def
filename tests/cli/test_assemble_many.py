"""sherd assemble on sets: by several workers, kept in shards, in parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sherd.cli import run
from sherd.cli.assemble_many import AssembleEach
from sherd.cli.request import AssembleRequest
from sherd.core.puzzle import Sample
from sherd.io import read_assembly, write_samples

COUNT = 5


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, two_halves: Sample) -> None:
    monkeypatch.chdir(tmp_path)
    write_samples("set.jsonl", [two_halves] * COUNT)


def answers(folder: str) -> dict[str, str]:
    """What was written, but for how long it took."""
    found = {path.name: path.read_text() for path in Path(folder).iterdir()}
    return {
        name: re.sub(r'"seconds": [\d.e-]+|, [\d.]+ s\b', "", text) for name, text in sorted(found.items())
    }


def test_answers_are_the_same_whoever_found_them(capsys: pytest.CaptureFixture[str]) -> None:
    assemble = ["assemble", "set.jsonl", "--solver", "random", "--seed", "3"]
    assert run([*assemble, "--out", "one"]) == 0
    alone = capsys.readouterr().out
    assert run([*assemble, "--out", "two", "--workers", "2"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(alone.splitlines())
    assert answers("two") == answers("one")
    for part in ("1/2", "2/2"):
        assert run([*assemble, "--out", "parts", "--shards", "run", "--shard", part]) == 0
    capsys.readouterr()
    assert run(["report", "--merge", "run", "--out", "merged"]) == 0
    assert "mean of 5" in capsys.readouterr().out
    assert answers("merged") == answers("one")
    assert run([*assemble, "--seed", "4", "--shards", "run"]) == 2
    assert "run: holds shards of another run: it differs in request" in capsys.readouterr().err


def test_what_no_worker_lives_through_is_an_answer_that_says_so(two_halves: Sample) -> None:
    work = AssembleEach(AssembleRequest(file=Path("set.jsonl"), out=Path("there")))
    answered = work.lost((1, "set-1", two_halves), "the worker died twice")
    (name, data), *others = answered.files.items()
    assert not others
    Path(name).write_bytes(data)
    saved = read_assembly(name)
    assert not saved.solved
    assert saved.reason == "the worker died twice"
    assert answered.rows == (("set-1", 2, 0.0, ("not solved: the worker died twice",)),)


def test_drawings_are_not_shared(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.svg").write_text("<svg/>")
    assert run(["assemble", "a.svg", "--shards", "run"]) == 2
    assert "--shards go with sets of puzzles" in capsys.readouterr().err
    assert run(["assemble", "set.jsonl", "--workers", "0"]) == 2
    assert capsys.readouterr().err == "sherd: --workers must be at least 1, not 0\n"
