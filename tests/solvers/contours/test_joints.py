"""Joints of pairs of pieces, found and measured."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.core.geometry import Rotations
from sherd.core.threads import using_threads
from sherd.solvers.contours import joints
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import make_scene, pairs_of
from sherd.solvers.stop import MaxEvaluations, MaxQuestions


def test_the_same_joints_are_found_however_few_candidates_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    observed = make_sample(ContourCell(kind="jagged", pieces=(8, 8), input="binary-300"), 5, 0)
    params = ContoursParams()
    pieces = [fragment.polygon for fragment in observed.puzzle.fragments]
    scene = make_scene(pieces, None, params, tolerance=0.006)
    monkeypatch.setattr(joints, "POSITIONS_AT_ONCE", 300_000)
    found: list[joints.Joints] = []
    for most in (1_000_000, 100):
        monkeypatch.setattr(joints, "MOST_AT_ONCE", most)
        found.append(
            joints.find_joints(
                scene, pairs_of(scene), params, rotations=Rotations(None), stop=MaxEvaluations(10)
            )
        )
    assert len(found[0].first) > 0
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_a_tree_finds_the_joints_that_comparing_all_with_all_finds() -> None:
    observed = make_sample(ContourCell(kind="jagged", pieces=(12, 12), input="binary-300"), 6, 0)
    pieces = [fragment.polygon for fragment in observed.puzzle.fragments]
    found: list[set[tuple[int, int]]] = []
    for most in (24_000, 1_000):
        params = ContoursParams(most_windows=most)
        scene = make_scene(pieces, observed.puzzle.target, params, tolerance=0.006)
        every = joints.find_joints(
            scene, pairs_of(scene), params, rotations=Rotations(None), stop=MaxEvaluations(10)
        )
        best = every.worth > 0.4
        found.append(set(zip(every.first[best].tolist(), every.second[best].tolist(), strict=True)))
    assert len(found[0]) > 12
    assert len(found[0] & found[1]) >= 0.95 * len(found[0])


@pytest.mark.parametrize("most_windows", [24_000, 1_000])
def test_threads_find_the_same_joints_to_the_bit(most_windows: int) -> None:
    observed = make_sample(ContourCell(kind="jagged", pieces=(8, 8), input="binary-300"), 5, 0)
    pieces = [fragment.polygon for fragment in observed.puzzle.fragments]
    params = ContoursParams(most_windows=most_windows)
    scene = make_scene(pieces, observed.puzzle.target, params, tolerance=0.006)
    found: list[joints.Joints] = []
    for threads in (1, 2, 3):
        with using_threads(threads):
            found.append(
                joints.find_joints(
                    scene, pairs_of(scene), params, rotations=Rotations(None), stop=MaxEvaluations(10)
                )
            )
    assert len(found[0].first) > 0
    for one, *others in zip(*found, strict=True):
        assert all(np.array_equal(one, other) for other in others)


def test_the_likest_are_fitted_first_when_time_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    observed = make_sample(ContourCell(kind="jagged", pieces=(8, 8), input="binary-300"), 5, 0)
    params = ContoursParams()
    pieces = [fragment.polygon for fragment in observed.puzzle.fragments]
    scene = make_scene(pieces, None, params, tolerance=0.006)
    monkeypatch.setattr(joints, "POINTS_AT_ONCE", 60_000)
    pairs, turn = pairs_of(scene), Rotations(None)
    every = joints.find_joints(scene, pairs, params, rotations=turn, stop=MaxEvaluations(10))
    some = joints.find_joints(scene, pairs, params, rotations=turn, stop=MaxQuestions(4))
    assert 0 < len(some.first) < len(every.first)
    assert some.worth[0] > 0.5 * every.worth[0]
