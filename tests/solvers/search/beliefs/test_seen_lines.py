"""Lines that are seen from where pieces lie."""

from __future__ import annotations

import pytest

from sherd.core.geometry import Pose
from sherd.solvers.search.beliefs.seen_lines import seen_lines
from sherd.solvers.search.corner_outline import ring_of
from true_lines import noisy_and_lines, numbered, poses_of, rings_of


@pytest.mark.parametrize(("noise", "pieces"), [(0.0, 8), (0.002, 16), (0.01, 8)])
def test_the_lines_of_true_places_are_seen(noise: float, pieces: int) -> None:
    for number in range(4):
        sample, lines = noisy_and_lines("square", pieces, noise, 3, number)
        seen = seen_lines(rings_of(sample), poses_of(sample), ring_of(sample.puzzle.target))
        assert seen is not None
        assert numbered(seen, 4) == numbered(lines, 4)


def test_no_two_edges_of_a_piece_are_in_line_wherever_it_lies() -> None:
    sample, _ = noisy_and_lines("square", 4, 0.0, 3)
    rings, target = rings_of(sample), ring_of(sample.puzzle.target)
    for theta in (0.0, 0.4, 1.9):
        heap = {number: Pose(0.5, 0.5, theta * number) for number in range(4)}
        seen = seen_lines(rings, heap, target)
        assert seen is None or all(len(set(edges)) == len(edges) for edges in seen)
