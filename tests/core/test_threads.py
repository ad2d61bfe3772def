"""Loops in parts: every number once, in order, by as many threads as are asked for."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sherd.core.threads import PARTS, in_parts, made_ahead, using_threads


@given(some.integers(0, 5), some.integers(0, 40), some.integers(1, 5), some.integers(1, 7))
def test_every_number_is_in_one_part_and_in_order(start: int, count: int, threads: int, least: int) -> None:
    numbers = range(start, start + count)
    with using_threads(threads):
        parts = in_parts(numbers, lambda part: range(part.start, part.stop), least=least)
    assert [number for part in parts for number in part] == [*numbers]
    assert len(parts) <= (threads * PARTS if threads > 1 else 1)
    assert len(parts) == 1 or min(map(len, parts)) >= least


def test_parts_are_made_side_by_side() -> None:
    together = threading.Barrier(3, timeout=30)
    with using_threads(3):
        assert len(in_parts(range(3), lambda part: together.wait())) == 3


def test_without_threads_nothing_else_runs() -> None:
    with using_threads(2), using_threads(1):
        pass
    assert in_parts(range(9), lambda part: threading.current_thread()) == [threading.main_thread()]


@pytest.mark.parametrize("bad", [0, 1])
def test_an_error_in_any_part_is_raised(bad: int) -> None:
    def make(part: slice) -> None:
        if part.start == bad:
            raise ArithmeticError(str(bad))

    with using_threads(2), pytest.raises(ArithmeticError, match=str(bad)):
        in_parts(range(2), make)


def test_what_is_made_ahead_is_the_next_alone() -> None:
    begun: list[int] = []
    seen = threading.Event()

    def make(number: int) -> int:
        begun.append(number)
        if number == 1:
            seen.set()
        return 10 * number

    with using_threads(2):
        ahead = made_ahead(make, range(9))
        assert next(ahead) == (0, 0)
        assert seen.wait(30)  # while the first is looked at
    assert begun == [0, 1]
    assert [*made_ahead(make, range(3))] == [(0, 0), (1, 10), (2, 20)]
