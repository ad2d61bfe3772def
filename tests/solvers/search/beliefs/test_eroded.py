"""Eroded outlines are taken for what they were."""

from __future__ import annotations

import numpy as np
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import size_of
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.degradation import DegradationParams, degrade
from sherd.generation.shapes import named_shape
from sherd.solvers.search.beliefs.eroded import restore, take
from sherd.solvers.search.beliefs.roughness import Roughness
from sherd.solvers.search.case import Case, bends_inward
from sherd.solvers.search.constants.rough_outlines import WEAR
from sherd.solvers.search.corner_outline import ring_of


@given(st.sampled_from(["square", "pentagon", "hexagon"]), st.integers(0, 999))
@settings(max_examples=10)
def test_worn_pieces_get_their_outline_back(shape: str, seed: int) -> None:
    sound = next(iter(make_samples(PuzzleKind(shape=named_shape(shape), pieces=4), seed=seed, stop=1)))
    size = size_of(sound.puzzle.target)
    worn = degrade(sound, "eroded", DegradationParams(), np.random.default_rng(seed))
    for before, after in zip(_placed(sound), _placed(worn), strict=True):
        ring = ring_of(after)
        assert bends_inward(ring) and not bends_inward(ring_of(before))
        guesses = [Polygon(belief.corners) for belief, _ in restore(ring, WEAR * size, size)]
        assert min(guess.symmetric_difference(before).area for guess in guesses) < 0.02 * size**2
        assert before.difference(after).area > 0.0


def _placed(sample: Sample) -> list[Polygon]:
    return [sample.truth[f.id].apply(f.polygon) for f in sample.puzzle.fragments]


ROUGHLY_MOVED, ROUGHLY_TRACED = Roughness(size=0.01, traced=False), Roughness(size=0.01, traced=True)
TABLE = shapely.box(-1.0, -1.0, 1.0, 1.0)
DENTED = np.array([[0.0, 0.0], [0.5, 0.02], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def case_of(ring: Floats) -> Case:
    return Case(Puzzle(TABLE, (Fragment("f0", Polygon(ring)),)))


def test_convex_outlines_and_moved_corners_are_sound() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    for ring in (square, DENTED):
        taken = take(case_of(ring), 0, ROUGHLY_MOVED, lambda: False)
        assert taken is not None
        assert np.array_equal(taken.ring, ring)
        assert taken.guesses == ()


def wavy(corners: int) -> Floats:
    """A star, whose edges nothing could restore."""
    turns = np.arange(corners) * 2.0 * np.pi / corners
    far = np.where(np.arange(corners) % 2, 1.0, 0.8)
    return np.stack([far * np.cos(turns), far * np.sin(turns)], axis=1)


def test_what_cannot_be_restored_is_its_hull_if_traced_and_else_given_up() -> None:
    star = wavy(12)
    assert take(case_of(star), 0, ROUGHLY_MOVED, lambda: False) is None
    taken = take(case_of(star), 0, ROUGHLY_TRACED, lambda: False)
    assert taken is not None
    assert Polygon(taken.ring).equals(Polygon(star).convex_hull)


def test_what_is_restored_is_doubted_where_the_others_are_rough() -> None:
    sound = next(iter(make_samples(PuzzleKind(pieces=4), seed=5, stop=1)))
    worn = degrade(sound, "eroded", DegradationParams(), np.random.default_rng(5))
    case = Case(worn.puzzle)
    sure, unsure = (
        take(case, 0, Roughness(size=size, traced=False), lambda: False) for size in (0.001, 0.02)
    )
    assert sure is not None and unsure is not None
    assert sure.guesses
    for (one, _), (other, _) in zip(sure.guesses, unsure.guesses, strict=True):
        assert np.array_equal(one.corners, other.corners)
        assert np.allclose(10.0 * one.covariance, other.covariance)
