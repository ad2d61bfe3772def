"""Server-sent events: what happens to a job, told to everybody who listens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any

# Seconds of silence after which a comment is sent, so that nobody on the way hangs up.
SILENCE = 15.0
# Of a listener who is slower than what happens, only the last events wait.
MOST_WAITING = 64


@dataclass(frozen=True)
class Event:
    """One event, as the page's EventSource takes it."""

    name: str
    data: dict[str, Any]

    def encode(self) -> bytes:
        """The lines of the event.

        >>> Event("done", {"state": "read"}).encode()
        b'event: done\\ndata: {"state":"read"}\\n\\n'
        """
        data = json.dumps(self.data, allow_nan=False, separators=(",", ":"))
        return f"event: {self.name}\ndata: {data}\n\n".encode()


class Hub:
    """Who listens to which job."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._listeners: dict[str, set[asyncio.Queue[Event | None]]] = {}
        self.count = 0

    @property
    def is_full(self) -> bool:
        """Whether no more may listen."""
        return self.count >= self._most

    def tell(self, job_id: str, event: Event) -> None:
        """Give an event to all who listen to a job."""
        for queue in self._listeners.get(job_id, ()):
            _put(queue, event)

    def end(self, job_id: str) -> None:
        """Let all who listen to a job go: nothing more will happen to it for now."""
        for queue in self._listeners.get(job_id, ()):
            _put(queue, None)

    async def listen(self, job_id: str, now: Callable[[], list[Event]]) -> AsyncGenerator[bytes, None]:
        """The events of a job, first those that tell how it stands ``now``; ends after ``done``."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._listeners.setdefault(job_id, set()).add(queue)
        self.count += 1
        first = now()  # not before, or what happens in between would be missed
        for event in first:
            queue.put_nowait(event)
        if first[-1].name == "done":
            queue.put_nowait(None)
        try:
            while True:
                try:
                    event = await asyncio.wait_for(queue.get(), SILENCE)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if event is None:
                    return
                yield event.encode()
        finally:
            self.count -= 1
            self._listeners[job_id].discard(queue)
            if not self._listeners[job_id]:
                del self._listeners[job_id]


def _put(queue: asyncio.Queue[Event | None], event: Event | None) -> None:
    if queue.qsize() >= MOST_WAITING:
        queue.get_nowait()
    queue.put_nowait(event)
