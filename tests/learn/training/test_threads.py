"""Work shared by threads."""

from __future__ import annotations

import threading
from collections.abc import Generator
from pathlib import Path

import pytest
import torch

from sherd.learn.training.threads import limit_threads, sharing, usable_cores

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


@pytest.mark.parametrize(
    ("text", "cores"), [("max 100000", None), ("150000 100000", 1), ("20000 100000", 1), ("", None)]
)
def test_a_container_may_grant_fewer_cores_than_there_are(
    text: str, cores: int | None, tmp_path: Path
) -> None:
    quota = tmp_path / "cpu.max"
    quota.write_text(text)
    assert usable_cores(quota) == (usable_cores(tmp_path / "none") if cores is None else cores)


def test_threads_are_limited_unless_somebody_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        monkeypatch.setattr("sherd.learn.training.threads.usable_cores", lambda: 2)
        monkeypatch.setenv("OMP_NUM_THREADS", "3")
        limit_threads(128)
        assert torch.get_num_threads() == 3
        monkeypatch.delenv("OMP_NUM_THREADS")
        limit_threads(128)
        assert torch.get_num_threads() == 2
        limit_threads(32)
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)
