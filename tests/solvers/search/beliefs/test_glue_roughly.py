"""Pieces that are traced, moved, distorted or worn are assembled, and honestly."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from sherd.bench.trial import Trial, make_trial
from sherd.core.geometry import Rotations
from sherd.core.metrics import score
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers.run import run
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.beliefs.glue_roughly import glue_roughly, looser_than
from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.case import Case, bends_inward
from sherd.solvers.search.constants.rough_outlines import MOVED_GUESSES
from sherd.solvers.search.corner_outline import ring_of
from sherd.solvers.stop import MaxEvaluations

EVALUATIONS = MaxEvaluations(20_000)


def trial_of(kind: PuzzleKind, seed: int, shown: str = "polygons") -> Trial:
    sample = next(iter(make_samples(kind, seed=seed, stop=1)))
    return make_trial(sample, shown, seed=seed, number=0)  # pyright: ignore[reportArgumentType]


def coverage(trial: Trial) -> float:
    solver, puzzle = SearchSolver(), trial.observation.puzzle
    result = run(solver, puzzle, stop=EVALUATIONS, rng=np.random.default_rng(0))
    again = run(solver, puzzle, stop=EVALUATIONS, rng=np.random.default_rng(1))
    assert replace(again, seconds=result.seconds) == result
    assert all(puzzle.rotations.allows(placement.pose.theta) for placement in result.assembly)
    return score(trial.observation.meant(result.assembly), trial.sample).coverage


@pytest.mark.parametrize("shape", ["square", "hexagon", "mondrian"])
@pytest.mark.parametrize("rotations", [Rotations(1), Rotations(None)])
def test_outlines_traced_from_black_masks(shape: str, rotations: Rotations) -> None:
    kind = PuzzleKind(shape=named_shape(shape), pieces=8, rotations=rotations)
    assert coverage(trial_of(kind, seed=31, shown="binary")) >= 0.95


@pytest.mark.parametrize("damage", ["missing", "eroded", "distorted"])
@pytest.mark.parametrize("rotations", [Rotations(20), Rotations(None)])
def test_damaged_pieces(damage: str, rotations: Rotations) -> None:
    kind = PuzzleKind(pieces=8, rotations=rotations, degradation=damage)  # pyright: ignore[reportArgumentType]
    assert coverage(trial_of(kind, seed=32)) >= 0.95


@pytest.mark.parametrize("rotations", [Rotations(1), Rotations(None)])
def test_sixteen_pieces_with_every_corner_moved(rotations: Rotations) -> None:
    assert coverage(trial_of(PuzzleKind(pieces=16, rotations=rotations, noise=0.003), seed=33)) >= 0.95


def test_a_piece_bent_inward_by_a_moved_corner_is_not_given_up() -> None:
    kind = PuzzleKind(pieces=16, degradation="distorted")
    (sample,) = make_samples(kind, seed=301, start=52, stop=53)
    assert any(bends_inward(ring_of(fragment.polygon)) for fragment in sample.puzzle.fragments)
    assert coverage(make_trial(sample, "polygons", seed=301, number=52)) >= 0.95


def test_what_laid_all_pieces_with_joints_to_spare_is_exhausted() -> None:
    case = Case(trial_of(PuzzleKind(pieces=8, noise=0.003), seed=34).sample.puzzle)
    roughness = Roughness(size=0.005, traced=False)
    found = glue_roughly(case, roughness, EVALUATIONS, patience=Patience(joints=3000))
    assert len(found.poses) == 8
    assert found.exhausted and found.tries < 3000
    again = glue_roughly(case, roughness, EVALUATIONS, patience=Patience(joints=6000))
    assert again.poses == found.poses
    assert not glue_roughly(case, roughness, MaxEvaluations(1), patience=Patience(joints=3000)).exhausted


def test_the_next_looser_guess_is_the_next_of_the_ladder() -> None:
    for size, larger in itertools.pairwise(MOVED_GUESSES):
        assert looser_than(Roughness(size=size, traced=False)) == (Roughness(size=larger, traced=False),)
    assert looser_than(Roughness(size=MOVED_GUESSES[-1], traced=False)) == ()
