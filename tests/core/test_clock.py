"""A clock that can stand still."""

from __future__ import annotations

import pytest

from sherd.core import clock
from sherd.core.clock import Clock


def test_it_stands_still_until_resumed_as_often_as_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(clock.time, "perf_counter", lambda: now)
    watch = Clock()
    begin = watch()
    now += 2.0
    watch.pause()
    now += 30.0
    watch.pause()
    now += 5.0
    watch.resume()
    now += 7.0
    assert watch() - begin == 2.0
    watch.resume()
    now += 1.0
    assert watch() - begin == 3.0
