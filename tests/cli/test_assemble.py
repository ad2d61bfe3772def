"""``sherd assemble``: all assemblies, reasons, and pieces without area."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from shapely import Polygon, box

from sherd.cli import run
from sherd.cli.deadline import Times
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.tangram import tangram
from sherd.io import puzzle_to_json, read_assembly, read_samples, write_samples
from sherd.solvers import MaxSeconds


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make(name: str) -> Sample:
    sample = tangram(name, np.random.default_rng(1))
    write_samples(f"{name}.jsonl", [sample])
    return sample


def test_all_assemblies_are_written_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    sample = make("boat")
    assert run(["assemble", "boat.jsonl", "--all", "10", "--out", "out"]) == 0
    assert "boat: there are 4 assemblies, and no others" in capsys.readouterr().out
    names = ["boat", "boat.2", "boat.3", "boat.4"]
    assert sorted(path.name for path in Path("out").iterdir()) == sorted(
        f"{name}{end}" for name in names for end in (".assembly.json", ".svg")
    )
    for name in names:
        saved = read_assembly(f"out/{name}.assembly.json")
        assert saved.solved
        assert (saved.reason, saved.assemblies, saved.all_found) == ("", 4, True)
        assert measure(saved.assembly, sample.puzzle).coverage >= 1.0 - 1e-6


def test_the_count_is_told_first_and_alone_if_nothing_is_to_be_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    make("boat")
    assert run(["assemble", "boat.jsonl", "--all", "10", "--out", "out"]) == 0
    said = capsys.readouterr().out
    assert said.index("boat: there are 4 assemblies, and no others") < said.index("coverage")
    assert said.count("there are 4 assemblies") == 1
    assert run(["assemble", "boat.jsonl", "--all", "10", "--out", "none", "--export", "none"]) == 0
    said = capsys.readouterr().out
    assert "boat: there are 4 assemblies, and no others" in said
    assert "left out" not in said and "boat.2" not in said
    assert not list(Path("none").glob("*"))


def test_what_there_is_no_time_to_write_is_left_out_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make("boat")
    within = Times.within
    over = MaxSeconds(0.0)  # before anything is written
    monkeypatch.setattr(Times, "within", lambda *seconds: replace(within(*seconds), written=over))
    assert run(["assemble", "boat.jsonl", "--all", "10", "--out", "out"]) == 0
    said = capsys.readouterr().out
    assert "boat: there are 4 assemblies, and no others" in said
    assert " ".join(said.split()).count("3 further assemblies left out for want of time") == 1
    assert [path.name for path in Path("out").glob("*.json")] == ["boat.assembly.json"]


@pytest.mark.parametrize("option", [["--workers", "2"], ["--hints", "3"]])
def test_nothing_is_written_only_where_nothing_must_be(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    make("boat")
    assert run(["assemble", "boat.jsonl", "--export", "none", *option]) == 2
    assert "--export none writes nothing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("square.jsonl --all 5", "square: there is no other assembly"),
        ("boat.jsonl --all 3", "boat: there are at least 3 assemblies"),
        ("boat.jsonl --all 1", "boat: there may be other assemblies"),
        ("boat.jsonl --time-limit 0", "boat: not solved: stopped after 0 tries; 7 of 7 pieces not placed"),
        ("boat.jsonl --time-limit 0 --all 3", "boat: not solved: stopped after 0 tries"),
    ],
)
def test_the_count_is_put_in_words(options: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    make("square")
    make("boat")
    assert run(["assemble", *options.split()]) == 0
    assert said in capsys.readouterr().out


def test_pieces_without_area_are_named_and_the_rest_assembled(
    two_halves: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    document = puzzle_to_json(two_halves)
    document["fragments"].insert(1, {"id": "thread", "exterior": [[0, 0], [0.5, 0.5], [0.25, 0.25]]})
    document["truth"]["thread"] = {"x": 0.0, "y": 0.0, "rotation_deg": 0.0}
    Path("set.jsonl").write_text(json.dumps(document))
    (sample,) = read_samples("set.jsonl")
    assert sample.puzzle.set_aside == ("thread",)
    assert len(sample.truth) == 2
    assert run(["assemble", "set.jsonl", "--check"]) == 0
    said = capsys.readouterr().out
    assert "set: set aside (hardly any area): thread" in said
    assert "yes" in said
    assert read_assembly("assembled/set.assembly.json").set_aside == {"thread": "hardly any area"}


def test_the_answer_says_why_it_is_none_and_what_has_no_place() -> None:
    sample = make("boat")
    assert run(["assemble", "boat.jsonl", "--time-limit", "0", "--all", "3"]) == 0
    saved = read_assembly("assembled/boat.assembly.json")
    assert saved.reason == "stopped after 0 tries; 7 of 7 pieces not placed"
    assert saved.set_aside == dict.fromkeys((f.id for f in sample.puzzle.fragments), "no place was found")
    assert (saved.assemblies, saved.all_found) == (None, False)


def test_more_assemblies_than_asked_for_are_not_ruled_out() -> None:
    make("boat")
    assert run(["assemble", "boat.jsonl", "--all", "3"]) == 0
    saved = read_assembly("assembled/boat.assembly.json")
    assert (saved.assemblies, saved.all_found) == (3, False)


def test_verbose_tells_what_was_tried_and_what_it_cost(capsys: pytest.CaptureFixture[str]) -> None:
    make("square")
    assert run(["assemble", "square.jsonl", "--verbose", "--check"]) == 0
    tried = [line for line in capsys.readouterr().out.splitlines() if line.startswith("square: tried ")]
    assert tried
    assert all(re.fullmatch(r"square: tried .+: (1 try|[\d,]+ tries), .+", line) for line in tried)


OBLIQUE = Polygon([(0.0, 0.0), (0.9, 0.0), (1.3, 1.0), (0.0, 1.0)])


@pytest.mark.parametrize(("piece", "said"), [(OBLIQUE, "45.0 % less"), (box(0.0, 0.0, 1.99, 1.0), None)])
def test_a_solution_that_cannot_fill_the_target_gets_a_remark(
    piece: Polygon, said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    one = puzzle_to_json(Puzzle(box(0.0, 0.0, 2.0, 1.0), (Fragment("a", piece),)))
    Path("one.json").write_text(json.dumps(one))
    assert run(["assemble", "one.json", "--check"]) == 0
    remark = f"one: solved, though the pieces have {said} area than the target"
    out = capsys.readouterr().out
    assert (remark in out) if said else ("area than" not in out)


def test_a_piece_that_can_be_pushed_in_its_target_does_not_solve_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    target, piece = box(0.0, 0.0, 2.0, 1.0), box(0.0, 0.0, 1.9, 1.0)
    Path("one.json").write_text(json.dumps(puzzle_to_json(Puzzle(target, (Fragment("a", piece),)))))
    assert run(["assemble", "one.json", "--check"]) == 1
    shown = capsys.readouterr()
    assert "one: partly solved: all pieces together can be pushed along" in shown.out
    assert shown.err == "sherd: 1 of 1 puzzles not solved\n"


def test_a_piece_that_may_lie_at_either_end_does_not_solve_it(capsys: pytest.CaptureFixture[str]) -> None:
    half = Puzzle(box(0.0, 0.0, 2.0, 1.0), (Fragment("a", box(0.0, 0.0, 1.0, 1.0)),))
    Path("one.json").write_text(json.dumps(puzzle_to_json(half)))
    assert run(["assemble", "one.json", "--check"]) == 1
    shown = capsys.readouterr()
    assert "one: partly solved: ambiguous: a may lie elsewhere" in shown.out
    assert shown.err == "sherd: 1 of 1 puzzles not solved\n"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--all 0", "--all must be at least 1, not 0"),
        ("--all 2 --refine", "--refine does not go with --all"),
        ("--all 2 --solver random", "gives one assembly of a puzzle, not all"),
    ],
)
def test_bad_options_are_refused(options: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    make("square")
    assert run(["assemble", "square.jsonl", *options.split()]) == 2
    assert reason in capsys.readouterr().err
