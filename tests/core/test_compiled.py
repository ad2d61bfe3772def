from __future__ import annotations

import importlib
import logging
import sys
import time
from pathlib import Path

import numba
import pytest
from numba.core import event

from sherd.core.clock import Clock, working_seconds
from sherd.core.compiled import _Compilation


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


def run_outer(folder: Path, number: int, inner: str) -> tuple[float, int]:
    """The value of a compiled function that calls another, written anew, and how often it was on the disk."""
    (folder / "borrowed_inner.py").write_text(
        f"from sherd.core.compiled import compiled\n\n\n@compiled\ndef inner(x):\n    return {inner}\n"
    )
    for name in ("borrowed_inner", "borrowed_outer"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    outer = importlib.import_module("borrowed_outer").outer
    return outer(number), sum(outer.stats.cache_hits.values())


def test_code_on_the_disk_is_compiled_anew_when_a_function_in_another_file_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "borrowed_outer.py").write_text(
        "from borrowed_inner import inner\n\nfrom sherd.core.compiled import compiled\n\n\n"
        "@compiled\ndef outer(x):\n    return 10 * inner(x)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert run_outer(tmp_path, 2, "x + 1") == (30, 0)
    assert run_outer(tmp_path, 2, "x + 1") == (30, 1)
    assert run_outer(tmp_path, 2, "x + 1000") == (10020, 0)
