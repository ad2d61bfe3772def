"""Chunks done by joblib's workers, and workers that die."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
from joblib import parallel_config

from sherd.core.errors import UnsupportedError
from sherd.many.chunks import Chunk
from sherd.many.installed import installed
from sherd.many.parallel import DIED_TWICE, active_workers, do_chunk
from sherd.many.share import share


@dataclass(frozen=True)
class Deadly:
    """The job itself, but for one that ends the worker: always, or the first time."""

    job: int
    once: Path | None = None

    def __call__(self, job: int) -> str:
        if job == self.job and (self.once is None or not self.once.exists()):
            if self.once is not None:
                self.once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return f"{job}"

    def lost(self, job: int, reason: str) -> str:
        return f"{job}: {reason}"


@pytest.fixture(autouse=True)
def _found_by_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


def test_a_worker_that_is_killed_costs_a_second_try(tmp_path: Path) -> None:
    outcomes = share(Deadly(5, tmp_path / "once"), range(12), workers=2)
    assert list(outcomes) == [f"{job}" for job in range(12)]
    assert (tmp_path / "once").exists()


def test_a_job_that_ends_each_worker_is_one_row_that_says_so() -> None:
    expected = [f"{job}" for job in range(12)]
    expected[5] = f"5: {DIED_TWICE}"
    assert list(share(Deadly(5), range(12), workers=2)) == expected


def test_other_versions_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"other versions: numpy 0\.1 here"):
        do_chunk(Deadly(5), Chunk(0, (1,)), installed() | {"numpy": "0.1"})


def test_who_works_is_for_joblib_to_say() -> None:
    assert active_workers(None) is None
    assert active_workers(1) is None
    with parallel_config(n_jobs=3):
        found = active_workers(None)
        assert found is not None
        assert found.count == 3
        assert active_workers(1) is None
    with parallel_config(backend="threading", n_jobs=2):
        assert list(share(Deadly(-1), range(5))) == [f"{job}" for job in range(5)]
