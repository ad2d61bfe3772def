from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shapely import Polygon

from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers import MaxEvaluations
from sherd.solvers.learned.vgan import VganSolver
from sherd.solvers.run import run


def puzzle(shape: str = "square", pieces: int = 8, bins: int | None = 1, seed: int = 0) -> Puzzle:
    params = FragmentationParams(pieces=pieces, rotations=Rotations(bins))
    return next(generate(named_shape(shape), params, count=1, seed=seed)).puzzle


@pytest.fixture(scope="module")
def solver() -> VganSolver:
    return VganSolver()


@pytest.mark.parametrize(("shape", "cov", "iou"), [("square", 0.72, 0.562), ("mondrian", 0.549, 0.545)])
def test_the_published_figures_are_reached(solver: VganSolver, shape: str, cov: float, iou: float) -> None:
    found = [
        measure(
            run(solver, of.puzzle, stop=MaxEvaluations(1), rng=np.random.default_rng(0)).assembly, of.puzzle
        )
        for of in generate(named_shape(shape), FragmentationParams(pieces=8), count=100, seed=11)
    ]
    assert np.mean([measures.coverage for measures in found]) >= cov
    assert np.mean([measures.iou for measures in found]) >= iou


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (puzzle("pentagon"), "a fixed number of vertices"),
        (puzzle("square", pieces=4), "a fixed number of vertices"),
        (puzzle("square", bins=4), "cannot turn"),
        (replace(puzzle("square"), mirror=True), "cannot turn pieces over"),
    ],
)
def test_other_puzzles_are_refused_with_the_reason(solver: VganSolver, refused: Puzzle, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        run(solver, refused, stop=MaxEvaluations(1), rng=np.random.default_rng(0))


def test_a_square_that_is_no_square_is_refused(solver: VganSolver) -> None:
    of = puzzle()
    for target in ([(0, 0), (2, 0), (2, 1), (0, 1)], [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)]):
        with pytest.raises(UnsupportedError, match="upright square"):
            run(
                solver,
                replace(of, target=Polygon(target)),
                stop=MaxEvaluations(1),
                rng=np.random.default_rng(0),
            )


def test_order_place_and_scale_of_the_pieces_do_not_matter(solver: VganSolver) -> None:
    of = puzzle(seed=3)
    plain = run(solver, of, stop=MaxEvaluations(1), rng=np.random.default_rng(0)).assembly
    scale = 40.0
    fragments = tuple(
        Fragment(fragment.id, Pose(1.0, 2.0).apply(scaled(fragment.polygon, scale)))
        for fragment in reversed(of.fragments)
    )
    moved = Puzzle(Pose(-7.0, 5.0).apply(scaled(of.target, scale)), fragments)
    found = run(solver, moved, stop=MaxEvaluations(1), rng=np.random.default_rng(0)).assembly
    for placement in found:
        expected = plain[placement.id]
        assert (placement.pose.x + 1.0 + 7.0) / scale == pytest.approx(expected.x, abs=1e-5)
        assert (placement.pose.y + 2.0 - 5.0) / scale == pytest.approx(expected.y, abs=1e-5)


def scaled(polygon: Polygon, scale: float) -> Polygon:
    return Polygon(np.asarray(polygon.exterior.coords) * scale)
