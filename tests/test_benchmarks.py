"""Benchmarks fail where nothing was measured: what was not seen is not held."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).parent.parent / "benchmarks" / "tiling.py"


@pytest.fixture(scope="module")
def tiling() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tiling_benchmark", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses are looked up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("options", ["--puzzles 0", "--seconds 0", "--workers 0"])
def test_there_must_be_something_to_measure(
    tiling: ModuleType, options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["tiling.py", *options.split()])
    with pytest.raises(SystemExit) as ended:
        tiling.main()
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("before", "grid", "seconds", "holds"),
    [
        ([(False, 60.0, 100)], [(True, 5.0, 10_000)], 10.0, True),
        ([(False, 60.0, 100)], [(True, 5.0, 100)], 10.0, False),  # not fast enough
        ([(True, 0.1, 100)], [(True, 0.1, 10_000)], 10.0, False),  # nothing takes long
        ([(False, 60.0, 100)], [(True, 5.0, 10_000)], 60.0, False),  # no kind is open
        ([(False, 60.0, 100)] * 2, [(True, 5.0, 10_000), (False, 60.0, 10**6)], 60.0, True),
        ([], [], 10.0, False),
    ],
)
def test_promises_are_held_only_by_what_was_measured(
    tiling: ModuleType,
    before: list[tuple[bool, float, int]],
    grid: list[tuple[bool, float, int]],
    seconds: float,
    holds: bool,
) -> None:
    sides = [[tiling.Outcome(*one, placed=1) for one in side] for side in (before, grid)]
    assert tiling.held([tiling.Kind(*sides)], seconds) == holds
