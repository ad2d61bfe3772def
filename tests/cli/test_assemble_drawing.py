"""``sherd assemble`` on drawings: what is said first, which options matter, and how it fails."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import shapely
from PIL import Image

from sherd.cli import run
from sherd.core import plain_at_first
from sherd.core.assembly import Assembly
from sherd.core.clock import working_seconds
from sherd.core.geometry import Pose
from sherd.core.grid import Grid
from sherd.io import read_assembly
from sherd.solvers.base import OnProgress, Progress
from sherd.tracing.raster import masks
from sherd.workshop.result import export_plan

# A square of 100 mm cut into four unlike pieces, which lie beside it, turned and far apart.
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="400mm" height="100mm" viewBox="0 0 400 100">
<rect id="Target" width="100" height="100"/>
<path id="a" d="M120 10h30v60l-30 20z"/>
<path id="b" transform="translate(300 5) rotate(70)" d="M0 0h70v40l-70 20z"/>
<path id="c" transform="rotate(180 200 50)" d="M170 100v-20l30-20v40z"/>
<path id="d" d="M320 60l70-20v60h-70z"/></svg>"""


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.svg").write_text(DRAWING)


def test_the_summary_comes_first_and_the_drawing_is_solved(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["assemble", "a.svg", "--out", "plan", "--check", "--export", "json,svg"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "a.svg: 4 pieces, 40 to 80.32 mm across; target 100 x 100 mm; "
        "the pieces' area is 100.0% of the target's (10,000 of 10,000 mm²)"
    )
    saved = read_assembly("plan/a.assembly.json")
    assert saved.solved
    assert saved.coverage == pytest.approx(1.0, abs=1e-6)
    assert {path.name for path in Path("plan").iterdir()} == {"a.assembly.json", "a.assembled.svg"}


def _never(function: object) -> bool:
    return False


def test_the_first_answer_of_a_machine_is_told_before_what_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "sherd: 4 pieces placed; whether they may lie otherwise takes longer this once"
    words = ["assemble", "a.svg", "--export", "none"]
    monkeypatch.setattr(plain_at_first.spent, "seconds", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(plain_at_first, "MOST_SECONDS", 0.0)
        assert run(words) == 0
    assert told not in capsys.readouterr().err
    monkeypatch.setattr(plain_at_first, "is_compiled", _never)
    assert run(words) == 0
    assert capsys.readouterr().err.count(told) == 1


def test_settings_beside_the_drawing_and_options_above_them(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.toml").write_text('forbid = ["a"]\ntarget = "rect:70x100"\n')
    assert run(["assemble", "a.svg", "--out", "x", "--export", "none", "--forbid", "c"]) == 0
    assert not Path("x").exists()
    said = capsys.readouterr().out
    assert "a.svg: 2 pieces" in said
    assert "target 70 x 100 mm" in said
    assert "note: set aside (forbidden): a, c" in said
    Path("other.toml").write_text('target = "square:90"\n')
    assert (
        run(
            [
                "assemble",
                "a.svg",
                "--out",
                "x",
                "--export",
                "none",
                "--settings",
                "other.toml",
                "--time-limit",
                "1",
            ]
        )
        == 0
    )
    assert "target 90 x 90 mm" in capsys.readouterr().out


def test_a_pinned_piece_stays_where_it_is_put() -> None:
    # As drawn, d is the lower right part of the square, 220 mm and 20 mm away from its place.
    place = shapely.Polygon([(30, 0), (100, 0), (100, 60), (30, 40)]).centroid
    pin = f"d={place.x},{place.y},0"
    assert run(["assemble", "a.svg", "--out", "plan", "--pin", pin, "--check", "--export", "json"]) == 0
    saved = read_assembly("plan/a.assembly.json")
    assert saved.assembly["d"].x == pytest.approx(-290.0)
    assert saved.assembly["d"].y == pytest.approx(0.0)


def test_a_scan(capsys: pytest.CaptureFixture[str]) -> None:
    pieces = [
        shapely.Polygon([(30, 30), (230, 30), (130, 230)]),
        shapely.Polygon([(300, 30), (400, 30), (400, 230)]),
        shapely.Polygon([(540, 30), (540, 230), (440, 230)]),
    ]
    cover = masks(pieces, Grid(600, 0.0, 600.0, 1.0)).sum(axis=0)[300:]
    Image.fromarray(np.round(250 - 200 * cover).astype(np.uint8)).save("scan.png", dpi=(254, 254))
    assert (
        run(["assemble", "scan.png", "--target", "square:20", "--out", "plan", "--check", "--export", "json"])
        == 0
    )
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("scan.png: 3 pieces, 20")
    assert "mm across; target 20 x 20 mm; the pieces' area is 100." in first or "is 99.9" in first


BAD: dict[str, tuple[str, str]] = {
    "missing": ("assemble none.svg", "none.svg: No such file"),
    "no target": ("assemble free.svg", "there is no target: call a shape, group or layer 'target'"),
    "bad target": ("assemble a.svg --target rect:5", "a target is a file, rect:297x210, square:100"),
    "target file": ("assemble a.svg --target none.svg", "'none.svg' is no file that exists"),
    "unknown id": (
        "assemble a.svg --forbid zebra",
        "a.svg has no piece 'zebra' to forbid; it has a, b, c, d",
    ),
    "unknown id to turn over": ("assemble a.svg --mirror-piece q", "a.svg has no piece 'q' to turn over"),
    "bad pin": ("assemble a.svg --pin a=1", "a pin is id=x,y,degrees or only an id, not 'a=1'"),
    "unit": ("assemble a.svg --unit furlong", "unknown unit 'furlong'"),
    "play": ("assemble a.svg --play -1", "play must be at least 0, not -1"),
    "rotations": ("assemble a.svg --rotations some", "or 'free', not 'some'"),
    "index": ("assemble a.svg --index 1", "--index goes with files of puzzles only"),
    "export": ("assemble a.svg --export stl", "stl"),
    "paper": ("assemble a.svg --paper a9", "paper must be one of"),
    "settings": ("assemble a.svg --settings bad.toml", "bad.toml: unknown key 'colour'"),
    "no settings": ("assemble a.svg --settings none.toml", "none.toml: No such file"),
    "bomb": ("assemble bomb.svg", "bomb.svg:1: entities that stand for more than a short text"),
    "in the way": ("assemble a.svg --out a.svg", "a.svg: there is a file in the way of this folder"),
    "puzzle": ("assemble p.jsonl --kerf 1", "--kerf goes with drawings and pictures only"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_line_and_nothing_left(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("free.svg").write_text('<svg><rect width="3" height="3"/></svg>')
    Path("bomb.svg").write_text('<!DOCTYPE svg [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><svg>&b;</svg>')
    Path("bad.toml").write_text("colour = 3")
    Path("p.jsonl").write_text("{}")
    line, reason = BAD[name]
    before = sorted(tmp_path.rglob("*"))
    assert run(line.split()) == 2
    said = capsys.readouterr()
    assert said.err.startswith("sherd: ")
    assert said.err.count("\n") == 1
    assert reason in said.err
    assert sorted(tmp_path.rglob("*")) == before


def test_the_end_says_that_all_is_placed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["assemble", "a.svg", "--export", "none"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-2] == "there are 2 assemblies, and no others"
    assert "solved: all 4 pieces placed; they fill the target" in said
    assert said[-1].startswith("a: solved, 4 of 4 pieces")


def test_a_pin_that_cannot_be_is_not_called_solved(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["assemble", "a.svg", "--export", "json", "--out", "plan"]
    assert run([*command, "--pin", "d=0,0,0", "--check"]) == 1
    saved = read_assembly("plan/a.assembly.json")
    assert saved.reason.startswith("d sticks out of the target by up to ")
    said = capsys.readouterr().out.replace("\n", " ")
    assert "note: the pinned piece 'd' sticks out of the target" in said
    assert f"not solved: {saved.reason}" in said
    assert (saved.solved, saved.assemblies) == (False, None)


@pytest.mark.parametrize(("tolerance", "end"), [("0.5", "solved: all 4"), ("0.001", "not solved: ")])
def test_the_tolerance_decides_what_is_solved(
    tolerance: str, end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.svg").write_text(DRAWING.replace("l70-20v60h", "l70-20.3v60.3h"))
    command = ["assemble", "a.svg", "--export", "none", "--time-limit", "20", "--tolerance", tolerance]
    assert run(command) == 0
    assert f"\n{end}" in capsys.readouterr().out


def test_only_the_piece_that_may_be_is_turned_over() -> None:
    mirrored = DRAWING.replace('id="a" d=', 'id="a" transform="translate(270 0) scale(-1 1)" d=')
    Path("a.svg").write_text(mirrored)
    command = ["assemble", "a.svg", "--export", "json", "--out", "plan", "--check", "--mirror-piece"]
    assert run([*command, "b"]) == 1
    assert run([*command, "a"]) == 0
    turned = [p.id for p in read_assembly("plan/a.assembly.json").assembly if p.pose.mirrored]
    assert turned == ["a"]


def test_a_pin_in_the_middle_parts_the_rest_and_is_kept() -> None:
    strips = "".join(f'<rect id="s{w}" x="{200 + 5 * w}" width="{w}" height="100"/>' for w in (20, 30, 50))
    Path("a.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="600mm" height="100mm" viewBox="0 0 600 100">'
        f'<rect id="target" width="100" height="100"/>{strips}</svg>'
    )
    command = ["assemble", "a.svg", "--out", "plan", "--check", "--export", "json", "--pin", "s30=35,50,0"]
    assert run(command) == 0
    saved = read_assembly("plan/a.assembly.json")
    assert saved.coverage == pytest.approx(1.0)
    assert len(saved.assembly) == 3


def test_an_interrupt_while_files_are_written_leaves_none_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pressed: list[bool] = []

    def pressed_first(*given: object, **named: object) -> object:
        if not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)
        return export_plan(*given, **named)  # pyright: ignore

    monkeypatch.setattr("sherd.workshop.export_plan", pressed_first)
    assert run(["assemble", "a.svg", "--out", "plan", "--export", "json,svg"]) == 130
    assert {path.name for path in Path("plan").iterdir()} == {"a.assembly.json", "a.assembled.svg"}
    assert "interrupted: what was found by then is written" in capsys.readouterr().err


def for_ever(*given: object, **named: object) -> None:
    """Work that asks nobody whether to go on."""
    while True:
        sum(range(1000))


def told_and_then_for_ever(*given: object, on_progress: OnProgress, **named: object) -> None:
    placed = Assembly().place("a", Pose(0.15, 0.4))
    on_progress(Progress(assembly=placed, objective=0.1, evaluations=1))
    for_ever()


def test_a_search_that_does_not_end_is_ended_and_what_it_told_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sherd.workshop.assemble_job", told_and_then_for_ever)
    command = ["assemble", "a.svg", "--out", "plan", "--time-limit", "0.5", "--export", "json", "--check"]
    with within(0.5):
        assert run(command) == 1
    saved = read_assembly("plan/a.assembly.json")
    assert not saved.solved
    assert saved.reason == "time was up before the answer was judged"
    assert [one.id for one in saved.assembly] == ["a"]
    assert "not solved, 1 of 4 pieces" in capsys.readouterr().out


@pytest.mark.parametrize("slow", ["workshop.result.plan_result", "plan.pages.draw_plan"])
def test_what_there_is_no_time_to_write_is_left_out_and_the_answer_is_not(
    slow: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(f"sherd.{slow}", for_ever)
    command = ["assemble", "a.svg", "--out", "plan", "--time-limit", "3", "--export", "json,svg,pdf"]
    with within(3.0):
        assert run([*command, "--check"]) == 0
    saved = read_assembly("plan/a.assembly.json")
    assert saved.solved
    assert len(saved.assembly) == 4
    said = capsys.readouterr().out
    needs_plan = "plan_result" in slow
    left_out = "how pieces are held, svg, pdf" if needs_plan else "pdf"
    assert f"left out for want of time: {left_out}\n" in said
    written = {"a.assembly.json"} if needs_plan else {"a.assembly.json", "a.assembled.svg"}
    assert {path.name for path in Path("plan").iterdir()} == written
    assert "a: solved, 4 of 4 pieces" in said


def test_why_it_is_not_solved_is_said_though_there_is_no_time_for_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sherd.cli.assemble_drawing.say_found", for_ever)
    Path("a.svg").write_text(DRAWING.replace("M120 10h30v60l-30 20z", "M120 10h60v60l-30 20z"))
    assert run(["assemble", "a.svg", "--time-limit", "1", "--export", "json", "--check"]) == 1
    said = capsys.readouterr().out
    assert "left out for want of time: a table of the pieces\n" in said
    assert "solved: " in said


def test_a_picture_of_what_was_read_does_not_take_the_time_for_solving(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sherd.workshop.reading.draw_reading", for_ever)
    with within(3.0):
        assert run(["assemble", "a.svg", "--time-limit", "3", "--export", "json,png", "--check"]) == 0
    assert "left out for want of time: a picture of what was read\n" in capsys.readouterr().out


@contextmanager
def within(limit: float) -> Generator[None, None, None]:
    """Not longer than limits promise, by the clock of tests, which counts work."""
    before = working_seconds()
    yield
    assert working_seconds() - before <= 1.1 * limit + 1.0


def test_an_answer_to_start_from_is_read_before_the_pieces_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def read(*_: object) -> None:
        raise AssertionError("the drawing was read first")

    monkeypatch.setattr("sherd.cli.assemble_drawing.read_pieces", read)
    assert run(["assemble", "a.svg", "--start", "nowhere.assembly.json"]) == 2
    assert "nowhere.assembly.json" in capsys.readouterr().err
