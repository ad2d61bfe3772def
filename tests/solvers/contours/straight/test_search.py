"""Pieces with straight edges put together corner to corner, with a target and without."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import shapely

from sherd.bench.contour_suites import ContourCell, make_sample, score_seen
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.observed import Observed
from sherd.solvers import Result, Solver
from sherd.solvers.contours import Groups, assemble_contours
from sherd.solvers.contours.assembling import are_few_corners
from sherd.solvers.contours.groups import TELLS_NOTHING
from sherd.solvers.contours.straight.search import ROUGHLY, StraightSearch
from sherd.solvers.grouping import ContoursSolver
from sherd.solvers.run import run
from sherd.solvers.stop import MaxEvaluations

NIGHTLY = pytest.mark.nightly


def seen(kind: str, fewest: int, most: int, input: str, seed: int) -> Observed:
    return make_sample(ContourCell(kind=kind, pieces=(fewest, most), input=input), seed, 0)


def assembled(observed: Observed, steps: int = 1500) -> Groups:
    pieces = [fragment.polygon for fragment in observed.puzzle.fragments]
    assert are_few_corners(pieces)
    return assemble_contours(pieces, None, stop=MaxEvaluations(steps), rng=np.random.default_rng(0))


def named(observed: Observed, found: Groups) -> list[dict[str, Pose]]:
    names = [fragment.id for fragment in observed.puzzle.fragments]
    return [{names[piece]: pose for piece, pose in group.poses.items()} for group in found.groups]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("kind", "fewest", "most", "input"),
    [("voronoi", 3, 15, "level-0"), ("crosscut", 3, 5, "level-0"), ("y-cracks", 7, 16, "moved-0.1")],
)
def test_all_come_right_without_a_target(kind: str, fewest: int, most: int, input: str, seed: int) -> None:
    observed = seen(kind, fewest, most, input, seed)
    found = assembled(observed)
    assert found.whole
    assert found.alone == ()
    assert score_seen(observed, named(observed, found)).all_right


@pytest.mark.parametrize("seed", range(2))
def test_a_whole_is_laid_into_its_target_and_called_solved(seed: int) -> None:
    observed = seen("y-cracks", 7, 10, "moved-0.1", seed)
    result = run(ContoursSolver(), observed.puzzle, stop=MaxEvaluations(1500), rng=np.random.default_rng(0))
    assert result.solved, result.reason
    poses = {placement.id: placement.pose for placement in result.assembly}
    assert score_seen(observed, [poses]).all_right


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=NIGHTLY), pytest.param(2, marks=NIGHTLY)])
def test_cracks_that_end_at_others_are_a_whole_with_a_target_and_without(seed: int) -> None:
    observed = seen("t-cracks", 12, 12, "moved-0.05", seed)
    found = assembled(observed, 20000)
    assert found.whole
    assert score_seen(observed, named(observed, found)).all_right
    result = run(ContoursSolver(), observed.puzzle, stop=MaxEvaluations(20000), rng=np.random.default_rng(0))
    assert result.solved, result.reason
    assert score_seen(observed, [{one.id: one.pose for one in result.assembly}]).all_right


def test_what_does_not_fill_the_target_is_no_whole_there() -> None:
    observed = seen("y-cracks", 7, 10, "moved-0.1", 0)
    pieces = [fragment.polygon for fragment in observed.puzzle.fragments]
    larger = shapely.box(0, 0, *(2.0 * observed.puzzle.size for _ in range(2)))
    for target, whole in ((observed.puzzle.target, True), (larger, False)):
        search = StraightSearch(
            pieces, target, Rotations(None), MaxEvaluations(300), np.random.default_rng(0), None
        )
        assert (search.sound() is not None) is whole


def test_corners_that_are_off_still_tell_how_pieces_lie() -> None:
    observed = seen("crosscut", 3, 3, "level-1", 1)
    assert score_seen(observed, named(observed, assembled(observed, 4000))).overlap > 0.9


def test_an_answer_whose_corners_meet_only_roughly_is_doubted() -> None:
    observed = seen("crosscut", 3, 4, "level-4", 400)
    result = run(ContoursSolver(), observed.puzzle, stop=MaxEvaluations(1500), rng=np.random.default_rng(0))
    assert not result.solved
    assert ROUGHLY in result.reason


@pytest.mark.parametrize("seed", [400, 401])
def test_pieces_that_are_off_lie_in_order_where_they_are_called_solved(seed: int) -> None:
    observed = seen("crosscut", 3, 4, "level-2", seed)
    result = run(ContoursSolver(), observed.puzzle, stop=MaxEvaluations(1500), rng=np.random.default_rng(0))
    assert result.solved, result.reason
    assert score_seen(observed, [{one.id: one.pose for one in result.assembly}]).in_order


def test_joints_of_alike_pieces_are_unlikely() -> None:
    squares = [shapely.box(-1, -1, 1, 1)] * 9
    found = assemble_contours(squares, None, stop=MaxEvaluations(20), rng=np.random.default_rng(0))
    assert found.joints
    assert max(joint.likelihood for joint in found.joints) < 0.1


def test_only_allowed_turns_are_taken() -> None:
    observed = seen("voronoi", 6, 6, "level-0", 2)
    truth = {placement.id: placement.pose for placement in observed.truth}
    pieces = [truth[fragment.id].apply(fragment.polygon) for fragment in observed.puzzle.fragments]
    found = assemble_contours(
        pieces, None, rotations=Rotations(1), stop=MaxEvaluations(500), rng=np.random.default_rng(0)
    )
    assert found.whole
    assert all(pose.theta == 0.0 for pose in found.groups[0].poses.values())


def test_of_64_equal_squares_it_is_said_that_joints_tell_nothing(
    until_told: Callable[[Solver, Puzzle, int], tuple[Result, bool]],
) -> None:
    squares = tuple(Fragment(f"p{k}", shapely.box(-1, -1, 1, 1)) for k in range(64))
    puzzle = Puzzle(target=None, fragments=squares, rotations=Rotations(None))
    result, _ = until_told(ContoursSolver(), puzzle, 60)
    assert not result.solved
    assert TELLS_NOTHING in result.reason
    assert result.groups
