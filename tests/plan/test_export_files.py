"""Everything that is written, read back: by our own readers, and by plain XML, JSON and CSV parsers."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import ezdxf
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
from sherd.io import SavedAssembly, read_assembly
from sherd.io.drawings import Drawing, ReadParams, read_drawing
from sherd.plan import Layout, Piece, Plan, lay_out, make_plan
from sherd.plan.files import FORMATS, export, parse_formats
from sherd.plan.formats import (
    gaps_to_dxf,
    gaps_to_svg,
    layout_to_dxf,
    layout_to_svg,
    plan_to_csv,
    safe_file_name,
)
from sherd.plan.formats.names import path_inside
from sherd.workshop import lay_out_job

from .conftest import Answered, draw

NASTY = [
    'quo"te',
    "sla/sh\\back",
    "<&>'",
    "emoji 🏺",
    "..",
    "con",
    "a,b;c|d*?",
    "x" * 90,
    "Ünï κ",
    "=1+1",
    "%s{}",
]


def saved_of(assembly: Assembly) -> SavedAssembly:
    return SavedAssembly(
        assembly=assembly, solver="search", seconds=0.5, solved=True, coverage=1.0, iou=1.0, overlap=0.0
    )


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
    piece = Piece("p", outline, Pose(x, 3.0, theta, mirrored), "walls")
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


def test_svg_has_a_group_a_piece_with_the_drawn_outline_and_its_pose(strewn: Answered) -> None:
    job, assembly = strewn
    plan = make_plan(lay_out_job(job, assembly))
    root = ElementTree.fromstring(layout_to_svg(plan.layout, plan.numbers))
    assert root.attrib["width"] == "208mm"
    assert root.attrib["viewBox"] == "0 0 208 208"
    groups = {
        group.attrib["id"]: group
        for group in root.iter("{http://www.w3.org/2000/svg}g")
        if "id" in group.attrib
    }
    assert groups.keys() == {"target", "a", "b", "c", "d"}
    for piece in plan.layout.placed:
        assert piece.pose is not None
        group = groups[piece.id]
        numbers = group.attrib["transform"].removeprefix("matrix(").removesuffix(")").split(",")
        assert tuple(map(float, numbers)) == piece.pose.matrix
        assert int(group.attrib["data-number"]) == plan.numbers[piece.id]
        path = group.find("{http://www.w3.org/2000/svg}path")
        assert path is not None
        drawn = [tuple(map(float, point.split(","))) for point in path.attrib["d"][1:-1].split("L")]
        assert drawn == list(piece.drawn.exterior.coords)[:-1]


def test_dxf_keeps_layers_units_and_exact_names(strewn: Answered, tmp_path: Path) -> None:
    job, assembly = strewn
    layout = lay_out_job(job, assembly)
    odd = tuple(replace(piece, id=name) for piece, name in zip(layout.pieces, NASTY, strict=False))
    path = tmp_path / "a.dxf"
    path.write_text(layout_to_dxf(replace(layout, pieces=odd)))
    document = ezdxf.readfile(path)
    assert document.audit().errors == []
    assert document.header["$INSUNITS"] == 4
    inserts = document.modelspace().query("INSERT")
    assert [insert.dxf.layer for insert in inserts] == [piece.layer for piece in odd]
    assert [insert.get_xdata("SHERD")[0].value for insert in inserts] == [piece.id for piece in odd]


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


def test_geojson_features_carry_id_pose_and_number(strewn: Answered, tmp_path: Path) -> None:
    job, assembly = strewn
    plan = make_plan(lay_out_job(job, assembly, name="four"))
    (path,) = export(plan, saved_of(assembly), tmp_path, ["geojson"])
    document = json.loads(path.read_text())
    assert document["sherd"] == {"unit": "mm", "set_aside": []}
    target, *pieces = document["features"]
    assert target["properties"]["role"] == "target"
    assert [feature["properties"]["number"] for feature in pieces] == [1, 2, 3, 4]
    for feature, piece in zip(pieces, plan.in_order, strict=True):
        pose = feature["properties"]["pose"]
        assert piece.pose is not None
        assert feature["id"] == piece.id
        assert Pose(pose["x"], pose["y"], math.radians(pose["rotation_deg"])).is_close(piece.pose, 1e-9)
        assert shapely.geometry.shape(feature["geometry"]).equals_exact(piece.placed, 1e-9, normalize=True)


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


def test_the_table_has_a_row_a_piece(strewn: Answered) -> None:
    job, assembly = strewn
    plan = make_plan(lay_out_job(job, Assembly(assembly.placements[:3])))
    rows = list(csv.DictReader(plan_to_csv(plan).splitlines()))
    assert [row["name"] for row in rows] == [*(step.id for step in plan.steps), "d"]
    by_name = {row["name"]: row for row in rows}
    assert (by_name["a"]["length"], by_name["a"]["width"], by_name["a"]["area"]) == ("80", "60", "4800")
    assert by_name["a"]["held"] == "280"
    assert by_name["d"]["band"] == "set aside"


@pytest.fixture
def nasty_plan() -> Plan:
    boxes = [shapely.box(k, 0, k + 1, 5) for k in range(len(NASTY))]
    pieces = tuple(Piece(name, box, Pose(), f"layer {name}") for name, box in zip(NASTY, boxes, strict=True))
    return make_plan(Layout('../../a "nasty"/name 🏺', shapely.box(0, 0, len(NASTY), 5), pieces, "mm"))


def test_nasty_names_stay_inside_the_folder_and_in_the_files(nasty_plan: Plan, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    folder.mkdir(parents=True)
    files = export(nasty_plan, saved_of(nasty_plan.layout.assembly), folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in files)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == sorted(
        files, key=[p for p in tmp_path.rglob("*") if p.is_file()].index
    )
    assert {path.name for path in files} == {
        f"a_nasty_name{ending}" for name, endings in FORMATS.items() if name != "gaps" for ending in endings
    }
    assert {p.id for p in read_assembly(folder / "a_nasty_name.assembly.json").assembly} == set(NASTY)
    for ending in ("svg", "geojson"):
        drawing = read_drawing(folder / f"a_nasty_name.assembled.{ending}")
        assert {figure.id for figure in drawing.pieces} == set(NASTY)
    assert len(read_drawing(folder / "a_nasty_name.assembled.dxf").pieces) == len(NASTY)
    with Image.open(folder / "a_nasty_name.assembled.png") as picture:
        assert picture.size > (300, 100)


@given(text=st.text(max_size=200))
def test_any_text_makes_a_safe_file_name(text: str) -> None:
    name = safe_file_name(text)
    assert 0 < len(name.encode()) <= 90
    assert name == Path(name).name
    assert name.strip(". ") == name
    assert not set(name) & set('<>:"/\\|?*\0\n')


def test_links_do_not_lead_out_of_the_folder(nasty_plan: Plan, tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside.csv", tmp_path / "out"
    folder.mkdir()
    outside.write_text("mine")
    (folder / "a_nasty_name.pieces.csv").symlink_to(outside)
    with pytest.raises(OSError, match="leads out of the folder"):
        export(nasty_plan, saved_of(nasty_plan.layout.assembly), folder, ["csv"])
    assert outside.read_text() == "mine"
    for name in ("../x", "a/b", "..", ""):
        with pytest.raises(OSError, match="leads out of the folder"):
            path_inside(folder, name)


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
    assert len(files) == sum(map(len, FORMATS.values()))
    assert read_assembly(tmp_path / "none.assembly.json").set_aside.keys() == {"a", "b", "c", "d"}
