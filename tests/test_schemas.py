"""What sherd writes, and what lies in the repository, is as the published schemas say."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from sherd.bench.public_sets import write_set
from sherd.cli import run

ROOT = Path(__file__).parents[1]
found = importlib.util.spec_from_file_location("schemas", ROOT / "tests" / "schemas.py")
assert found is not None
assert found.loader is not None
schemas = importlib.util.module_from_spec(found)
found.loader.exec_module(schemas)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("name", ["hexagon-8", "star-15", "tangram", "torn-8-alone"])
def test_puzzles(name: str, tmp_path: Path) -> None:
    write_set(name, tmp_path)
    for file in (f"{name}.jsonl", f"{name}.truth.jsonl"):
        for puzzle in lines(tmp_path / file)[:4]:
            assert schemas.problems(puzzle, "puzzle") == []


def test_painted_puzzles(tmp_path: Path) -> None:
    path = tmp_path / "painted.jsonl"
    assert run(["generate", str(path), "--count", "1", "--pieces", "3", "--texture", "marble"]) == 0
    assert schemas.problems(lines(path)[0], "puzzle") == []


def test_answers_and_their_scores(tmp_path: Path) -> None:
    puzzles = tmp_path / "set.jsonl"
    assert run(["generate", str(puzzles), "--count", "1", "--pieces", "4", "--dissection", "broken"]) == 0
    for answers, options in (("whole", []), ("groups", ["--no-target"])):
        assert run(["assemble", str(puzzles), *options, "--out", str(tmp_path / answers)]) == 0
        (answer,) = (tmp_path / answers).glob("*.assembly.json")
        assert schemas.problems(json.loads(answer.read_text()), "assembly") == []
        score = tmp_path / f"{answers}.json"
        assert run(["score", str(puzzles), str(tmp_path / answers), "--json", str(score)]) == 0
        assert schemas.problems(json.loads(score.read_text()), "score") == []


def test_answers_to_drawings(tmp_path: Path) -> None:
    drawing = ROOT / "examples" / "tangram" / "tangram.svg"
    assert run(["assemble", str(drawing), "--time-limit", "5", "--out", str(tmp_path)]) == 0
    (answer,) = tmp_path.glob("*.assembly.json")
    document = json.loads(answer.read_text())
    assert "held" in document["placements"][0]
    assert schemas.problems(document, "assembly") == []


def test_records_and_entries() -> None:
    records = sorted((ROOT / "experiments" / "results").rglob("*.json"))
    assert len(records) > 100
    wrong = {path.name: schemas.problems(json.loads(path.read_text()), "record")[:1] for path in records}
    assert {name: said for name, said in wrong.items() if said} == {}
    for path in (ROOT / "experiments" / "entries").rglob("*.json"):
        assert schemas.problems(json.loads(path.read_text()), "score") == []


def test_what_is_wrong_is_found() -> None:
    outline = {"exterior": [[0, 0], [1, 0], [1, 1]]}
    puzzle = {"format": "sherd.puzzle", "version": 1, "target": outline, "rotations": "free"}
    puzzle["fragments"] = [{"id": "a", **outline}]
    assert schemas.problems(puzzle, "puzzle") == []
    for changes, said in (
        ({"version": 3}, "$.version: enum"),
        ({"target": {"exterior": [[0, 0], [1, 0]]}}, "$.target"),
        ({"rotations": True}, "$.rotations: "),
        ({"fragments": [{"id": "a"}]}, "$.fragments[0]: exterior is missing"),
        ({"colour": 1}, "$: colour should not be there"),
    ):
        assert any(one.startswith(said) for one in schemas.problems(puzzle | changes, "puzzle")), said
