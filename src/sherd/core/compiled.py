"""Compiling hot loops with numba, once per machine where that is possible."""

from __future__ import annotations

import hashlib
import logging
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from sherd.core.clock import working_seconds
from sherd.core.one_at_a_time import one_at_a_time

Function = TypeVar("Function", bound=Callable[..., Any])

# Modules whose functions have no machine code of their own within others. Those of contours are left out: so
# compiled, ten broken puzzles took twice as long to solve.
TRANSLATED = "sherd.solvers.search."

# Numba's own steps are exchanged in the versions that this was tried with; others compile as numba does.
TRIED_WITH = ("0.68.",)
if numba.__version__.startswith(TRIED_WITH):
    from sherd.core.called_within import Compilation, callable_by_compiled

    _steps: dict[str, Any] = {"pipeline_class": Compilation}
else:
    _steps, callable_by_compiled = {}, None
# Other threads run meanwhile (sherd.core.threads).
_settings: dict[str, Any] = {"nogil": True, **_steps}

logger = logging.getLogger(__name__)
# What this process holds while it compiles, guarded by numba's own lock.
_held: set[Path] = set()


def compiled(function: Function) -> Function:
    """The function compiled without Python objects, its machine code kept on disk for the next run.

    Where neither the package's folder nor the user's cache can be written, numba refuses to keep it; then
    it is compiled again in every process, which costs seconds but works.
    """
    if cast(Any, numba).config.DISABLE_JIT:
        return function
    try:
        dispatcher: Any = numba.njit(cache=True, **_settings)(function)
    except RuntimeError:
        dispatcher = numba.njit(**_settings)(function)
    # Numba keeps what is on the disk until the function's own file changes, though what it uses of other
    # files is compiled into it.
    kept = _kept(dispatcher)
    if kept is not None:
        kept._source_stamp = (kept._source_stamp, _known_to(function))
        kept._load_index = partial(_index_if_read, kept._load_index)
        dispatcher.compile = partial(_compile_once, dispatcher.compile, Path(f"{kept._index_path}.lock"))
    if callable_by_compiled is not None and function.__module__.startswith(TRANSLATED):
        callable_by_compiled(dispatcher)
    return cast(Function, dispatcher)


def _compile_once(compile_: Callable[[Any], Any], lock: Path, signature: Any) -> Any:
    """Load the machine code or make it; of processes that begin together, one makes it and others load it.

    Numba's own lock comes first: threads that took the two in another order could wait for each other.
    """
    with cast(Any, global_compiler_lock):
        if lock in _held:  # a function that calls itself with other types
            return compile_(signature)
        _held.add(lock)
        try:
            with one_at_a_time(lock):
                return compile_(signature)
        finally:
            _held.discard(lock)


def is_compiled(dispatcher: Any) -> bool:
    """Whether machine code of the function is there, in this process or on the disk."""
    if dispatcher.overloads:
        return True
    kept = _kept(dispatcher)
    return kept is not None and bool(kept._load_index())


def _kept(dispatcher: Any) -> Any:
    """The files on the disk of a compiled function, if it has any."""
    return getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)


def _index_if_read(load_index: Callable[[], dict[Any, str]]) -> dict[Any, str]:
    """What is on the disk; nothing if it names a type that is gone, as after an update, or is broken."""
    try:
        return load_index()
    except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
        return {}


def _known_to(function: Callable[..., Any]) -> str:
    """A hash of what a function's module knows by now that could be compiled into it, by name.

    That is numbers and words, the fields of named tuples, and the stamps of compiled functions; and how it
    is compiled.
    """
    known: list[tuple[str, object]] = []
    for name, value in function.__globals__.items():
        if isinstance(value, Dispatcher):
            known.append((name, getattr(_kept(value), "_source_stamp", None)))
        elif isinstance(value, int | float | str) and not name.startswith("__"):
            known.append((name, value))
        elif isinstance(value, type) and tuple in value.__mro__:
            known.append((name, getattr(value, "_fields", ())))
    return hashlib.sha256(repr((_settings["nogil"], known)).encode()).hexdigest()


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
