"""Pieces that nobody would wish for: a clear end each time, and never a wrong answer called solved."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
import shapely
from shapely import Polygon

from sherd.core.geometry import Pose, difference
from sherd.generation.broken import BrokenParams
from sherd.generation.fracture import fractured
from sherd.io import read_assembly
from sherd.io.drawings import Drawing, Figure
from sherd.solvers.contours.groups import TELLS_NOTHING
from sherd.solvers.stop import MaxEvaluations
from sherd.workshop import Job, JobParams, JobResult, assemble_job, export_plan, make_job
from sherd.workshop.foreign import NOT_MISSED

TILE = shapely.box(0.0, 0.0, 100.0, 100.0)


def torn(seed: int, pieces: int = 6) -> list[Polygon]:
    """A tile of 100 mm broken along jagged lines."""
    sample = fractured(TILE, BrokenParams(pieces=pieces), np.random.default_rng(seed))
    return [fragment.polygon for fragment in sample.puzzle.fragments]


def job_of(outlines: Sequence[Polygon], params: JobParams) -> Job:
    figures = [Figure(f"p{k}", Pose(200.0 * k).apply(outline)) for k, outline in enumerate(outlines)]
    return make_job(Drawing("pieces.svg", tuple(figures), "mm"), params)


def assembled(outlines: Sequence[Polygon], *, target: bool = False, steps: int = 200) -> JobResult:
    params = JobParams(target="square:100") if target else JobParams(no_target=True)
    return assemble_job(job_of(outlines, params), seconds=600.0, stop=MaxEvaluations(steps))


def dense(outline: Polygon, points: int, rng: np.random.Generator) -> Polygon:
    """The outline with so many points, each off by a little."""
    corners = shapely.get_coordinates(shapely.segmentize(outline, outline.length / points))[:-1]
    return Polygon(corners + rng.normal(0.0, 2e-4, corners.shape))


def spiked(outline: Polygon) -> Polygon:
    """The outline with a needle on it, 30 mm long."""
    corners = shapely.get_coordinates(outline)[:-1]
    way = corners[1] - corners[0]
    across = np.array([way[1], -way[0]]) / np.hypot(*way)
    middle = (corners[0] + corners[1]) / 2.0
    needle = [middle - way / 1000.0, middle + 30.0 * across, middle + way / 1000.0]
    return Polygon(np.insert(corners, 1, needle, axis=0)).buffer(0.0)


@pytest.mark.parametrize("target", [True, False])
def test_outlines_of_twenty_thousand_points_come_right(target: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    found = assembled([dense(piece, 20_000, rng) for piece in torn(1)], target=target)
    assert found.solved, found.result.reason
    assert "thinned" in found.job.notes[0]
    assert all(shapely.get_num_coordinates(figure.polygon) < 2000 for figure in found.job.figures)
    assert export_plan(found, tmp_path)


@pytest.mark.parametrize("target", [True, False])
def test_triangles_that_are_no_set_are_not_solved(target: bool) -> None:
    triangles = [Polygon([(0, 0), (30, 0), (0, 30 + k)]) for k in range(8)]
    found = assembled(triangles, target=target, steps=20)
    assert not found.solved
    assert found.result.reason


@pytest.mark.parametrize("target", [True, False])
def test_spikes_end_in_a_clear_word(target: bool, tmp_path: Path) -> None:
    found = assembled([spiked(piece) for piece in torn(1)], target=target, steps=30)
    assert not found.solved
    assert found.result.reason
    assert export_plan(found, tmp_path)


def test_pieces_with_holes_come_together_all_the_same() -> None:
    holed = [difference(piece, piece.representative_point().buffer(2.0)) for piece in torn(1)]
    found = assembled([piece for piece in holed if isinstance(piece, Polygon)], target=True)
    assert len(found.result.assembly) == 6
    assert found.verdict.state != "not solved"


def test_equal_squares_say_that_joints_tell_nothing(tmp_path: Path) -> None:
    found = assembled([shapely.box(0.0, 0.0, 10.0, 10.0)] * 64, steps=1)
    assert not found.solved
    assert found.result.reason == TELLS_NOTHING
    assert all(joint.likelihood < 0.05 for group in found.result.groups for joint in group.joints)
    assert {path.suffix for path in export_plan(found, tmp_path)} >= {".json", ".svg", ".png", ".pdf"}


def test_two_sets_mixed_make_two_groups() -> None:
    found = assembled([*torn(1), *torn(2)])
    assert found.verdict.in_words == "partly solved"
    members = [{one.id for one in group.assembly} for group in found.result.groups]
    assert sorted(map(sorted, members)) == [
        sorted(f"p{k}" for k in range(6)),
        sorted(f"p{k}" for k in range(6, 12)),
    ]


def test_torn_pieces_of_another_tile_are_set_aside_with_the_reason(tmp_path: Path) -> None:
    found = assembled([*torn(1), *torn(4)[:2]], target=True, steps=60)
    assert found.solved, found.result.reason
    assert found.verdict.excused == {"p6": NOT_MISSED, "p7": NOT_MISSED}
    files = export_plan(found, tmp_path, "json,csv,pdf")
    assert read_assembly(files[0]).set_aside == found.verdict.excused
    with contextlib.closing(pypdfium2.PdfDocument(tmp_path / "pieces.plan.pdf")) as plan:
        pages = [page.get_textpage().get_text_range() for page in plan]
    assert any(NOT_MISSED in page for page in pages)


@pytest.mark.parametrize("target", [True, False])
def test_pieces_that_do_not_fit_are_not_solved(target: bool) -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    waves = [1.0 + 0.1 * np.cos(k * angle + k) + 0.05 * np.sin((k + 3) * angle) for k in range(2, 9)]
    blobs = [Polygon(15.0 * wave[:, None] * np.stack([np.cos(angle), np.sin(angle)], -1)) for wave in waves]
    found = assembled(blobs, target=target, steps=20)
    assert not found.solved
    assert found.result.reason
