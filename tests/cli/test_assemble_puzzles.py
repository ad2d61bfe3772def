"""sherd assemble on files of puzzles."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.cli import run
from sherd.core.clock import working_seconds
from sherd.core.puzzle import Sample
from sherd.io import read_assembly, write_samples


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_set_is_numbered_and_one_puzzle_of_it_gives_the_same_answer(
    two_halves: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    write_samples("set.jsonl", [two_halves] * 3)
    assert run(["assemble", "set.jsonl", "--solver", "random", "--out", "all"]) == 0
    assert "mean of 3" in capsys.readouterr().out
    assert sorted(path.name for path in Path("all").iterdir()) == sorted(
        f"set-{k}.{ending}" for k in range(3) for ending in ("svg", "assembly.json")
    )
    assert run(["assemble", "set.jsonl", "--solver", "random", "--out", "one", "--index", "2"]) == 0
    assert (
        read_assembly("one/set-2.assembly.json").assembly == read_assembly("all/set-2.assembly.json").assembly
    )


def test_check_tells_unsolved_puzzles(two_halves: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    write_samples("a.jsonl", [two_halves])
    assert run(["assemble", "a.jsonl", "--solver", "random", "--check"]) == 1
    assert capsys.readouterr().err == "sherd: 1 of 1 puzzles not solved\n"


def test_a_long_table_is_cut(two_halves: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    from sherd.cli.assemble_puzzles import MOST_ROWS

    write_samples("a.jsonl", [two_halves] * (MOST_ROWS + 2))
    assert run(["assemble", "a.jsonl", "--solver", "random"]) == 0
    said = capsys.readouterr().out
    assert f"a-{MOST_ROWS - 1} " in said
    assert f"a-{MOST_ROWS} " not in said
    assert "and 2 more" in said


def test_a_search_that_does_not_end_is_ended_and_so_is_a_picture(
    two_halves: Sample, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def for_ever(*given: object, **named: object) -> None:
        while True:
            sum(range(1000))

    monkeypatch.setattr("sherd.draw.draw_assembly", for_ever)
    monkeypatch.setattr("sherd.solvers.baselines.random.RandomSolver.solve", for_ever)
    write_samples("a.jsonl", [two_halves])
    started = working_seconds()
    assert run(["assemble", "a.jsonl", "--solver", "random", "--out", "o", "--time-limit", "0.2"]) == 0
    assert working_seconds() - started < 1.1 * 0.2 + 1.0
    saved = read_assembly("o/a.assembly.json")
    assert saved.reason == "time was up before the answer was judged"
    assert [path.name for path in Path("o").iterdir()] == ["a.assembly.json"]
    said = capsys.readouterr().out
    assert "left out for want of time: a.svg\n" in said and "answer, without a picture: o/\n" in said
