"""Outlines that were traced pixel by pixel are fitted; those that were not stay as they are."""

from __future__ import annotations

from dataclasses import replace

import pytest
import shapely

from sherd import Rotations, assemble
from sherd.core.metrics import score
from sherd.generation.dataset import PuzzleKind, make_observed, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers.refitted import DOUBT, fitting_once, with_fitted_edges
from sherd.solvers.stop import MaxEvaluations, MaxSeconds

KIND = PuzzleKind(shape=named_shape("square"), pieces=8, rotations=Rotations(None))


@pytest.mark.parametrize("seen", ["grey-128", "grey-300"])
def test_traced_pieces_have_the_corners_that_they_were_cut_with(seen: str) -> None:
    for observed in make_observed(KIND, seen, seed=5, stop=3):
        puzzle = observed.own.puzzle
        assert puzzle.pixel is not None
        fitted = with_fitted_edges(puzzle)
        for traced, found in zip(puzzle.fragments, fitted.fragments, strict=True):
            cut = observed.exact.puzzle[traced.id].polygon
            assert shapely.get_num_coordinates(traced.polygon) > 12
            assert shapely.get_num_coordinates(found.polygon) <= shapely.get_num_coordinates(cut) + 4
            # Where it was: the frame stays, so that a pose of the one is a pose of the other.
            apart = shapely.symmetric_difference(traced.polygon, found.polygon).area
            assert apart < 0.5 * puzzle.pixel * cut.length
            assert found.polygon.area == pytest.approx(cut.area, rel=0.01)


def test_others_stay_as_they_are() -> None:
    (exact,) = make_samples(KIND, seed=5, stop=1)
    assert with_fitted_edges(exact.puzzle) is exact.puzzle
    (torn,) = make_observed(KIND, "moved-0.05", seed=5, stop=1)
    assert with_fitted_edges(torn.puzzle) is torn.puzzle
    torn_kind = replace(KIND, dissection="broken")
    (scraps,) = make_observed(torn_kind, "grey-300", seed=5, stop=1)
    assert with_fitted_edges(scraps.puzzle) is scraps.puzzle
    (scan,) = make_observed(KIND, "grey-128", seed=5, stop=1)
    once = with_fitted_edges(scan.puzzle)
    assert with_fitted_edges(once) is once


def test_outlines_are_fitted_once_in_a_run_and_not_after_their_time() -> None:
    (scan,) = make_observed(KIND, "grey-128", seed=5, stop=1)
    puzzle = scan.puzzle
    with fitting_once():
        assert with_fitted_edges(puzzle, MaxSeconds(0.0)) is puzzle
        assert with_fitted_edges(puzzle) is puzzle  # as it was the first time
    with fitting_once():
        fitted = with_fitted_edges(puzzle, MaxEvaluations(0))
        assert fitted is not puzzle
        pairs = zip(fitted.fragments, with_fitted_edges(puzzle).fragments, strict=True)
        assert all(one.polygon is again.polygon for one, again in pairs)


def test_what_is_fitted_is_found_but_never_called_solved() -> None:
    (scan,) = make_observed(replace(KIND, pieces=4), "grey-128", seed=5, stop=1)
    result = assemble(scan.puzzle, seconds=10)
    assert score(result.assembly, scan.own).coverage > 0.99
    assert not result.solved and DOUBT in result.verdict.against
