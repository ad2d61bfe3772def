"""Puzzles as drawings, and figures taken for what somebody says they are."""

from __future__ import annotations

from pathlib import Path

import pytest
import shapely

from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.io import write_samples
from sherd.workshop import assemble_job, make_job
from sherd.workshop.params import JobParams
from sherd.workshop.source import drawing_of, read_source, with_roles

from .conftest import HALVES

TWO_PARTS = shapely.MultiPolygon([shapely.box(0, 0, 2, 2), shapely.box(5, 0, 6, 2)])
PIECES = (
    Fragment("target", shapely.box(10, 10, 12, 12)),  # a name that a figure has already, and off its centroid
    Fragment("b", shapely.box(-0.5, -1, 0.5, 1)),
)


def test_a_puzzle_is_laid_out_and_solved_by_the_one_path(tmp_path: Path) -> None:
    puzzle = Puzzle(TWO_PARTS, PIECES, Rotations(4), mirror=frozenset({"b"}))
    path = tmp_path / "two.json"
    write_samples(path, [puzzle])
    drawing, params = read_source(path, {})
    assert params.rotations == Rotations(4) and params.mirror == frozenset({"b"})
    assert [figure.id for figure in drawing.figures] == ["target", "target 2", "piece target", "b"]
    outlines = [figure.polygon for figure in drawing.figures]
    assert shapely.union_all(outlines).area == pytest.approx(sum(one.area for one in outlines))
    job = make_job(drawing, params)
    assert job.puzzle.target.symmetric_difference(TWO_PARTS).area < 1e-9
    assert assemble_job(job, seconds=20.0).solved
    _, params = read_source(path, {"rotations": 1, "mirror": False})
    assert params.rotations == Rotations(1) and params.mirror is False


def test_a_puzzle_without_a_target_has_none_unless_one_is_given() -> None:
    puzzle = Puzzle.of_pieces(PIECES)
    drawing = drawing_of(puzzle, "loose.json")
    assert not drawing.targets and len(drawing.pieces) == 2
    middle = drawing.pieces[1].polygon.centroid
    assert Pose(-middle.x, -middle.y).apply(drawing.pieces[1].polygon).equals(PIECES[1].polygon)


def test_a_puzzle_keeps_its_pixel() -> None:
    puzzle = Puzzle(TWO_PARTS, PIECES, pixel=0.01)
    assert make_job(drawing_of(puzzle, "traced.json")).puzzle.pixel == 0.01
    job = make_job(drawing_of(puzzle, "traced.json"), JobParams(scale=2.0, no_target=True))
    assert job.puzzle.pixel == pytest.approx(0.02)
    # By hand pieces are cut worse than pixels show them: the search is told no pixel then.
    assert job.puzzle.pixel_alone is None and puzzle.pixel_alone == 0.01


def test_roles_are_what_somebody_says() -> None:
    turned = with_roles(HALVES, {"left": "target", "outline": "piece", "right": "aside"})
    assert [figure.id for figure in turned.targets] == ["left"]
    assert [figure.id for figure in turned.pieces] == ["outline"]
    with pytest.raises(ValueError, match="there is no outline 'nobody' to be a piece"):
        with_roles(HALVES, {"nobody": "piece"})
