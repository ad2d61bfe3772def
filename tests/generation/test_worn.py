"""What wear takes off."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
import shapely.affinity
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.puzzle import Sample
from sherd.generation.broken import BrokenParams
from sherd.generation.fracture import fractured
from sherd.generation.observed import Observed, ObservedParams, observe
from sherd.generation.shapes import named_shape
from sherd.generation.worn import worn

SQUARE = named_shape("square").outline


BAR = shapely.box(0.0, 0.0, 0.5, 0.25)


def torn(rng: np.random.Generator, pieces: int = 6) -> Sample:
    return fractured(SQUARE, BrokenParams(pieces=pieces, straight=0.3), rng)


def seen(seed: int = 0, **params: float) -> Observed:
    rng = np.random.default_rng(seed)
    return observe(torn(rng), ObservedParams(**params), rng, torn)  # pyright: ignore[reportArgumentType]


def in_place(observed: Observed) -> list[tuple[Polygon, Polygon]]:
    """Each piece as it is seen and as it was, where it belongs."""
    here = dict(
        zip((at.id for at in observed.truth), observed.own.puzzle.placed(observed.truth), strict=True)
    )
    exact = observed.exact
    return [
        (here[at.id], place) for at, place in zip(exact.truth, exact.puzzle.placed(exact.truth), strict=True)
    ]


@pytest.mark.parametrize("all_edges", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_wear_takes_off_and_adds_nothing(seed: int, all_edges: bool) -> None:
    observed = seen(seed, worn=0.01, all_edges=all_edges)
    on_border = 0.0
    for found, place in in_place(observed):
        assert found.difference(place.buffer(1e-3)).area == 0.0
        lost = (place.area - found.area) / place.length
        assert 0.003 < lost < 0.015
        on_border += shapely.intersection(found.exterior, SQUARE.exterior.buffer(1e-6)).length
    assert (on_border > 3.5) is not all_edges


def test_wear_of_a_bar_is_as_deep_as_said() -> None:
    rng = np.random.default_rng(0)
    lost = [BAR.area - worn(BAR, 0.01, rng).area for _ in range(10)]
    assert np.mean(lost) == pytest.approx(0.01 * BAR.length, rel=0.1)
    with pytest.raises(InvalidPolygonError, match="nothing is left"):
        worn(shapely.box(0, 0, 1, 0.01), 0.02, rng)
