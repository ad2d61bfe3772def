"""Pieces that are traced, moved, distorted or worn are assembled, and honestly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon

from sherd.bench.trial import Trial, make_trial
from sherd.core.geometry import Pose, Rotations, size_of
from sherd.core.metrics import score
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.verdict import Tolerance, lies_tightly, lies_within
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.degradation import DegradationParams, degrade
from sherd.generation.shapes import named_shape
from sherd.solvers.run import run
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.arrangement import arrangement_of
from sherd.solvers.search.beliefs.eroded import is_worn, restore
from sherd.solvers.search.beliefs.roughness import WEAR, Roughness, assemble_rough
from sherd.solvers.search.beliefs.traced_tips import variants
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.stop import MaxEvaluations

EVALUATIONS = MaxEvaluations(20_000)


def trial_of(kind: PuzzleKind, seed: int, shown: str = "polygons") -> Trial:
    sample = next(iter(make_samples(kind, seed=seed, stop=1)))
    return make_trial(sample, shown, seed=seed, number=0)  # pyright: ignore[reportArgumentType]


def coverage(trial: Trial) -> float:
    solver, puzzle = SearchSolver(), trial.observation.puzzle
    result = run(solver, puzzle, stop=EVALUATIONS, rng=np.random.default_rng(0))
    again = run(solver, puzzle, stop=EVALUATIONS, rng=np.random.default_rng(1))
    assert result == again
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


def test_shuffled_pieces_are_assembled_alike() -> None:
    trial = trial_of(PuzzleKind(pieces=8, noise=0.005), seed=34)
    puzzle, roughness = trial.sample.puzzle, Roughness(size=0.005, traced=False, joints=2000)
    wholes = assemble_rough(puzzle, roughness, EVALUATIONS).wholes
    turned = replace(puzzle, fragments=puzzle.fragments[::-1])
    others = assemble_rough(turned, roughness, EVALUATIONS).wholes
    count = len(puzzle.fragments)
    assert others[0].cost == pytest.approx(wholes[0].cost)
    assert all(
        pose.is_close(others[0].poses[count - 1 - number], 0.005) for number, pose in wholes[0].poses.items()
    )


def test_pieces_that_belong_to_no_puzzle_make_no_whole() -> None:
    puzzle = trial_of(PuzzleKind(pieces=6), seed=35).sample.puzzle
    larger = replace(puzzle, target=shapely.box(0.0, 0.0, 1.3, 1.3))
    roughness = Roughness(size=0.002, traced=False, joints=500)
    assert assemble_rough(larger, roughness, EVALUATIONS).wholes == []


@given(st.sampled_from(["square", "pentagon", "hexagon"]), st.integers(0, 999))
@settings(max_examples=10)
def test_worn_pieces_get_their_outline_back(shape: str, seed: int) -> None:
    sound = next(iter(make_samples(PuzzleKind(shape=named_shape(shape), pieces=4), seed=seed, stop=1)))
    size = size_of(sound.puzzle.target)
    worn = degrade(sound, "eroded", DegradationParams(), np.random.default_rng(seed))
    for before, after in zip(_placed(sound), _placed(worn), strict=True):
        ring = ring_of(after)
        assert is_worn(ring) and not is_worn(ring_of(before))
        guesses = [Polygon(belief.corners) for belief, _ in restore(ring, WEAR * size, size)]
        assert min(guess.symmetric_difference(before).area for guess in guesses) < 0.02 * size**2
        assert before.difference(after).area > 0.0


def _placed(sample: Sample) -> list[Polygon]:
    return [sample.truth[f.id].apply(f.polygon) for f in sample.puzzle.fragments]


def test_a_tip_cut_off_by_the_tracer_is_drawn_out_and_a_sharp_one_cut_off() -> None:
    kite = np.array([[0.0, 0.0], [1.0, -0.1], [1.02, -0.09], [1.02, 0.0], [0.9, 0.2]])
    pixel = 1.0 / 128.0
    found = [CornerOutline(corners) for corners, _ in variants(kite, pixel)]
    assert any(len(outline) == len(kite) - 1 for outline in found)
    assert any(len(outline) == len(kite) + 1 for outline in found)
    for outline in found:
        apart = Polygon(outline.corners).symmetric_difference(Polygon(kite))
        assert shapely.hausdorff_distance(Polygon(outline.corners), Polygon(kite)) < 12.0 * pixel
        assert apart.area < 12.0 * pixel**2


def test_square_corners_have_no_variants() -> None:
    assert list(variants(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), 1.0 / 128.0)) == []


def test_a_traced_piece_that_bends_inward_is_not_given_up() -> None:
    bent = Polygon([(0, 0), (0.5, 0), (0.495, 0.5), (0.5, 1), (0, 1)])
    puzzle = Puzzle(
        shapely.box(0, 0, 1, 1), (Fragment("bent", bent), Fragment("straight", shapely.box(0.5, 0, 1, 1)))
    )
    roughness = Roughness(size=0.01, traced=True, joints=100)
    wholes = assemble_rough(puzzle, roughness, MaxEvaluations(1000)).wholes
    assert wholes
    assert all(abs(pose.x) < 0.01 and abs(pose.y) < 0.01 for pose in wholes[0].poses.values())


def test_a_piece_bent_inward_by_a_moved_corner_is_not_given_up() -> None:
    kind = PuzzleKind(pieces=16, degradation="distorted")
    (sample,) = make_samples(kind, seed=301, start=52, stop=53)
    assert any(is_worn(ring_of(fragment.polygon)) for fragment in sample.puzzle.fragments)
    assert coverage(make_trial(sample, "polygons", seed=301, number=52)) >= 0.95


def test_narrow_overlaps_lie_tightly_and_wide_ones_do_not() -> None:
    half = shapely.box(-0.25, -0.5, 0.25, 0.5)
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("left", half), Fragment("right", half)))
    for overlap, tight in ((0.0, True), (0.001, True), (0.01, False)):
        answer = arrangement_of(puzzle, {0: Pose(0.25, 0.5), 1: Pose(0.75 - overlap, 0.5)})
        assert lies_tightly(puzzle, answer.coverage) == tight


def test_a_small_piece_on_a_large_one_is_not_solved() -> None:
    small, large = shapely.box(-0.1, -0.05, 0.1, 0.05), shapely.box(-0.5, -0.5, 0.5, 0.5)
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("large", large), Fragment("small", small)))
    on_it = arrangement_of(puzzle, {0: Pose(0.5, 0.5), 1: Pose(0.5, 0.5)})
    assert on_it.coverage == pytest.approx(1.0)
    assert lies_within(puzzle, on_it.coverage, 0.02)  # by area alone it would do
    assert not on_it.fits(puzzle, Tolerance(0.02, 0.02))
    assert not on_it.fits(puzzle, Tolerance(0.02, 0.06))  # too thin for the disc, but it lies there whole


def test_pieces_that_overlap_a_little_are_solved() -> None:
    half = shapely.box(-0.26, -0.5, 0.26, 0.5)
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("left", half), Fragment("right", half)))
    answer = arrangement_of(puzzle, {0: Pose(0.26, 0.5), 1: Pose(0.74, 0.5)})
    assert answer.coverage == pytest.approx(1.0)
    assert answer.fits(puzzle, Tolerance(0.02, 0.0201))
    assert not answer.fits(puzzle, Tolerance(0.02, 0.0199))


def test_a_piece_beside_the_target_is_not_solved() -> None:
    small, large = shapely.box(-0.1, -0.05, 0.1, 0.05), shapely.box(-0.5, -0.45, 0.5, 0.45)
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("large", large), Fragment("small", small)))
    outside = arrangement_of(puzzle, {0: Pose(0.5, 0.45), 1: Pose(1.1, 0.95)})
    assert lies_within(puzzle, outside.coverage, 0.02)
    assert not outside.fits(puzzle, Tolerance(0.02, 0.02))


def test_a_thin_piece_that_reaches_far_out_of_the_target_is_not_solved() -> None:
    halves = (
        Fragment("most", shapely.box(-0.5, -0.49, 0.5, 0.49)),
        Fragment("strip", shapely.box(-0.5, -0.01, 0.5, 0.01)),
    )
    puzzle = Puzzle(target=shapely.box(0.0, 0.0, 1.0, 1.0), fragments=halves)
    a_little, far = ({0: Pose(0.5, 0.49), 1: Pose(0.5 + out, 0.99)} for out in (0.09, 0.11))
    assert arrangement_of(puzzle, a_little).fits(puzzle, Tolerance(0.02, 0.02))
    assert not arrangement_of(puzzle, far).fits(puzzle, Tolerance(0.02, 0.02))


def test_a_needle_that_reaches_far_out_is_not_solved_though_it_has_next_to_no_area() -> None:
    pieces = (
        Fragment("most", shapely.box(-0.5, -0.4995, 0.5, 0.4995)),
        Fragment("needle", shapely.box(-0.65, -0.0005, 0.65, 0.0005)),
    )
    puzzle = Puzzle(shapely.box(0.0, 0.0, 1.0, 1.0), pieces, Rotations(1))
    answer = arrangement_of(puzzle, {0: Pose(0.5, 0.4995), 1: Pose(0.65, 0.9995)})
    assert lies_within(puzzle, answer.coverage, 0.001)  # what is wasted is too little for any disc
    assert not answer.fits(puzzle, Tolerance(0.001, 0.02))


@pytest.mark.parametrize("rotations", [Rotations(1), Rotations(None)])
def test_what_was_glued_when_time_is_up_is_kept(rotations: Rotations) -> None:
    puzzle = trial_of(PuzzleKind(pieces=16, rotations=rotations, noise=0.003), seed=33).sample.puzzle
    found = assemble_rough(puzzle, Roughness(size=0.005, traced=False, joints=3000), MaxEvaluations(20))
    assert found.wholes == []
    assert 0 < len(found.some) < len(puzzle.fragments)
    answer = arrangement_of(puzzle, found.some)
    laid = sum(puzzle.fragments[number].polygon.area for number in found.some)
    assert laid - answer.coverage <= 0.01
