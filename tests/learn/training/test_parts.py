"""Puzzles assembled a part at a time."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from sherd.learn.training.parts import assemble_in_parts
from sherd.learn.training.threads import Each


@dataclass(frozen=True)
class Sums:
    sums: Tensor


@pytest.fixture(autouse=True)
def _two_threads() -> Generator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_parts_are_joined_in_order(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherd.learn.training.parts.PUZZLES_AT_ONCE_ON_CPU", at_once)
    images, target = torch.rand(5, 3, 2, 1, 4, 4), torch.rand(5, 1, 4, 4)
    sizes: list[int] = []

    def assemble(images: Tensor, target: Tensor, each: Each) -> Sums:
        sizes.append(len(images))
        return Sums(images.sum(dim=(1, 2, 3, 4, 5)) + target.sum(dim=(1, 2, 3)))

    found = assemble_in_parts(assemble, images, target)
    torch.testing.assert_close(found.sums, assemble(images, target, map).sums)
    assert sum(sizes[:-1]) == 5
    assert max(sizes[:-1]) == at_once
