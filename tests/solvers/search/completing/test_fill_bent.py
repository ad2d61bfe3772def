"""Bent pieces whose corners were moved a little are put together, and rivals are told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.symmetry import are_same
from sherd.generation.dataset import PuzzleKind, make_observed, make_samples, target_shape
from sherd.solvers import MaxEvaluations, run
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.arrangement import arrangement_of
from sherd.solvers.search.attempt import Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing.fill_bent import fill_bent
from sherd.solvers.search.ladder import LADDER, PAST, LadderParams

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


def on_a_grid(name: str, seed: int) -> Puzzle:
    """Eight pieces, some bent, whose corners lie off the grid that they were cut on by 0.3 % of the size."""
    shape = target_shape(name, "lattice")
    kind = PuzzleKind(shape=shape, pieces=8, rotations=FREE, dissection="lattice")
    return next(make_observed(kind, "moved-0.3", seed=seed, stop=1)).own.puzzle


@pytest.mark.parametrize(("name", "seed"), [("frame", 1), ("frame", 4), ("rectilinear", 6)])
def test_corners_that_no_piece_lies_in_are_left_at_last(name: str, seed: int) -> None:
    """Where it ended after a few dozen placements, half of the target open, and time was left."""
    case = Case(on_a_grid(name, seed))
    ended = [fill_bent(case, off, MaxEvaluations(500)) for off in (2e-3, 4e-3, 6e-3)]
    assert all(one.exhausted for one in ended)
    more = [fill_bent(case, off, MaxEvaluations(200), past_corners=True) for off in (2e-3, 4e-3, 6e-3)]

    def most(found: list[Found]) -> float:
        return max(arrangement_of(case.puzzle, one.poses).coverage for one in found)

    assert most(more) > most(ended) + 0.1


def test_what_fits_past_corners_is_doubted() -> None:
    """The same pieces are solved where no corner is left."""
    puzzle = on_a_grid("frame", 5)
    case = Case(puzzle)
    found = fill_bent(case, 6e-3, MaxEvaluations(600), past_corners=True)
    assert len(found.poses) == 8
    assert found.evidence is not None
    assert not found.evidence.is_fair
    assert found.evidence.elsewhere == set(range(8))
    row = next(row for rows in LADDER.values() for row in rows if row.name == "fill bent past corners")
    alone = SearchSolver(LadderParams(table={"": (replace(row, sizes=(6e-3,), limits=PAST),)}))
    result = run(alone, puzzle, stop=MaxEvaluations(600), rng=np.random.default_rng(0))
    assert len(result.assembly) == len(result.elsewhere) == 8
    assert not result.solved
    assert run(SearchSolver(), puzzle, stop=MaxEvaluations(600), rng=np.random.default_rng(0)).solved


@pytest.mark.parametrize("seed", [3, 4])
def test_twice_the_time_is_no_worse_where_bent_corners_are_off(seed: int) -> None:
    before = 0.0
    for limit in (20, 40, 80, 160):
        result = run(
            SearchSolver(), on_a_grid("frame", seed), stop=MaxEvaluations(limit), rng=np.random.default_rng(0)
        )
        assert len(result.assembly) > 0
        assert result.objective >= before
        before = result.objective


def test_it_ends_when_it_should_stop() -> None:
    case = Case(merged("square", 10, 1e-3).puzzle)
    found = fill_bent(case, 4e-3, MaxEvaluations(3))
    assert (found.tries, found.exhausted) == (3, False)
    assert fill_bent(case, 4e-3, MaxEvaluations(99), most_placements=5).tries == 5
