"""Folded layers compute what the plain ones do."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.fan.learner import FanLearner
from sherd.learn.folding import (
    fold,
    folded_conv,
    folded_max_pool,
    folded_pointwise,
    folded_taps,
    folded_up,
    unfold,
)


def images(channels: int, size: int = 8) -> Tensor:
    return torch.randn(2, channels, size, size, generator=torch.Generator().manual_seed(0)).double()


def test_unfolding_undoes_folding() -> None:
    assert torch.equal(unfold(fold(images(3))), images(3))


def test_convolution() -> None:
    layer = nn.Conv2d(3, 5, 3, padding=1).double()
    torch.testing.assert_close(unfold(folded_conv(layer, fold(images(3)), folded_taps())), layer(images(3)))


def test_pointwise_convolution() -> None:
    layer = nn.Conv2d(3, 5, 1).double()
    torch.testing.assert_close(unfold(folded_pointwise(layer, fold(images(3)))), layer(images(3)))


def test_transposed_convolution() -> None:
    layer = nn.ConvTranspose2d(3, 5, 2, stride=2).double()
    torch.testing.assert_close(unfold(folded_up(layer, images(3))), layer(images(3)))


def test_max_pooling() -> None:
    assert torch.equal(folded_max_pool(fold(images(3))), functional.max_pool2d(images(3), 2))


def test_a_folded_network_gives_the_same_losses_and_gradients(
    make_learner: Callable[..., FanLearner], draw: Callable[..., PuzzleBatch]
) -> None:
    def learn(folded: bool) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        learner = make_learner().double()
        model = learner.model
        for part in (model.select_encoder, model.pose_encoder, model.decoder):
            part.folded = folded
        # Zeros, with which decoders begin, would hide differences of what comes before them.
        nn.init.normal_(model.decoder.logits.weight, generator=torch.Generator().manual_seed(1))
        with torch.autocast("cpu", enabled=False):
            shapes = torch.rand(6, 1, 32, 32, generator=torch.Generator().manual_seed(2)).double()
            seen = model.pose_encoder(shapes)
            logits = model.decoder(seen.code, seen.fine, seen.middle)
            logits.square().mean().backward()
        grads = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
        return {"code": seen.code, "logits": logits}, grads

    (plain, plain_grads), (folded, folded_grads) = learn(folded=False), learn(folded=True)
    assert plain_grads.keys() == folded_grads.keys()
    assert any("up_fine" in name for name in plain_grads)
    for name in plain:
        torch.testing.assert_close(folded[name], plain[name])
    for name in plain_grads:
        torch.testing.assert_close(folded_grads[name], plain_grads[name])
