from __future__ import annotations

import logging
import time

import numba
import pytest
from numba.core import event

from sherd.clock import Clock, working_seconds
from sherd.compiled import _Compilation


def compile_something() -> None:
    numba.njit(lambda x: x + 1)(1)


def test_only_the_first_compilation_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    compile_something()  # the listener of the process itself has spoken by now
    caplog.clear()
    with caplog.at_level(logging.INFO, "sherd"), event.install_listener("numba:compile", _Compilation()):
        compile_something()
        compile_something()
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("compiling, once for each kind of solver")


def test_the_clock_stands_still_while_code_is_compiled() -> None:
    started, worked = time.perf_counter(), working_seconds()
    compile_something()
    took = time.perf_counter() - started
    assert working_seconds() - worked < 0.5 * took


def test_pauses_may_lie_within_pauses() -> None:
    clock = Clock()
    clock.pause()
    clock.pause()
    stood = clock()
    clock.resume()
    assert clock() == stood
    clock.resume()
    assert clock() > stood
