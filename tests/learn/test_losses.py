from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from sherd.learn.losses import choice_loss, position_loss


def test_choice_loss_ignores_what_is_absent() -> None:
    logits = torch.tensor([[1.0, 2.0, float("-inf")], [0.0, float("-inf"), float("-inf")]])
    expected = (math.log(math.exp(1.0) + math.exp(2.0)) - 1.0 + 0.0) / 2.0
    assert choice_loss(logits, torch.tensor([0, 0])).item() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("pools", [(1,), (1, 2, 4), (1, 2, 4, 8, 16)])
def test_position_loss_by_summing_probabilities_cell_by_cell(pools: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(3, 16, 16))
    cells = np.array([[0, 0], [15, 15], [6, 11]])
    expected = 0.0
    for image, (column, row) in zip(logits, cells, strict=True):
        p = np.exp(image) / np.exp(image).sum()
        for pool in pools:
            top, left = row - row % pool, column - column % pool
            expected -= math.log(p[top : top + pool, left : left + pool].sum()) / len(cells)
    found = position_loss(torch.from_numpy(logits), torch.from_numpy(cells), pools)
    assert found.item() == pytest.approx(expected, rel=1e-9)


def test_position_loss_of_certainty_is_nil_and_of_ignorance_known() -> None:
    logits = torch.zeros(1, 16, 16)
    cells = torch.tensor([[3, 5]])
    ignorance = sum(math.log(256 / pool**2) for pool in (1, 2, 4, 8, 16))
    assert position_loss(logits, cells).item() == pytest.approx(ignorance, rel=1e-5)
    logits[0, 5, 3] = 100.0
    assert position_loss(logits, cells).item() == pytest.approx(0.0, abs=1e-5)


def test_position_loss_far_from_the_truth_stays_finite() -> None:
    logits = torch.zeros(1, 16, 16, requires_grad=True)
    sure = logits + torch.nn.functional.one_hot(torch.tensor(255), 256).view(1, 16, 16) * 1e4
    loss = position_loss(sure, torch.tensor([[0, 0]]))
    loss.backward()
    assert math.isfinite(loss.item())
    assert torch.isfinite(logits.grad).all()
