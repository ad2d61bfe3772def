"""A mixture of puzzles, drawn on the device."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sherd.learn.data.batch import as_floats
from sherd.learn.data.mixture import Share, make_arrays
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
