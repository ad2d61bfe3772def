"""Jobs shared among processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sherd.bench.sharing import share
from sherd.solvers import Stop


def doubled(job: int, cancelled: Stop) -> int:
    """Twice the job, if nobody has cancelled it."""
    assert not cancelled(0)
    return 2 * job


def test_one_process_works_job_by_job_as_outcomes_are_asked_for() -> None:
    begun: list[int] = []

    def jobs() -> Iterator[int]:
        for job in range(5):
            begun.append(job)
            yield job

    outcomes = share(doubled, jobs(), 1)
    assert next(outcomes) == 0
    assert begun == [0]
    assert [*outcomes] == [2, 4, 6, 8]


def test_several_processes_give_outcomes_in_the_order_of_the_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2])  # where the others find this module
    outcomes = share(doubled, range(20), 2)
    assert [next(outcomes) for _ in range(12)] == [2 * job for job in range(12)]
    outcomes.close()
    with pytest.raises(StopIteration):
        next(outcomes)
