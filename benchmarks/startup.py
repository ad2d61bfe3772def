"""How long a newcomer waits: for the help, for the import, and for the first answer.

Each is started several times in turn with ``python -c pass``, which is the least that anything costs, and the
fastest of each is told, in milliseconds and as a ratio. The first answer is that of a fresh install: nothing
is compiled yet. Goals: help 150 ms, import 100 ms, first answer 5 s.

    python benchmarks/startup.py [--rounds 10]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STARTS = {
    "python -c pass": ("-c", "pass"),
    "import sherd": ("-c", "import sherd"),
    "sherd --help": ("-m", "sherd", "--help"),
    "sherd assemble --help": ("-m", "sherd", "assemble", "--help"),
}


def seconds_of(arguments: tuple[str, ...], **settings: str) -> float:
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], check=True, capture_output=True, env={**os.environ, **settings}
    )
    return time.perf_counter() - started


def first_answer(folder: Path) -> tuple[float, float]:
    """Seconds that the first puzzle takes where nothing is compiled, and where all is."""
    puzzle = folder / "puzzle.jsonl"
    cache = str(folder / "cache")
    seconds_of(("-m", "sherd", "generate", str(puzzle), "--count", "1"), NUMBA_CACHE_DIR=cache)
    assemble = ("-m", "sherd", "assemble", str(puzzle), "--out", str(folder / "answer"))
    return tuple(seconds_of(assemble, NUMBA_CACHE_DIR=cache) for _ in range(2))  # type: ignore[return-value]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    taken = {name: [] for name in STARTS}
    for _ in range(rounds):
        for name, arguments in STARTS.items():
            taken[name].append(seconds_of(arguments))
    least = min(taken["python -c pass"])
    for name, seconds in taken.items():
        print(f"{name:24} {1000 * min(seconds):7.0f} ms  {min(seconds) / least:5.1f} times python -c pass")
    with tempfile.TemporaryDirectory() as folder:
        fresh, again = first_answer(Path(folder))
    print(f"{'first answer':24} {fresh:7.1f} s   compiled before: {again:.1f} s")


if __name__ == "__main__":
    main()
