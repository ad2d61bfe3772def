"""What is written into a folder, and read back from it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from shapely import Polygon

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose, difference, size_of, union
from sherd.core.puzzle import Sample
from sherd.generation.tangram import tangram
from sherd.io import read_assembly
from sherd.io.drawings import Drawing, ReadParams, read_drawing
from sherd.plan import DrawnPiece, Layout, Plan, lay_out, make_plan
from sherd.plan.files import FORMATS, export, parse_formats
from sherd.plan.formats import (
    gaps_to_dxf,
    gaps_to_svg,
    layout_to_dxf,
    layout_to_svg,
)
from sherd.workshop.job_layout import lay_out_job

from .conftest import NASTY, Answered, draw, saved_of


def rebuilt(drawing: Drawing) -> float:
    """How much union and target of a drawing differ, relative to the square of the target's size."""
    (target,) = drawing.targets
    together = union([figure.polygon for figure in drawing.pieces])
    missing, beyond = difference(target.polygon, together).area, difference(together, target.polygon).area
    return (missing + beyond) / size_of(target.polygon) ** 2


@pytest.mark.parametrize("name", ["square", "boat", "cat"])
@pytest.mark.parametrize("ending", [".assembled.svg", ".assembled.dxf", ".assembled.geojson"])
def test_what_is_read_back_rebuilds_the_target(name: str, ending: str, tmp_path: Path) -> None:
    job, assembly = draw(tangram(name, np.random.default_rng(3)), 150.0)
    plan = make_plan(lay_out_job(job, assembly, name="tangram"))
    export(plan, saved_of(assembly), tmp_path, parse_formats("svg,dxf,geojson"))
    drawing = read_drawing(tmp_path / f"tangram{ending}", ReadParams())
    assert {figure.id for figure in drawing.pieces} == {figure.id for figure in job.figures}
    assert drawing.notes == ()
    assert rebuilt(drawing) <= 1e-6
    assert drawing.unit == ("unknown" if ending.endswith("geojson") else "mm")
    areas = {figure.id: figure.polygon.area for figure in job.figures}
    for figure in drawing.pieces:
        assert figure.polygon.area == pytest.approx(areas[figure.id], rel=1e-9)
    layers = {figure.id: figure.layer for figure in job.figures}
    assert {figure.id: figure.layer for figure in drawing.pieces} == layers


