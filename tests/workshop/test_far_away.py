"""Where a drawing lies, and how large its numbers are, changes nothing but the numbers of its answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.core.geometry import Pose, Rotations, angle_between, intersection, union
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Puzzle
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import Shape
from sherd.io.drawings import Drawing, Figure, read_drawing
from sherd.solvers.run import assemble
from sherd.workshop import JobResult, assemble_job, make_job

FAR = Path(__file__).parent / "far"
UNLIKE = Shape("unlike all of its turns", make_polygon([[0, 0], [1, 0.1], [0.9, 0.8], [0.1, 1]]))
(SAMPLE,) = generate(UNLIKE, FragmentationParams(pieces=5, rotations=Rotations(None)), count=1, seed=5)


def drawn_at(x: float, y: float, scale: float) -> Drawing:
    """The pieces beside their target, everything larger and elsewhere."""
    shapes = {"target": SAMPLE.puzzle.target}
    shapes |= {one.id: Pose(2.0 * k, 3.0).apply(one.polygon) for k, one in enumerate(SAMPLE.puzzle.fragments)}
    moved = {name: shapely.transform(one, lambda xy: xy * scale + (x, y)) for name, one in shapes.items()}
    return Drawing("far.svg", tuple(Figure(name, one) for name, one in moved.items()), "mm")


NEAR = assemble_job(make_job(drawn_at(0.0, 0.0, 1.0)))


@settings(max_examples=12, deadline=None)
@given(
    x=st.sampled_from([0.0, 450_000.0, -1e6, 1e9]),
    y=st.sampled_from([0.0, 1e3, -450_000.0, 1e9]),
    exponent=st.integers(-6, 6),
)
def test_the_answer_is_the_same_up_to_the_shift(x: float, y: float, exponent: int) -> None:
    # What is finer than the numbers of the file is lost before it is read.
    scale = 10.0 ** max(exponent, round(np.log10(max(abs(x), abs(y), 1.0))) - 9)
    found = assemble_job(make_job(drawn_at(x, y, scale)))
    assert found.solved
    assert [placement.id for placement in found.result.assembly] == [p.id for p in NEAR.result.assembly]
    assert {name: hold.band for name, hold in found.plan.holds.items()} == {
        name: hold.band for name, hold in NEAR.plan.holds.items()
    }
    rounding = 4.0 * np.spacing(max(abs(x), abs(y), scale)) / scale + 1e-9
    for placement, there in zip(found.result.assembly, NEAR.result.assembly, strict=True):
        drawn, near = (
            shapely.get_coordinates(answer.job.placed_figure(one))
            for answer, one in ((found, placement), (NEAR, there))
        )
        assert np.abs((drawn - (x, y)) / scale - near).max() <= rounding


@pytest.mark.parametrize("name", ["mini46", "mini62"])
def test_drawings_that_broke_set_operations(name: str, tmp_path: Path) -> None:
    found = assemble_job(make_job(read_drawing(FAR / f"{name}.geojson")), seconds=2.0)
    files = found.export(tmp_path, "all")
    assert any(path.suffix == ".pdf" for path in files)
    assert_is_honest(found)


def assert_is_honest(found: JobResult) -> None:
    """What is called solved fills no place twice."""
    placed = [found.job.placed_figure(one) for one in found.result.assembly]
    doubled = sum(piece.area for piece in placed) - union(placed).area if placed else 0.0
    outside = sum(piece.area - intersection(piece, found.job.target).area for piece in placed)
    assert not found.solved or doubled + outside <= 0.06 * found.job.target.area


@pytest.mark.parametrize("shift", [450_000.0, 1e9])
def test_puzzles_in_files_may_be_far_away_too(shift: float) -> None:
    there = Pose(shift, -shift)
    fragments = tuple(
        type(one)(one.id, Pose(-shift, shift).apply(one.polygon)) for one in SAMPLE.puzzle.fragments
    )
    far = Puzzle(there.apply(SAMPLE.puzzle.target), fragments, SAMPLE.puzzle.rotations)
    found, near = assemble(far), assemble(SAMPLE.puzzle)
    assert found.solved
    assert near.solved
    for placement in found.assembly:
        assert angle_between(placement.pose.theta, near.assembly[placement.id].theta) <= 1e-5
