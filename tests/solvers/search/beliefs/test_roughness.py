"""A guess at how rough outlines are says what an assembly of them must fit in, and what is believed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.constants.rough_outlines import DEEPEST, MOVED_GUESSES, TRACED_GUESSES

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


@pytest.mark.parametrize("traced", [False, True])
def test_looser_guesses_tolerate_more_and_believe_less(traced: bool) -> None:
    guesses = [Roughness(size=size, traced=traced) for size in (TRACED_GUESSES if traced else MOVED_GUESSES)]
    for tight, loose in itertools.pairwise(guesses):
        assert tight.tolerance.seam < loose.tolerance.seam
        assert tight.tolerance.depth <= loose.tolerance.depth <= DEEPEST
        spreads = [np.trace(one.belief(SQUARE, 1.0).covariance) for one in (tight, loose)]
        assert spreads[0] < spreads[1]


def test_edges_fitted_to_pixels_are_known_better_than_a_pixel() -> None:
    traced, moved = (Roughness(size=0.01, traced=traced) for traced in (True, False))
    assert traced.tolerance.seam < moved.tolerance.seam
    assert traced.belief(SQUARE, 1.0).covariance.max() < moved.belief(SQUARE, 1.0).covariance.max()


def test_patience_says_what_it_is_in_words() -> None:
    assert str(Patience(joints=400)) == "400 joints"
    assert (
        str(Patience(joints=6000, fits=1_000_000, most_open=0.05)) == "6,000 joints, 1,000,000 fits, 5% open"
    )
