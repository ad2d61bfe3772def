from __future__ import annotations

import logging

import numba
import pytest
from numba.core import event

from sherd.compiled import _FirstCompilation


def compile_something() -> None:
    numba.njit(lambda x: x + 1)(1)


def test_only_the_first_compilation_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    compile_something()  # the listener of the process itself has spoken by now
    caplog.clear()
    with caplog.at_level(logging.INFO, "sherd"), event.install_listener("numba:compile", _FirstCompilation()):
        compile_something()
        compile_something()
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("compiling, which takes some seconds")
