"""Targets: in words, from files, and of several rings."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import shapely

from sherd.core.errors import FileFormatError
from sherd.generation.tangram import SILHOUETTES, parted_tangram
from sherd.io.drawings import Drawing, Figure, read_drawing
from sherd.workshop.assembling import assemble_job
from sherd.workshop.job import make_job
from sherd.workshop.params import JobParams
from sherd.workshop.summary import summary, warnings_of
from sherd.workshop.target import plain_target

from .conftest import LEFT, RIGHT, TARGET

TARGETS = {
    "rect:297x210": (0, 0, 297, 210),
    "RECT:297,210": (0, 0, 297, 210),
    "square:100": (0, 0, 100, 100),
    "polygon:4:50": (0, 0, 50, 50),
    "circle:80": (0, 0, 80, 80),
    "Ellipse:90x60": (0, 0, 90, 60),
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


def test_round_targets_are_round() -> None:
    circle, many = plain_target("circle:80"), plain_target("polygon:500:80")
    assert circle is not None
    assert many is not None
    assert circle.area == pytest.approx(np.pi * 40.0**2, rel=1e-5)
    assert len(many.exterior.coords) == 501


@pytest.mark.parametrize(
    "text",
    [
        "rect:5",
        "rect:axb",
        "square:-1",
        "square:nan",
        "polygon:2:5",
        "polygon:6",
        "rect:",
        "circle:",
        "circle:a",
        "ellipse:5",
    ],
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
    crumb = Drawing("a", (Figure("crumb", shapely.box(0, 0, 0.1, 0.1)),), "mm")
    two = make_job(crumb, JobParams(target=str(tmp_path / "two.wkt")))
    assert two.puzzle.target.geom_type == "MultiPolygon"
    with pytest.raises(ValueError, match=r"'none.svg' is no file that exists, nor rect:297x210"):
        make_job(pieces, JobParams(target="none.svg"))


def test_a_target_of_two_rings_has_a_hole() -> None:
    inner = Figure("hole", shapely.box(40, 40, 60, 60), ("Target",))
    job = make_job(Drawing("a", (TARGET, inner, LEFT), "mm"))
    assert job.puzzle.target.area == 9600


def test_an_island_lies_in_the_hole_of_a_target() -> None:
    pierced = shapely.box(0, 0, 100, 100).difference(shapely.box(20, 20, 80, 80))
    figures = (Figure("target", pierced), Figure("target.2", shapely.box(40, 40, 60, 60), label="target"))
    target = make_job(Drawing("a", (*figures, LEFT), "mm")).puzzle.target
    assert (target.geom_type, target.area) == ("MultiPolygon", 10_000 - 3600 + 400)


def test_parts_that_share_an_edge_are_one_and_parts_that_overlap_are_refused() -> None:
    beside, over = (Figure("b", shapely.box(x, 0, 200, 100), ("Target",)) for x in (100, 90))
    assert make_job(Drawing("a", (TARGET, beside, LEFT), "mm")).puzzle.target.bounds == (0, 0, 200, 100)
    with pytest.raises(FileFormatError, match="parts of the target overlap: outline, b"):
        make_job(Drawing("a", (TARGET, over, LEFT), "mm"))


DRAWN = {
    "one path, two subpaths": '<path id="target" d="M0,0H40V40H0Z M60,0h40v40h-40Z"/>',
    "two shapes of that name": '<path id="target" d="M0,0H40V40H0Z"/>'
    '<rect inkscape:label="target" x="60" width="40" height="40"/>',
    "a group": '<g id="target"><rect width="40" height="40"/><rect x="60" width="40" height="40"/></g>',
    "touching in a corner": '<path id="target" d="M0,0H40V40H80V80H40V40H0Z"/>',
    "touching, crosswise": '<path id="target" d="M0,0H40V40V80H80V40H40H0Z"/>',
}


@pytest.mark.parametrize("target", DRAWN.values(), ids=DRAWN)
def test_targets_of_two_parts_are_drawn_in_many_ways(target: str, tmp_path: Path) -> None:
    pieces = (
        f'<rect id="{name}" x="{x}" y="100" width="40" height="{height}"/>'
        for name, x, height in (("a", 0, 30), ("b", 50, 10), ("c", 100, 40))
    )
    (tmp_path / "two.svg").write_text(f"<svg>{target}{''.join(pieces)}</svg>")
    job = make_job(read_drawing(tmp_path / "two.svg"))
    assert [figure.id for figure in job.figures] == ["a", "b", "c"]
    assert "in 2 parts" in summary(job)
    found = assemble_job(job)
    assert found.solved
    assert found.measures.iou == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(8))
def test_tangram_figures_of_several_parts(seed: int, tmp_path: Path) -> None:
    sample = parted_tangram(list(SILHOUETTES)[seed], np.random.default_rng(seed))
    features = [
        {"type": "Feature", "properties": {"name": name}, "geometry": shapely.geometry.mapping(shape)}
        for name, shape in (
            ("target", sample.puzzle.target),
            *((one.id, one.polygon) for one in sample.puzzle.fragments),
        )
    ]
    path = tmp_path / "tangram.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    params = JobParams(mirror=True)
    found = assemble_job(make_job(read_drawing(path, params), params))
    assert len(shapely.get_parts(found.job.puzzle.target)) > 1
    assert found.solved
    assert found.measures.iou == pytest.approx(1.0)
    files = {path.suffix: path for path in found.export(tmp_path / "plan")}
    for suffix in (".svg", ".dxf", ".geojson"):
        drawn = read_drawing(files[suffix])
        assert (len(drawn.pieces), len(drawn.targets)) == (7, len(shapely.get_parts(sample.puzzle.target)))
