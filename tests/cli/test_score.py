"""``sherd score`` names what is called solved and is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sherd.cli import run


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


def test_a_tolerance_is_a_share(solved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", str(solved / "set.jsonl"), str(solved / "answers"), "--tolerance", "2"]) == 2
    assert "--tolerance is a share between 0 and 1, not 2" in capsys.readouterr().err
