"""Jobs outlive workers and servers that are killed, and wait, stop and end as they are told."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from sherd.studio.service import RefusedError, Service
from sherd.studio.settings import Settings
from sherd.studio.store import BUSY, JobRow, new_id

from .conftest import PATIENCE, Running, end, start

PUZZLE = {"pieces": 6, "rotations": "free"}
# A solver that goes on until it is told to stop.
ENDLESS = {"solver": "annealing", "seconds": 300.0}


def served(folder: Path, use: Callable[[Service], Coroutine[Any, Any, None]], **more: Any) -> None:
    """Use a service in this process, with real workers."""

    async def whole() -> None:
        service = Service(Settings(folder=folder, workers=1, **more))
        service.start()
        try:
            async with asyncio.timeout(PATIENCE):
                await use(service)
        finally:
            await service.close()

    asyncio.run(whole())


async def made(service: Service, seed: int, solve: dict[str, Any] | None = None) -> str:
    """A new job; once it is read, or is being solved."""
    row = JobRow(id=new_id(), name="p", source="source/puzzle.jsonl")
    (service.store.folder_of(row.id) / "source").mkdir(parents=True)
    service.add(row, generate={**PUZZLE, "seed": seed}, solve=solve)
    if solve is None:
        await until(lambda: service.row(row.id).state == "read")
    return row.id


async def until(happened: Callable[[], bool]) -> None:
    while not happened():
        await asyncio.sleep(0.02)


def has_placed(service: Service, job_id: str) -> bool:
    progress = service.job(job_id)["progress"]
    return progress is not None and progress["placed"] > 0


def test_a_killed_worker_is_told_and_the_best_is_kept(tmp_path: Path) -> None:
    async def use(service: Service) -> None:
        job_id = await made(service, 0, ENDLESS)
        other = await made(service, 1, ENDLESS)
        await until(lambda: has_placed(service, job_id))
        assert service.job(other)["place_in_queue"] == 1
        os.kill(service.worker_pids[job_id], signal.SIGKILL)
        await until(lambda: service.row(job_id).state not in BUSY)
        job = service.job(job_id)
        assert job["state"] == "interrupted"
        assert job["error"] == "its process was killed (signal 9); the best so far is kept"
        assert job["answer"]["placements"] and job["answer"]["verdict"]["word"] != "solved"
        assert job["answer"]["verdict"]["why"][0].startswith("its process was killed")
        assert service.metrics.worker_deaths == 1

        await until(lambda: has_placed(service, other))  # the next one has its turn, in a new process
        await service.stop(other)
        stopped = service.job(other)
        assert stopped["state"] == "stopped" and stopped["error"] is None
        assert stopped["answer"]["placements"]

        service.solve(job_id, {"seconds": 60.0})  # it can go on
        await until(lambda: service.row(job_id).state not in BUSY)
        again = service.job(job_id)
        assert again["state"] == "done" and again["answer"]["verdict"]["word"] == "solved"

    served(tmp_path, use)


def test_a_full_queue_refuses_and_what_waits_can_leave(tmp_path: Path) -> None:
    async def use(service: Service) -> None:
        first, second, third = [await made(service, seed) for seed in range(3)]
        service.solve(first, ENDLESS)
        await until(lambda: service.row(first).state == "solving")
        service.solve(second, ENDLESS)
        with pytest.raises(RefusedError, match="1 jobs wait already, and no more may: try later") as refused:
            service.solve(third, ENDLESS)
        assert refused.value.status == 429
        with pytest.raises(RefusedError, match="being solved: stop it first") as refused:
            service.solve(first, ENDLESS)
        assert refused.value.status == 409
        with pytest.raises(RefusedError, match="being solved"):
            service.read_again(first, {}, {})
        await service.stop(second)
        assert service.row(second).state == "stopped"
        pid = service.worker_pids[first]
        await service.remove(first)
        assert not service.store.folder_of(first).exists()
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        with pytest.raises(RefusedError, match="there is no such job"):
            service.row(first)

    served(tmp_path, use, queue=1)


def test_a_killed_server_comes_back_with_its_jobs(tmp_path: Path) -> None:
    first = start(tmp_path, "--workers", "1")
    jobs = [first.make(generate={**PUZZLE, "seed": seed})["id"] for seed in range(4)]
    for job_id in jobs[:3]:
        assert first.ask("POST", f"/jobs/{job_id}/solve", json=ENDLESS).status_code == 202
    placed = (data["placed"] for name, data in first.events(jobs[0]) if name == "progress")
    assert next(count for count in placed if count > 0)
    workers = [int(pid) for pid in _children(first.process.pid)]
    first.process.kill()
    first.process.wait()
    first.session.close()
    assert first.process.stdout is not None
    first.process.stdout.close()
    assert workers

    second = start(tmp_path, "--workers", "1")
    try:
        interrupted = _settled(second, jobs[0])
        assert interrupted["state"] == "interrupted"
        assert interrupted["error"] == (
            "the server ended while this was being solved; the best so far is kept"
        )
        assert interrupted["answer"]["placements"] and interrupted["answer"]["verdict"]["word"] != "solved"
        assert second.job(jobs[1])["state"] in ("queued", "solving")  # they had not begun, and go on
        assert second.job(jobs[3])["state"] == "read"
        for job_id in jobs[1:3]:
            assert second.ask("POST", f"/jobs/{job_id}/stop").json()["state"] == "stopped"
        again = second.ask("POST", f"/jobs/{jobs[0]}/solve", json={"seconds": 60})
        assert again.status_code == 202
        assert second.settled(jobs[0])["answer"]["verdict"]["word"] == "solved"
        assert not any(
            _is_alive(pid) for pid in workers
        )  # those of the killed server have ended by themselves
    finally:
        end(second)


def _settled(server: Running, job_id: str) -> dict[str, Any]:
    """An interrupted job, once its best has been judged."""
    while True:
        job = server.job(job_id)
        if job["answer"] is not None:
            return job


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
