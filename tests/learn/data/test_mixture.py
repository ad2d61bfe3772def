"""Mixtures: puzzles of many kinds as arrays of vertices, and the batches drawn from them."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.learn.data.mixture import RANDOM_SHAPES, Share, make_arrays


def test_arrays_do_not_depend_on_the_number_of_processes() -> None:
    shares = [Share(shapes=("random-convex", "square"), pieces=3), Share(pieces=2)]
    alone, together = (make_arrays(shares, seed=0, count=120, workers=workers) for workers in (1, 2))
    for one, other in zip(alone, together, strict=True):
        assert len(one.vertices) == 120
        for name, value in vars(one).items():
            np.testing.assert_array_equal(value, vars(other)[name])


@pytest.mark.parametrize("name", RANDOM_SHAPES)
def test_random_targets_fit_the_box(name: str) -> None:
    for seed in range(30):
        outline = RANDOM_SHAPES[name](np.random.default_rng(seed)).outline
        low_x, low_y, high_x, high_y = outline.bounds
        assert outline.is_valid
        assert outline.area > 0.3
        assert max(high_x - low_x, high_y - low_y) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"shapes": ()}, "at least one shape"),
        ({"shapes": ("blob",)}, "unknown shape 'blob'"),
        ({"weight": 0.0}, "greater than 0"),
        ({"dissection": "torn"}, "cuts or merged"),
        ({"shapes": ("star",)}, "not convex"),
    ],
)
def test_bad_shares(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Share(**changes)  # type: ignore[arg-type]
