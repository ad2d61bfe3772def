"""Convex pieces that share whole edges: put together from their edges alone, and judged."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.bench.contour_suites import ContourCell, make_sample, score_seen
from sherd.core.geometry import Pose
from sherd.generation.observed import Observed
from sherd.solvers.cells.choosing import likelier
from sherd.solvers.cells.corners import cells_of, depth
from sherd.solvers.cells.search import CellsFound, are_cells, evidence_of, find_cells
from sherd.solvers.cells.settling import at_rest, places_of, straight_triples
from sherd.solvers.contours.groups import FoundGroup, Groups
from sherd.solvers.stop import MaxEvaluations

LONG = MaxEvaluations(1000)
QUARTERS = [shapely.box(x, y, x + 1, y + 1) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1))]


def seen(kind: str, count: int, level: int, number: int) -> Observed:
    cell = ContourCell(kind=kind, pieces=(count, count), input=f"level-{level}", target=False)
    return make_sample(cell, 77, number)


def outlines(observed: Observed) -> list[Polygon]:
    return [fragment.polygon for fragment in observed.puzzle.fragments]


def true_poses(observed: Observed) -> dict[int, Pose]:
    poses = {placement.id: placement.pose for placement in observed.truth}
    return {k: poses[fragment.id] for k, fragment in enumerate(observed.puzzle.fragments)}


def covered(observed: Observed, poses: Mapping[int, Pose]) -> float:
    fragments = observed.puzzle.fragments
    return score_seen(observed, [{fragments[k].id: pose for k, pose in poses.items()}]).covered


@pytest.mark.parametrize(("kind", "count"), [("voronoi", 6), ("crosscut", 3)])
def test_moved_corners_come_together(kind: str, count: int) -> None:
    observed = seen(kind, count, 1, 0)
    found = find_cells(outlines(observed), LONG)
    assert found is not None
    assert found.whole
    assert covered(observed, found.poses) > 0.97
    truth = evidence_of(outlines(observed), true_poses(observed), found.error)
    assert found.evidence == pytest.approx(truth.evidence, abs=1.0)


def test_in_a_target_moved_corners_come_to_lie_where_they_belong() -> None:
    observed = seen("crosscut", 3, 3, 4)
    target = observed.puzzle.target
    assert isinstance(target, Polygon)
    found = find_cells(outlines(observed), LONG, target)
    assert found is not None
    assert found.whole
    fragments = observed.puzzle.fragments
    laid = [{fragments[k].id: pose for k, pose in found.poses.items()}]
    assert score_seen(observed, laid).in_order
    # In the frame of the target, not in one of its own.
    placed = [pose.apply(fragments[k].polygon) for k, pose in found.poses.items()]
    assert shapely.union_all(placed).intersection(target).area > 0.9 * target.area


def test_what_sticks_out_of_a_target_is_less_likely() -> None:
    target = shapely.box(0, 0, 2, 2)
    there = dict.fromkeys(range(4), Pose(0.0, 0.0, 0.0))
    right = evidence_of(QUARTERS, there, 0.01, target)
    assert right.whole
    pinwheel = {**there, 0: Pose(2.0, 0.0, 0.0), 1: Pose(-1.0, 2.0, 0.0)}
    assert evidence_of(QUARTERS, pinwheel, 0.01, target).evidence < right.evidence


def test_a_search_that_is_stopped_finds_nothing() -> None:
    assert find_cells(outlines(seen("voronoi", 6, 1, 0)), MaxEvaluations(0)) is None


def test_only_few_convex_pieces_are_cells() -> None:
    assert are_cells(QUARTERS)
    assert not are_cells(QUARTERS[:2])
    assert not are_cells([*QUARTERS, Polygon([(0, 0), (3, 0), (3, 3), (2, 1)])])
    assert not are_cells([shapely.Point(k, 0).buffer(0.4) for k in range(4)])


def test_evidence_is_for_what_meets() -> None:
    there = dict.fromkeys(range(4), Pose(0.0, 0.0, 0.0))
    right = evidence_of(QUARTERS, there, 0.001)
    assert right.whole
    apart = evidence_of(QUARTERS, {**there, 3: Pose(0.5, 0.5, 0.0)}, 0.001)
    assert not apart.whole
    assert apart.evidence < right.evidence


def test_convex_pieces_lie_as_deep_in_each_other_as_they_must_be_moved() -> None:
    cells = cells_of([shapely.box(0, 0, 1, 1), shapely.box(0.9, 0.2, 2, 1)], 1.0)
    assert depth(cells, 0, cells.points, 1, cells.points) == pytest.approx(0.1)
    assert depth(cells, 0, cells.points, 1, cells.points + 0.3) == pytest.approx(-0.2)


def test_at_rest_corners_meet_and_lines_go_straight_on() -> None:
    cells = cells_of(QUARTERS, 1.0)
    corners = list(zip(cells.points.tolist(), cells.points[cells.following].tolist(), strict=True))
    edges = {ends: k for k, ends in enumerate(corners)}
    mates = np.array([edges.get((b, a), -1) for a, b in corners])
    place = places_of(cells, mates)
    assert np.bincount(np.bincount(place)).tolist() == [0, 4, 4, 0, 1]
    rng = np.random.default_rng(1)
    turns = np.exp(0.01j * rng.standard_normal(4))
    shifts = 0.01 * (rng.standard_normal(4) + 1j * rng.standard_normal(4))
    at = np.array([cells.points[place == k][0] for k in range(9)])
    # Four on the rim, and two lines through the middle.
    assert len(straight_triples(cells, mates, place, at, 0.02)) == 6
    turns, shifts, squared, over = at_rest(cells, turns, shifts, mates, 0.02)
    assert squared < 1e-12
    assert over > 0


def test_the_likelier_answer_counts_and_pieces_left_out_only_come_in_with_a_whole() -> None:
    poses = dict.fromkeys(range(4), Pose(0.0, 0.0, 0.0))
    apart = {**poses, 3: Pose(0.5, 0.5, 0.0)}
    found = CellsFound(poses, evidence_of(QUARTERS, poses, 0.01).evidence, 0.01, whole=True)
    better = likelier(QUARTERS, Groups(groups=(FoundGroup(apart),)), found)
    assert better.whole
    assert better.groups[0].poses == poses
    worse = CellsFound(apart, evidence_of(QUARTERS, apart, 0.01).evidence, 0.01, whole=False)
    whole = Groups(groups=(FoundGroup(poses),), whole=True)
    assert likelier(QUARTERS, whole, worse) is whole
    parts = Groups(groups=(FoundGroup({0: poses[0], 1: poses[1]}),), alone=(2, 3))
    assert likelier(QUARTERS, parts, worse) is parts
    rough = likelier(QUARTERS, parts, CellsFound(poses, 20.0, 0.05, whole=True))
    assert rough.doubt
    assert math.isclose(rough.tolerance, 0.15)


@pytest.mark.parametrize(
    ("level", "seed", "number", "is_sure"),
    [
        pytest.param(4, 9500, 19, False, id="slivers-exchanged"),
        pytest.param(3, 831, 8, True, id="far-ahead"),
    ],
)
def test_what_leads_only_by_its_own_smaller_error_is_not_sure(
    level: int, seed: int, number: int, is_sure: bool
) -> None:
    cell = ContourCell(kind="crosscut", pieces=(3, 5), input=f"level-{level}", target=True)
    observed = make_sample(cell, seed, number)
    target = observed.puzzle.target
    assert isinstance(target, Polygon)

    found = find_cells(outlines(observed), LONG, target)

    assert found is not None and found.whole
    poses = {fragment.id: found.poses[k] for k, fragment in enumerate(observed.puzzle.fragments)}
    assert score_seen(observed, [poses]).in_order == is_sure
    assert found.is_sure == is_sure
