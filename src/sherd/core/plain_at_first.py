"""Compiled functions that run as plain Python until compiling them is worth the wait.

On a machine that has never compiled them, a small puzzle is solved by plain Python in a fraction of a second,
and the compiler would take half a minute. What is on the disk, or compiled by now, is always taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from time import thread_time
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numba.core.dispatcher import Dispatcher

from sherd.core.clock import working_seconds
from sherd.core.compiled import is_compiled

Function = TypeVar("Function", bound=Callable[..., Any])

# Seconds of work in plain Python in a process before its functions are compiled after all.
MOST_SECONDS = 4.0


class _Spent:
    """Seconds that this process has spent on plain Python."""

    def __init__(self) -> None:
        self.seconds = 0.0


spent = _Spent()


def is_first_use() -> bool:
    """Whether this process has run plain Python, since nothing was compiled on this machine."""
    return spent.seconds > 0.0


def plain_at_first(function: Function) -> Function:
    """The compiled function, run as plain Python while it is not compiled and there is time for that.

    Only for functions that give the same bits either way, and return soon. The clock stands still meanwhile,
    as it does while code is compiled: limits mean the same on the first day as on the second.
    """
    if not isinstance(function, Dispatcher):  # numba was told to compile nothing
        return function
    plain: list[Callable[..., Any]] = []

    @wraps(cast(Any, function).py_func)
    def run(*args: Any) -> Any:
        if spent.seconds >= MOST_SECONDS or is_compiled(function):
            return cast(Any, function)(*args)
        if not plain:
            plain.append(_plain(cast(Any, function).py_func, {}))
        before = thread_time()  # not what others do on a busy machine
        working_seconds.pause()
        try:
            with np.errstate(over="ignore"):  # whole numbers that are mixed wrap around
                return plain[0](*args)
        finally:
            working_seconds.resume()
            spent.seconds += thread_time() - before

    return cast(Function, run)


class _Mathematics:
    """Python's mathematics, but lengths as compiled code has them: Python rounds some otherwise."""

    def __getattr__(self, name: str) -> Any:
        return getattr(math, name)

    def hypot(self, x: float, y: float) -> float:
        return np.hypot(x, y)


def _plain(function: FunctionType, made: dict[FunctionType, FunctionType]) -> FunctionType:
    """A copy of a function that calls plain copies of the compiled functions that it calls."""
    if function not in made:
        known = dict(function.__globals__)
        if known.get("math") is math:
            known["math"] = _Mathematics()
        made[function] = FunctionType(function.__code__, known, function.__name__, function.__defaults__)
        for name in function.__code__.co_names:
            if isinstance(known.get(name), Dispatcher):
                known[name] = _plain(known[name].py_func, made)
    return made[function]
