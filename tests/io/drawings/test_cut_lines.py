"""Borders, and lines across them: what they close in are the pieces."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from sherd.core.errors import FileFormatError
from sherd.core.geometry import union
from sherd.io.drawings import Drawing
from sherd.workshop import JobParams, assemble_job, make_job
from sherd.workshop.assembling import DRAWN

from .conftest import dxf_drawing, svg_drawing

BORDER = '<rect id="border" width="120" height="90"/>'


def wave(along: float, length: float, across: int, short: float, *, upright: bool) -> np.ndarray:
    """A wavy cut from one side to the other, ``short`` of both ends."""
    at = np.linspace(short, length - short, 40)
    off = along + 3.0 * np.sin(at / length * np.pi * across * 2.0)
    return np.stack([off, at] if upright else [at, off], axis=-1)


def cuts(short: float = 0.0) -> list[np.ndarray]:
    """Two cuts from top to bottom and two from left to right, which cross."""
    return [
        *(wave(x, 90.0, 3, short, upright=True) for x in (40.0, 80.0)),
        *(wave(y, 120.0, 4, short, upright=False) for y in (30.0, 60.0)),
    ]


def path(points: np.ndarray) -> str:
    return "M" + "L".join(f"{x},{y}" for x, y in points.tolist())


def fills(drawing: Drawing, count: int, area: float) -> bool:
    pieces = [figure.polygon for figure in drawing.pieces]
    return len(pieces) == count and union(pieces).area == pytest.approx(area) == sum(p.area for p in pieces)


SHORT = {"exact": 0.0, "short of the border": 0.04, "beyond the border": -0.5}
TOGETHER = {
    "a path each": lambda lines: "".join(f'<path d="{path(line)}"/>' for line in lines),
    "one path": lambda lines: f'<path d="{" ".join(map(path, lines))}"/>',
    "groups": lambda lines: "".join(
        f'<g id="g{k}"><path d="{path(line)}"/></g>' for k, line in enumerate(lines)
    ),
}


@pytest.mark.parametrize("short", SHORT.values(), ids=SHORT)
@pytest.mark.parametrize("drawn", TOGETHER.values(), ids=TOGETHER)
def test_a_border_and_cuts_across_it(drawn: object, short: float, tmp_path: Path) -> None:
    assert callable(drawn)
    found = svg_drawing(tmp_path, BORDER + drawn(cuts(short)))
    assert fills(found, 9, 120.0 * 90.0)
    assert [figure.label for figure in found.targets] == ["border"]
    assert "cut up by lines into 9, and taken for the target: border" in found.notes
    answer = assemble_job(make_job(found))
    assert (answer.solver, answer.solved) == (DRAWN, True)
    assert [figure.id for figure in found.pieces] == [f"piece {k}" for k in range(1, 10)]


@pytest.mark.parametrize("layers", [("0", "0"), ("edge", "cuts"), ("target", "cuts")])
def test_the_same_in_dxf(layers: tuple[str, str], tmp_path: Path) -> None:
    border, inner = layers
    corners = [(0, 0), (120, 0), (120, 90), (0, 90)]

    def draw(space: Any, _: Any) -> None:
        for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
            space.add_line(start, end, dxfattribs={"layer": border})
        for line in cuts():
            space.add_lwpolyline(line.tolist(), dxfattribs={"layer": inner})

    found = dxf_drawing(tmp_path, draw)
    assert fills(found, 9, 120.0 * 90.0)
    assert shapely.area([figure.polygon for figure in found.targets]).sum() == pytest.approx(120.0 * 90.0)
    everything = make_job(found, JobParams(no_target=True))
    assert len(everything.figures) == 9, "a border is no piece"


def test_cuts_that_end_on_cuts_and_shapes_inside(tmp_path: Path) -> None:
    lines = '<path d="M60,0V90"/><path d="M0,40H59.97"/><circle cx="90" cy="45" r="10"/>'
    found = svg_drawing(tmp_path, BORDER + lines)
    assert fills(found, 4, 120.0 * 90.0)
    assert len(found.pieces[2].polygon.interiors) + len(found.pieces[1].polygon.interiors) == 1


def test_shared_edges_drawn_once(tmp_path: Path) -> None:
    edges = ("0,0 40,10 80,0", "80,0 80,60", "80,60 40,50 0,60", "0,60 0,0", "40,10 30,30 40,50")
    found = svg_drawing(tmp_path, "".join(f'<polyline points="{edge}"/>' for edge in edges))
    assert len(found.pieces) == 2
    assert [figure.id for figure in found.targets] == ["target"]


def test_what_lies_in_a_hole_of_the_border_is_open(tmp_path: Path) -> None:
    frame = '<path d="M0,0H120V90H0Z M30,30V60H90V30Z"/>'
    found = svg_drawing(tmp_path, frame + '<path d="M0,45H120"/>')
    assert fills(found, 2, 120.0 * 90.0 - 60.0 * 30.0)


def test_a_line_that_only_touches_changes_nothing(tmp_path: Path) -> None:
    found = svg_drawing(tmp_path, BORDER + '<path id="leader" d="M150,20L120,40L130,80"/>')
    assert [figure.id for figure in found.figures] == ["border"]
    assert found.notes == ("left out (open): leader",)


def test_ends_that_stick_out_are_cut_off_and_named_once(tmp_path: Path) -> None:
    found = svg_drawing(tmp_path, BORDER + '<path d="M40,-5V95"/><path d="M80,-5V95"/>')
    assert len(found.pieces) == 3
    assert "ends that stick out were cut off: 2 shapes without a name" in found.notes
    assert not any("left out" in note for note in found.notes)


def test_a_target_of_its_own_is_not_replaced(tmp_path: Path) -> None:
    other = '<rect id="target" x="200" width="120" height="90"/>'
    found = svg_drawing(tmp_path, BORDER + other + '<path d="M60,0V90"/>')
    assert len(found.pieces) == 2
    assert [figure.polygon.bounds[0] for figure in found.targets] == [200.0]


def grid(count: int) -> Iterable[str]:
    for k in range(count):
        yield f'<path d="M{k} 0V{count}"/><path d="M0 {k}H{count}"/>'


def test_crossings_are_counted_before_anything_is_built(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="cross each other more than 20,000 times"):
        svg_drawing(tmp_path, "".join(grid(400)))


def test_one_piece_that_is_the_target_asks(tmp_path: Path) -> None:
    job = make_job(svg_drawing(tmp_path, BORDER), JobParams(target="rect:120x90"))
    found = assemble_job(job)
    assert found.verdict.state == "partly"
    assert found.verdict.why == "the only piece is the target itself: were the cuts read?"
