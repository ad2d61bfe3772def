"""Work on a CPU shared by threads, each of which takes whole images or puzzles and computes alone.

Threads that share a single convolution wait for each other thousands of times a puzzle. That gains little
on a quiet machine, and on a busy one each wait lasts until the other is given a core again: two threads
were seen to take ten times as long as one. Threads that share nothing but the weights wait once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import torch

# Up to this side of an image one thread trains alone. Beside five busy processes on two cores, six steps at
# 32 pixels took one thread 5 s and two 63 s.
FOR_ONE_THREAD_PX = 64

Given = TypeVar("Given")
Made = TypeVar("Made")


class Each(Protocol):
    """Applies a function to each item, in order of the items, as the builtin `map` does."""

    def __call__(self, function: Callable[[Given], Made], items: Iterable[Given], /) -> Iterator[Made]: ...


@contextmanager
def sharing(device: torch.device) -> Generator[Each]:
    """On a CPU: as many threads as torch may use, each with torch to itself; elsewhere the plain `map`.

    A function that is handed to them must not hand them work itself. Gradients are a thread's own affair:
    it has to switch them off for itself.
    """
    threads = torch.get_num_threads()
    if device.type != "cpu" or threads == 1:
        yield map
        return
    torch.set_num_threads(1)  # of this thread, and of those to come
    try:
        with ThreadPoolExecutor(threads) as pool:
            yield pool.map
    finally:
        torch.set_num_threads(threads)


def limit_threads(size_px: int) -> None:
    """Let torch use no more threads than there are cores to be had, however many the machine has.

    Images of few pixels are no work for several. A number that somebody chose, by OMP_NUM_THREADS, is left
    alone.
    """
    if "OMP_NUM_THREADS" not in os.environ:
        most = 1 if size_px <= FOR_ONE_THREAD_PX else usable_cores()
        torch.set_num_threads(max(1, min(torch.get_num_threads(), most)))


def usable_cores(quota: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """How many cores this process may use: those it may run on, and not more than a container grants."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        granted, period = quota.read_text(encoding="ascii").split()
        return max(1, min(cores, int(granted) // int(period)))
    except (OSError, ValueError):  # no such limit: the first word is then "max"
        return cores
