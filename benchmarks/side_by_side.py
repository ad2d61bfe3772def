"""How much sooner two processes solve one puzzle: ``python benchmarks/side_by_side.py``.

Puzzles for which the search makes several attempts: moved corners and damage. Each is solved with one process
and with two, and the answers are compared. Beside the seconds stands what the CPU seconds of attempts alone
would give: attempts in ladder order, each begun when one of two processes is free. That figure does not
depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import heapq
import time
from collections.abc import Iterator

import numpy as np

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.ahead import ALONE
from sherd.solvers.search.attempt import Attempt, Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.climb import climb
from sherd.solvers.search.ladder import LadderParams, make_attempts
from sherd.solvers.stop import MaxSeconds, Stop

FREE = Rotations(None)
KINDS = {
    "corners moved by 0.1 %": PuzzleKind(pieces=8, rotations=FREE, noise=0.001),
    "corners moved by 0.3 %": PuzzleKind(pieces=12, rotations=FREE, noise=0.003),
    "corners moved by 0.5 %": PuzzleKind(pieces=8, rotations=FREE, noise=0.005),
    "distorted": PuzzleKind(pieces=8, rotations=FREE, degradation="distorted"),
    "eroded": PuzzleKind(pieces=8, rotations=FREE, degradation="eroded"),
}


def puzzles(kind: PuzzleKind, seed: int, count: int) -> Iterator[Puzzle]:
    """The first puzzles of a set."""
    return (sample.puzzle for sample in make_samples(kind, seed=seed, stop=count))


def seconds_of_attempts(puzzle: Puzzle, limit: float) -> list[float]:
    """CPU seconds of the attempts that one process makes, in turn."""
    spent: list[float] = []

    def make(number: int, attempt: Attempt, case: Case, stop: Stop) -> Found:
        before = time.process_time()
        found = attempt.run(case, stop)
        spent.append(time.process_time() - before)
        return found

    case = Case(puzzle)
    climb(make_attempts(LadderParams(), case.pixel), case, MaxSeconds(limit), make=make)
    return spent


def when_done(spent: list[float], workers: int) -> float:
    """When the last attempt ends, if the first few are made in turn and the others as processes are free."""
    alone = sum(spent[:ALONE])
    free = [alone] * workers
    ended = alone
    for seconds in spent[ALONE:]:
        ended = heapq.heappop(free) + seconds
        heapq.heappush(free, ended)
    return ended


def main() -> None:
    """Measure, and say what came of it, kind by kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=6, help="puzzles a kind")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=20.0, help="limit of a puzzle")
    asked = parser.parse_args()
    alone, together = SearchSolver(), SearchSolver(workers=2)
    every: list[list[float]] = []
    print(f"{'puzzles':24} {'several':>8} {'one, s':>8} {'two, s':>8} {'times':>6} {'by CPU':>7}  same")
    for name, kind in KINDS.items():
        rows: list[list[float]] = []
        same = 0
        for puzzle in puzzles(kind, asked.seed, asked.count):
            rng = np.random.default_rng(0)
            spent = seconds_of_attempts(puzzle, asked.seconds)
            if len(spent) <= ALONE:
                continue
            took: list[float] = []
            answers: list[object] = []
            for solver in (alone, together):
                before = time.perf_counter()
                answers.append(solver.solve(puzzle, stop=MaxSeconds(asked.seconds), rng=rng).assembly)
                took.append(time.perf_counter() - before)
            rows.append([*took, when_done(spent, 1), when_done(spent, 2)])
            same += answers[0] == answers[1]
        print(line(name, rows, same), flush=True)
        every += rows
    print(line("all", every, None))


def line(name: str, rows: list[list[float]], same: int | None) -> str:
    """The sums of a kind, and by how much two are quicker."""
    if not rows:
        return f"{name:24} {0:8}"
    one, two, cpu_one, cpu_two = np.sum(rows, axis=0).tolist()
    end = "" if same is None else f"  {same} of {len(rows)}"
    return f"{name:24} {len(rows):8} {one:8.1f} {two:8.1f} {one / two:6.2f} {cpu_one / cpu_two:7.2f}{end}"


if __name__ == "__main__":
    main()
