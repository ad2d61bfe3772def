"""Drawings such as people bring: right, honest or wrong, by kind.

    python benchmarks/real.py --count 8 --seed 0 --seconds 10

Fails if an answer is wrong and called solved.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from sherd.bench.real import KINDS, run_job


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=8, help="jobs a kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=10.0, help="the limit for each")
    parser.add_argument("--kinds", default="", help="only kinds whose names have this in them")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    print(f"{'kind':26} right honest wrong   CPU s")
    for number, (name, make) in enumerate(KINDS.items()):
        if given.kinds not in name:
            continue
        counts: Counter[str] = Counter()
        started = time.process_time()
        for seed in range(given.seed, given.seed + given.count):
            with tempfile.TemporaryDirectory() as folder:
                outcome, found = run_job(
                    make(np.random.default_rng([seed, number]), Path(folder)), given.seconds
                )
            counts[outcome] += 1
            if outcome == "wrong":
                print(f"wrong: {name}, seed {seed}: {found.verdict}")
        total += counts
        row = " ".join(f"{counts[word]:5}" for word in ("right", "honest", "wrong"))
        print(f"{name:26} {row} {(time.process_time() - started) / given.count:7.1f}", flush=True)
    print(f"all: {total['right']} right, {total['honest']} honest, {total['wrong']} wrong")
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
