"""Work shared by threads, and puzzles assembled in parts."""

from __future__ import annotations

import threading
from collections.abc import Generator
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from sherd.learn.training.parts import assemble_in_parts
from sherd.learn.training.threads import Each, sharing

CPU = torch.device("cpu")


@dataclass(frozen=True)
class Sums:
    sums: Tensor


@pytest.fixture(autouse=True)
def _two_threads() -> Generator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_threads_compute_alone_and_then_torch_is_as_before() -> None:
    meeting = threading.Barrier(2, timeout=10.0)

    def look(item: int) -> tuple[int, int]:
        meeting.wait()  # so that no thread can do the work of both
        return item, torch.get_num_threads()

    with sharing(CPU) as each:
        assert torch.get_num_threads() == 1
        assert list(each(look, [5, 3])) == [(5, 1), (3, 1)]
    assert torch.get_num_threads() == 2


def test_torch_is_as_before_after_a_failure() -> None:
    def fail(item: int) -> int:
        raise ValueError(f"no {item}")

    with pytest.raises(ValueError, match="no 1"), sharing(CPU) as each:
        list(each(fail, [1]))
    assert torch.get_num_threads() == 2


def test_one_thread_is_the_caller() -> None:
    torch.set_num_threads(1)
    with sharing(CPU) as each:
        assert list(each(lambda _: threading.get_ident(), [0])) == [threading.get_ident()]


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
