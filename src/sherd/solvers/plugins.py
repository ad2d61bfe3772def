"""Solvers of other packages: found by their entry points, and checked before anything is made of them.

A package brings a solver by naming what makes it, a class or a function without arguments::

    [project.entry-points."sherd.solvers"]
    mine = "my_package:MySolver"

One that cannot be loaded is named in a warning and left out. One that makes no solver, or answers with what
is no answer to the puzzle, is refused where it is used, by `UnsupportedError`: nothing of it is measured.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from sherd.core.assembly import Assembly
from sherd.core.errors import ArgumentError, UnsupportedError
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import Proposal, Solver

logger = logging.getLogger(__name__)

GROUP = "sherd.solvers"


@cache
def plugins(taken: frozenset[str]) -> dict[str, Callable[[], Solver]]:
    """What makes the solvers of other packages, by name; those of a name that is taken are left out."""
    found: dict[str, Callable[[], Solver]] = {}
    for point in entry_points(group=GROUP):
        try:
            if point.name in taken or point.name in found:
                raise ArgumentError("there is a solver of that name")
            make = point.load()
            if not callable(make):
                raise TypeError(f"{point.value} cannot be called to make a solver")
        except (Exception, SystemExit) as error:
            logger.warning("the solver %s is left out: %s", _named(point), in_a_line(error))
        else:
            found[point.name] = _checked(point, make)
    return found


def _named(point: EntryPoint) -> str:
    return point.name if point.dist is None else f"{point.name} of the package {point.dist.name}"


def in_a_line(error: BaseException) -> str:
    """The kind of an error and the first line of what it says."""
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0]}" if said else type(error).__name__


def _checked(point: EntryPoint, make: Callable[[], Any]) -> Callable[[], Solver]:
    def made() -> Solver:
        try:
            solver: Any = make()
        except UnsupportedError:
            raise
        except (Exception, SystemExit) as error:
            raise UnsupportedError(f"the solver {_named(point)} is left out: {in_a_line(error)}") from error
        if not callable(getattr(solver, "solve", None)):
            kind = type(solver).__name__
            raise UnsupportedError(f"the solver {_named(point)} is left out: a {kind} has no method solve")
        return solver

    return made


def refuse_nonsense(solver: object, puzzle: Puzzle, proposal: object) -> None:
    """`UnsupportedError` if what a solver returned is no answer to the puzzle at all."""
    if (nonsense := _nonsense(puzzle, proposal)) is not None:
        kind = type(solver)
        raise UnsupportedError(f"the solver {kind.__module__}.{kind.__qualname__} is left out: {nonsense}")


def _nonsense(puzzle: Puzzle, proposal: Any) -> str | None:
    if not isinstance(proposal, Proposal):
        return f"it returned a {type(proposal).__name__} and no Proposal"
    groups = [proposal.assembly, *(group.assembly for group in proposal.groups)]
    known = {fragment.id for fragment in puzzle.fragments}
    for assembly in groups:
        if not isinstance(assembly, Assembly):  # pyright: ignore[reportUnnecessaryIsInstance]
            return f"its assembly is a {type(assembly).__name__}"
        for placement in assembly:
            if placement.id not in known:
                return f"it placed {placement.id!r}, which is no piece of the puzzle"
            if not all(map(math.isfinite, (placement.pose.x, placement.pose.y, placement.pose.theta))):
                return f"it placed {placement.id!r} nowhere: its pose is not finite"
    return None
