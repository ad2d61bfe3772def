"""What is said while a network trains, and how signals are heard."""

from __future__ import annotations

import math
import os
import signal
from typing import Any

import pytest

from sherd.cli.console import Terminals
from sherd.cli.while_training import display, interruptions

pytest.importorskip("torch")
Work = pytest.importorskip("sherd.learn.training.interruption").Work
Report = pytest.importorskip("sherd.learn.training.train").Report


def press(number: signal.Signals = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_once_ends_at_once_until_somebody_asks(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), interruptions(Terminals(), speaks=True):
        press(number)
    assert signal.getsignal(number) is before


def test_then_it_is_noted_and_twice_ends_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), interruptions(Terminals(), speaks=True) as interrupted:
        assert not interrupted()
        press()
        assert interrupted()
        assert capfd.readouterr().err.startswith("sherd: stopping, to save the state; once more ends at once")
        press()


def report(step: int, **more: Any) -> Any:
    return Report(step=step, puzzles=2 * step, progress=step / 10, seconds=3.0 * step, **more)


def test_lines_tell_the_time_left_and_what_is_urgent_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sherd.cli.while_training.SECONDS_A_LINE", math.inf)
    with display(True, Terminals()) as show:
        show(Work("drawing", 0, 1000))
        show(Work("drawing", 256, 1000))
        show(Work("taking the first step"))
        show(report(1, losses={"loss": 2.0}))
        show(report(2, validation={"cov": 0.5}))
        monkeypatch.setattr("sherd.cli.while_training.SECONDS_A_LINE", 0.0)
        show(report(5, losses={"loss": 1.0}))
    assert capsys.readouterr().err.splitlines() == [
        "sherd: drawing, 0 of 1,000",
        "sherd: taking the first step",
        "sherd: step 2, 6 s, 24 s left: validation cov 0.500",
        "sherd: step 5, 15 s, 15 s left: training loss 1.000",
    ]


def test_processes_after_the_first_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with display(False, Terminals()) as show:
        show(Work("drawing", 0, 1))
    assert capsys.readouterr() == ("", "")
