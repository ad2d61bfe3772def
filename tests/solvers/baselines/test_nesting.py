from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import shapely

from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.solvers import SOLVERS, MaxEvaluations, MaxSeconds
from sherd.solvers.baselines import nesting
from sherd.solvers.baselines.nesting import NestingParams, NestingSolver
from sherd.solvers.run import run
from sherd.solvers.stop import MaxQuestions

needs_spyrrow = pytest.mark.skipif(find_spec("spyrrow") is None, reason="spyrrow is not installed")


def test_a_missing_package_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(name: str) -> None:
        return None

    monkeypatch.setattr(nesting, "find_spec", find_nothing)
    with pytest.raises(UnsupportedError, match=r"^nesting needs .* pip install 'sherd\[nesting\]'$"):
        SOLVERS["nesting"]()


@needs_spyrrow
def test_two_halves_fill_the_strip(two_halves: Sample, rng: np.random.Generator) -> None:
    solver = NestingSolver(NestingParams(seconds=1))
    result = run(solver, two_halves.puzzle, stop=MaxSeconds(5.0), rng=rng)
    assert result.solved
    assert result.objective == pytest.approx(1.0, abs=0.01)
    found = measure(result.assembly, two_halves.puzzle)
    assert found.coverage > 0.98
    assert found.overlap < 0.01


@needs_spyrrow
def test_the_strip_lies_at_the_targets_lower_left_corner(rng: np.random.Generator) -> None:
    target = shapely.box(10, 20, 11, 21)
    half = shapely.box(-0.25, -0.5, 0.25, 0.5)
    puzzle = Puzzle(target, (Fragment("a", half), Fragment("b", half)), Rotations(4))
    result = NestingSolver().solve(puzzle, stop=MaxEvaluations(30), rng=rng)
    assert measure(result.assembly, puzzle).coverage > 0.8
    assert result.evaluations == 30
    low_x, low_y, _, high_y = shapely.total_bounds(puzzle.placed(result.assembly)).tolist()
    assert low_x >= 10 - 1e-5
    assert low_y >= 20 - 1e-5
    assert high_y <= 21.002


@needs_spyrrow
def test_a_target_that_is_no_rectangle_is_never_called_solved(rng: np.random.Generator) -> None:
    triangle = shapely.Polygon([(0, 0), (1, 0), (0.5, 1)])
    puzzle = Puzzle(triangle, (Fragment("all", triangle),), Rotations(None))
    result = run(NestingSolver(), puzzle, stop=MaxEvaluations(10), rng=rng)
    assert not result.solved
    assert "which the target is not" in result.reason


@needs_spyrrow
def test_pieces_that_fit_but_leave_a_gap_are_not_called_solved(
    two_halves: Sample, rng: np.random.Generator
) -> None:
    puzzle = Puzzle(two_halves.puzzle.target, two_halves.puzzle.fragments[:1])
    result = run(NestingSolver(), puzzle, stop=MaxEvaluations(10), rng=rng)
    assert len(result.assembly) == 1
    assert not result.solved
    assert "too small to fill" in result.reason


def test_what_the_strip_leaves_open_stands_against_the_answer(
    two_halves: Sample, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(name: str) -> str:
        return name

    def one_report(*_: object) -> Iterator[dict[str, object]]:
        yield {"feasible": True, "width": 0.5, "items": [("left", 0.25, 0.5, 0.0)]}

    monkeypatch.setattr(nesting, "find_spec", found)
    monkeypatch.setattr(nesting, "_reports", one_report)
    puzzle = Puzzle(two_halves.puzzle.target, two_halves.puzzle.fragments[:1])
    result = run(NestingSolver(), puzzle, stop=MaxEvaluations(10), rng=rng)
    assert result.verdict.state == "partly"
    assert "too small to fill" in result.verdict.why


@needs_spyrrow
def test_a_failure_of_the_engine_is_said(rng: np.random.Generator) -> None:
    long = Fragment("long", shapely.box(-0.5, -1, 0.5, 1))
    puzzle = Puzzle(shapely.box(0, 0, 4, 1), (long,))
    with pytest.raises(UnsupportedError, match=r"nesting engine failed: .*does not seem to fit"):
        NestingSolver().solve(puzzle, stop=MaxEvaluations(60), rng=rng)


@needs_spyrrow
def test_an_engine_that_hangs_is_ended(
    two_halves: Sample, rng: np.random.Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deaf.py").write_text("import time\nwhile True:\n    time.sleep(1)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("sherd.solvers.baselines.nesting.ENGINE", "deaf")
    found = NestingSolver().solve(two_halves.puzzle, stop=MaxQuestions(3), rng=rng)
    assert found.remark == "nothing was packed"


@needs_spyrrow
def test_what_it_cannot_do_is_refused(two_halves: Sample, rng: np.random.Generator) -> None:
    ring = shapely.Polygon([(0, 0), (3, 0), (3, 3), (0, 3)], [[(1, 1), (1, 2), (2, 2), (2, 1)]])
    with_hole = Puzzle(ring, (Fragment("ring", ring),))
    mirrored = Puzzle(two_halves.puzzle.target, two_halves.puzzle.fragments, mirror=True)
    for puzzle, reason in ((with_hole, "holes"), (mirrored, "turn pieces over")):
        with pytest.raises(UnsupportedError, match=reason):
            NestingSolver().solve(puzzle, stop=MaxEvaluations(60), rng=rng)


@pytest.mark.parametrize("bad", [{"seconds": 0}, {"enough": -0.1}])
def test_bad_params_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="not"):
        NestingParams(**bad)
