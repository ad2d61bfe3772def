"""Work shared by threads."""

from __future__ import annotations

import threading
from collections.abc import Generator

import pytest
import torch

from sherd.learn.training.threads import sharing

CPU = torch.device("cpu")


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
