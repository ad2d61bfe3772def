from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sherd.core import plain_at_first as module
from sherd.core.compiled import compiled
from sherd.core.geometry import Rotations
from sherd.core.plain_at_first import plain_at_first
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers import assemble


@compiled
def twice(x: int) -> int:
    return x * np.int64(2)


@plain_at_first
@compiled
def mixed(x: int) -> int:
    return twice(x) * np.int64(0x1F3D5B79A3C1E5D7)


@plain_at_first
@compiled
def polar(x: float, y: float) -> tuple[float, float, float]:
    angle = math.atan2(y, x)
    return math.hypot(x, y), math.cos(angle), math.sin(angle)


@pytest.fixture
def never_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has compiled nothing yet, and has all the time for plain Python."""
    monkeypatch.setattr(module, "is_compiled", lambda function: False)
    monkeypatch.setattr(module.spent, "seconds", 0.0)
    monkeypatch.setattr(module, "MOST_SECONDS", np.inf)


def dispatcher() -> Any:
    (found,) = [
        cell.cell_contents for cell in mixed.__closure__ or () if hasattr(cell.cell_contents, "stats")
    ]
    return found


def test_plain_python_is_run_until_its_time_is_up(
    never_compiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.int64(12345)
    found = mixed(x)
    assert not dispatcher().overloads
    assert module.spent.seconds > 0.0
    monkeypatch.setattr(module, "MOST_SECONDS", 0.0)
    assert mixed(x) == found  # whole numbers wrap around either way
    assert dispatcher().overloads


def test_lengths_and_angles_have_the_same_bits(never_compiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own `math.hypot` rounds one length in two hundred otherwise than that of C."""
    points = np.random.default_rng(0).normal(size=(2000, 2)).tolist()
    plain = [polar(x, y) for x, y in points]
    monkeypatch.setattr(module, "MOST_SECONDS", 0.0)
    assert [polar(x, y) for x, y in points] == plain


@pytest.mark.parametrize(("shape", "bins"), [("square", 4), ("hexagon", None), ("mondrian", 1)])
def test_plain_python_finds_the_same_bits(
    shape: str, bins: int | None, never_compiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = PuzzleKind(shape=named_shape(shape), pieces=12, rotations=Rotations(bins))
    puzzles = [sample.puzzle for sample in make_samples(kind, seed=500, stop=8)]
    plain = [assemble(puzzle) for puzzle in puzzles]
    assert module.spent.seconds > 0.0
    monkeypatch.setattr(module, "MOST_SECONDS", 0.0)
    for puzzle, found in zip(puzzles, plain, strict=True):
        again = assemble(puzzle)
        assert (again.assembly, again.solved, again.evaluations) == (
            found.assembly,
            found.solved,
            found.evaluations,
        )
