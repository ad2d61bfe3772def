"""Compiling hot loops with numba, once per machine where that is possible."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from sherd.clock import working_seconds

Function = TypeVar("Function", bound=Callable[..., Any])

logger = logging.getLogger(__name__)


def compiled(function: Function) -> Function:
    """The function compiled without Python objects, its machine code kept on disk for the next run.

    Where neither the package's folder nor the user's cache can be written, numba refuses to keep it; then
    it is compiled again in every process, which costs seconds but works.
    """
    try:
        return cast(Function, numba.njit(cache=True)(function))
    except RuntimeError:
        return cast(Function, numba.njit(function))


class _Compilation(event.Listener):
    """Stops the clock while a process compiles, and logs that it does so, once.

    What is only loaded from the disk takes no time worth a word.
    """

    def __init__(self) -> None:
        self._said = False

    def on_start(self, event: event.Event) -> None:
        working_seconds.pause()
        if not self._said:
            self._said = True
            logger.info("compiling, once for each kind of solver and of puzzle; it may take half a minute")

    def on_end(self, event: event.Event) -> None:
        working_seconds.resume()


event.register("numba:compile", _Compilation())
