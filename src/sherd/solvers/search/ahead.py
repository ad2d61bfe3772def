"""Attempts made ahead by other processes, and taken in the order of the ladder.

While one attempt is at work, the next ones are tried as well. Each depends on the puzzle and its own limits
alone, so that the answer is the same as if all were made in turn: only the time differs.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from ctypes import c_double, c_long
from dataclasses import dataclass
from typing import Any

from sherd.core.errors import ArgumentError
from sherd.core.orphans import end_with_parent
from sherd.core.puzzle import Puzzle
from sherd.solvers.search.attempt import Attempt, Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.ladder import LadderParams, make_attempts
from sherd.solvers.stop import Stop, share_spent

# So many attempts are made in turn at first: most exact puzzles need no more, and processes take seconds to
# start.
ALONE = 3
# Seconds between two looks at whether to stop.
LOOK = 0.02


@dataclass(frozen=True)
class _Shared:
    """What processes tell each other: which attempts still count, and how much of the time is over."""

    current: Any  # the number of the climb whose attempts count,
    least: Any  # from this number on
    share: Any  # of the time, below 0 if nobody knows


@dataclass(frozen=True)
class _Task:
    climb: int
    number: int
    params: LadderParams
    puzzle: bytes


class Ahead:
    """Processes that make attempts ahead, started when they are first needed and kept for the next puzzle."""

    def __init__(self, workers: int, params: LadderParams) -> None:
        if workers < 1:
            raise ArgumentError(f"workers must be at least 1, not {workers}")
        self.workers, self._params = workers, params
        self._pool: ProcessPoolExecutor | None = None
        self._shared: _Shared | None = None
        self._is_broken = False

    def begin(self, puzzle: Puzzle, attempts: int, stop: Stop) -> Run | None:
        """The attempts at one puzzle; None where they are to be made in turn.

        That is where a limit of evaluations, which has to count all attempts before, is the only one.
        """
        if self.workers < 2 or self._is_broken or share_spent(stop) is None:
            return None
        return Run(self, pickle.dumps(puzzle), attempts)

    def submit(self, puzzle: bytes, number: int) -> Future[Found | None]:
        """Hand out an attempt."""
        if self._pool is None or self._shared is None:
            context = multiprocessing.get_context("spawn")  # a forked process may inherit locked threads
            current, least = context.RawValue(c_long, 0), context.RawValue(c_long, 0)
            self._shared = _Shared(current, least, context.RawValue(c_double, -1.0))
            self._pool = ProcessPoolExecutor(self.workers, context, _start, (self._shared,))
        return self._pool.submit(_make, _Task(self._shared.current.value, number, self._params, puzzle))

    def tell(self, least: int, share: float | None) -> None:
        """Let those at work know from which attempt on they count, and how much of the time is over."""
        if self._shared is not None:
            self._shared.least.value = least
            self._shared.share.value = -1.0 if share is None else share

    def drop(self) -> None:
        """Let nothing count that is at work; it ends soon."""
        if self._shared is not None:
            self._shared.current.value += 1

    def give_up(self) -> None:
        """Make attempts in turn from now on, since a process was lost."""
        self._is_broken = True
        self.close()

    def close(self) -> None:
        """End the processes."""
        self.drop()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


class Run:
    """The attempts at one puzzle: those asked for, and in the meantime those that come next."""

    def __init__(self, ahead: Ahead, puzzle: bytes, attempts: int) -> None:
        self._ahead, self._puzzle, self._attempts = ahead, puzzle, attempts
        self._at_work: dict[int, Future[Found | None]] = {}
        self._made = 0

    def __call__(self, number: int, attempt: Attempt, case: Case, stop: Stop) -> Found:
        """What comes of an attempt that applies, made here, or ahead if it was not among the first."""
        self._made += 1
        if self._made <= ALONE:
            return attempt.run(case, stop)
        try:
            found = self._wait_for(number, stop)
        except BrokenProcessPool:
            self._ahead.give_up()
            self._made = -self._attempts  # all others are made here
            found = None
        return attempt.run(case, stop) if found is None else found

    def _wait_for(self, number: int, stop: Stop) -> Found | None:
        # Those before were passed over, since others had found that they lead nowhere.
        self._at_work = {later: future for later, future in self._at_work.items() if later >= number}
        self._ahead.tell(number, share_spent(stop))
        if number not in self._at_work:
            self._at_work[number] = self._ahead.submit(self._puzzle, number)
        wanted = self._at_work[number]
        while not wait((wanted,), LOOK).done:
            self._hand_out(number + 1)
            self._ahead.tell(number, share_spent(stop))
            if stop(0):
                self.end()
                break
        return wanted.result()

    def _hand_out(self, number: int) -> None:
        """Keep all processes busy with attempts from this number on."""
        busy = sum(not future.done() for future in self._at_work.values())
        for later in range(number, self._attempts):
            if busy >= self._ahead.workers:
                break
            if later not in self._at_work:
                self._at_work[later] = self._ahead.submit(self._puzzle, later)
                busy += 1

    def end(self) -> None:
        """Drop what is at work."""
        if self._at_work:
            for future in self._at_work.values():
                future.cancel()
            self._at_work.clear()
        self._ahead.drop()


class _WhileWanted:
    """Stop an attempt once nobody waits for it."""

    def __init__(self, task: _Task) -> None:
        self._task = task

    def __call__(self, evaluations: int) -> bool:
        told, task = _here.shared, self._task
        return told is None or told.current.value != task.climb or told.least.value > task.number

    def share_spent(self) -> float | None:
        """What the process that waits knows."""
        share = -1.0 if _here.shared is None else float(_here.shared.share.value)
        return None if share < 0.0 else share


class _Here:
    """What a process that makes attempts has at hand: the puzzle that it was given last, taken for a case."""

    def __init__(self) -> None:
        self.shared: _Shared | None = None
        self.puzzle = b""
        self.case: Case | None = None

    def case_of(self, puzzle: bytes) -> Case:
        """The case of a puzzle, with what earlier attempts found out about it."""
        if self.case is None or puzzle != self.puzzle:
            self.puzzle, self.case = puzzle, Case(pickle.loads(puzzle))
        return self.case


_here = _Here()


def _start(shared: _Shared) -> None:
    """Begin as a process that makes attempts: the parent is the one that is interrupted, or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _here.shared = shared
    end_with_parent()


def _make(task: _Task) -> Found | None:
    """Make an attempt; None if it does not apply, or nobody waits for it any more."""
    stop = _WhileWanted(task)
    if stop(0):
        return None
    case = _here.case_of(task.puzzle)
    attempt = make_attempts(task.params, case.pixel)[task.number]
    return attempt.run(case, stop) if attempt.applies(case) else None
