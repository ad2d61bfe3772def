"""``sherd bench --suite real``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sherd.bench.real import KINDS
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
    assert run(["bench", "--suite", "real", "--workers", "2"]) == 2
    assert "--workers does not go with --suite real" in capsys.readouterr().err
