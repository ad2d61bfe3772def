"""Refinement: never worse, and a slightly shaken assembly falls back into place."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from shapely import Point, box

from sherd.cli import run
from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import FIXED, Pose, Rotations
from sherd.core.metrics import measure, score
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers.objective import Objective
from sherd.solvers.refine import RefineParams, refine
from sherd.solvers.stop import MaxEvaluations


def sample_of(shape: str, rotations: Rotations) -> Sample:
    return next(iter(make_samples(PuzzleKind(shape=named_shape(shape), rotations=rotations), seed=9, stop=1)))


def shaken(sample: Sample, by: float, turn: float) -> Assembly:
    rng = np.random.default_rng(0)
    placements: list[Placement] = []
    for placement in sample.truth:
        x, y = rng.normal(0.0, by, 2).tolist()
        nudge = Pose(placement.pose.x + x, placement.pose.y + y, placement.pose.theta + rng.normal(0.0, turn))
        placements.append(Placement(placement.id, nudge))
    return Assembly(tuple(placements))


@pytest.mark.parametrize(
    ("shape", "rotations", "turn"),
    [("square", Rotations(1), 0.0), ("hexagon", Rotations(4), 0.0), ("pentagon", Rotations(None), 0.01)],
)
def test_a_shaken_assembly_falls_back_into_place(shape: str, rotations: Rotations, turn: float) -> None:
    sample = sample_of(shape, rotations)
    before = shaken(sample, 0.005, turn)
    after = refine(sample.puzzle, before, stop=MaxEvaluations(30_000))
    assert score(before, sample).coverage < 0.99
    assert score(after, sample).coverage > 0.999
    assert [p.id for p in after] == [p.id for p in before]
    if rotations.bins is not None:
        assert [p.pose.theta for p in after] == [p.pose.theta for p in before]


def test_it_is_never_worse_and_stops_when_told() -> None:
    sample = sample_of("square", Rotations(None))
    far = shaken(sample, 0.3, 1.0)
    assert refine(sample.puzzle, far, stop=MaxEvaluations(0)) == far
    better = refine(sample.puzzle, far, stop=MaxEvaluations(2_000))
    assert measure(better, sample.puzzle).iou >= measure(far, sample.puzzle).iou


def test_what_has_too_many_corners_stays_as_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = sample_of("square", Rotations(1))
    before = shaken(sample, 0.005, 0.0)
    intervals = Objective(sample.puzzle).intervals
    monkeypatch.setattr("sherd.solvers.refine.MOST_INTERVALS", intervals)
    assert refine(sample.puzzle, before, stop=MaxEvaluations(100)) != before
    monkeypatch.setattr("sherd.solvers.refine.MOST_INTERVALS", intervals - 1)
    assert refine(sample.puzzle, before, stop=MaxEvaluations(100)) == before


def test_a_round_target_takes_no_room_for_corners_that_pieces_do_not_have() -> None:
    disc = Point(0.0, 0.0).buffer(1.0, quad_segs=60)
    halves = [disc.intersection(box(*bounds)) for bounds in ((-1, -1, 0, 1), (0, -1, 1, 1))]
    objective = Objective(Puzzle(disc, tuple(Fragment(f"f{k}", half) for k, half in enumerate(halves))))
    assert objective.intervals == 3 * (240 + 121 + 121)


def test_nothing_placed_and_all_in_place_stay_as_they_are() -> None:
    sample = sample_of("square", Rotations(1))
    assert refine(sample.puzzle, Assembly(), stop=MaxEvaluations(100)) == Assembly()
    kept = refine(sample.puzzle, sample.truth, stop=MaxEvaluations(10_000))
    for one, other in zip(kept, sample.truth, strict=True):
        assert one.pose.is_close(other.pose, 1e-4)


def test_no_piece_slides_far_into_the_gap_of_a_lost_one() -> None:
    """Two pieces of four, side by side and overlapping a little, with half of the target to themselves."""
    square, target = box(-0.25, -0.25, 0.25, 0.25), box(0.0, -0.25, 4.0, 0.25)
    puzzle = Puzzle(target, tuple(Fragment(name, square) for name in "ab"), FIXED)
    laid = Assembly().place("a", Pose(1.0, 0.0)).place("b", Pose(1.1, 0.0))
    after = refine(puzzle, laid, stop=MaxEvaluations(10_000), params=RefineParams(reach=0.05))
    for one, other in zip(laid, after, strict=True):
        assert abs(one.pose.x - other.pose.x) <= 0.05 * 4.0 + 1e-9
    assert measure(after, puzzle).coverage > measure(laid, puzzle).coverage
    farther = refine(puzzle, laid, stop=MaxEvaluations(10_000), params=RefineParams(reach=1.0))
    assert measure(farther, puzzle).overlap < measure(after, puzzle).overlap


def test_it_can_follow_any_solver_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["generate", "puzzles.jsonl", "--count", "1", "--pieces", "4"]) == 0
    coverage: list[float] = []
    for words in ([], ["--refine"]):
        assert run(["assemble", "puzzles.jsonl", "--solver", "random", "--time-limit", "2", *words]) == 0
        coverage.append(json.loads(Path("assembled/puzzles.assembly.json").read_text())["iou"])
    assert coverage[1] > coverage[0]
