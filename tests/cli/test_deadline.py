"""What asks nobody whether to go on ends with the limit all the same."""

from __future__ import annotations

import signal
import threading

import pytest

from sherd.cli.deadline import TimeIsUp, Times, ending_when_over
from sherd.core.errors import UnsupportedError
from sherd.solvers.stop import MaxSeconds


def test_a_library_that_catches_every_error_is_ended() -> None:
    rounds = 0
    with pytest.raises(UnsupportedError, match=r"a\.svg: reading it takes longer than the time limit"):  # noqa: SIM117
        with ending_when_over(MaxSeconds(0.05), "a.svg: reading it"):
            while True:
                try:
                    rounds += sum(range(1000)) > 0
                except Exception:
                    rounds = 0
    assert rounds > 0


def test_an_alarm_that_was_lost_rings_again() -> None:
    lost = 0
    with pytest.raises(UnsupportedError):  # noqa: SIM117
        with ending_when_over(MaxSeconds(0.01), "it"):
            while lost < 2:
                try:
                    while True:
                        pass
                except TimeIsUp:
                    lost += 1
            while True:
                pass
    assert lost == 2


def test_what_ends_in_time_hears_nothing() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with ending_when_over(MaxSeconds(60.0), "it"):
        found = sum(range(10))
    assert found == 45
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


def test_off_the_main_thread_there_are_no_alarms() -> None:
    done: list[bool] = []

    def work() -> None:
        with ending_when_over(MaxSeconds(0.0), "it"):
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


@pytest.mark.parametrize("module", ["numba.core.caching", "llvmlite.binding"])
def test_what_would_stay_half_done_is_waited_for(module: str) -> None:
    within: dict[str, object] = {"__name__": module, "over": MaxSeconds(0.1)}
    exec("def load():\n    while not over(0): pass\n    return True", within)
    load, is_loaded = within["load"], False
    assert callable(load)
    with pytest.raises(UnsupportedError):  # noqa: SIM117
        with ending_when_over(MaxSeconds(0.02), "it"):
            is_loaded = bool(load())
            while True:
                pass
    assert is_loaded


def test_a_limit_may_be_without_end() -> None:
    with ending_when_over(MaxSeconds(float("inf")), "it"):
        pass


@pytest.mark.parametrize(("spent", "left"), [(0.0, 10.0), (1.5, 8.5), (60.0, 5.0)])
def test_what_loading_took_is_part_of_the_limit(spent: float, left: float) -> None:
    times = Times.within(10.0, spent)
    assert times.limit.seconds == left
    assert times.written.seconds == pytest.approx(left + 0.6 + 0.7)


def test_of_a_short_limit_solving_has_half_a_second_to_end_in() -> None:
    assert Times.within(1.0).solved.seconds == pytest.approx(1.0 + 0.03 + 0.5)
    times = Times.within(60.0)
    assert 60.0 < times.solved.seconds < times.written.seconds < 1.1 * 60.0 + 1.0
