from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

from sherd.cli.interrupt import Interrupted, stopping_on_interrupt
from sherd.geometry import Rotations
from sherd.puzzle import Puzzle, Sample
from sherd.solvers.run import Assembler
from sherd.tangram import tangram


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def test_the_first_press_asks_to_stop_and_the_second_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stopping_on_interrupt() as rule:
        assert not rule(0)
        press()
        assert rule(0)
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_cannot_catch_signals_and_need_not() -> None:
    seen: list[Interrupted] = []

    def work() -> None:
        with stopping_on_interrupt() as rule:
            seen.append(rule)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not seen[0].pressed


def test_an_assembler_ends_when_told_to_with_what_it_has() -> None:
    sample = tangram("cat", np.random.default_rng(1))
    hard = Puzzle(sample.puzzle.target, sample.puzzle.fragments[:-1], Rotations(None), mirror=True)
    assembler = Assembler("annealing")
    assembler(hard, seconds=0.2, rng=np.random.default_rng(0))  # compiles
    started = time.perf_counter()
    with stopping_on_interrupt() as rule:
        timer = threading.Timer(0.5, press)
        timer.start()
        _, result = assembler(hard, seconds=60.0, rng=np.random.default_rng(0), stop=rule)
        timer.join()
    assert time.perf_counter() - started < 30.0
    assert len(result.assembly) > 0


def test_without_a_press_the_time_limit_counts(two_halves: Sample) -> None:
    with stopping_on_interrupt() as rule:
        _, result = Assembler("search")(
            two_halves.puzzle, seconds=10.0, rng=np.random.default_rng(0), stop=rule
        )
    assert result.solved
