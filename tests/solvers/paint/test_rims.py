"""Colours along outlines, and what they say of a joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely

from sherd.core.grid import Grid
from sherd.core.puzzle import Fragment
from sherd.core.texture import Texture
from sherd.solvers.paint.rims import (
    MOST_EVIDENCE,
    UNKNOWN,
    Contrast,
    Rim,
    contrast_of,
    evidence_of,
    faces_of,
    rim_of,
)

GRID = Grid(40, left=-1.0, top=1.0, pixel=0.05)


def shaded(slope: float) -> Fragment:
    """A square of side 1 whose paint grows lighter to the right, by so much a pixel."""
    columns = np.clip(128.0 + slope * (np.arange(40) - 19.5), 0, 255)
    image = np.repeat(np.tile(columns.round().astype(np.uint8), (40, 1))[..., None], 3, axis=2)
    return Fragment("a", shapely.box(-0.5, -0.5, 0.5, 0.5), Texture(image, GRID))


def test_colours_are_carried_on_to_the_outline():
    rim = rim_of(shaded(4.0), 0.05)
    right = rim.normals[:, 0] > 0.5
    assert right.sum() == 20
    assert rim.colours[right].mean() == pytest.approx(128.0 + 4.0 * 10.0, abs=1.0)
    assert rim.doubts[right].min() > rim_of(shaded(0.0), 0.05).doubts.max()


def test_what_goes_on_speaks_for_a_joint_and_what_breaks_off_against_it():
    contrast = Contrast(chance=900.0)
    same, other = contrast.evidence(np.array([0.0, 900.0]), np.array([9.0, 9.0])).tolist()
    assert same > 1.0
    assert other < -1.0
    colours = np.array([10.0, 20.0, 30.0]), np.array([40.0, 50.0, 60.0])
    assert evidence_of(*colours, 9.0, 900.0) == pytest.approx(other)
    assert evidence_of(colours[0], colours[0], 9.0, 900.0) == pytest.approx(same)


def test_what_lies_behind_a_piece_says_nothing():
    piece = shaded(4.0)
    assert piece.texture is not None
    alpha = np.where(np.arange(40) < 28, 255, 128).astype(np.uint8)  # the right side is cut off blurred
    blurred = replace(piece, texture=replace(piece.texture, alpha=np.tile(alpha, (40, 1))))
    rim = rim_of(blurred, 0.05)
    assert (rim.doubts[rim.normals[:, 0] > 0.5] == UNKNOWN).all()
    assert (rim.doubts[rim.normals[:, 0] < -0.5] < UNKNOWN).all()
    nothing = Contrast(chance=900.0).evidence(np.array([5000.0]), np.array([UNKNOWN]))
    assert abs(nothing.item()) < 0.01


def test_grain_is_told_from_print():
    piece = shaded(0.0)
    assert piece.texture is not None
    grain = np.random.default_rng(1).normal(0.0, 8.0, piece.texture.image.shape)
    image = np.clip(piece.texture.image + grain, 0, 255).astype(np.uint8)
    grainy = replace(piece, texture=replace(piece.texture, image=image))
    found = contrast_of([rim_of(grainy, 0.05), rim_of(replace(grainy, id="b"), 0.05)])
    assert found.noise > 5.0
    assert contrast_of([rim_of(piece, 0.05), rim_of(piece, 0.05)]).noise == 0.0


def test_a_thin_piece_has_a_face_too():
    thin = replace(shaded(1.0), polygon=shapely.box(-0.5, -0.03, 0.5, 0.03))
    assert len(faces_of(thin, 0.2).points) == 1


def test_colours_that_most_rims_have_tell_little():
    white, red = np.full((95, 3), 250.0), np.tile([200.0, 20.0, 20.0], (5, 1))
    colours = np.concatenate([white, red])
    rim = Rim(np.zeros((100, 2)), np.zeros((100, 2)), colours, np.ones(100))
    contrast = contrast_of([rim, rim])
    alike, doubts = np.zeros(100), np.full(100, 2.0)
    told = contrast.evidence(alike, doubts, contrast.rarity(colours))
    np.testing.assert_allclose(told[:95], -np.log(0.95))
    assert (told[95:] > 2.9).all()


def test_where_print_breaks_off_often_a_break_says_little():
    rim = Rim(np.zeros((2, 2)), np.zeros((2, 2)), np.array([[0.0] * 3, [255.0] * 3]), np.ones(2))
    contrast = contrast_of([rim, rim])
    apart, doubts = np.array([255.0**2]), np.array([2.0])
    assert contrast.evidence(apart, doubts).tolist() == [-MOST_EVIDENCE]
    often = replace(contrast, breaks=0.25)
    np.testing.assert_allclose(often.evidence(apart, doubts), np.log(0.25))
