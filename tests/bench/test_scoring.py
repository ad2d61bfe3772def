"""Folders of answers are scored beside their puzzles, and those to other puzzles refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sherd.bench.scoring import score_files
from sherd.cli import run
from sherd.core.errors import FileFormatError


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    """A folder with three puzzles and their answers."""
    puzzles = tmp_path / "set.jsonl"
    assert run(["generate", str(puzzles), "--count", "3", "--pieces", "5", "--rotations", "free"]) == 0
    assert run(["assemble", str(puzzles), "--out", str(tmp_path / "answers")]) == 0
    return tmp_path


def change(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_what_the_search_writes_holds(solved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    command = ["score", str(solved / "set.jsonl"), str(solved / "answers"), "--check", "--json"]
    assert run([*command, str(solved / "score.json")]) == 0
    said = capsys.readouterr().out
    assert "3 of 3 puzzles answered, 3 called solved, of which 3 hold" in said
    assert "cov95 1.000" in said and "right 1.000" in said
    figures = json.loads((solved / "score.json").read_text())
    assert figures["figures"]["right"] == 1.0
    assert [one["against"] for one in figures["answers"]] == [[], [], []]


def test_a_wrong_claim_is_named(solved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = solved / "answers" / "set-1.assembly.json"
    kept = json.loads(path.read_text())["placements"][:3]
    change(path, placements=kept)
    assert run(["score", str(solved / "set.jsonl"), str(solved / "answers"), "--check"]) == 1
    out, err = capsys.readouterr()
    assert "called solved, and not: set-1" in err
    assert "set-1: called solved; 3 of 5 placed" in out
    assert "2 of 5 pieces not placed" in out


def test_a_puzzle_without_an_answer_counts(solved: Path) -> None:
    (solved / "answers" / "set-2.assembly.json").unlink()
    assert score_files(solved / "set.jsonl", solved / "answers").unanswered == 1


def test_answers_to_other_puzzles_are_refused(solved: Path) -> None:
    answers = solved / "answers"
    path = answers / "set-0.assembly.json"
    told = json.loads(path.read_text())
    told["placements"][0]["id"] = "stranger"
    change(path, placements=told["placements"])
    with pytest.raises(FileFormatError, match="another puzzle: this one has no piece 'stranger'"):
        score_files(solved / "set.jsonl", answers)
    path.rename(answers / "set-9.assembly.json")
    with pytest.raises(FileFormatError, match=r"there is no puzzle 9: .* holds 3, counted from 0"):
        score_files(solved / "set.jsonl", answers)


def test_answers_whose_puzzle_is_not_clear_are_refused(solved: Path) -> None:
    (solved / "answers" / "set-0.assembly.json").rename(solved / "answers" / "mine.assembly.json")
    with pytest.raises(FileFormatError, match="must end in the puzzle's number"):
        score_files(solved / "set.jsonl", solved / "answers")
    (solved / "empty").mkdir()
    with pytest.raises(FileFormatError, match="no answer there"):
        score_files(solved / "set.jsonl", solved / "empty")
