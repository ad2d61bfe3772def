"""Arrangements that grow piece by piece, and how they look."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import MultiPoint

from sherd.bench.contour_suites import ContourCell, make_sample, score_seen
from sherd.core.geometry import Pose, Rotations
from sherd.generation.observed import Observed
from sherd.solvers.contours.attempt import GuessAttempt, make_attempt
from sherd.solvers.contours.beam import Links
from sherd.solvers.contours.clusters import copied, relisted
from sherd.solvers.contours.compact import hull_corners, looks_of, outer_of
from sherd.solvers.contours.growing import Growth
from sherd.solvers.contours.guesses import Guess
from sherd.solvers.contours.improve import Arrangement, worth_of
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.undertaking import Undertaking
from sherd.solvers.stop import MaxEvaluations

STEPS = 100


def attempt_at(observed: Observed, *, with_target: bool) -> GuessAttempt:
    pieces = [fragment.polygon for fragment in observed.puzzle.fragments]
    target = observed.puzzle.target if with_target else None
    stop, rng = MaxEvaluations(STEPS), np.random.default_rng(0)
    task = Undertaking(pieces, target, Rotations(None), stop, rng, ContoursParams(), (), None)
    return make_attempt(task, Guess(0.006), None)


def growth_of(attempt: GuessAttempt, stop: MaxEvaluations) -> Growth:
    joints = attempt.joints
    links = Links(joints.first, joints.second, joints.turns, joints.shifts, np.ones(len(joints.first)))
    outer = attempt.outer or outer_of(attempt.scene)
    return Growth(attempt.scene, outer, links, attempt.rules, ContoursParams(), stop)


def poses_of(observed: Observed, found: Arrangement, unit: float) -> dict[str, Pose]:
    """Those of the pieces that lie with the first."""
    clusters = found.clusters
    return {
        fragment.id: Pose(
            unit * clusters.shifts[k].real, unit * clusters.shifts[k].imag, float(np.angle(clusters.turns[k]))
        )
        for k, fragment in enumerate(observed.puzzle.fragments)
        if clusters.labels[k] == clusters.labels[0]
    }


@pytest.mark.parametrize("with_target", [False, True])
def test_a_beam_puts_all_pieces_where_they_belong(with_target: bool) -> None:
    observed = make_sample(ContourCell(kind="jagged", pieces=(8, 8), input="moved-0.05"), 3, 0)
    attempt = attempt_at(observed, with_target=with_target)
    found = growth_of(attempt, MaxEvaluations(STEPS)).anew(attempt.joints.hope, 1)
    assert (found.clusters.labels == found.clusters.labels[0]).all()
    assert score_seen(observed, [poses_of(observed, found, attempt.scene.unit)]).all_right
    worth = worth_of(attempt.scene.shapes, found.clusters, attempt.rules) + attempt.bonus(found.clusters)
    assert found.worth == pytest.approx(worth)


def test_what_was_taken_out_is_added_again() -> None:
    observed = make_sample(ContourCell(kind="jagged", pieces=(8, 8), input="moved-0.05"), 3, 0)
    attempt = attempt_at(observed, with_target=False)
    growth = growth_of(attempt, MaxEvaluations(STEPS))
    whole = growth.anew(attempt.joints.hope, 1)
    fewer = copied(whole.clusters)
    fewer.labels[:] = np.where(np.isin(np.arange(8), (1, 4, 6)), np.arange(8), 0)
    relisted(fewer)
    found = growth.onward(fewer)
    assert score_seen(observed, [poses_of(observed, found, attempt.scene.unit)]).all_right


def test_a_beam_that_is_stopped_gives_what_it_has() -> None:
    observed = make_sample(ContourCell(kind="jagged", pieces=(8, 8), input="moved-0.05"), 3, 0)
    attempt = attempt_at(observed, with_target=False)
    found = growth_of(attempt, MaxEvaluations(0)).anew(attempt.joints.hope, 1)
    assert np.bincount(found.clusters.labels).max() == 2


@pytest.mark.parametrize("decimals", [1, 12])
def test_hulls_are_convex_and_hold_all_points(decimals: int) -> None:
    rng = np.random.default_rng(4)
    x, y = rng.standard_normal((2, 200)).round(decimals)
    points = x + 1j * y
    corners = hull_corners(points)
    hull = MultiPoint(np.stack([x, y], axis=1)).convex_hull
    area = 0.5 * float((corners.conj() * np.roll(corners, -1)).imag.sum())
    assert area == pytest.approx(hull.area)
    sides = np.roll(corners, -1) - corners
    assert ((sides.conj() * np.roll(sides, -1)).imag > 0.0).all()


def test_the_truth_is_filled_and_has_the_whole_rim() -> None:
    observed = make_sample(ContourCell(kind="jagged", pieces=(8, 8), input="moved-0.05"), 3, 0)
    attempt = attempt_at(observed, with_target=False)
    found = growth_of(attempt, MaxEvaluations(STEPS)).anew(attempt.joints.hope, 1)
    assert attempt.outer is not None
    looks = looks_of(found.clusters, attempt.outer)
    assert looks.empty < 0.02 * attempt.scene.pieces
    assert looks.rim > 0.7 * 4.0 * np.sqrt(attempt.scene.pieces)
