"""``sherd assemble`` goes by paint where there is any, says what it decided, and can be told not to."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.cli import run
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.io import read_assembly, write_samples


def test_colours_decide_unless_they_are_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    kind = PuzzleKind(shape=named_shape("mondrian"), pieces=8, degradation="missing", texture="marble")
    write_samples(tmp_path / "painted.jsonl", make_samples(kind, seed=5, stop=1))
    answers: dict[str, float] = {}
    for name, options in {"paint": [], "bare": ["--ignore-colour"]}.items():
        out = tmp_path / name
        given = ["assemble", str(tmp_path / "painted.jsonl"), "--time-limit", "60", "--out", str(out)]
        assert run([*given, *options]) == 0
        said = capsys.readouterr().out
        assert ("ambiguous by shape; the colours decide" in said) == (name == "paint")
        answers[name] = read_assembly(next(out.glob("*.assembly.json"))).coverage
    assert answers["paint"] > 0.999
    assert answers["bare"] < 0.95
