"""Jobs shared among processes: outcomes in order, kept and taken up again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sherd.many.shards import Keeping, Shards, json_lines, open_shards
from sherd.many.share import share

PLAIN = json_lines(lambda outcome: outcome, lambda row: row)


@dataclass(frozen=True)
class Doubling:
    """Twice the job; jobs of a file's lines are noted there."""

    log: Path | None = None
    breaks_at: int | None = None

    def __call__(self, job: int) -> int:
        if job == self.breaks_at:
            raise ValueError(f"no {job}")
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(f"{job}\n")
        return 2 * job

    def lost(self, job: int, reason: str) -> int:
        return -1


def shards_in(folder: Path, total: int = 20, **keeping: object) -> Shards[int]:
    return open_shards(Keeping(folder=folder, **keeping), {}, PLAIN, total=total)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _found_by_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2])  # where they find this module


def test_one_process_works_job_by_job_as_outcomes_are_asked_for() -> None:
    begun: list[int] = []

    def jobs() -> Iterator[int]:
        for job in range(5):
            begun.append(job)
            yield job

    outcomes = share(Doubling(), jobs())
    assert next(outcomes) == 0
    assert begun == [0]
    assert [*outcomes] == [2, 4, 6, 8]


def test_several_processes_give_outcomes_in_the_order_of_the_jobs() -> None:
    outcomes = share(Doubling(), range(20), workers=2)
    assert [next(outcomes) for _ in range(12)] == [2 * job for job in range(12)]
    outcomes.close()
    with pytest.raises(StopIteration):
        next(outcomes)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_job_raises_is_raised(workers: int) -> None:
    with pytest.raises(ValueError, match="no 3"):
        list(share(Doubling(breaks_at=3), range(9), workers=workers))


@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_that_cannot_be_read_end_the_run(workers: int) -> None:
    def jobs() -> Iterator[int]:
        yield from range(6)
        raise ValueError("line 7 is broken")

    with pytest.raises(ValueError, match="line 7"):
        list(share(Doubling(), jobs(), workers=workers))


@pytest.mark.parametrize(("first_workers", "second_workers"), [(1, 1), (1, 2), (2, 1)])
def test_a_run_that_was_left_goes_on(tmp_path: Path, first_workers: int, second_workers: int) -> None:
    log, folder = tmp_path / "log", tmp_path / "run"
    outcomes = share(Doubling(log), range(20), workers=first_workers, shards=shards_in(folder))
    assert [next(outcomes) for _ in range(7)] == [2 * job for job in range(7)]
    outcomes.close()
    kept = {number for numbers in shards_in(folder).done() for number in numbers}
    assert kept >= set(range(7))
    log.unlink()
    again = list(share(Doubling(log), range(20), workers=second_workers, shards=shards_in(folder)))
    assert again == [2 * job for job in range(20)]
    assert {int(line) for line in log.read_text().split()} == set(range(20)) - kept
    assert not shards_in(folder).missing()
    assert list(share(Doubling(breaks_at=3), range(20), shards=shards_in(folder, whole=True))) == again


def test_parts_that_are_done_apart_make_the_whole(tmp_path: Path) -> None:
    for number in (3, 1, 2):
        part = shards_in(tmp_path, shard=(number, 3))
        assert list(share(Doubling(), range(20), shards=part)) == [2 * job for job in part.part]
    whole = share(Doubling(breaks_at=0), range(20), shards=shards_in(tmp_path, whole=True))
    assert list(whole) == [2 * job for job in range(20)]
