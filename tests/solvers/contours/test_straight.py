"""Pieces with straight edges put together corner to corner, with a target and without."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.bench.contour_suites import ContourCell, make_sample, score_seen
from sherd.core.geometry import Pose, Rotations
from sherd.generation.observed import Observed
from sherd.solvers.contours import Groups, assemble_contours
from sherd.solvers.contours.assemble import are_few_corners
from sherd.solvers.contours.straight.corners import corners_of
from sherd.solvers.contours.straight.hull import hull_corners
from sherd.solvers.contours.straight.meeting import edges_meet
from sherd.solvers.contours.straight.whole import laid_in
from sherd.solvers.grouping import ContoursSolver
from sherd.solvers.run import run
from sherd.solvers.stop import MaxEvaluations


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


def test_corners_that_are_off_still_tell_how_pieces_lie() -> None:
    observed = seen("crosscut", 3, 3, "level-1", 1)
    assert score_seen(observed, named(observed, assembled(observed, 4000))).overlap > 0.9


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


def test_hull_corners_are_those_of_the_convex_hull() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        points = rng.normal(size=12) + 1j * rng.normal(size=12)
        corners = hull_corners(points)
        expected = shapely.MultiPoint(np.stack([points.real, points.imag], axis=1)).convex_hull
        found = Polygon(np.stack([corners.real, corners.imag], axis=1))
        assert found.equals(expected)
        assert found.exterior.is_ccw


def test_edges_meet_at_both_ends_or_at_one() -> None:
    a, b = 0.0 + 0.0j, 2.0 + 0.0j
    whole, to_c, to_d = edges_meet(a, b, 2.0 + 0.01j, 0.0 + 0.01j, 0.1, False)
    assert (to_c, to_d) == (b, a)
    assert 1.9 < whole < 2.0
    assert edges_meet(a, b, 1.0 + 0.0j, 0.0 + 0.0j, 0.1, False)[0] == 0.0
    partial, to_c, to_d = edges_meet(a, b, 1.0 + 0.05j, 0.0 + 0.0j, 0.1, True)
    assert 0.0 < partial < whole
    assert to_d == a
    assert abs(to_c - 1.0) < 0.01
    assert edges_meet(a, b, 0.0 + 0.0j, 1.0 + 0.0j, 0.1, True)[0] == 0.0  # the same way round


def test_a_corner_that_hardly_stands_out_is_none() -> None:
    piece = Polygon([(0, 0), (1, -0.0005), (2, 0), (2, 2), (0, 2)])
    corners = corners_of([piece], 2.0, 0.002, 0.05)
    assert len(corners.points) == 4
    assert shapely.contains_xy(piece, 2 * corners.inner.real, 2 * corners.inner.imag).all()


def test_a_whole_lies_in_its_target_within_the_tolerance() -> None:
    target = Polygon([(0, 0), (3, 0), (3, 1), (1, 2)])
    points = np.array([0.0, 1.5, 3.0, 3.0 + 1.0j, 1.0 + 2.0j])
    moved = np.exp(0.7j) * points + (4.0 - 2.0j)
    turn, shift = laid_in(target, moved, 0.02)
    assert np.abs(turn * moved + shift - points).max() < 1e-6
