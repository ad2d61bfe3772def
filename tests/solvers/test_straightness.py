"""What the pieces are is told from their outlines: straight cuts stay with the search."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.bench.sight import observe
from sherd.core.geometry import FIXED, FREE
from sherd.generation.dataset import PuzzleKind, make_samples, target_shape
from sherd.solvers.straightness import are_exact, are_straight

STRAIGHT = {
    "cuts": PuzzleKind(pieces=8),
    "many cuts": PuzzleKind(pieces=100),
    "merged": PuzzleKind(pieces=12, dissection="merged"),
    "tangram": PuzzleKind(
        pieces=7, dissection="tangram", rotations=FREE, shape=target_shape("swan", "tangram")
    ),
    "eroded": PuzzleKind(pieces=8, degradation="eroded"),
    "distorted": PuzzleKind(pieces=8, degradation="distorted"),
}


@pytest.mark.parametrize("kind", STRAIGHT)
def test_straight_cuts_are_straight_even_when_damaged(kind: str) -> None:
    for sample in make_samples(STRAIGHT[kind], seed=3, stop=4):
        assert are_straight(sample.puzzle)


@pytest.mark.parametrize(
    ("kind", "exact"), [(kind, kind not in ("eroded", "distorted")) for kind in STRAIGHT]
)
def test_areas_tell_whether_pieces_are_as_they_were_cut(kind: str, exact: bool) -> None:
    for sample in make_samples(STRAIGHT[kind], seed=3, stop=4):
        assert are_exact(sample.puzzle) is exact


@pytest.mark.parametrize("kind", ["cuts", "merged", "eroded"])
@pytest.mark.parametrize("seen", ["masks", "binary"])
def test_so_are_traced_masks_of_them(kind: str, seen: str) -> None:
    sample = next(make_samples(STRAIGHT[kind], seed=3, stop=1))
    shown = observe(sample, seen, np.random.default_rng(0))  # pyright: ignore[reportArgumentType]
    assert are_straight(shown.puzzle)


@pytest.mark.parametrize("seen", ["exact", "moved-0.05", "binary-300", "worn-0.5"])
@pytest.mark.parametrize("kind", ["jagged", "wavy", "bowed", "jigsaw"])
def test_torn_curved_and_knobbed_pieces_are_not(kind: str, seen: str) -> None:
    for seed in range(2):
        cell = ContourCell(kind=kind, pieces=(12, 12), input=seen)
        assert not are_straight(make_sample(cell, seed, 0).puzzle)


def test_the_rotations_do_not_matter() -> None:
    one = next(make_samples(PuzzleKind(pieces=8, rotations=FIXED), seed=1, stop=1))
    other = next(make_samples(PuzzleKind(pieces=8, rotations=FREE), seed=1, stop=1))
    assert are_straight(one.puzzle) == are_straight(other.puzzle)
