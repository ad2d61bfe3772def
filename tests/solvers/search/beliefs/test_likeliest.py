"""The likeliest arrangement, found from others by exchanging parts."""

from __future__ import annotations

import pytest

from sherd.core.geometry import Pose
from sherd.solvers.search.beliefs.cut_lines import fit_cuts
from sherd.solvers.search.beliefs.edge_lines import Lines
from sherd.solvers.search.beliefs.likeliest import Arranged, Likeliest, likeliest
from sherd.solvers.search.beliefs.rearrange import rearranged
from sherd.solvers.search.beliefs.weigh_cuts import weigh_by_cuts
from sherd.solvers.search.case import Case
from sherd.solvers.search.corner_outline import ring_of
from sherd.solvers.stop import MaxEvaluations, MaxQuestions, Stop
from true_lines import noisy_and_lines, poses_of, rings_of


def _found(case: Case, lines: Lines, poses: dict[int, Pose], stop: Stop | None = None) -> Likeliest:
    start = Arranged(lines, tuple(ring_of(outline) for outline in case.outlines), poses)
    found = likeliest(case, [start], stop or MaxEvaluations(1), lambda _: False)
    assert found is not None
    return found


def test_the_truth_is_found_from_an_exchange() -> None:
    sample, lines = noisy_and_lines("pentagon", 8, 0.01, 600, 1)
    case, poses, rings = Case(sample.puzzle), poses_of(sample), rings_of(sample)
    fit = fit_cuts(rings, lines, ring_of(sample.puzzle.target), poses, turns=True)
    assert fit is not None
    others = rearranged(lines, fit, sample.puzzle.rotations, 100.0 * fit.squares)
    wrong = min(others, key=lambda other: other.off)
    true, found = _found(case, lines, poses), _found(case, wrong.lines, wrong.poses)
    assert found.noise == pytest.approx(true.noise, rel=0.02)
    assert found.noise == pytest.approx(0.01 / 2**0.5, rel=0.4)
    assert found.arrangements[0].logarithm == 0.0


def test_what_there_was_no_time_for_is_told() -> None:
    sample, lines = noisy_and_lines("pentagon", 8, 0.02, 600, 1)
    case, poses = Case(sample.puzzle), poses_of(sample)
    start = Arranged(lines, tuple(rings_of(sample)), poses)
    assert likeliest(case, [start], MaxEvaluations(0), lambda _: False) is None
    for left in (1, 2):
        cut_off = likeliest(case, [start], MaxQuestions(left), lambda _: False)
        assert cut_off is not None
        assert not cut_off.is_whole
    enough = likeliest(case, [start], MaxEvaluations(1), lambda _: True)
    assert enough is not None
    assert len(enough.arrangements) == 1


def test_where_the_cap_strikes_more_patience_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherd.solvers.search.beliefs.likeliest.MOST_FITTED", 8)
    sample, lines = noisy_and_lines("pentagon", 8, 0.02, 600, 0)
    start = Arranged(lines, tuple(rings_of(sample)), poses_of(sample))
    found = [
        likeliest(Case(sample.puzzle), [start], MaxEvaluations(1), lambda _: False, times=times)
        for times in (1, 10, 50)
    ]
    assert [one is not None and one.is_whole for one in found] == [False, False, True]
    # Without pieces that are sure of their places it is not an end, so that the climb goes on to more.
    weighed = weigh_by_cuts(Case(sample.puzzle), [start], MaxEvaluations(1))
    assert weighed is not None
    assert not weighed.evidence.is_whole
    assert not weighed.evidence.is_fair
    assert len(weighed.evidence.elsewhere) == 8
