"""A chart glues what belongs together, whatever the order, and never uses a piece twice."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Sample
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.solvers.search.beliefs.chart import Chart, Start
from sherd.solvers.search.beliefs.uncertain_outline import with_moved_corners
from sherd.solvers.search.corner_outline import ring_of


def sample_of(pieces: int, seed: int) -> Sample:
    kind = PuzzleKind(pieces=pieces, rotations=Rotations(None), noise=0.002)
    return next(iter(make_samples(kind, seed=seed, stop=1)))


def chart_of(sample: Sample) -> tuple[Chart, list[Start]]:
    puzzle = sample.puzzle
    target = with_moved_corners(ring_of(puzzle.target), 1e-3)
    starts = [
        Start(with_moved_corners(ring_of(fragment.polygon), 0.002), ((number, Pose()),))
        for number, fragment in enumerate(puzzle.fragments)
    ]
    return Chart(target, puzzle.rotations, len(starts)), starts


@pytest.mark.parametrize("seed", range(3))
def test_noisy_pieces_are_glued_near_to_where_they_were(seed: int) -> None:
    sample = sample_of(8, seed)
    chart, starts = chart_of(sample)
    best = min(chart.wholes(starts, 500, lambda joints: False), key=lambda whole: whole.cost)
    assert best.poses.keys() == set(range(8))
    # The square may come out turned: what counts is how pieces lie to each other.
    first = sample.puzzle.fragments[0].id
    for number, pose in best.poses.items():
        found = best.poses[0].inverse() @ pose
        true = sample.truth[first].inverse() @ sample.truth[sample.puzzle.fragments[number].id]
        assert found.is_close(true, 0.05)


def test_parts_hold_each_piece_once_and_no_more_joints_are_made_than_allowed() -> None:
    chart, starts = chart_of(sample_of(8, 4))
    list(chart.wholes(starts, 20, lambda joints: False))
    parts = chart.parts()
    assert parts is not None
    assert chart.joints_made <= 20
    counts = [int(word).bit_count() for word in parts.words[:, 0]]
    assert counts == parts.pieces.tolist()
    assert all(len(chart.members(number)) == count for number, count in enumerate(counts))
    assert np.all(np.diff(parts.begins) >= 3)


def test_a_chart_that_was_never_begun_has_no_parts() -> None:
    chart, starts = chart_of(sample_of(4, 0))
    assert list(chart.wholes(starts, 20, lambda joints: True)) == []
    assert chart.parts() is None
