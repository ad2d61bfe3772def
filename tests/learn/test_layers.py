from __future__ import annotations

import pytest
import torch
from torch import nn

from sherd.learn.layers import Attention, AttentionLayer, BatchNorm


def test_attention_is_pytorchs_own() -> None:
    torch.manual_seed(0)
    ours, theirs = Attention(16, 4), nn.MultiheadAttention(16, 4, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.key_value.weight]))
        theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key_value.bias]))
        theirs.out_proj.weight.copy_(ours.out.weight)
        theirs.out_proj.bias.copy_(ours.out.bias)
    queries, members = torch.randn(3, 2, 16), torch.randn(3, 5, 16)
    present = torch.tensor([[1, 1, 1, 1, 1], [1, 0, 1, 0, 0], [0, 0, 0, 0, 1]], dtype=torch.bool)
    expected = theirs(queries, members, members, key_padding_mask=~present, need_weights=False)[0]
    torch.testing.assert_close(ours(queries, members, present), expected, atol=1e-6, rtol=1e-5)


def test_a_layer_keeps_the_shape_of_its_queries() -> None:
    layer = AttentionLayer(16, 4, 32, dropout=0.1)
    members, present = torch.randn(2, 5, 16), torch.ones(2, 5, dtype=torch.bool)
    assert layer(members, members, present).shape == (2, 5, 16)
    assert layer(members[:, :1], members, present).shape == (2, 1, 16)


def test_a_quiet_layer_adds_little() -> None:
    torch.manual_seed(0)
    layer = AttentionLayer(16, 4, 32, dropout=0.1).eval()
    for last in (layer.attention.out, layer.feed_forward[-1]):
        assert isinstance(last, nn.Linear)
        nn.init.zeros_(last.bias)
    members, present = torch.randn(2, 5, 16), torch.ones(2, 5, dtype=torch.bool)
    alone = layer.norms[1](layer.norms[0](members))
    added: list[float] = []
    for _ in range(3):
        added.append((layer(members, members, present) - alone).norm().item())
        layer.quieten(0.1)
    assert added[1] < 0.2 * added[0]
    assert added[2] < 0.2 * added[1]


def test_batch_normalisation_is_pytorchs_own() -> None:
    torch.manual_seed(0)
    ours, theirs = BatchNorm(8).double(), nn.BatchNorm1d(8).double()
    for _ in range(3):
        x = (3.0 * torch.randn(20, 8) + 5.0).double().requires_grad_()
        y = x.detach().clone().requires_grad_()
        # Ours works in float32, whatever comes in.
        torch.testing.assert_close(ours(x), theirs(y), atol=1e-5, rtol=1e-5)
        weights = torch.randn(20, 8).double()
        (ours(x) * weights).sum().backward()
        (theirs(y) * weights).sum().backward()
        torch.testing.assert_close(x.grad, y.grad, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(ours.running_mean, theirs.running_mean, atol=1e-5, rtol=1e-5)
    # PyTorch keeps the variance of a sample, we that of the batch itself.
    ours.running_variance.copy_(theirs.running_var)
    ours.running_mean.copy_(theirs.running_mean)
    x = torch.randn(4, 8).double()
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("garbage", [0.0, 1e4])
def test_absent_rows_count_in_no_statistics(garbage: float) -> None:
    torch.manual_seed(0)
    plain, padded = BatchNorm(8), BatchNorm(8)
    rows = torch.randn(2, 3, 8)
    more = torch.cat([rows, torch.full((2, 2, 8), garbage)], dim=1)
    present = (torch.arange(5) < 3).expand(2, 5)
    torch.testing.assert_close(padded(more, present)[:, :3], plain(rows))
    torch.testing.assert_close(padded.running_mean, plain.running_mean)
    torch.testing.assert_close(padded.running_variance, plain.running_variance)
