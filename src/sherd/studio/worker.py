"""A worker process: it takes tasks as lines of JSON on its input, and answers with lines on its output.

It ends when its input does, which is when the server ends, however that happens. Its memory is limited.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

from sherd.core.errors import SherdError
from sherd.core.unforeseen import told

logger = logging.getLogger(__name__)


def main(most_memory_mb: int) -> None:
    """Do tasks until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends its workers itself
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get among the answers
    _limit(most_memory_mb)
    tasks: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    stopped = threading.Event()
    threading.Thread(target=_listen, args=(tasks, stopped), daemon=True).start()
    from sherd.studio.tasks import Tasks

    doing = Tasks(lambda document: _say(out, {"progress": document}), stopped.is_set)
    _say(out, {"ready": True})
    while True:
        _say(out, _answer(doing, tasks.get(), most_memory_mb))


def _answer(doing: Any, task: dict[str, Any], most_memory_mb: int) -> dict[str, Any]:
    """What came of a task, or in one sentence why nothing did."""
    try:
        return {"done": doing.run(task)}
    except SherdError as error:
        return {"error": _without_paths(str(error), task)}
    except OSError as error:
        return {"error": _without_paths(f"{error.strerror or error}", task)}
    except MemoryError:
        return {"error": f"it needs more memory than the {most_memory_mb:,} MiB that a job may have"}
    except RecursionError:
        return {"error": "it is nested too deeply"}
    except Exception as error:
        logger.exception("a task failed: %s", told(error, f"the studio's task {task.get('task')!r}"))
        return {"error": f"sherd made a mistake here ({type(error).__name__}), which is a bug"}


def _without_paths(said: str, task: dict[str, Any]) -> str:
    """The sentence on one line, without where files lie on this machine."""
    folder = Path(str(task.get("folder", "")))
    inside = (folder / str(task.get("source", ""))).parent
    for path in (inside, folder / "source", folder):
        said = said.replace(f"{path}/", "")
    return " ".join(said.split())[:500]


def _listen(tasks: queue.SimpleQueue[dict[str, Any]], stopped: threading.Event) -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message.get("stop"):
            stopped.set()
        else:
            stopped.clear()  # here, so that a stop that follows at once is not lost
            tasks.put(message)
    os._exit(0)  # the server is gone, or wants this process to be


def _say(out: BinaryIO, message: dict[str, Any]) -> None:
    try:
        out.write(json.dumps(message, allow_nan=False).encode() + b"\n")
        out.flush()
    except BrokenPipeError:
        os._exit(0)


def _limit(most_memory_mb: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most_memory_mb * 2**20, most_memory_mb * 2**20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    logging.basicConfig(format="studio worker: %(message)s")
    try:
        main(int(sys.argv[1]))
    except BaseException:
        logger.exception("it ends")
        os._exit(1)  # at once: the thread that listens would hold up an ordinary end
