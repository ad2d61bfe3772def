from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from sherd.cli import run
from sherd.cli.interrupt import Interrupted, stopping_on_interrupt
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle, Sample
from sherd.generation.tangram import tangram
from sherd.io import read_assembly, write_samples
from sherd.solvers.run import Assembler


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


def test_the_puzzle_at_hand_is_written_as_far_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = tangram("cat", np.random.default_rng(1))
    hard = Puzzle(sample.puzzle.target, sample.puzzle.fragments[:-1], Rotations(None), mirror=True)
    write_samples(tmp_path / "set.jsonl", [hard, hard])
    Assembler("annealing")(hard, seconds=0.2, rng=np.random.default_rng(0))  # compiles
    timer = threading.Timer(1.0, press)
    timer.start()
    command = ["assemble", str(tmp_path / "set.jsonl"), "--solver", "annealing", "--time-limit", "60"]
    assert run([*command, "--out", str(tmp_path / "out")]) == 130
    timer.join()
    said = capsys.readouterr()
    assert said.err == "sherd: interrupted: 1 of 2 puzzles are written, the last as far as it was\n"
    assert "set-0: not solved: interrupted" in said.out
    assert len(read_assembly(tmp_path / "out" / "set-0.assembly.json").assembly) > 0
    assert not (tmp_path / "out" / "set-1.assembly.json").exists()
