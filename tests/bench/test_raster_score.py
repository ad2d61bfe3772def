"""Scores in rounded pixels, as the authors' released code counts them."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import pytest

from sherd.bench.raster_score import raster_score
from sherd.core.assembly import Assembly
from sherd.core.geometry import Rotations
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape


@pytest.mark.parametrize("shape", ["square", "pentagon", "released-hexagon"])
def test_the_truth_covers_all_and_sticks_out_by_a_pixel(shape: str) -> None:
    sample = next(make_samples(PuzzleKind(shape=named_shape(shape)), seed=0, stop=1))
    found = raster_score(sample.truth, sample)
    assert found.coverage == 1.0
    assert found.iou == pytest.approx(0.967, abs=0.004)
    if shape == "square":
        assert found.iou == pytest.approx(128**2 / 130**2)  # a pixel more on each side


@pytest.mark.parametrize(("degradation", "iou"), [("missing", 0.96), ("eroded", 0.94), ("distorted", 0.94)])
def test_around_damage_outlines_stick_out_further(degradation: Any, iou: float) -> None:
    for shape in ("square", "hexagon"):
        kind = PuzzleKind(shape=named_shape(shape), degradation=degradation)
        found = [raster_score(sample.truth, sample) for sample in make_samples(kind, seed=900, stop=40)]
        assert fmean(score.iou for score in found) == pytest.approx(iou, abs=0.006)
        assert min(score.coverage for score in found) == 1.0


def test_nothing_covers_nothing_and_less_covers_less() -> None:
    sample = next(make_samples(PuzzleKind(pieces=4), seed=0, stop=1))
    none = raster_score(Assembly(), sample)
    assert (none.coverage, none.iou) == (0.0, 0.0)
    most = raster_score(Assembly(sample.truth.placements[:3]), sample)
    assert 0.3 < most.iou < most.coverage < 0.95


def test_what_damage_took_away_is_left_out_and_the_answer_may_be_turned() -> None:
    kind = PuzzleKind(pieces=6, rotations=Rotations(4), degradation="missing")
    sample = next(make_samples(kind, seed=1, stop=1))
    assert raster_score(sample.truth, sample).coverage == 1.0
    assert raster_score(sample.truth, sample).iou < 0.98
