"""Bent pieces whose corners were moved a little are put together, and rivals are told."""

from __future__ import annotations

import numpy as np
import shapely

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.symmetry import are_same
from sherd.generation.dataset import PuzzleKind, make_samples, target_shape
from sherd.solvers import MaxEvaluations, run
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing.fill_bent import fill_bent

FREE = Rotations(None)


def merged(shape: str, seed: int, noise: float) -> Sample:
    target = target_shape(shape, "merged")
    kind = PuzzleKind(shape=target, pieces=8, rotations=FREE, dissection="merged", noise=noise)
    return next(make_samples(kind, seed=seed, stop=1))


def test_bent_pieces_under_light_noise_are_solved() -> None:
    for shape in ("square", "star"):
        sample = merged(shape, 10, 1e-3)
        result = run(SearchSolver(), sample.puzzle, stop=MaxEvaluations(3000), rng=np.random.default_rng(0))
        assert result.solved
        assert are_same(result.assembly, sample.truth, sample.puzzle, 0.03)


def test_what_covers_as_much_with_pieces_elsewhere_is_a_rival() -> None:
    """Two of three squares each fill a box of six in two ways, which are mirror images."""
    bent = shapely.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
    larger = shapely.transform(bent, lambda points: points * 1.001)
    fragments = tuple(
        Fragment(f"f{k}", shapely.transform(one, lambda points, one=one: points - one.centroid.coords[0]))
        for k, one in enumerate((bent, larger))
    )
    case = Case(Puzzle(shapely.box(0, 0, 3, 2), fragments, FREE))
    found = fill_bent(case, 4e-3, MaxEvaluations(500))
    assert found.exhausted
    assert found.evidence is not None
    assert found.evidence.elsewhere == {0, 1}
    assert found.evidence.rivals
    result = run(SearchSolver(), case.puzzle, stop=MaxEvaluations(2000), rng=np.random.default_rng(0))
    assert not result.solved
    assert set(result.elsewhere) == {"f0", "f1"}


def test_it_ends_when_it_should_stop() -> None:
    case = Case(merged("square", 10, 1e-3).puzzle)
    found = fill_bent(case, 4e-3, MaxEvaluations(3))
    assert (found.tries, found.exhausted) == (3, False)
    assert fill_bent(case, 4e-3, MaxEvaluations(99), most_placements=5).tries == 5
