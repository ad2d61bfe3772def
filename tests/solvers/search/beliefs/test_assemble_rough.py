"""Rough pieces are assembled at one guess, whatever their order, and foreign ones are not."""

from __future__ import annotations

from dataclasses import replace

import pytest
import shapely
from shapely import Polygon

from sherd.bench.trial import Trial, make_trial
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.solvers.search.arrangement import arrangement_of
from sherd.solvers.search.beliefs.assemble_rough import assemble_rough
from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.case import Case
from sherd.solvers.stop import MaxEvaluations

EVALUATIONS = MaxEvaluations(20_000)


def trial_of(kind: PuzzleKind, seed: int, shown: str = "polygons") -> Trial:
    sample = next(iter(make_samples(kind, seed=seed, stop=1)))
    return make_trial(sample, shown, seed=seed, number=0)  # pyright: ignore[reportArgumentType]


def test_shuffled_pieces_are_assembled_alike() -> None:
    trial = trial_of(PuzzleKind(pieces=8, noise=0.005), seed=34)
    puzzle, guess = trial.sample.puzzle, (Roughness(size=0.005, traced=False), Patience(joints=2000))
    wholes = assemble_rough(Case(puzzle), *guess, EVALUATIONS).wholes
    turned = replace(puzzle, fragments=puzzle.fragments[::-1])
    others = assemble_rough(Case(turned), *guess, EVALUATIONS).wholes
    count = len(puzzle.fragments)
    assert others[0].cost == pytest.approx(wholes[0].cost)
    assert all(
        pose.is_close(others[0].poses[count - 1 - number], 0.005) for number, pose in wholes[0].poses.items()
    )


def test_pieces_that_belong_to_no_puzzle_make_no_whole() -> None:
    puzzle = trial_of(PuzzleKind(pieces=6), seed=35).sample.puzzle
    larger = replace(puzzle, target=shapely.box(0.0, 0.0, 1.3, 1.3))
    guess = Roughness(size=0.002, traced=False), Patience(joints=500)
    assert assemble_rough(Case(larger), *guess, EVALUATIONS).wholes == []


def test_a_traced_piece_that_bends_inward_is_not_given_up() -> None:
    bent = Polygon([(0, 0), (0.5, 0), (0.495, 0.5), (0.5, 1), (0, 1)])
    puzzle = Puzzle(
        shapely.box(0, 0, 1, 1), (Fragment("bent", bent), Fragment("straight", shapely.box(0.5, 0, 1, 1)))
    )
    guess = Roughness(size=0.01, traced=True), Patience(joints=100)
    wholes = assemble_rough(Case(puzzle), *guess, MaxEvaluations(1000)).wholes
    assert wholes
    assert all(abs(pose.x) < 0.01 and abs(pose.y) < 0.01 for pose in wholes[0].poses.values())


@pytest.mark.parametrize("rotations", [Rotations(1), Rotations(None)])
def test_what_was_glued_when_time_is_up_is_kept(rotations: Rotations) -> None:
    puzzle = trial_of(PuzzleKind(pieces=16, rotations=rotations, noise=0.003), seed=33).sample.puzzle
    found = assemble_rough(
        Case(puzzle), Roughness(size=0.005, traced=False), Patience(joints=3000), MaxEvaluations(20)
    )
    assert found.wholes == []
    assert 0 < len(found.some) < len(puzzle.fragments)
    answer = arrangement_of(puzzle, found.some)
    laid = sum(puzzle.fragments[number].polygon.area for number in found.some)
    assert laid - answer.coverage <= 0.01
