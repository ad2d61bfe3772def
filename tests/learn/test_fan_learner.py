"""What FAN's learner does besides the network."""

from __future__ import annotations

import torch

from sherd.learn.fan_learner import peak_offsets


def test_a_place_between_pixels_is_found() -> None:
    maps = torch.zeros(3, 16, 16)
    maps[0, 5, 7] = 1.0
    maps[1, 5, 7], maps[1, 5, 8] = 0.6, 0.4
    maps[2, 0, 15], maps[2, 1, 15], maps[2, 9, 2] = 0.4, 0.3, 0.3  # at the edge, and a rival far away
    peaks = torch.tensor([[7, 5], [7, 5], [15, 0]])
    expected = torch.tensor([[0.0, 0.0], [0.4, 0.0], [0.0, 3.0 / 7.0]])
    torch.testing.assert_close(peak_offsets(maps, peaks), expected, atol=1 / 128, rtol=0.0)
