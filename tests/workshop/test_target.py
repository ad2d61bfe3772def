"""Targets: in words, from files, and of several rings."""

from __future__ import annotations

from pathlib import Path

import pytest
import shapely

from sherd.core.errors import FileFormatError
from sherd.io.drawings import Drawing, Figure
from sherd.workshop.job import make_job
from sherd.workshop.params import JobParams
from sherd.workshop.summary import warnings_of
from sherd.workshop.target import plain_target

from .conftest import LEFT, RIGHT, TARGET

TARGETS = {
    "rect:297x210": (0, 0, 297, 210),
    "RECT:297,210": (0, 0, 297, 210),
    "square:100": (0, 0, 100, 100),
    "polygon:4:50": (0, 0, 50, 50),
}


@pytest.mark.parametrize("text", TARGETS)
def test_plain_targets(text: str) -> None:
    target = plain_target(text)
    assert target is not None
    assert target.bounds == TARGETS[text]


def test_a_hexagon() -> None:
    target = plain_target("polygon:6:100")
    assert target is not None
    assert len(target.exterior.coords) == 7
    assert target.bounds[2] - target.bounds[0] == pytest.approx(100.0)


@pytest.mark.parametrize(
    "text", ["rect:5", "rect:axb", "square:-1", "square:nan", "polygon:2:5", "polygon:6", "rect:"]
)
def test_bad_plain_targets(text: str) -> None:
    with pytest.raises(ValueError, match="a target is a file, rect:297x210"):
        plain_target(text)


def test_a_target_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "tray.wkt").write_text("POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))")
    pieces = Drawing("a", (LEFT, RIGHT), "mm")
    job = make_job(pieces, JobParams(target=str(tmp_path / "tray.wkt")))
    assert job.puzzle.target.area == 10_000
    assert any(line.startswith("mixed units: the pieces are in mm") for line in warnings_of(job))
    known = make_job(pieces, JobParams(target=str(tmp_path / "tray.wkt"), unit="mm"))
    assert warnings_of(known) == []
    (tmp_path / "two.wkt").write_text("POLYGON ((0 0, 1 0, 1 1, 0 0))\nPOLYGON ((5 0, 6 0, 6 1, 5 0))")
    with pytest.raises(FileFormatError, match="the target is one shape, and there are 2"):
        make_job(pieces, JobParams(target=str(tmp_path / "two.wkt")))
    with pytest.raises(ValueError, match=r"'none.svg' is no file that exists, nor rect:297x210"):
        make_job(pieces, JobParams(target="none.svg"))


def test_a_target_of_two_rings_has_a_hole() -> None:
    inner = Figure("hole", shapely.box(40, 40, 60, 60), ("Target",))
    job = make_job(Drawing("a", (TARGET, inner, LEFT), "mm"))
    assert job.puzzle.target.area == 9600
