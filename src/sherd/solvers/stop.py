"""When a solver should stop: rules that are passed in, so that no solver reads a clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, cast

from sherd.core.clock import working_seconds
from sherd.core.errors import ArgumentError


class Stop(Protocol):
    """Asked now and then by a solver, with the number of evaluations it has spent."""

    def __call__(self, evaluations: int) -> bool: ...


@dataclass(frozen=True)
class MaxSeconds:
    """Stop once this much time has passed since the rule was made; compiling does not count."""

    seconds: float
    _start: float = field(default_factory=working_seconds, init=False)

    def __post_init__(self) -> None:
        if not self.seconds >= 0.0:
            raise ArgumentError(f"a time limit must be at least 0 seconds, not {self.seconds}")

    @property
    def seconds_left(self) -> float:
        """How much time is left, 0 once it is over."""
        return max(self.seconds - (working_seconds() - self._start), 0.0)

    def __call__(self, evaluations: int) -> bool:
        return working_seconds() - self._start >= self.seconds

    def share_spent(self) -> float:
        """How much of the time has passed, as a share; 1 or more once it is over."""
        return (working_seconds() - self._start) / self.seconds if self.seconds > 0.0 else 1.0


@dataclass(frozen=True)
class MaxEvaluations:
    """Stop once this many evaluations are spent: reproducible, whatever the machine."""

    evaluations: int

    def __call__(self, evaluations: int) -> bool:
        return evaluations >= self.evaluations


class MaxQuestions:
    """Stop once it was asked so often whether to: solvers ask about every tenth of a second, or more often.

    >>> stop = MaxQuestions(2)
    >>> [stop(evaluations) for evaluations in (0, 64, 128)]
    [False, False, True]
    """

    def __init__(self, questions: int) -> None:
        self._left = questions

    def __call__(self, evaluations: int) -> bool:
        self._left -= 1
        return self._left < 0


@dataclass(frozen=True)
class AnyOf:
    """Stop as soon as one of several rules says so."""

    rules: tuple[Stop, ...]

    def __call__(self, evaluations: int) -> bool:
        return any(rule(evaluations) for rule in self.rules)

    def share_spent(self) -> float | None:
        """The largest share that a rule tells: that rule ends first."""
        known = [share for rule in self.rules if (share := share_spent(rule)) is not None]
        return max(known, default=None)


@dataclass(frozen=True)
class Resumed:
    """A rule for an attempt that counts its own evaluations from 0, after others have ``spent`` some."""

    stop: Stop
    spent: int

    def __call__(self, evaluations: int) -> bool:
        return self.stop(self.spent + evaluations)

    def share_spent(self) -> float | None:
        """What the rule itself tells."""
        return share_spent(self.stop)


def share_spent(stop: Stop) -> float | None:
    """How much of the time is over, if the rule is one that tells; any rule may.

    >>> share_spent(AnyOf((MaxEvaluations(3), MaxSeconds(0.0))))
    1.0
    >>> share_spent(MaxEvaluations(3)) is None
    True
    """
    # Asked at every joint, and `isinstance` looks through all that a protocol has.
    ask = cast("Callable[[], float | None] | None", getattr(stop, "share_spent", None))
    return None if ask is None else ask()


def share_after(stop: Stop, evaluations: int) -> float | None:
    """How much of the limit is over after so many evaluations, be it of time or of evaluations.

    >>> share_after(Resumed(AnyOf((MaxEvaluations(8), MaxEvaluations(16))), spent=2), 2)
    0.5
    """
    match stop:
        case MaxEvaluations():
            return evaluations / stop.evaluations if stop.evaluations else 1.0
        case Resumed():
            return share_after(stop.stop, stop.spent + evaluations)
        case AnyOf():
            known = [share for rule in stop.rules if (share := share_after(rule, evaluations)) is not None]
            return max(known, default=None)
        case _:
            return share_spent(stop)
