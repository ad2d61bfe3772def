"""Mixtures: puzzles of many kinds as arrays of vertices, and the batches drawn from them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sherd.learn.data.batch import as_floats
from sherd.learn.data.mixture import RANDOM_SHAPES, Share, make_arrays
from sherd.learn.data.pool import Mixture, Pool, Teaching, draw_all
from sherd.learn.matcher.look import place_between

CPU = torch.device("cpu")
SHARES = {
    "plain": Share(shapes=("square", "hexagon"), pieces=5, rotations=4),
    "eroded": Share(pieces=4, degradation="eroded"),
    "random targets": Share(shapes=("random-convex",), pieces=3, rotations=3),
    "merged": Share(shapes=("random-simple", "star"), pieces=3, dissection="merged"),
}


def make_pool(share: Share, count: int = 6) -> Pool:
    return Pool.of(share, make_arrays([share], seed=3, count=count)[0], CPU)


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("teaching", ["bottom-left", "sweep", "random"])
def test_the_truth_rebuilds_the_target_in_every_symmetry(name: str, teaching: Teaching) -> None:
    pool = make_pool(SHARES[name])
    batch = Mixture((pool,), seed=1, teaching=teaching, images_a_step=1000, size_px=64).batch(0, 12)
    assert batch.images.shape[:3] == (12, pool.share.pieces, pool.share.rotations)
    every, number = torch.arange(12)[:, None], torch.arange(pool.share.pieces)
    masks = as_floats(batch.images[every, number, batch.turns, 0])
    covered = place_between(masks, batch.centres).sum(dim=1)
    target = as_floats(batch.target[:, 0])
    lost = 0.12 if name == "eroded" else 0.0  # and half a pixel along the image's border
    assert (covered.sum(dim=(1, 2)) / target.sum(dim=(1, 2)) > 0.96 - lost).all()
    assert ((covered - target).clamp_min(0.0).sum(dim=(1, 2)) / target.sum(dim=(1, 2)) < 0.06).all()


def test_a_lost_fragment_has_no_image_and_comes_first() -> None:
    pool = make_pool(Share(pieces=4, degradation="missing"))
    for teaching in ("bottom-left", "random"):
        batch = Mixture((pool,), 0, teaching, 1000, 32).batch(2, 8)
        there = batch.images.flatten(2).amax(dim=2) > 0
        assert there.tolist() == [[False, True, True, True]] * 8


def test_from_the_bottom_left() -> None:
    batch = draw_all(make_pool(Share(pieces=6)), 64)
    assert (batch.centroids[..., 1].diff(dim=1) <= 1e-2).all()


def test_a_step_has_one_batch_whatever_came_before() -> None:
    pools = (make_pool(SHARES["plain"]), make_pool(SHARES["eroded"]))
    one, other = (Mixture(pools, 5, "sweep", 40, 32) for _ in range(2))
    steps = [one.batch(step, 8) for step in range(6)]
    for step in (5, 1):
        again = other.batch(step, 8)
        assert all(torch.equal(value, vars(again)[key]) for key, value in vars(steps[step]).items())
    assert len({tuple(batch.images.shape) for batch in steps}) == 2
    assert {tuple(b.images.shape) for b in one.examples(8)} == {tuple(b.images.shape) for b in steps}
    assert all(batch.images.shape[:3].numel() <= 40 for batch in steps)


def test_weights_say_how_often() -> None:
    pools = tuple(make_pool(Share(pieces=n, weight=w)) for n, w in ((2, 3.0), (3, 1.0)))
    data = Mixture(pools, 0, "random", 6, 16)
    share = np.mean([data.batch(step, 1).pieces == 2 for step in range(200)])
    assert 0.65 < share < 0.85


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
