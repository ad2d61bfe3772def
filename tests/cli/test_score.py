"""``sherd score`` names what is called solved and is not."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


Placed = list[dict[str, Any]]


def turned(one: dict[str, Any], degrees: float = 0.0, *, mirrored: bool = False) -> dict[str, Any]:
    """A placement as files have it, with the matrix that goes with it."""
    angle = one["rotation_deg"] + degrees
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    turn = [-cos, -sin, -sin, cos] if mirrored else [cos, sin, -sin, cos]
    new = {"rotation_deg": angle, **({"mirrored": True} if mirrored else {})}
    return {**one, **new, "matrix": [*turn, one["x"], one["y"]]}


def moved(one: dict[str, Any], x: float) -> dict[str, Any]:
    a, b, c, d, e, f = one["matrix"]
    return {**one, "x": one["x"] + x, "matrix": [a, b, c, d, e + x, f]}


@pytest.mark.parametrize(
    ("change_it", "more", "said"),
    [
        (lambda placed: [moved(placed[0], 0.2), *placed[1:]], [], "pieces (overlap|stick out) by"),
        (lambda placed: [moved(placed[0], 3.0), *placed[1:]], [], "pieces stick out by"),
        (lambda placed: [placed[1] | {"id": placed[0]["id"]}, *placed[1:]], [], "pieces overlap by"),
        (lambda placed: [turned(placed[0], mirrored=True), *placed[1:]], [], "is turned over"),
        (lambda placed: [turned(placed[0], 5.0), *placed[1:]], [], "is turned by 5 degrees"),
        (lambda placed: placed, ["--pin", "f1=5,5,0"], "f1 is not where pinned"),
        (lambda placed: placed, ["--forbid", "f1"], "f1 is used, though forbidden"),
        (lambda placed: placed[1:], [], "1 of 5 pieces not placed"),
    ],
)
def test_each_lie_is_found(
    change_it: Callable[[Placed], Placed],
    more: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    puzzles, answers = tmp_path / "set.jsonl", tmp_path / "answers"
    assert run(["generate", str(puzzles), "--count", "1", "--pieces", "5"]) == 0
    assert run(["assemble", str(puzzles), "--out", str(answers)]) == 0
    (path,) = answers.glob("*.assembly.json")
    assert run(["score", str(puzzles), str(path), "--check"]) == 0
    change(path, placements=change_it(json.loads(path.read_text())["placements"]))
    capsys.readouterr()
    assert run(["score", str(puzzles), str(path), "--check", *more]) == 1
    out, err = capsys.readouterr()
    assert re.search(said, out)
    assert err == "sherd: called solved, and not: set\n"


def test_pins_and_forbidden_pieces_are_known(solved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["score", str(solved / "set.jsonl"), str(solved / "answers" / "set-0.assembly.json")]
    assert run([*command, "--pin", "f9=1,2"]) == 2
    assert run([*command, "--pin", "f1"]) == 2
    assert run([*command, "--forbid", "nobody"]) == 2
    said = capsys.readouterr().err
    assert "there is no piece 'f9' to pin or forbid" in said
    assert "--pin says where a piece had to lie, as in f1=1,2,90" in said
