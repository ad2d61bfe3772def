"""Who listens is told, first how it stands, and let go at the end."""

from __future__ import annotations

import asyncio

from sherd.studio.events import MOST_WAITING, Event, Hub


def test_listeners_hear_all_until_the_end() -> None:
    async def heard() -> list[bytes]:
        hub = Hub(2)
        stream = hub.listen("a", lambda: [Event("job", {"state": "solving"})])
        said = [await anext(stream)]
        assert hub.count == 1 and not hub.is_full
        hub.tell("a", Event("progress", {"placed": 1}))
        hub.tell("b", Event("progress", {"placed": 9}))
        hub.end("a")
        said += [one async for one in stream]
        assert hub.count == 0
        return said

    assert asyncio.run(heard()) == [
        b'event: job\ndata: {"state":"solving"}\n\n',
        b'event: progress\ndata: {"placed":1}\n\n',
    ]


def test_a_slow_listener_gets_the_latest() -> None:
    async def heard() -> list[bytes]:
        hub = Hub(1)
        stream = hub.listen("a", lambda: [Event("job", {})])
        await anext(stream)
        assert hub.is_full
        for number in range(3 * MOST_WAITING):
            hub.tell("a", Event("progress", {"placed": number}))
        hub.end("a")
        return [one async for one in stream]

    said = asyncio.run(heard())
    assert len(said) == MOST_WAITING - 1
    assert b"191" in said[-1]


def test_what_is_done_already_ends_at_once() -> None:
    async def heard() -> list[bytes]:
        return [one async for one in Hub(1).listen("a", lambda: [Event("job", {}), Event("done", {})])]

    assert len(asyncio.run(heard())) == 2
