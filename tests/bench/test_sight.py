"""What a solver is shown lies where the truth lies, and tells it no more than a picture can."""

from __future__ import annotations

import pytest
import shapely

from sherd.bench.cell import DEFAULT_SIZE_PX, Cell, Input
from sherd.bench.run import RunParams, trials
from sherd.core.geometry import Rotations

FREE = Rotations(None)


@pytest.mark.parametrize("size_px", [64, DEFAULT_SIZE_PX, 256])
@pytest.mark.parametrize("kind", ["masks", "binary"])
def test_traced_outlines_lie_on_the_true_ones(kind: Input, size_px: int) -> None:
    cell = Cell(solver="truth", rotations=FREE, degradation="missing", input=kind, size_px=size_px)
    for trial in trials(cell, RunParams(count=3)):
        seen, true = trial.observation.puzzle, trial.sample.puzzle
        assert seen.pixel == shapely.total_bounds([true.target])[2:].max() / size_px
        answer = trial.observation.seen(trial.sample.truth)
        pairs = [
            (seen.target, true.target),
            *zip(seen.placed(answer), true.placed(trial.sample.truth), strict=True),
        ]
        for traced, outline in pairs:
            assert 0.0 < shapely.hausdorff_distance(traced, outline) < 1.0 / size_px
        for back, placement in zip(trial.observation.meant(answer), trial.sample.truth, strict=True):
            assert back.id == placement.id
            assert back.pose.is_close(placement.pose)


def test_the_texture_of_a_traced_fragment_moves_with_its_frame() -> None:
    cell = Cell(solver="random", texture="gradient", input="masks", rotations=FREE)
    trial = next(trials(cell, RunParams(count=1)))
    for true, seen in zip(trial.sample.puzzle.fragments, trial.observation.puzzle.fragments, strict=True):
        assert true.texture is not None
        assert seen.texture is not None
        frame = trial.observation.frames[true.id]
        assert seen.texture.sample(frame.points([0.01, 0.02])) == pytest.approx(
            true.texture.sample([0.01, 0.02])
        )


def test_pieces_too_small_to_be_seen_are_set_aside() -> None:
    (trial,) = trials(Cell(solver="random", input="binary", size_px=4), RunParams(count=1))
    seen, true = trial.observation.puzzle, trial.sample
    assert seen.set_aside
    assert {*seen.set_aside, *(f.id for f in seen.fragments)} == {f.id for f in true.puzzle.fragments}
    assert len(trial.observation.seen(true.truth)) == len(seen.fragments)


def test_all_solvers_get_the_same_puzzles_and_no_truth() -> None:
    cell = Cell(solver="random", degradation="distorted", input="masks")
    first, second = (next(trials(cell.with_solver(name), RunParams(count=1))) for name in ("random", "fan"))
    assert first.observation.puzzle == second.observation.puzzle
    assert first.rng.random() == second.rng.random()
    for fragment in first.observation.puzzle.fragments:
        centre = fragment.polygon.centroid
        assert (centre.x, centre.y) == pytest.approx((0.0, 0.0), abs=1e-12)
