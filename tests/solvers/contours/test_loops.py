"""Closed loops of joints, and that looking for them can be stopped."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sherd.core.threads import using_threads
from sherd.solvers.contours.loops import LOOKS_AT_ONCE, support
from sherd.solvers.stop import MaxEvaluations, MaxQuestions, Stop

NEAR = 0.3


class Never:
    """Goes on, and counts how often it was asked."""

    def __init__(self) -> None:
        self.questions = 0

    def __call__(self, evaluations: int) -> bool:
        self.questions += 1
        return False


def found(copies: int, stop: Stop, *, off: float = 0.0, after: int = 0) -> list[float]:
    """What loops bear out of three joints about a corner, each so often, all worth 1, 2 and 3.

    ``off`` is by how much the third is turned; ``after`` them come some that close loops of other pieces.
    """
    first, second = np.array([0, 1, 0]), np.array([1, 2, 2])
    turns = np.array([1j, 1j, -np.exp(1j * off)])
    shifts = np.array([1.0 + 0j, 1.0 + 0j, 1.0 + 1j])
    worth = np.array([1.0, 2.0, 3.0])
    right = np.array([1j, 1j, -1.0 + 0j])
    return support(
        np.concatenate([np.tile(first, copies), np.tile(first + 3, after)]),
        np.concatenate([np.tile(second, copies), np.tile(second + 3, after)]),
        np.concatenate([np.tile(turns, copies), np.tile(right, after)]),
        np.tile(shifts, copies + after),
        np.tile(worth, copies + after),
        np.zeros(6, dtype=np.complex128),
        1e-6,
        1e-6,
        stop,
    ).tolist()


def by_all_ways(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    worth: NDArray[np.float64],
    centres: NDArray[np.complex128],
) -> list[float]:
    """The same as `support` by every two joints there are."""
    ways = [
        way
        for a, b, turn, shift, of in zip(first, second, turns, shifts, worth, strict=True)
        for way in ((a, b, turn, shift, of), (b, a, turn.conjugate(), -turn.conjugate() * shift, of))
    ]
    best = [0.0] * len(first)
    for j, (a, b) in enumerate(zip(first, second, strict=True)):
        here = turns[j] * centres[b] + shifts[j]
        for p, c, turn, shift, of in ways:
            for q, end, onward, moved, other in ways:
                if p != a or c in (a, b) or q != c or end != b or abs(turn * onward - turns[j]) > NEAR:
                    continue
                if abs(turn * (onward * centres[b] + moved) + shift - here) < NEAR:
                    best[j] = max(best[j], min(of, other))
    return best


@pytest.mark.parametrize("seed", range(6))
def test_no_loop_is_passed_over(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pieces, count = 4, 40
    first = rng.integers(0, pieces, count)
    second = (first + rng.integers(1, pieces, count)) % pieces
    turns = np.exp(0.5j * np.pi * rng.integers(0, 4, count) + 0.1j * rng.normal(size=count))
    shifts = np.round(rng.normal(size=count) + 1j * rng.normal(size=count))
    worth = np.round(rng.random(count), 1)
    centres = 0.1 * (rng.normal(size=pieces) + 1j * rng.normal(size=pieces))
    joints = first, second, turns, shifts, worth, centres
    looked = support(*joints, NEAR, NEAR, Never()).tolist()
    assert any(looked)
    assert looked == by_all_ways(*joints)


def test_a_joint_is_worth_what_the_lesser_of_the_two_others_is() -> None:
    assert found(1, MaxEvaluations(1)) == [2.0, 1.0, 1.0]


def test_what_takes_long_is_asked_about_often_whatever_the_number_of_joints() -> None:
    copies, never = 300, Never()
    assert not any(found(copies, never, off=0.1))
    assert never.questions >= copies**3 // LOOKS_AT_ONCE
    with using_threads(2):
        assert not any(found(copies, Never(), off=0.1))


def test_of_many_joints_that_close_loops_few_are_looked_at() -> None:
    never = Never()
    assert all(found(3000, never))
    assert never.questions <= 5  # of 54,000,000,000 pairs


def test_joints_after_the_end_have_no_loops() -> None:
    assert all(found(3, MaxQuestions(0)))
    assert all(found(3, MaxQuestions(0), after=1))
    told = found(300, MaxQuestions(0), off=0.1, after=1)
    assert not any(told)
    assert all(found(300, Never(), off=0.1, after=1)[-3:])
