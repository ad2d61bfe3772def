"""The evidence of cuts for an assembly, and what time was too short for."""

from __future__ import annotations

from sherd.solvers.search.beliefs.likeliest import Arranged
from sherd.solvers.search.beliefs.weigh_cuts import weigh_by_cuts
from sherd.solvers.search.case import Case
from sherd.solvers.stop import MaxEvaluations, Stop
from true_lines import noisy_and_lines, poses_of, rings_of


class _StopsAfter:
    """Asked so often, it says to stop."""

    def __init__(self, questions: int) -> None:
        self.left = questions

    def __call__(self, evaluations: int) -> bool:
        self.left -= 1
        return self.left < 0


def _elsewhere(stop: Stop) -> frozenset[int]:
    sample, lines = noisy_and_lines("hexagon", 8, 0.003, 600, 0)
    start = Arranged(lines, tuple(rings_of(sample)), poses_of(sample))
    weighed = weigh_by_cuts(Case(sample.puzzle), [start], stop)
    assert weighed is not None
    return weighed.evidence.elsewhere


def test_what_was_not_weighed_leaves_no_piece_sure() -> None:
    assert _elsewhere(MaxEvaluations(1)) == frozenset()
    assert _elsewhere(_StopsAfter(1)) == frozenset(range(8))
