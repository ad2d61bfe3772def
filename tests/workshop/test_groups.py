"""Jobs without a target: every figure is a piece, and groups come out as files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from PIL import Image

from sherd.core.assembly import Assembly
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import FREE, Pose
from sherd.core.grid import Grid
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.fractal import WAVY
from sherd.io import read_assembly
from sherd.io.drawings import Drawing, Figure, read_drawing
from sherd.solvers.stop import MaxEvaluations
from sherd.tracing.raster import masks
from sherd.workshop import JobParams, JobResult, assemble_job, export_plan, make_job, read_settings, summary
from sherd.workshop.groups import groups_in_words
from sherd.workshop.result import export_bare

from .conftest import HALVES

NO_TARGET = JobParams(no_target=True)


def torn(pieces: int = 6) -> Drawing:
    """A torn square of 100 mm as it lies on a table, one scrap called target."""
    kind = PuzzleKind(pieces=pieces, dissection="broken", rotations=FREE)
    sample = next(make_samples(kind, seed=2, stop=1))
    figures = [
        Figure(
            "target" if k == 0 else f"scrap {k}",
            Pose(150.0 * k).apply(shapely.transform(fragment.polygon, lambda xy: 100.0 * xy)),
        )
        for k, fragment in enumerate(sample.puzzle.fragments)
    ]
    return Drawing("torn.svg", tuple(figures), "mm")


@pytest.fixture(scope="module")
def found() -> JobResult:
    return assemble_job(make_job(torn(), NO_TARGET), seconds=600.0, stop=MaxEvaluations(300))


def test_a_clean_scan_is_not_told_as_worn(tmp_path: Path) -> None:
    """Wavy edges at 300 pixels a side: how finely a scan shows them is known to those who match them."""
    kind = PuzzleKind(pieces=8, dissection="broken", rotations=FREE, roughness=WAVY)
    sample = next(make_samples(kind, seed=653, stop=1))
    grid = Grid(900, left=-0.5, top=2.5, pixel=1 / 300)
    places = [Pose(0.9 * (k % 3), 0.9 * (k // 3), 0.7 * k) for k in range(8)]
    lying = [at.apply(one.polygon) for at, one in zip(places, sample.puzzle.fragments, strict=True)]
    cover = masks(lying, grid).sum(axis=0)
    Image.fromarray((40 + 180 * cover).astype(np.uint8)).save(tmp_path / "scan.png", dpi=(76.2, 76.2))
    job = make_job(read_drawing(tmp_path / "scan.png"), NO_TARGET)
    assert len(job.figures) == 8 and job.puzzle.pixel == pytest.approx(1.0 / 3.0)
    found = assemble_job(job, seconds=600.0, stop=MaxEvaluations(300))
    assert found.solved


def test_every_figure_is_a_piece() -> None:
    job = make_job(HALVES, NO_TARGET)
    assert [figure.id for figure in job.figures] == ["outline", "left", "right"]
    assert not job.puzzle.has_target
    assert summary(job) == "halves.svg: 3 pieces, 100 to 100 mm across; no target"


def test_a_torn_sheet_comes_together(found: JobResult, tmp_path: Path) -> None:
    assert found.solved
    assert found.solver == "contours"
    assert groups_in_words(found.job.puzzle, found.result) == "1 group of 6 pieces; none alone"
    files = export_plan(found, tmp_path)
    endings = "assembly.json assembled.svg assembled.dxf assembled.geojson assembled.png plan.pdf pieces.csv"
    assert [path.name for path in files] == [f"torn.{ending}" for ending in endings.split()]
    saved = read_assembly(files[0])
    assert {hold.band for hold in saved.holds.values()} == {"likely"}
    (group,) = found.plan.groups
    assert group.pieces == saved.holds.keys()
    assert group.outline.area == pytest.approx(1e4, rel=0.01)
    assert (saved.solved, saved.has_target, saved.units) == (True, False, "mm")
    drawn = {figure.id: figure.polygon for figure in torn().figures}
    together = shapely.union_all([one.pose.apply(drawn[one.id]) for one in saved.assembly])
    assert together.buffer(0.5).convex_hull.area == pytest.approx(101.0**2, rel=0.02)
    joint = saved.groups[0].joints[0]
    assert joint.first is not None
    lies = saved.assembly[joint.first].inverse() @ saved.assembly[joint.second]
    middle = drawn[joint.second].centroid
    there, told = (pose.points([middle.x, middle.y]) for pose in (lies, joint.pose))
    assert abs(there - told).max() < 3.0
    again = read_drawing(files[1])
    assert len(again.figures) == 6
    assert sum(figure.polygon.area for figure in again.figures) == pytest.approx(1e4, rel=0.01)


def test_where_pieces_lie_is_written_without_a_plan(found: JobResult, tmp_path: Path) -> None:
    """Which takes long of outlines with many points."""
    anew = replace(found)
    path = export_bare(anew, tmp_path / "bare")
    assert not anew.is_planned
    (whole,) = export_plan(found, tmp_path, "json")
    bare, saved = read_assembly(path), read_assembly(whole)
    assert bare.groups == saved.groups
    assert bare.assembly == saved.assembly


def test_where_nothing_lies_together_there_is_no_plan(found: JobResult, tmp_path: Path) -> None:
    apart = replace(found, result=replace(found.result, assembly=Assembly(), groups=()))
    (tmp_path / "torn.plan.pdf").write_text("an older one")
    assert [path.name for path in export_plan(apart, tmp_path, "svg,pdf,csv")] == ["torn.assembled.svg"]
    assert not (tmp_path / "torn.plan.pdf").exists()
    with pytest.raises(ValueError, match=r"torn\.pdf: nothing lies together, so there is no plan$"):
        apart.save(tmp_path / "torn.pdf")


def test_formats_that_need_a_target_say_so(found: JobResult, tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"^gaps needs a target; without one: json, svg, dxf, geojson, png, "
    ):
        export_plan(found, tmp_path, "csv,gaps")


def test_what_goes_with_a_target_only_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="choose one"):
        JobParams(no_target=True, target="square:3")
    with pytest.raises(ValueError, match="pinned"):
        JobParams(no_target=True, pins={"a": None})
    with pytest.raises(UnsupportedError, match="there is none"):
        assemble_job(make_job(HALVES, NO_TARGET), refine=True)
    (tmp_path / "a.toml").write_text("no_target = true\n")
    assert read_settings(tmp_path / "a.toml") == NO_TARGET
