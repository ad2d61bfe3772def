"""What the whole command costs is measured on puzzles of any size."""

from __future__ import annotations

from pathlib import Path

import pytest
import shapely

from sherd.bench import growth
from sherd.bench.growth import KINDS, ROWS, GrowthRequest, measure_growth
from sherd.cli.bench_growth import assemble_words
from sherd.core.errors import UnsupportedError
from sherd.core.metrics import measure
from sherd.generation import lattice


@pytest.mark.parametrize("pieces", [4, 64])
def test_a_grid_is_cut_into_rectangles_of_whole_cells(pieces: int) -> None:
    sample = KINDS["on a grid"](pieces, 3)
    placed = sample.puzzle.placed(sample.truth)
    assert len(placed) == pieces
    assert measure(sample.truth, sample.puzzle).coverage == 1.0
    assert measure(sample.truth, sample.puzzle).overlap == 0.0
    corners = shapely.get_coordinates(placed)
    assert (corners == corners.round()).all()


def test_rows_have_every_kind_from_the_smallest_on() -> None:
    assert {kind for kind, _ in ROWS} == set(KINDS)
    assert ("exact cuts", 16_384) in ROWS
    assert [size for kind, size in ROWS if kind == "jigsaw"][-1] == 1024


def test_the_command_is_measured_and_hopeless_rows_are_left_out() -> None:
    rows = (("exact cuts", 4), ("broken", 16), ("broken", 64))
    exact, torn, left_out = measure_growth(GrowthRequest(rows=rows, time_limit=1e-3), assemble_words)
    assert exact is not None
    assert torn is not None
    assert not torn.solved
    assert left_out is None
    assert exact.seconds > 0.0
    assert exact.cpu_seconds > 0.0
    assert 20.0 < exact.peak_mib < 4000.0


def test_a_command_that_fails_is_told_and_one_that_is_killed_is_not_solved() -> None:
    rows = (("exact cuts", 4),)

    def fails(file: Path, out: Path, seconds: float) -> list[str]:
        return ["-c", "import sys; sys.exit('no such thing')"]

    def killed(file: Path, out: Path, seconds: float) -> list[str]:
        return ["-c", "import os; os.kill(os.getpid(), 9)"]

    with pytest.raises(UnsupportedError, match="exact cuts, 4 pieces: the command failed: no such thing"):
        list(measure_growth(GrowthRequest(rows=rows), fails))
    (cost,) = measure_growth(GrowthRequest(rows=rows), killed)
    assert cost is not None
    assert not cost.solved
    assert cost.solver_seconds is None


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="some seconds"):
        GrowthRequest(rows=ROWS, time_limit=0.0)


def test_more_pieces_than_are_cut_at_once_are_those_of_four_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "MOST_CUT", 8)
    sample = KINDS["exact cuts"](16, 3)
    assert len(sample.puzzle.fragments) == 16
    assert measure(sample.truth, sample.puzzle).coverage == pytest.approx(1.0, abs=1e-9)
    assert measure(sample.truth, sample.puzzle).overlap == pytest.approx(0.0, abs=1e-9)


def test_lattice_pieces_are_those_of_a_larger_frame_where_they_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = KINDS["lattice"](16, 3)
    monkeypatch.setattr(lattice, "MOST_PIECES", 4)
    many = KINDS["lattice"](16, 3)
    assert many.puzzle.target.area == 4 * few.puzzle.target.area
    for sample in (few, many):
        assert len(sample.puzzle.fragments) == 16
        assert measure(sample.truth, sample.puzzle).coverage == pytest.approx(1.0, abs=1e-9)
        assert measure(sample.truth, sample.puzzle).overlap == pytest.approx(0.0, abs=1e-9)
    assert [size for kind, size in ROWS if kind == "lattice"] == [16, 64, 256]
