"""sherd show: pictures of puzzles and answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sherd.cli import run
from sherd.core.puzzle import Sample
from sherd.io import puzzle_to_json, read_assembly, write_samples


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("ending", ["svg", "png", "gif"])
@pytest.mark.parametrize("options", [[], ["--truth"], ["--steps"], ["--index", "1"]])
def test_pictures_of_samples(ending: str, options: list[str], two_halves: Sample) -> None:
    write_samples("a.jsonl", [two_halves, two_halves])
    assert run(["show", "a.jsonl", "--out", f"a.{ending}", *options]) == 0
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "gif": b"GIF8"}
    assert Path(f"a.{ending}").read_bytes().startswith(starts[ending])


def test_an_answer_is_written_and_can_be_shown(
    two_halves: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    write_samples("my puzzle.jsonl", [two_halves.puzzle])
    assert run(["assemble", "my puzzle.jsonl", "--solver", "random", "--out", "deep/answers"]) == 0
    assert "my puzzle" in capsys.readouterr().out
    saved = read_assembly("deep/answers/my puzzle.assembly.json")
    assert saved.solver == "random"
    assert {placement.id for placement in saved.assembly} == {"left", "right"}
    assert Path("deep/answers/my puzzle.svg").read_text().startswith("<?xml")
    answer = ["--assembly", "deep/answers/my puzzle.assembly.json"]
    assert run(["show", "my puzzle.jsonl", *answer, "--out", "a.png"]) == 0
    assert run(["show", "my puzzle.jsonl", *answer, "--out", "a.gif"]) == 0


def test_odd_ids_are_safe_in_pictures(two_halves: Sample) -> None:
    document = puzzle_to_json(two_halves.puzzle)
    document["fragments"][0]["id"] = '../<script>&"[red]é'
    Path("a.json").write_text(json.dumps(document))
    assert run(["show", "a.json", "--out", "a.svg"]) == 0
    assert run(["assemble", "a.json", "--solver", "random", "--out", "answers"]) == 0
    for picture in (Path("a.svg"), Path("answers/a.svg")):
        assert "<script>" not in picture.read_text()
    assert sorted(path.name for path in Path().rglob("*") if path.is_file()) == sorted(
        ["a.json", "a.svg", "a.assembly.json", "a.svg"]
    )
