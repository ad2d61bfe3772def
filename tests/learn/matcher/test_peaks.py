"""Peaks of the matcher's maps."""

from __future__ import annotations

import pytest
import torch

from sherd.learn.matcher.peaks import find_peaks


def test_peaks_are_found_between_pixels() -> None:
    maps = torch.full((1, 2, 2, 16, 16), -20.0)
    maps[0, 1, 0, 5, 7] = maps[0, 1, 0, 5, 8] = 3.0
    maps[0, 0, 1, 12, 2] = 2.0
    peaks = find_peaks(maps, 2)
    assert peaks.fragment.tolist() == [[1, 0]]
    assert peaks.turn.tolist() == [[0, 1]]
    torch.testing.assert_close(peaks.centre[0], torch.tensor([[8.0, 5.5], [2.5, 12.5]]), atol=1e-3, rtol=0.0)
    assert float(peaks.probability.sum()) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("count", [1, 3])
def test_maps_that_are_left_out_hold_no_peak(count: int) -> None:
    """Against all maps pooled: narrow peaks, broad ones that are lower, and noise."""
    torch.manual_seed(count)
    maps = torch.randn(4, 3, 2, 16, 16) * torch.tensor([0.1, 2.0, 5.0])[:, None, None, None]
    near = torch.nn.functional.avg_pool2d(
        maps.flatten(1, 2).flatten(1).softmax(dim=1).view(4, 6, 16, 16), 3, 1, 1
    )
    best = near.flatten(1).argmax(dim=1)
    peaks = find_peaks(maps, count)
    assert torch.equal(2 * peaks.fragment[:, 0] + peaks.turn[:, 0], best // 16**2)
    torch.testing.assert_close(peaks.probability[:, 0], 9.0 * near.flatten(1).amax(dim=1))
    assert (peaks.probability.diff(dim=1) <= 0.0).all()
    for quick, thorough in zip(
        vars(peaks).values(), vars(find_peaks(maps, count, hurry=False)).values(), strict=True
    ):
        torch.testing.assert_close(quick, thorough)
