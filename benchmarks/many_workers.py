"""Where the seam becomes the limit: a simulated scheduler for many workers, fed with what is measured here.

Handing out a chunk and keeping its rows costs the driver some milliseconds, whatever the number of workers.
Keeping is measured, with real shards on the disk. The rest is simulated: workers take chunks of a million
puzzles as they become free, and the driver serves one at a time. Nothing of it was run on so many machines.

    python benchmarks/many_workers.py [--puzzles 1000000] [--seconds 0.05] [--seam MILLISECONDS]
"""

from __future__ import annotations

import argparse
import heapq
import sys
import tempfile
import time
from pathlib import Path

from sherd.many.chunks import LEAST_SECONDS, chunk_seconds
from sherd.many.shards import Keeping, json_lines, open_shards

ROW = {"scores": {"coverage": 1.0, "iou": 1.0, "overlap": 0.0}, "solved": True, "seconds": 0.05, "reason": ""}


def seam_seconds(chunks: int = 200, rows: int = 10) -> float:
    """What keeping one chunk takes, by the clock, with the disk's part in it."""
    with tempfile.TemporaryDirectory() as folder:
        codec = json_lines(lambda row: row, lambda row: row)
        shards = open_shards(Keeping(folder=Path(folder)), {}, codec, total=chunks * rows)
        started = time.perf_counter()
        for number in range(chunks):
            shards.keep(number * rows, [ROW] * rows)
        for _ in shards.following(0):
            pass
        return (time.perf_counter() - started) / chunks


def finish(puzzles: int, seconds: float, workers: int, chunk: float, seam: float) -> float:
    """When all is done: workers that are free take turns at the driver for the next chunk."""
    size = max(1, round(chunk / seconds))
    free = [0.0] * workers
    driver, end, left = 0.0, 0.0, puzzles
    while left > 0:
        took = min(size, left)
        left -= took
        driver = max(driver, heapq.heappop(free)) + seam
        end = max(end, driver + took * seconds)
        heapq.heappush(free, driver + took * seconds)
    return end


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--puzzles", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=0.05, help="that a puzzle takes")
    parser.add_argument("--seam", type=float, default=None, help="milliseconds a chunk, instead of measured")
    options = parser.parse_args()
    seam = seam_seconds() if options.seam is None else options.seam / 1000.0
    print(
        f"{options.puzzles:,} puzzles of {options.seconds:g} s, {1000.0 * seam:.2f} ms of the driver a chunk"
    )
    print(f"{'workers':>8}  {'ideal':>9}  {'chunks of .5 s':>16}  {'chunks as sherd has them':>26}")
    for workers in (1, 2, 16, 64, 250, 1000, 4000):
        ideal = options.puzzles * options.seconds / workers
        shown = [
            (chunk, finish(options.puzzles, options.seconds, workers, chunk, seam))
            for chunk in (LEAST_SECONDS, chunk_seconds(workers))
        ]
        cells = [f"{taken:,.0f} s, {ideal / taken:.0%}" for _, taken in shown]
        print(f"{workers:8,}  {ideal:7,.0f} s  {cells[0]:>16}  {cells[1]:>18} of {shown[1][0]:4g} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
