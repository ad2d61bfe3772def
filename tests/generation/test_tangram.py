"""Tangrams: seven pieces that make each silhouette without gap or overlap."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.geometry import Pose, is_convex, size_of
from sherd.core.metrics import measure
from sherd.generation.tangram import PIECES, SILHOUETTES, silhouette, tangram

EXACT = 1e-9


@pytest.mark.parametrize("mirror", [True, False])
@pytest.mark.parametrize("name", SILHOUETTES)
def test_the_pieces_make_the_silhouette(name: str, mirror: bool) -> None:
    sample = tangram(name, np.random.default_rng(0), mirror=mirror)
    found = measure(sample.truth, sample.puzzle)
    assert found.coverage >= 1.0 - EXACT
    assert found.overlap <= EXACT
    assert sample.puzzle.target == silhouette(name)
    assert size_of(sample.puzzle.target) == pytest.approx(1.0)
    assert mirror or not any(placement.pose.mirrored for placement in sample.truth)


@pytest.mark.parametrize("name", SILHOUETTES)
def test_all_silhouettes_have_the_same_pieces(name: str) -> None:
    sample = tangram(name, np.random.default_rng(0))
    unit = np.sqrt(sample.puzzle.target.area / 8.0)
    for fragment in sample.puzzle.fragments:
        standard = Polygon(PIECES[fragment.id])
        assert fragment.polygon.area == pytest.approx(standard.area * unit**2)
        assert fragment.polygon.length == pytest.approx(standard.length * unit)
    slanted = sample.puzzle["parallelogram"].polygon
    sides = np.diff(np.asarray(slanted.exterior.coords), axis=0)
    long = int(np.hypot(*sides.T).argmax())
    assert np.dot(sides[long], sides[(long + 1) % 4]) < 0.0, (
        "the same side is up: it turns sharply after a long side"
    )


def test_there_are_convex_and_other_silhouettes() -> None:
    convex = [name for name in SILHOUETTES if is_convex(silhouette(name))]
    assert convex == ["square", "triangle"]
    assert len(SILHOUETTES) >= 6


def test_some_silhouettes_are_drawn_with_a_mirrored_piece() -> None:
    mirrored = [name for name, lies in SILHOUETTES.items() if any(lie.mirrored for lie in lies)]
    assert "swan" in mirrored
    assert len(mirrored) < len(SILHOUETTES)


def test_pieces_are_centred_and_turned() -> None:
    first, second = (tangram("cat", np.random.default_rng(seed)).puzzle for seed in (1, 2))
    for one, other in zip(first.fragments, second.fragments, strict=True):
        assert shapely.distance(one.polygon.centroid, shapely.Point(0, 0)) <= EXACT
        assert not one.polygon.equals_exact(other.polygon, 1e-3)
        assert Pose().apply(one.polygon).exterior.is_ccw


def test_an_unknown_silhouette_is_named() -> None:
    with pytest.raises(ValueError, match="unknown silhouette 'dog': choose square, triangle"):
        silhouette("dog")
