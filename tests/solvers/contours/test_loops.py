"""Closed loops of joints, and that looking for them can be stopped."""

from __future__ import annotations

import numpy as np

from sherd.solvers.contours.loops import AT_ONCE, support
from sherd.solvers.stop import MaxEvaluations, MaxQuestions, Stop


def found(copies: int, stop: Stop) -> list[float]:
    """What loops bear out of three joints about a corner, each so often, all worth 1, 2 and 3."""
    first, second = np.array([0, 1, 0]), np.array([1, 2, 2])
    turns = np.array([1j, 1j, -1.0 + 0j])
    shifts = np.array([1.0 + 0j, 1.0 + 0j, 1.0 + 1j])
    worth = np.array([1.0, 2.0, 3.0])
    return support(
        np.tile(first, copies),
        np.tile(second, copies),
        np.tile(turns, copies),
        np.tile(shifts, copies),
        np.tile(worth, copies),
        np.zeros(3, dtype=np.complex128),
        1e-6,
        1e-6,
        stop,
    ).tolist()


def test_a_joint_is_worth_what_the_lesser_of_the_two_others_is() -> None:
    assert found(1, MaxEvaluations(1)) == [2.0, 1.0, 1.0]


def test_joints_after_the_end_have_no_loops() -> None:
    copies = AT_ONCE // 3 + 1
    assert all(found(copies, MaxEvaluations(1)))
    stopped = found(copies, MaxQuestions(0))
    assert all(stopped[:AT_ONCE])
    assert not any(stopped[AT_ONCE:])
