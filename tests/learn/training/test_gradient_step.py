from __future__ import annotations

import pytest
import torch

from sherd.learn.training.gradient_step import fastest_convolutions


@pytest.mark.parametrize("before", [False, True])
def test_convolutions_are_tried_only_while_asked_for(before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", before)
    with pytest.raises(KeyError), fastest_convolutions():
        assert torch.backends.cudnn.benchmark
        raise KeyError
    assert torch.backends.cudnn.benchmark == before
