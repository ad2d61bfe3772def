"""Compiling hot loops with numba, once per machine where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """The function compiled without Python objects, its machine code kept on disk for the next run.

    Where neither the package's folder nor the user's cache can be written, numba refuses to keep it; then
    it is compiled again in every process, which costs seconds but works.
    """
    try:
        return cast(Function, numba.njit(cache=True)(function))
    except RuntimeError:
        return cast(Function, numba.njit(function))
