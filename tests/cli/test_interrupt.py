from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
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


class PressedAt:
    """A rule at whose so many-th question Ctrl-C is pressed, and which then says what the other says."""

    def __init__(self, question: int, rule: Callable[[int], bool]) -> None:
        self.question, self.rule, self.asked = question, rule, 0

    def __call__(self, evaluations: int) -> bool:
        self.asked += 1
        if self.asked == self.question:
            press()
        return self.rule(evaluations)


@pytest.fixture
def hard() -> Puzzle:
    """A tangram that lacks a piece: annealing goes on until it is told to stop."""
    sample = tangram("cat", np.random.default_rng(1))
    return Puzzle(sample.puzzle.target, sample.puzzle.fragments[:-1], Rotations(None), mirror=True)


def test_an_assembler_ends_when_told_to_with_what_it_has(hard: Puzzle) -> None:
    with stopping_on_interrupt() as rule:
        pressed = PressedAt(100, rule)
        _, result = Assembler("annealing")(hard, seconds=1e6, rng=np.random.default_rng(0), stop=pressed)
    assert pressed.asked <= 110
    assert len(result.assembly) > 0


def test_without_a_press_the_time_limit_counts(two_halves: Sample) -> None:
    with stopping_on_interrupt() as rule:
        _, result = Assembler("search")(
            two_halves.puzzle, seconds=10.0, rng=np.random.default_rng(0), stop=rule
        )
    assert result.solved


def test_the_puzzle_at_hand_is_written_as_far_as_it_was(
    hard: Puzzle, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Counter[str]()

    def answer(rule: Interrupted, evaluations: int) -> bool:
        asked["whether to stop"] += 1
        if asked["whether to stop"] == 100:
            press()
        return rule.pressed

    monkeypatch.setattr(Interrupted, "__call__", answer)
    write_samples(tmp_path / "set.jsonl", [hard, hard])
    command = ["assemble", str(tmp_path / "set.jsonl"), "--solver", "annealing", "--time-limit", "600"]
    assert run([*command, "--out", str(tmp_path / "out")]) == 130
    said = capsys.readouterr()
    assert said.err == "sherd: interrupted: 1 of 2 puzzles are written, the last as far as it was\n"
    assert "set-0: not solved: interrupted" in said.out
    assert len(read_assembly(tmp_path / "out" / "set-0.assembly.json").assembly) > 0
    assert not (tmp_path / "out" / "set-1.assembly.json").exists()


ENDING = """
import os, signal, sys, time
from pathlib import Path
from sherd.cli import end_when_told
from sherd.io.atomic import writing_lines

class Ends:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60.0)

end_when_told()
with writing_lines(sys.argv[1]) as lines:
    lines.write("half")
    Ends()
    time.sleep(60.0)
"""


def test_sigterm_in_a_finalizer_ends_without_a_word_or_a_file(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDING, str(tmp_path / "lines")], capture_output=True, check=False, timeout=50
    )
    assert done.returncode == 128 + signal.SIGTERM
    assert (done.stdout, done.stderr) == (b"", b"")
    assert [*tmp_path.iterdir()] == []


PRESSED = """
import os, signal, sys, time
from sherd.cli import end_when_told

class Ends:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(100):
            pass

end_when_told()
try:
    Ends()
    time.sleep(60.0)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_in_a_finalizer_is_not_lost() -> None:
    done = subprocess.run([sys.executable, "-c", PRESSED], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


LEAVING = """
import atexit
import os
import sherd.cli

class Held:
    def __init__(self):
        self.tell = os.write

    def __del__(self):
        self.tell(1, b"taken down\\n")

held = Held()
atexit.register(print, "at the end")
sherd.cli.run = lambda arguments: int(arguments[0])
sherd.cli.main()
"""


@pytest.mark.parametrize(("code", "said"), [(0, "at the end\ntaken down\n"), (130, "at the end\n")])
def test_an_interrupted_command_leaves_without_taking_everything_down(code: int, said: str) -> None:
    command = [sys.executable, "-c", LEAVING, f"{code}"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (code, said, "")
