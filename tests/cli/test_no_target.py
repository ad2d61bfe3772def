"""``sherd assemble --no-target``: groups, joints and hints, from puzzles and from drawings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import shapely

from sherd.cli import run
from sherd.core.geometry import FREE, Pose
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.io import read_assembly, write_samples

KIND = PuzzleKind(pieces=5, dissection="broken", rotations=FREE)


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (sample,) = make_samples(KIND, seed=1, stop=1)
    write_samples("torn.jsonl", [sample])
    write_samples("bare.jsonl", [sample.puzzle.without_target()])
    scraps = [Pose(2.0 * k).apply(fragment.polygon) for k, fragment in enumerate(sample.puzzle.fragments)]
    lines = "\n".join(shapely.to_wkt(scrap, rounding_precision=9) for scrap in scraps)
    Path("scraps.wkt").write_text(lines + "\n")


def test_a_puzzle_without_its_target_is_put_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["assemble", "torn.jsonl", "--no-target", "--check", "--hints", "2", "--out", "o"]) == 0
    said = capsys.readouterr().out
    assert "torn: 1 group of 5 pieces; none alone" in said
    assert "torn: all pieces are right" in said
    assert said.count(" along ") == 2
    saved = read_assembly("o/torn.assembly.json")
    assert not saved.has_target
    assert run(["show", "torn.jsonl", "--assembly", "o/torn.assembly.json", "--out", "a.svg"]) == 0
    assert "f4" in Path("a.svg").read_text()


def test_a_file_may_say_that_there_is_no_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["assemble", "bare.jsonl", "--check", "--out", "o"]) == 0
    assert "1 group of 5 pieces" in capsys.readouterr().out
    assert run(["show", "bare.jsonl", "--out", "pieces.svg"]) == 0
    assert run(["show", "bare.jsonl", "--steps", "--assembly", "o/bare.assembly.json", "--out", "a.svg"]) == 2


def test_a_drawing_gives_a_table_of_joints(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["assemble", "scraps.wkt", "--no-target", "--check", "--hints", "3", "--out", "o"]
    assert run(words) == 0
    said = capsys.readouterr().out
    assert "no target" in said
    assert "solved: 1 group of 5 pieces; none alone" in said
    assert "group 1: " in said
    assert "the 3 likeliest joints:" in said
    assert {path.name.partition(".")[2] for path in Path("o").iterdir()} == {
        "assembly.json",
        "assembled.svg",
        "assembled.dxf",
        "assembled.geojson",
        "assembled.png",
        "plan.pdf",
        "pieces.csv",
        "read.png",
        "hints.svg",
        "hints.png",
    }
    again = [*words, "--start", "o/scraps.assembly.json", "--keep", "line 1", "--keep", "line 2"]
    assert run(again) == 0
    assert "solved: 1 group of 5 pieces; none alone" in capsys.readouterr().out


def test_the_size_of_a_known_shape_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["assemble", "scraps.wkt", "--outline", "rectangle", "--roughly", "--check", "--out", "o"]
    assert run([*words, "--export", "json"]) == 0
    said = capsys.readouterr().out
    found = re.search(r"the outline implied is a rectangle of ([\d.]+) x ([\d.]+); the pieces fill", said)
    assert found is not None
    assert [float(side) for side in found.groups()] == pytest.approx([1.0, 1.0], abs=0.01)
    assert read_assembly("o/scraps.assembly.json").has_target
    assert run(["assemble", "scraps.wkt", "--outline", "rectangle"]) == 2
    assert "--outline SHAPE goes with --roughly" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["torn.jsonl", "--solver", "search"], "search needs a target; without one take contours"),
        (["torn.jsonl", "--all", "3"], "without a target one answer is looked for, not all"),
        (
            ["scraps.wkt", "--export", "gaps"],
            "gaps needs a target; without one: json, svg, dxf, geojson, png, pdf, csv, photo",
        ),
        (["scraps.wkt", "--target", "square:1"], "a target is given, and that there is none: choose one"),
        (["scraps.wkt", "--hints", "0"], "--hints must be at least 1, not 0"),
        (["scraps.wkt", "--keep", "a"], "--keep goes with --start, the answer that the pieces are kept of"),
        (["torn.jsonl", "--start", "a.json"], "--start goes with drawings and pictures only"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["assemble", *words, "--no-target"]) == 2
    assert capsys.readouterr().err == f"sherd: {reason}\n"
