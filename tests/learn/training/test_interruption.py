"""Steps that are left midway change nothing."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from sherd.learn.training.interruption import InterruptedWorkError, Work, asking, drawing


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))


def test_a_step_that_nobody_interrupts_is_as_ever() -> None:
    images, asked = torch.rand(5, 3), network()
    with asking(asked, lambda: False):
        asked(images).sum().backward()
    plain = network()
    plain(images).sum().backward()
    for one, other in zip(asked.parameters(), plain.parameters(), strict=True):
        assert one.grad is not None
        assert other.grad is not None
        assert torch.equal(one.grad, other.grad)
    assert all(torch.equal(one, other) for one, other in zip(asked.buffers(), plain.buffers(), strict=True))


@pytest.mark.parametrize("after", [0, 3, 5])
def test_it_is_left_forwards_or_backwards_and_statistics_are_put_back(after: int) -> None:
    model, questions = network(), 0
    before = [buffer.clone() for buffer in model.buffers()]

    def interrupted() -> bool:
        nonlocal questions
        questions += 1
        return questions > after

    with pytest.raises(InterruptedWorkError), asking(model, interrupted):
        model(torch.rand(5, 3)).sum().backward()
    assert questions == after + 1
    assert all(torch.equal(one, other) for one, other in zip(model.buffers(), before, strict=True))
    questions = -1000
    model(torch.rand(5, 3)).sum().backward()
    assert questions == -1000  # nobody asks any more


def test_drawing_is_told_of_until_it_is_interrupted() -> None:
    told, stops = list[Work](), [False, False, True]
    on_drawn = drawing(told.append, lambda: stops[len(told)])
    on_drawn(0, 9)
    on_drawn(3, 9)
    with pytest.raises(InterruptedWorkError):
        on_drawn(6, 9)
    assert told == [Work("drawing", 0, 9), Work("drawing", 3, 9)]
