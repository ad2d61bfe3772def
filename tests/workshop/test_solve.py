"""From a file to a plan in one line, and answers that show themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sherd
from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose

SQUARE = """<svg xmlns="http://www.w3.org/2000/svg" width="40mm" height="20mm" viewBox="0 0 40 20">
<rect id="target" width="20" height="20"/>
<rect id="left" x="21" width="{width}" height="20"/>
<rect id="right" x="31" width="{width}" height="20"/></svg>"""


def picture(shown: Any) -> str:
    """What a notebook shows of a value."""
    return shown._repr_svg_()


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    path = tmp_path / "halves.svg"
    path.write_text(SQUARE.format(width=8))
    return path


def test_one_line_goes_from_a_file_to_a_plan(drawing: Path, tmp_path: Path):
    path = sherd.solve(drawing, target="rect:16x20").save(tmp_path / "plan.pdf")
    assert path.read_bytes().startswith(b"%PDF")
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".pdf"] == ["plan.pdf"]


def test_what_is_asked_counts(drawing: Path, tmp_path: Path):
    with pytest.raises(ValueError, match="kerf must be a finite number"):
        sherd.solve(drawing, kerf=float("nan"))
    (tmp_path / "halves.toml").write_text('target = "rect:16x20"\n')
    assert sherd.solve(drawing).solved


@pytest.mark.parametrize("name", ["plan.odt", "plan"])
def test_a_kind_of_file_that_there_is_not(drawing: Path, tmp_path: Path, name: str):
    found = sherd.solve(drawing, target="rect:16x20")
    with pytest.raises(ValueError, match="an answer is saved as json, svg, dxf, geojson, png, pdf, csv"):
        found.save(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("kind", ["svg", "dxf", "geojson", "png", "csv", "json"])
def test_every_other_kind_is_saved_under_the_name_given(drawing: Path, tmp_path: Path, kind: str):
    assert sherd.solve(drawing, target="rect:16x20").save(tmp_path / f"own name.{kind}").stat().st_size > 50


def test_answers_show_themselves_in_a_line_and_as_a_picture(drawing: Path):
    found = sherd.solve(drawing, target="rect:16x20")
    assert repr(found) == "<JobResult halves: solved, 2 of 2 pieces placed by search>"
    assert repr(found.result).startswith("<Result solved, 2 of 2 pieces placed, ")
    assert (found.result._repr_svg_() or "").count("<path") >= 3  # outlines, not only where pieces lie
    assert repr(found.job.puzzle) == "<Puzzle of 2 pieces, free to turn, target 16 x 20>"
    for shown in (found, found.result, found.result.assembly, found.job.puzzle):
        assert picture(shown).startswith("<svg")
    assert "left" in picture(found.result.assembly)


def test_groups_show_themselves_too(drawing: Path):
    found = sherd.solve(drawing, no_target=True, seconds=2.0)
    assert repr(found.job.puzzle).endswith("no target>")
    assert picture(found).startswith("<svg")


def test_an_assembly_is_one_line():
    assert repr(Assembly()) == "<Assembly of 0>"
    many = Assembly()
    for number in range(12):
        many = many.place(f"f{number}", Pose(float(number), 0.0))
    assert repr(many) == "<Assembly of 12: f0, f1, f2, f3, f4, f5, f6, f7, ...>"
    assert picture(many).count("<circle") == 12


def test_rotations_are_free_by_name():
    assert sherd.Rotations("free") == sherd.Rotations(None)
    for wrong in (0, -3, "some", 2.5):
        with pytest.raises(ValueError, match="positive number of bins or 'free'"):
            sherd.Rotations(wrong)  # type: ignore[arg-type]
