from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from sherd.learn.training.losses import choice_loss, position_loss


def test_choice_loss_ignores_what_is_absent() -> None:
    logits = torch.tensor([[1.0, 2.0, float("-inf")], [0.0, float("-inf"), float("-inf")]])
    expected = (math.log(math.exp(1.0) + math.exp(2.0)) - 1.0 + 0.0) / 2.0
    assert choice_loss(logits, torch.tensor([0, 0])).item() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("pools", [(1,), (1, 2, 4), (1, 2, 4, 8, 16)])
def test_position_loss_by_summing_probabilities_cell_by_cell(pools: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(4, 16, 16))
    points = np.array([[0.2, 0.5], [15.9, 15.5], [6.5, 11.5], [7.9, 3.75]])
    shares = [  # of pixels, (column, row)
        {(0, 0): 1.0},
        {(15, 15): 1.0},
        {(6, 11): 1.0},
        {(7, 3): 0.45, (8, 3): 0.3, (7, 4): 0.15, (8, 4): 0.1},
    ]
    expected = 0.0
    for image, pixels in zip(logits, shares, strict=True):
        p = np.exp(image) / np.exp(image).sum()
        for pool in pools:
            for (column, row), share in pixels.items():
                top, left = row - row % pool, column - column % pool
                expected -= share * math.log(p[top : top + pool, left : left + pool].sum()) / len(points)
    found = position_loss(torch.from_numpy(logits), torch.from_numpy(points), pools)
    assert found.item() == pytest.approx(expected, rel=1e-9)


def test_position_loss_of_certainty_is_nil_and_of_ignorance_known() -> None:
    logits = torch.zeros(1, 16, 16)
    points = torch.tensor([[3.5, 5.5]])
    ignorance = sum(math.log(256 / pool**2) for pool in (1, 2, 4, 8, 16))
    assert position_loss(logits, points).item() == pytest.approx(ignorance, rel=1e-5)
    logits[0, 5, 3] = 100.0
    assert position_loss(logits, points).item() == pytest.approx(0.0, abs=1e-5)


def test_position_loss_far_from_the_truth_stays_finite() -> None:
    logits = torch.zeros(1, 16, 16, requires_grad=True)
    sure = logits + torch.nn.functional.one_hot(torch.tensor(255), 256).view(1, 16, 16) * 1e4
    loss = position_loss(sure, torch.tensor([[0.5, 0.5]]))
    loss.backward()
    assert math.isfinite(loss.item())
    assert torch.isfinite(logits.grad).all()


def test_the_best_map_lies_about_the_true_place() -> None:
    points = torch.tensor([[7.9, 3.75], [8.0, 8.0], [2.5, 6.5]])
    logits = torch.zeros(3, 16, 16, requires_grad=True)
    descent = torch.optim.Adam([logits], lr=0.3)
    for _ in range(300):
        loss = position_loss(logits, points, (1,))
        descent.zero_grad()
        loss.backward()
        descent.step()
    probability = logits.detach().flatten(1).softmax(dim=1).view_as(logits)
    centres = torch.arange(16) + 0.5
    found = torch.stack([(probability.sum(dim=axis) * centres).sum(dim=1) for axis in (1, 2)], dim=1)
    torch.testing.assert_close(found, points, atol=0.02, rtol=0.0)


def test_one_pixel_and_cells_that_do_not_divide_the_image() -> None:
    logits = torch.randn(3, 8, 8, generator=torch.Generator().manual_seed(0))
    points = torch.tensor([[0.1, 0.9], [7.9, 7.2], [3.5, 6.4]])
    probability = logits.flatten(1).softmax(dim=1).view_as(logits)
    wanted = 0.0
    for k, (column, row) in enumerate(((0, 0), (7, 7), (3, 6))):
        cell = probability[k, row // 6 * 6 : row // 6 * 6 + 6, column // 6 * 6 : column // 6 * 6 + 6]
        wanted -= (probability[k, row, column].log() + cell.sum().log()).item() / 3.0
    assert position_loss(logits, points, (1, 6), "pixel").item() == pytest.approx(wanted, rel=1e-5)
