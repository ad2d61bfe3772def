"""Worker processes: a bounded number of them in two lanes, one for solving and one for all that is quick."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

# A line between a worker and the server is at most so long: thousands of placements.
LONGEST_LINE = 64 * 2**20
# After so many tasks a worker is replaced, so that nothing that it may have kept adds up.
MOST_TASKS = 200

OnProgress = Callable[[dict[str, Any]], None]


class WorkerDiedError(Exception):
    """A worker ended in the middle of its task; the words say how."""


class TaskError(Exception):
    """A task could not be done, for a reason that its user can be told."""


class Worker:
    """One process, which does one task at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._tasks = 0
        self.last_job = ""
        self.was_killed = False

    @classmethod
    async def start(cls, most_memory_mb: int) -> Worker:
        """A new process; it takes tasks at once, and does them when it has loaded what it needs."""
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "sherd.studio.worker", str(most_memory_mb)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            env=environment,
        )
        return cls(process)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def is_usable(self) -> bool:
        """Whether it lives, and has not worked for too long."""
        return self._process.returncode is None and not self.was_killed and self._tasks < MOST_TASKS

    async def do(self, task: Mapping[str, Any], on_progress: OnProgress | None = None) -> dict[str, Any]:
        """What came of a task; `TaskError` if it could not be done, `WorkerDiedError` if the worker ended."""
        self._tasks += 1
        self.last_job = str(task.get("id", ""))
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(task).encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            pass  # what is read next tells
        while line := await self._process.stdout.readline():
            message = json.loads(line)
            if "progress" in message and on_progress is not None:
                on_progress(message["progress"])
            elif "error" in message:
                raise TaskError(message["error"])
            elif "done" in message:
                return message["done"]
        raise WorkerDiedError(how_it_ended(await self._process.wait()))

    def ask_to_stop(self) -> None:
        """Let the task at hand end soon with what it has."""
        if self._process.stdin is not None and self._process.returncode is None:
            self._process.stdin.write(b'{"stop": true}\n')

    def kill(self) -> None:
        """End the process at once."""
        self.was_killed = True
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def end(self) -> None:
        """End the process and wait until it has."""
        self.kill()
        await self._process.wait()


def how_it_ended(code: int) -> str:
    """How a process ended, in words.

    >>> how_it_ended(-9), how_it_ended(3)
    ('its process was killed (signal 9)', 'its process ended with code 3')
    """
    return f"its process was killed (signal {-code})" if code < 0 else f"its process ended with code {code}"


class Lane:
    """Up to ``size`` workers, of which each is lent to one task at a time, first come first served."""

    def __init__(self, size: int, most_memory_mb: int) -> None:
        self.size = size
        self._most_memory_mb = most_memory_mb
        self._free = asyncio.Semaphore(size)
        self._idle: list[Worker] = []
        self._every: set[Worker] = set()
        self._starting: list[asyncio.Task[None]] = []

    @property
    def workers(self) -> tuple[Worker, ...]:
        """All processes that live."""
        return tuple(self._every)

    def warm_up(self) -> None:
        """Start a worker beforehand, so that the first task need not wait for it."""
        self._starting.append(asyncio.create_task(self._start_idle()))

    async def _start_idle(self) -> None:
        async with self._free:
            if not self._idle:
                self._idle.append(await self._start())

    async def _start(self) -> Worker:
        worker = await Worker.start(self._most_memory_mb)
        self._every.add(worker)
        return worker

    @asynccontextmanager
    async def worker(self, job_id: str) -> AsyncGenerator[Worker, None]:
        """A worker, by preference the one that has had to do with this job last."""
        async with self._free:
            self._idle.sort(key=lambda one: one.last_job == job_id)
            worker = self._idle.pop() if self._idle else await self._start()
            if not worker.is_usable:
                await self._drop(worker)
                worker = await self._start()
            finished = False
            try:
                yield worker
                finished = True
            except TaskError:
                finished = True
                raise
            finally:
                # One that was left in the middle of a task would give its answer to the next.
                if finished and worker.is_usable:
                    self._idle.append(worker)
                else:
                    worker.kill()
                    await asyncio.shield(self._drop(worker))

    async def _drop(self, worker: Worker) -> None:
        self._every.discard(worker)
        await worker.end()

    async def close(self) -> None:
        """End all processes."""
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in tuple(self._every)), return_exceptions=True)
        self._every.clear()
        self._idle.clear()