@given(
    seed=st.integers(0, 999),
    theta=st.floats(-10.0, 10.0),
    x=st.floats(-1e4, 1e4),
    mirrored=st.booleans(),
    ring=st.booleans(),
)
def test_any_pose_of_any_piece_is_kept(
    seed: int, theta: float, x: float, mirrored: bool, ring: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    corners = np.random.default_rng(seed).uniform(0.0, 50.0, (5, 2))
    outline = shapely.MultiPoint(corners).convex_hull
    assert isinstance(outline, Polygon)
    if ring:
        outline = outline.difference(outline.centroid.buffer(outline.area**0.5 / 20.0, quad_segs=2))
        assert isinstance(outline, Polygon)
    piece = DrawnPiece("p", outline, Pose(x, 3.0, theta, mirrored), "walls")
    layout = Layout("one", piece.placed.envelope, (piece,), "mm")
    folder = tmp_path_factory.mktemp("poses")
    (folder / "a.svg").write_text(layout_to_svg(layout))
    (folder / "a.dxf").write_text(layout_to_dxf(layout))
    for ending in ("svg", "dxf"):
        drawing = read_drawing(folder / f"a.{ending}")
        (figure,), (target,) = drawing.pieces, drawing.targets
        # The page of an SVG file begins at its own corner.
        shift = Pose(*(np.array(target.polygon.bounds[:2]) - layout.target.bounds[:2]))
        assert shapely.hausdorff_distance(figure.polygon, shift.apply(piece.placed)) <= 1e-7
        assert len(figure.polygon.interiors) == int(ring)


def test_json_reads_back_with_all_it_says(strewn: Answered, tmp_path: Path) -> None:
    job, assembly = strewn
    plan = make_plan(lay_out_job(job, Assembly(assembly.placements[1:]), name="four"))
    (path,) = export(plan, saved_of(assembly), tmp_path, ["json"])
    saved = read_assembly(path)
    assert [placement.id for placement in saved.assembly] == [step.id for step in plan.steps]
    assert saved.units == "mm"
    assert saved.set_aside == {"a": "no place was found"}
    assert saved.holds == plan.holds
    assert saved.gaps[0].equals(plan.gaps[0].polygon)
    # Each matrix takes the piece as it is drawn to its place.
    for placement in json.loads(path.read_text())["placements"]:
        a, b, c, d, e, f = placement["matrix"]
        piece = next(piece for piece in plan.layout.placed if piece.id == placement["id"])
        moved = shapely.transform(piece.drawn, lambda p: p @ np.array([[a, b], [c, d]]) + (e, f))  # noqa: B023
        assert moved.equals_exact(piece.placed, 1e-9)


def test_gaps_are_cut_files(strewn: Answered, tmp_path: Path) -> None:
    job, assembly = strewn
    plan = make_plan(lay_out_job(job, Assembly(assembly.placements[:3])))
    (tmp_path / "g.svg").write_text(gaps_to_svg(plan.gaps, plan.layout))
    (tmp_path / "g.dxf").write_text(gaps_to_dxf(plan.gaps, plan.layout))
    assert 'width="60mm" height="140mm" viewBox="0 0 60 140"' in (tmp_path / "g.svg").read_text()
    for name in ("g.svg", "g.dxf"):
        drawing = read_drawing(tmp_path / name)
        (figure,) = drawing.figures
        assert drawing.unit == "mm"
        assert figure.polygon.area == pytest.approx(60.0 * 140.0, rel=1e-9)


def test_nasty_names_stay_inside_the_folder_and_in_the_files(nasty_plan: Plan, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    folder.mkdir(parents=True)
    files = export(nasty_plan, saved_of(nasty_plan.layout.assembly), folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in files)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == sorted(
        files, key=[p for p in tmp_path.rglob("*") if p.is_file()].index
    )
    assert {path.name for path in files} == {
        f"a_nasty_name{ending}"
        for name, endings in FORMATS.items()
        if name not in ("gaps", "photo")
        for ending in endings
    }
    assert {p.id for p in read_assembly(folder / "a_nasty_name.assembly.json").assembly} == set(NASTY)
    for ending in ("svg", "geojson"):
        drawing = read_drawing(folder / f"a_nasty_name.assembled.{ending}")
        assert {figure.id for figure in drawing.pieces} == set(NASTY)
    assert len(read_drawing(folder / "a_nasty_name.assembled.dxf").pieces) == len(NASTY)
    with Image.open(folder / "a_nasty_name.assembled.png") as picture:
        assert picture.size > (300, 100)


def test_old_cut_files_go_when_there_are_no_gaps(square_of_four: Sample, tmp_path: Path) -> None:
    for assembly, count in ((Assembly(square_of_four.truth.placements[:2]), 2), (square_of_four.truth, 0)):
        plan = make_plan(lay_out(square_of_four.puzzle, assembly, name="four"))
        files = export(plan, saved_of(assembly), tmp_path, ["gaps"])
        assert len(files) == len(list(tmp_path.iterdir())) == count


@pytest.mark.parametrize(
    ("text", "said"), [("pdf,docx", "unknown format 'docx'"), ("all,svg", "unknown format 'all'")]
)
def test_unknown_formats_are_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_formats(text)


def test_nothing_placed_is_still_exported(square_of_four: Sample, tmp_path: Path) -> None:
    plan = make_plan(lay_out(square_of_four.puzzle, Assembly(), name="none"))
    files = export(plan, saved_of(Assembly()), tmp_path)
    assert len(files) == sum(map(len, FORMATS.values())) - 1  # no photograph without pixels
    assert read_assembly(tmp_path / "none.assembly.json").set_aside.keys() == {"a", "b", "c", "d"}
