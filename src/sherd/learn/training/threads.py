"""Work on a CPU shared by threads, each of which takes whole images or puzzles and computes alone.

Threads that share a single convolution wait for each other thousands of times a puzzle. That gains little
on a quiet machine, and on a busy one each wait lasts until the other is given a core again: two threads
were seen to take ten times as long as one. Threads that share nothing but the weights wait once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

import torch

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
