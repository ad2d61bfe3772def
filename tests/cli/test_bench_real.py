"""``sherd bench --suite real``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sherd.bench.real import KINDS, RealRequest, TriedJob
from sherd.cli import run


def test_the_suite_of_real_jobs_is_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = list(KINDS).index("nesting")
    record = tmp_path / "real.json"
    arguments = ["bench", "--suite", "real", "--rows", f"{row}:{row + 1}", "--count", "2", "--seed", "3"]
    assert run([*arguments, "--time-limit", "1", "--json", str(record)]) == 0
    said = capsys.readouterr().out
    assert "seed 3, at most 1 s a job" in said
    assert "of 2 jobs 2 right, 0 honest, 0 wrong" in said
    jobs = json.loads(record.read_text())["jobs"]
    assert [(job["kind"], job["seed"], job["outcome"]) for job in jobs] == [
        ("nesting", 3, "right"),
        ("nesting", 4, "right"),
    ]


def test_what_does_not_go_with_it_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--suite", "real", "--each", "rows.jsonl"]) == 2
    assert "--each does not go with --suite real" in capsys.readouterr().err


def test_an_interrupt_keeps_the_jobs_that_are_finished(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(request: RealRequest, **sharing: object) -> Iterator[TriedJob]:
        yield TriedJob(request.kinds[0], request.seed, "wrong", "solved", 0.1)
        raise KeyboardInterrupt

    monkeypatch.setattr("sherd.bench.real.try_jobs", interrupted)
    record = tmp_path / "real.json"
    assert run(["bench", "--suite", "real", "--rows", "0:1", "--count", "3", "--json", str(record)]) == 130
    said = capsys.readouterr()
    assert "of 1 jobs 0 right, 0 honest, 1 wrong" in said.out
    assert f"wrong: {next(iter(KINDS))}, seed 0: solved" in said.out
    assert "1 of 3 jobs are done" in said.err
    assert len(json.loads(record.read_text())["jobs"]) == 1


def test_a_wrong_answer_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(request: RealRequest, **sharing: object) -> Iterator[TriedJob]:
        yield TriedJob(request.kinds[0], request.seed, "wrong", "solved", 0.1)

    monkeypatch.setattr("sherd.bench.real.try_jobs", wrong)
    assert run(["bench", "--suite", "real", "--rows", "0:1", "--count", "1"]) == 1
    assert "1 wrong" in capsys.readouterr().out
