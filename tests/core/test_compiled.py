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


class Hand:
    """The hand of a clock that moves only when it is told to."""

    def __init__(self) -> None:
        self.now = time.perf_counter()

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def hand(monkeypatch: pytest.MonkeyPatch) -> Hand:
    moved = Hand()
    monkeypatch.setattr("sherd.core.clock.time", moved)
    monkeypatch.setattr(working_seconds, "now", moved.perf_counter)
    return moved


def test_the_clock_stands_still_while_code_is_compiled(hand: Hand) -> None:
    class Slow(event.Listener):
        def on_start(self, event: event.Event) -> None:
            hand.now += 10.0

        def on_end(self, event: event.Event) -> None: ...

    started, worked = hand.now, working_seconds()
    with event.install_listener("numba:compile", Slow()):
        compile_something()
    hand.now += 1.0
    assert hand.now >= started + 11.0
    assert working_seconds() - worked == pytest.approx(1.0)


def test_pauses_may_lie_within_pauses(hand: Hand) -> None:
    clock = Clock()
    stood = clock()
    clock.pause()
    clock.pause()
    hand.now += 1.0
    clock.resume()
    assert clock() == stood
    clock.resume()
    assert clock() == pytest.approx(stood)
    hand.now += 1.0
    assert clock() == pytest.approx(stood + 1.0)


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


def test_code_on_the_disk_that_names_a_type_which_is_gone_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def run(name: str) -> tuple[float, int]:
        (tmp_path / "borrowed_types.py").write_text(
            f"from typing import NamedTuple\n\n\nclass {name}(NamedTuple):\n    x: float\n\n\n"
            f"pair = {name}(2.0)\n"
        )
        for module in ("borrowed_types", "borrowed_user"):
            sys.modules.pop(module, None)
        importlib.invalidate_caches()
        user = importlib.import_module("borrowed_user")
        return user.double(user.pair), sum(user.double.stats.cache_hits.values())

    (tmp_path / "borrowed_user.py").write_text(
        "from borrowed_types import pair\n\nfrom sherd.core.compiled import compiled\n\n\n"
        "@compiled\ndef double(one):\n    return 2.0 * one.x\n"
    )
    assert run("Pair") == (4.0, 0)
    assert run("Pair") == (4.0, 1)
    assert run("Renamed") == (4.0, 0)
