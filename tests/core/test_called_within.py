from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba.core import event

from sherd.core.compiled import compiled


@compiled
def power(x: float, times: int) -> float:
    if times < 0:
        raise ValueError("no power")
    product = 1.0
    for _ in range(times):
        product *= x
    return product


@compiled
def cubes_and_squares(numbers: Any) -> float:
    total = 0.0
    for number in numbers:
        total += power(number, 3) + power(number, 2)
    return total


@compiled
def powers(numbers: Any, times: int) -> float:
    return power(numbers[0], times)


class Signatures(event.Listener):
    """The names of what was compiled, in turn."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_start(self, event: event.Event) -> None: ...

    def on_end(self, event: event.Event) -> None:
        self.names.append(event.data["dispatcher"].py_func.__name__)


def test_one_translation_serves_all_constants_and_python_has_code_of_its_own() -> None:
    compiled_now = Signatures()
    with event.install_listener("numba:compile", compiled_now):
        assert cubes_and_squares(np.array([1.0, 2.0])) == 14.0
        assert power(2.0, 5) == 32.0
        assert power(3.0, 2) == 9.0
    ours = [name for name in compiled_now.names if name in {"power", "cubes_and_squares"}]
    # on the disk from an earlier run, they are not compiled at all
    assert ours in (["power", "cubes_and_squares", "power"], ["power"], [])


def test_errors_come_through() -> None:
    assert powers(np.array([2.0]), 3) == 8.0
    with pytest.raises(ValueError, match="no power"):
        powers(np.array([2.0]), -1)
