"""Pieces that may be turned in fewer ways than the others: in Python, in settings and on the command line."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import shapely

from sherd.cli import run
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.io import write_samples
from sherd.io.drawings import read_drawing
from sherd.workshop import JobParams, assemble_job, make_job, read_settings
from sherd.workshop.source import read_source

# A square of two planks; the second lies across in the drawing.
PLANKS = """<svg xmlns="http://www.w3.org/2000/svg" width="90mm" height="60mm" viewBox="0 0 90 60">
<rect id="target" width="30" height="30"/>
<rect id="a" x="40" y="0" width="30" height="10"/>
<rect id="b" x="40" y="20" width="{}" height="{}"/></svg>"""


def drawn(folder: Path, width: int, height: int) -> Path:
    path = folder / "planks.svg"
    path.write_text(PLANKS.format(width, height))
    return path


def turns_of(path: Path, **turns: int) -> tuple[str, dict[str, float]]:
    params = JobParams(turns={name: Rotations(bins) for name, bins in turns.items()})
    found = assemble_job(make_job(read_drawing(path, params), params), seconds=5.0)
    angles = {one.id: math.degrees(one.pose.theta) % 360.0 for one in found.result.assembly}
    return found.verdict.in_words, angles


def test_the_answer_is_turned_so_that_pieces_lie_as_they_may(tmp_path: Path) -> None:
    path = drawn(tmp_path, 30, 20)
    for first in (1, 2, 4):
        said, angles = turns_of(path, a=first, b=first)
        assert said == "solved"
        for angle in angles.values():
            assert min(angle % (360 / first), -angle % (360 / first)) < 2.0


def test_pieces_that_cannot_lie_so_are_named_and_not_solved(tmp_path: Path) -> None:
    path = drawn(tmp_path, 20, 30)  # b is drawn across, and both cannot stay as they are
    params = JobParams(turns={"a": Rotations(2), "b": Rotations(2)})
    found = assemble_job(make_job(read_drawing(path, params), params), seconds=5.0)
    assert found.verdict.in_words == "partly solved"
    assert "turned as not allowed" in found.verdict.why
    assert turns_of(path, a=2)[0] == "solved"


def test_turns_stand_in_settings_and_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = drawn(tmp_path, 20, 30)
    settings = tmp_path / "planks.toml"
    settings.write_text("[turns]\na = 2\nb = 'free'\n")
    assert read_settings(settings).turns == {"a": Rotations(2), "b": Rotations("free")}
    out = ["--out", str(tmp_path / "out"), "--export", "none", "--time-limit", "3", "--check"]
    assert run(["assemble", str(path), *out]) == 0
    assert run(["assemble", str(path), *out, "--turn-piece", "b=2"]) == 1
    assert "turned as not allowed" in capsys.readouterr().out
    assert run(["assemble", str(path), *out, "--turn-piece", "c=2"]) == 2
    assert "has no piece 'c' to turn" in capsys.readouterr().err
    assert run(["assemble", str(path), *out, "--turn-piece", "b"]) == 2
    assert "id=1, id=4 ... or id=free" in capsys.readouterr().err


def test_a_file_of_puzzles_may_say_how_each_piece_is_turned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plank = shapely.box(-15, -5, 15, 5)
    pole = shapely.box(-10, -15, 10, 15)
    puzzle = Puzzle(shapely.box(0, 0, 30, 30), (Fragment("a", plank), Fragment("b", pole)), Rotations("free"))
    path = tmp_path / "planks.json"
    out = ["--out", str(tmp_path / "out"), "--export", "none", "--time-limit", "2", "--check"]
    for turns, code in (({"a": 2}, 0), ({"b": 1}, 0), ({"a": 2, "b": 2}, 1)):
        told = replace(puzzle, turns={name: Rotations(bins) for name, bins in turns.items()})
        write_samples(path, [told])
        assert run(["assemble", str(path), *out]) == code, turns
        job = read_source(path, {})
        assert assemble_job(make_job(*job), seconds=2.0).verdict.is_solved == (code == 0)
    assert "1 of 1 puzzles not solved" in capsys.readouterr().err
