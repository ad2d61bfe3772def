"""A worker process: its lines, its limits, and that it ends with its server."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sherd.studio.pool import TaskError, Worker, how_it_ended


@pytest.mark.usefixtures("breaks")
def test_a_worker_says_what_is_wrong_and_goes_on(tmp_path: Path) -> None:
    """Memory is limited, mistakes are told in a sentence without paths, and one process does many tasks."""
    task = {"id": "x", "folder": str(tmp_path), "params": {}, "roles": {}, "most_pieces": 3, "generate": None}
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.wkt").write_text("nonsense")
    squares = [f"POLYGON(({x} 0, {x + 1} 0, {x + 1} 1, {x} 0))" for x in range(0, 20, 2)]
    (tmp_path / "source" / "many.wkt").write_text("\n".join(squares))

    async def use() -> None:
        worker = await Worker.start(1000)
        with pytest.raises(TaskError, match=r"^a\.wkt"):
            await worker.do({**task, "task": "read", "source": "source/a.wkt"})
        with pytest.raises(TaskError, match="there are 10 pieces, and no more than 3 are taken here"):
            await worker.do({**task, "task": "read", "source": "source/many.wkt"})
        with pytest.raises(TaskError, match="there is no task 'dance'"):
            await worker.do({**task, "task": "dance", "source": ""})
        with pytest.raises(TaskError, match=r"\(KeyError\), which is a bug"):
            await worker.do({"task": "read"})
        huge = {**task, "source": "source/puzzle.jsonl", "task": "read", "most_pieces": 10**6}
        huge["generate"] = {"pieces": 10**8}
        with pytest.raises(TaskError):
            await worker.do(huge)
        assert worker.is_usable
        process = worker._process  # pyright: ignore[reportPrivateUsage]
        assert process.stdin is not None
        process.stdin.close()  # as when the server is gone
        assert await process.wait() == 0

    asyncio.run(use())


def test_how_a_process_ended_is_said() -> None:
    assert how_it_ended(-15) == "its process was killed (signal 15)"
