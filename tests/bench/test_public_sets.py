"""Frozen test sets are made anew, bit for bit, and told by their hashes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sherd
from sherd.bench import public_sets
from sherd.bench.public_sets import PUBLIC_SETS, QUESTION, TRUTH, frozen_hashes, set_of, write_set
from sherd.core.errors import FileFormatError

# Of every kind of generation; the others take seconds, and the script makes them all.
QUICK = ("hexagon-8", "mondrian-16", "missing-8", "eroded-8", "star-15", "tangram", "torn-8-alone")


def test_both_files_of_every_set_are_frozen() -> None:
    assert sorted(frozen_hashes()) == sorted(name + end for name in PUBLIC_SETS for end in (QUESTION, TRUTH))


@pytest.mark.parametrize("name", QUICK)
def test_a_set_is_the_frozen_one(name: str, tmp_path: Path) -> None:
    for file, hash_ in write_set(name, tmp_path).items():
        assert frozen_hashes()[file] == hash_
        assert set_of(tmp_path / file) == name
    questions = list(sherd.read_puzzles(tmp_path / f"{name}.jsonl"))
    answers = list(sherd.read_samples(tmp_path / f"{name}.truth.jsonl"))
    assert len(questions) == len(answers) == PUBLIC_SETS[name].each * len(PUBLIC_SETS[name].kinds)
    assert '"truth"' not in (tmp_path / f"{name}.jsonl").read_text()
    for number, (question, answer) in enumerate(zip(questions, answers, strict=True)):
        puzzle = question.puzzle if isinstance(question, sherd.Sample) else question
        assert puzzle.has_target == PUBLIC_SETS[name].target
        assert puzzle.fragments == answer.puzzle.fragments
        assert all(fragment.id.startswith(f"{name}-{number}-") for fragment in puzzle.fragments)


def test_a_set_that_differs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_sets, "SEED", 9001)
    with pytest.raises(FileFormatError, match=r"hexagon-8.jsonl: not the frozen set"):
        write_set("hexagon-8", tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="unknown set 'octagon': choose hexagon-8, square-32"):
        write_set("octagon", tmp_path)


def test_other_files_belong_to_no_set(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text(json.dumps({}))
    assert set_of(tmp_path / "own.jsonl") is None


def test_what_is_told() -> None:
    assert PUBLIC_SETS["masks-16"].told == "target, outlines traced from grey masks of 128 px, no colour"
    assert PUBLIC_SETS["torn-8-alone"].told == "no target, outlines seen as binary-300, no colour"
