"""Processes that wait for each other, so that one compiles and the others load."""

from __future__ import annotations

import fcntl
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sherd.core import one_at_a_time as module
from sherd.core.one_at_a_time import one_at_a_time

SOURCE = Path(__file__).parents[2] / "src"
MODULE = """
from sherd.core.compiled import compiled

@compiled
def total(count):
    found = 0.0
    for k in range(count):
        found += k % 7
    return found

@compiled
def of_total(count):
    return total(count) + 1.0
"""
THREADS = """
import threading
import made
calls = [lambda: made.of_total(10), lambda: made.total(10)]
calls += [lambda: made.of_total(True), lambda: made.total(True)]
threads = [threading.Thread(target=call) for call in calls]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")
"""
CALL = """
import made
assert made.total(10) == 24.0
print(sum(made.total.stats.cache_misses.values()), sum(made.total.stats.cache_hits.values()))
"""


def test_of_processes_that_begin_together_one_compiles(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(MODULE)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(SOURCE), str(tmp_path))),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }
    together = [
        subprocess.Popen([sys.executable, "-c", CALL], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = sorted(process.communicate()[0].strip() for process in together)
    assert said == ["0 1", "1 0"]


def test_threads_that_compile_what_others_call_do_not_wait_for_ever(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(MODULE)
    path = os.pathsep.join((str(SOURCE), str(tmp_path)))
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    call = [sys.executable, "-c", THREADS]
    assert subprocess.run(call, env=environment, capture_output=True, text=True).stdout == "done\n"


def test_who_cannot_lock_does_not_wait(tmp_path: Path) -> None:
    entered: list[str] = []
    with one_at_a_time(tmp_path / "no folder" / "lock"):
        entered.append("without")
    with one_at_a_time(tmp_path / "lock"):
        entered.append("with")
    assert entered == ["without", "with"]
    with pytest.raises(ValueError, match="mine"), one_at_a_time(tmp_path / "lock"):
        raise ValueError("mine")
    with one_at_a_time(tmp_path / "lock"):
        pass


@pytest.mark.parametrize("long", [True, False])
def test_it_is_said_once_that_another_is_waited_for_if_that_takes_long(
    long: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[str] = []

    class Timer:
        def __init__(self, seconds: float, say: Any) -> None:
            self.say = say

        def start(self) -> None:
            calls.append("timer")
            if long:
                self.say()

        def cancel(self) -> None:
            calls.append("cancelled")

    def flock(file: object, how: int) -> None:
        if how & fcntl.LOCK_NB:
            raise BlockingIOError
        calls.append("locked")

    monkeypatch.setattr(module, "Timer", Timer)
    monkeypatch.setattr(module.fcntl, "flock", flock)
    module._say_that_it_waits.cache_clear()
    with caplog.at_level(logging.INFO, "sherd"):
        for _ in range(2):
            with one_at_a_time(tmp_path / "lock"):
                calls.append("within")
    assert calls == ["timer", "locked", "cancelled", "within"] * 2
    assert [said.startswith("waiting for another process") for said in caplog.messages] == [True] * long
