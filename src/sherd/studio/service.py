"""What happens to jobs: they are read, wait, are solved, stopped and judged, and they outlive the server.

Every change is written to the store before it is told. Only this module moves a job from state to state.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Coroutine, Mapping
from typing import Any

from sherd.studio.events import Event, Hub
from sherd.studio.metrics import Metrics
from sherd.studio.pool import Lane, TaskError, Worker, WorkerDiedError
from sherd.studio.settings import Settings
from sherd.studio.store import BUSY, JobRow, State, Store

# A worker that is asked to stop has so many seconds to end with what it has, before it is killed.
GRACE = 2.0
# Beyond its limit a solver may take so long to compile, which happens once on a machine, and to end.
OVERTIME = 600.0
# Reading, judging and exporting must end within this many seconds; they too may have to compile first.
QUICK_SECONDS = 600.0
# A project may be so many times as long when it is unpacked as any upload may be.
UNPACKED = 8
SOLVE_DEFAULTS: Mapping[str, Any] = {"seconds": 10.0, "solver": "auto", "seed": 0, "all": None}
NOTHING_MORE: Mapping[str, Any] = {"pins": (), "forbid": (), "start": None}
KILLED_SERVER = "the server ended while this was being solved"


class RefusedError(Exception):
    """A request that cannot be served, with the status and the sentence that it is answered with."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class Service:
    """The jobs of a server, and the processes that work on them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.folder)
        self.hub = Hub(settings.most_streams)
        self.metrics = Metrics()
        self._solving = Lane(settings.workers, settings.most_memory_mb)
        self._quick = Lane(1, settings.most_memory_mb)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._workers: dict[str, Worker] = {}
        self._progress: dict[str, dict[str, Any]] = {}
        self._stopping: set[str] = set()

    # From start to end

    def start(self) -> None:
        """Take up the jobs where an earlier server left them."""
        self.store.remove_strays()
        self._quick.warm_up()
        self._solving.warm_up()
        for row in self.store.in_state("reading"):
            self._run(row.id, self._read(row.id, self.store.document(row.id, "next")))
        for row in self.store.in_state("solving"):
            self._set(row.id, "interrupted", self._and_best(row.id, KILLED_SERVER))
            self._run(row.id, self._keep_best(row.id, KILLED_SERVER))
        for row in self.store.in_state("queued"):
            self._run(row.id, self._solve(row.id))

    async def close(self) -> None:
        """End all work; what ran is marked, so that it can go on."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await asyncio.gather(self._solving.close(), self._quick.close())
        for row in self.store.in_state("solving"):
            self._set(row.id, "interrupted", self._and_best(row.id, KILLED_SERVER))
        self.store.close()

    # What a job is

    def row(self, job_id: str) -> JobRow:
        """A job's row; `RefusedError` if there is none."""
        try:
            return self.store.get(job_id)
        except KeyError:
            raise RefusedError(404, "there is no such job") from None

    def whole_job(self, job_id: str) -> bytes:
        """A job with its reading and its puzzle as JSON; these may be long, and are passed on unread."""
        document = self.job(job_id)
        head = json.dumps(document, allow_nan=False, separators=(",", ":")).encode()
        reading, puzzle = (self.store.text(job_id, name) or b"null" for name in ("reading", "puzzle"))
        return b'%s,"reading":%s,"puzzle":%s}' % (head[:-1], reading, puzzle)

    def job(self, job_id: str) -> dict[str, Any]:
        """A job as it is told, without its reading and its puzzle."""
        row = self.row(job_id)
        waiting = [one.id for one in self.store.in_state("queued")] if row.state == "queued" else []
        return {
            "id": row.id,
            "name": row.name,
            "state": row.state,
            "error": row.error,
            "created": row.created,
            "params": row.params,
            "roles": row.roles,
            "solve": {**SOLVE_DEFAULTS, **_shown_solve(row.solve)},
            "place_in_queue": waiting.index(job_id) + 1 if job_id in waiting else None,
            "progress": self._progress.get(job_id) if row.state == "solving" else None,
            "answer": self.store.document(job_id, "answer"),
            "board": self.store.document(job_id, "board"),
        }

    def events_now(self, job_id: str) -> list[Event]:
        """What somebody who begins to listen is told first."""
        job = self.job(job_id)
        events = [Event("job", job)]
        if job["progress"] is not None:
            events.append(Event("progress", job["progress"]))
        if job["state"] not in BUSY:
            events.append(Event("done", {"state": job["state"]}))
        return events

    @property
    def waiting(self) -> int:
        """How many jobs wait to be solved, or are being read and may be solved next."""
        counts = self.store.counts()
        return counts.get("queued", 0) + counts.get("reading", 0)

    @property
    def worker_pids(self) -> dict[str, int]:
        """Which process solves which job."""
        return {job_id: worker.pid for job_id, worker in self._workers.items()}

    @property
    def gauges(self) -> dict[str, float]:
        """What is measured now."""
        every = (*self._solving.workers, *self._quick.workers)
        return {
            "queue_length": self.waiting,
            "queue_limit": self.settings.queue,
            "workers": len(every),
            "solving": len(self._workers),
            "streams": self.hub.count,
        }

    # What is done to a job

    def add(
        self, row: JobRow, *, generate: Mapping[str, Any] | None, solve: Mapping[str, Any] | None
    ) -> None:
        """Keep a new job, whose files lie in its folder, and read it; then solve it if that is asked."""
        self.store.write(row.id, "generate", generate)
        self.store.write(row.id, "next", solve)
        self.store.add(row)
        self._run(row.id, self._read(row.id, solve))

    def refuse_if_full(self, *, solve: bool) -> None:
        """`RefusedError` if no more jobs are kept, or may wait."""
        if sum(self.store.counts().values()) >= self.settings.most_jobs:
            kept = f"{self.settings.most_jobs:,} jobs are kept here, and no more"
            raise RefusedError(429, f"{kept}: delete some")
        # Those that are being read may be solved next.
        waiting = self.waiting if solve else self.store.counts().get("reading", 0)
        if waiting >= self.settings.queue:
            raise RefusedError(429, f"{self.settings.queue:,} jobs wait already, and no more may: try later")

    def refuse_without_answer(self, job_id: str) -> None:
        """`RefusedError` if a job has no answer."""
        self.row(job_id)
        if self.store.document(job_id, "found") is None:
            raise RefusedError(409, "there is no answer yet")

    async def settled(self, job_id: str, seconds: float) -> None:
        """Wait until a job is read, but no longer than so many seconds."""
        task = self._tasks.get(job_id)
        if task is not None:
            await asyncio.wait([task], timeout=seconds)

    def read_again(self, job_id: str, params: Mapping[str, Any], roles: Mapping[str, Any]) -> None:
        """Read a job with other parameters and roles; what was found for the old ones is dropped."""
        self._refuse_if_busy(job_id)
        for name in ("answer", "found", "progress", "board"):
            self.store.write(job_id, name, None)
        (self.store.folder_of(job_id) / "read.png").unlink(missing_ok=True)
        self.store.change(job_id, params=dict(params), roles=dict(roles), verdict=None)
        self._set(job_id, "reading")
        self._run(job_id, self._read(job_id, None))

    def solve(self, job_id: str, asked: Mapping[str, Any]) -> None:
        """Put a job into the queue."""
        row = self._refuse_if_busy(job_id)
        self.refuse_if_full(solve=True)
        if row.state != "interrupted" and self.store.document(job_id, "puzzle") is None:
            raise RefusedError(409, row.error or "the job is not read yet")
        self._queue(job_id, asked)
        self._run(job_id, self._solve(job_id))

    def _queue(self, job_id: str, asked: Mapping[str, Any]) -> None:
        self.store.write(job_id, "asked", {**NOTHING_MORE, **asked})
        solve = {**SOLVE_DEFAULTS, **_shown_solve(asked)}
        solve["seconds"] = min(solve["seconds"], self.settings.most_seconds)
        self.store.change(job_id, solve=solve, turn=self.store.next_turn())
        self._set(job_id, "queued")

    async def stop(self, job_id: str) -> None:
        """End a job's search and keep the best; one that waits is taken out of the queue."""
        row = self.row(job_id)
        if row.state == "queued":
            await self._cancel(job_id)
            self._set(job_id, "stopped", "it was stopped before it began")
            self._done(job_id)
        elif row.state == "solving" and job_id in self._tasks:
            self._stopping.add(job_id)
            task = self._tasks[job_id]
            if job_id in self._workers:
                self._workers[job_id].ask_to_stop()
            await asyncio.wait([task], timeout=GRACE)
            if not task.done() and job_id in self._workers:
                self._workers[job_id].kill()
            await asyncio.wait([task])

    async def remove(self, job_id: str) -> None:
        """End all work on a job and forget it."""
        self.row(job_id)
        await self._cancel(job_id)
        self.store.remove(job_id)
        self._progress.pop(job_id, None)
        self.hub.end(job_id)

    async def lay(self, job_id: str, board: Mapping[str, Any]) -> dict[str, Any]:
        """Keep where hands have laid pieces, and judge it."""
        self._refuse_if_busy(job_id)
        if self.store.document(job_id, "puzzle") is None:
            raise RefusedError(409, "the job is not read yet")
        answer = await self.quick(job_id, {"task": "judge", "placements": board["placements"]})
        self.store.write(job_id, "board", dict(board))
        return answer["answer"]

    async def quick(self, job_id: str, task: Mapping[str, Any]) -> dict[str, Any]:
        """Something that is done while somebody waits; `RefusedError` with what stands in its way."""
        row = self.row(job_id)
        try:
            async with self._quick.worker(job_id) as worker, asyncio.timeout(QUICK_SECONDS):
                return await worker.do({**self._about(row), **task})
        except TaskError as error:
            raise RefusedError(422, str(error)) from None
        except WorkerDiedError as error:
            self.metrics.worker_deaths += 1
            raise RefusedError(500, f"this could not be done: {error}") from None
        except TimeoutError:
            raise RefusedError(500, f"this took longer than {QUICK_SECONDS:g} seconds") from None

    # What goes on by itself

    def _run(self, job_id: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks[job_id] = task

        def forget(ended: asyncio.Task[None]) -> None:
            if self._tasks.get(job_id) is ended:
                del self._tasks[job_id]

        task.add_done_callback(forget)

    async def _cancel(self, job_id: str) -> None:
        task = self._tasks.get(job_id)
        if task is not None:
            if job_id in self._workers:
                self._workers[job_id].kill()
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _read(self, job_id: str, solve: Mapping[str, Any] | None) -> None:
        try:
            read = await self.quick(job_id, self._reading(job_id))
        except RefusedError as error:
            self._set(job_id, "interrupted" if error.status >= 500 else "failed", error.sentence)
            self._done(job_id)
            return
        self.store.write(job_id, "next", None)
        opened = dict(read.get("opened", {}))
        state: State = opened.pop("state", "done")
        self.store.change(job_id, pieces=read["pieces"], verdict=read.get("verdict"), **opened)
        if solve is not None and not read["error"]:
            self._queue(job_id, solve)
            await self._solve(job_id)
            return
        self._set(job_id, state if "verdict" in read else "read", read["error"] or None)
        self._done(job_id)

    async def _solve(self, job_id: str) -> None:
        """Wait for a worker, let it solve, and say how that ended."""
        if self.store.document(job_id, "puzzle") is None:  # it was interrupted while it was read
            try:
                read = await self.quick(job_id, self._reading(job_id))
            except RefusedError as error:
                read = {"pieces": None, "error": error.sentence}
            self.store.change(job_id, pieces=read["pieces"])
            if read["error"]:
                self._set(job_id, "failed", read["error"])
                self._done(job_id)
                return
        async with self._solving.worker(job_id) as worker:
            self._workers[job_id] = worker
            self._progress.pop(job_id, None)
            self._set(job_id, "solving")
            started = time.monotonic()
            try:
                state, error, verdict = await self._ended(job_id, worker)
            finally:
                del self._workers[job_id]
                self.metrics.solve_seconds += time.monotonic() - started
        if state != "done" and error is not None and self._progress.get(job_id):
            await self._keep_best(job_id, error, tell=False)
        elif state in ("done", "stopped") and verdict is not None:
            self.store.change(job_id, verdict=verdict)
        self._stopping.discard(job_id)
        self._set(job_id, state, None if state == "stopped" else error)
        self.metrics.ended[state] += 1
        self._done(job_id)

    async def _ended(self, job_id: str, worker: Worker) -> tuple[State, str | None, str | None]:
        """How a search ended: the state, what is to be said about it, and the verdict if there is one."""
        row = self.store.get(job_id)
        asked: dict[str, Any] = self.store.document(job_id, "asked") or dict(NOTHING_MORE)
        task: dict[str, Any] = {
            **self._about(row),
            **SOLVE_DEFAULTS,
            **asked,
            **row.solve,
            "task": "solve",
        }
        try:
            async with asyncio.timeout(row.solve["seconds"] + OVERTIME):
                found = await worker.do(task, lambda progress: self._tell_progress(job_id, progress))
        except TaskError as error:
            return "failed", str(error), None
        except WorkerDiedError as error:
            if job_id in self._stopping:
                return "stopped", "it was stopped", None
            self.metrics.worker_deaths += 1
            return "interrupted", self._and_best(job_id, str(error)), None
        except TimeoutError:
            return "failed", f"it did not end {OVERTIME:g} seconds after its limit, and was ended", None
        return "stopped" if job_id in self._stopping else "done", None, found["verdict"]

    def _reading(self, job_id: str) -> dict[str, Any]:
        """The task of reading a job, or of making its puzzle first."""
        return {"task": "read", "generate": self.store.document(job_id, "generate")}

    def _and_best(self, job_id: str, why: str) -> str:
        """Why a search ended early, and that its best is kept, if it had found anything."""
        progress = self.store.document(job_id, "progress")
        return f"{why}; the best so far is kept" if progress and progress["placements"] else why

    async def _keep_best(self, job_id: str, why: str, *, tell: bool = True) -> None:
        """Make the last progress of a search that was ended the job's answer."""
        with contextlib.suppress(RefusedError):
            kept = await self.quick(job_id, {"task": "keep", "remark": why})
            if "verdict" in kept:
                self.store.change(job_id, verdict=kept["verdict"])
        if tell:
            self._done(job_id)

    def _tell_progress(self, job_id: str, progress: dict[str, Any]) -> None:
        self._progress[job_id] = progress
        self.hub.tell(job_id, Event("progress", progress))

    def _about(self, row: JobRow) -> dict[str, Any]:
        """What every task must know of its job."""
        return {
            "id": row.id,
            "name": row.name,
            "folder": str(self.store.folder_of(row.id)),
            "source": row.source,
            "params": row.params,
            "roles": row.roles,
            "solve": row.solve,
            "state": row.state,
            "most_pieces": self.settings.most_pieces,
            "most_unpacked": UNPACKED * self.settings.most_bytes,
        }

    def _refuse_if_busy(self, job_id: str) -> JobRow:
        row = self.row(job_id)
        if row.state in BUSY or job_id in self._tasks:
            doing = {"reading": "being read", "queued": "waiting", "solving": "being solved"}
            raise RefusedError(
                409, f"the job is {doing.get(row.state, 'being worked on')}: stop it first, or wait"
            )
        return row

    def _set(self, job_id: str, state: State, error: str | None = None) -> None:
        self.store.change(job_id, state=state, error=error)
        self.hub.tell(job_id, Event("job", self.job(job_id)))

    def _done(self, job_id: str) -> None:
        """Tell all who listen that nothing more happens for now."""
        state = self.store.get(job_id).state
        self.hub.tell(job_id, Event("job", self.job(job_id)))
        self.hub.tell(job_id, Event("done", {"state": state}))
        self.hub.end(job_id)


def _shown_solve(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a request for solving says that is shown again."""
    return {name: asked[name] for name in SOLVE_DEFAULTS if asked.get(name) is not None}
