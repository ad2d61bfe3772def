"""Cuts fitted to the corners of pieces."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sherd.core.geometry import Pose
from sherd.solvers.search.beliefs.cut_lines import fit_cuts, meeting
from sherd.solvers.search.corner_outline import ring_of
from true_lines import noisy_and_lines, poses_of, rings_of


@pytest.mark.parametrize("shape", ["square", "pentagon", "hexagon"])
def test_exact_pieces_leave_nothing(shape: str) -> None:
    sample, lines = noisy_and_lines(shape, 8, 0.0, 3)
    fit = fit_cuts(rings_of(sample), lines, ring_of(sample.puzzle.target), poses_of(sample), turns=True)
    assert fit is not None
    assert fit.squares < 1e-16
    assert all(fit.poses[k].x == pytest.approx(pose.x, abs=1e-6) for k, pose in poses_of(sample).items())


@pytest.mark.parametrize(("noise", "pieces"), [(0.01, 8), (0.03, 8), (0.02, 16)])
def test_what_is_left_of_true_places_is_the_noise(noise: float, pieces: int) -> None:
    """Each corner is moved by the noise, half of whose square is in x; freedom is counted right, then."""
    left: list[float] = []
    for number in range(12):
        sample, lines = noisy_and_lines("square", pieces, noise, 600, number)
        fit = fit_cuts(rings_of(sample), lines, ring_of(sample.puzzle.target), poses_of(sample), turns=True)
        assert fit is not None
        # Three misfits a cut, and the corners of the target but for moving all.
        assert fit.freedom == 3 * (pieces - 1) + 2 * 4 - 3
        left.append(2.0 * fit.squares / fit.freedom)
    assert math.sqrt(float(np.mean(left))) == pytest.approx(noise, rel=0.1)


def test_pieces_in_wrong_places_leave_more() -> None:
    sample, lines = noisy_and_lines("hexagon", 8, 0.01, 5)
    rings, poses, target = rings_of(sample), poses_of(sample), ring_of(sample.puzzle.target)
    true = fit_cuts(rings, lines, target, poses, turns=True)
    alike = [k for k, ring in enumerate(rings) if len(ring) == 4]
    one, other = alike[:2]
    wrong = list(lines)
    wrong[one], wrong[other] = wrong[other], wrong[one]
    moved = {**poses, one: poses[other], other: poses[one]}
    exchanged = fit_cuts(rings, tuple(wrong), target, moved, turns=True)
    assert true is not None
    assert exchanged is None or exchanged.squares > 2.0 * true.squares


def test_weights_say_which_corners_are_known() -> None:
    """A corner that is known badly may be far off, and all weights alike change but the unit."""
    sample, lines = noisy_and_lines("square", 4, 0.0, 1)
    rings, poses, target = rings_of(sample), poses_of(sample), ring_of(sample.puzzle.target)
    rings[0] = rings[0] + np.eye(len(rings[0]), 2) * 0.02
    plain = fit_cuts(rings, lines, target, poses, turns=True)
    same = [np.eye(2 * len(ring)) * 3.0 for ring in rings]
    scaled = fit_cuts(rings, lines, target, poses, turns=True, weights=same)
    unsure = [np.eye(2 * len(ring)) for ring in rings]
    unsure[0][:4, :4] *= 1e-3
    known_badly = fit_cuts(rings, lines, target, poses, turns=True, weights=unsure)
    assert plain is not None
    assert scaled is not None
    assert known_badly is not None
    assert scaled.squares == pytest.approx(9.0 * plain.squares, rel=1e-3)
    assert known_badly.squares < 1e-3 * plain.squares


def test_edges_in_line_do_not_meet() -> None:
    square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    assert fit_cuts([square], ((0, 0, 2, 3),), square, {0: Pose()}, turns=True) is None


def test_two_lines_meet() -> None:
    lines = np.array([(0.0, 2.0), (math.pi / 2.0, 3.0)])
    assert meeting(lines, 0, 1) == pytest.approx(2.0 + 3.0j)
