"""Whether a piece is lost, told by the area that lacks beside how far corners are off."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.core.geometry import Rotations
from sherd.generation.dataset import PuzzleKind, make_observed
from sherd.generation.shapes import named_shape
from sherd.layout.holding import moved_pieces
from sherd.solvers import MaxEvaluations, run
from sherd.solvers.search import LACKING, SearchSolver
from sherd.solvers.search.beliefs.cut_lines import fit_cuts
from sherd.solvers.search.beliefs.lacking import lacks_a_piece
from sherd.solvers.search.constants.beliefs import LACKING_BY_CHANCE
from sherd.solvers.search.corner_outline import ring_of
from true_lines import noisy_and_lines, poses_of, rings_of


@pytest.mark.parametrize("shape", ["square", "pentagon", "hexagon", "mondrian"])
def test_corners_that_are_off_lack_nothing(shape: str) -> None:
    lacking = 0
    for seed in range(600, 610):
        sample, lines = noisy_and_lines(shape, 8, 0.01, seed)
        rings, target = rings_of(sample), ring_of(sample.puzzle.target)
        fit = fit_cuts(rings, lines, target, poses_of(sample), turns=True)
        assert fit is not None
        lacking += lacks_a_piece(target, rings, fit.squares / fit.freedom)
    assert lacking <= 1


@pytest.mark.parametrize("smaller", [0.02, 0.03])
def test_no_fit_hides_what_lacks(smaller: float) -> None:
    """Squares are left, by all corners, of what is as large as what lacks, or larger."""
    sample, lines = noisy_and_lines("hexagon", 8, 0.0, 600)
    rings, target = [(1.0 - smaller) * ring for ring in rings_of(sample)], ring_of(sample.puzzle.target)
    fit = fit_cuts(rings, lines, target, poses_of(sample), turns=True)
    assert fit is not None
    assert not lacks_a_piece(target, rings, 1.02 * fit.squares / LACKING_BY_CHANCE**2)
    assert lacks_a_piece(target, rings, 0.1 * fit.squares / LACKING_BY_CHANCE**2)


@pytest.mark.parametrize(("shape", "pieces", "number"), [("pentagon", 6, 1), ("hexagon", 8, 6)])
def test_beside_a_lost_piece_nothing_is_sure_where_corners_were_moved(
    shape: str, pieces: int, number: int
) -> None:
    """Two pieces of nearly the same area had changed places, laid as if none was lost, and called solved."""
    kind = PuzzleKind(shape=named_shape(shape), pieces=pieces, rotations=Rotations(None))
    (seen,) = make_observed(kind, "missing-1+moved-1", seed=20801, start=number, stop=number + 1)
    result = run(SearchSolver(), seen.puzzle, stop=MaxEvaluations(500), rng=np.random.default_rng(0))
    assert moved_pieces(seen.puzzle, result.assembly, [seen.truth], 0.03 * seen.puzzle.size)
    assert result.verdict.state == "partly"
    assert LACKING in result.reason
    assert set(result.elsewhere) == {piece.id for piece in result.assembly}
