"""How soon commands end when told to, by SIGTERM at random moments: 2 seconds are promised.

Each command runs once to its end, which says how long it takes, and is then ended at moments drawn from the
whole of that. Seconds are the clock's, until its last process is gone. Training is given a network and a
validation so large that settling and validating take seconds, and is ended in these above all. Exits with 1
where one takes longer than promised.

    python benchmarks/ending.py [--moments 8] [--seed 1] [COMMAND ...]
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

PROMISED_S = 2.0
ROOT = Path(__file__).parents[1]
SETTINGS = """
[puzzles]
pieces = 4
train_puzzles = 400
validation_puzzles = 400
[network]
size_px = 64
features = 64
hidden = 128
heads = 4
[training]
steps = 24
batch_puzzles = 32
validations = 3
"""

COMMANDS: dict[str, Callable[[Path], list[str]]] = {
    "generate": lambda out: ["generate", f"{out}/a.jsonl", "--pieces", "64", "--count", "3000"],
    "generate, 2 workers": lambda out: [
        *("generate", f"{out}/a.jsonl", "--pieces", "64", "--count", "3000", "--workers", "2"),
    ],
    "assemble": lambda out: ["assemble", f"{out.parent}/puzzles.jsonl", "--out", str(out)],
    "assemble, 2 workers": lambda out: [
        *("assemble", f"{out.parent}/puzzles.jsonl", "--out", str(out), "--workers", "2"),
    ],
    "assemble a scan": lambda out: [
        *("assemble", str(ROOT / "examples" / "sheet" / "scan.png"), "--target", "rect:105x148"),
        *("--time-limit", "20", "--out", str(out)),
    ],
    "bench": lambda out: [
        *("bench", "--solver", "search", "--pieces", "32", "--rotations", "free", "--count", "60"),
        *("--workers", "2", "--json", f"{out}/a.json"),
    ],
    "bench --suite real": lambda out: ["bench", "--suite", "real", "--count", "1", "--time-limit", "2"],
    "train": lambda out: [
        *("train", "fan", "--config", f"{out.parent}/run.toml", "--device", "cpu", "--out", f"{out}/run"),
    ],
    "export": lambda out: ["export", "fan", "--out", str(out)],
    "report": lambda out: [
        *("report", "--results", f"{out.parent}/results", "--out", f"{out}/REPORT.md"),
    ],
}


def started(arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "sherd", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that all of its processes can be asked for
    )


def wait_for_all(process: subprocess.Popen[bytes]) -> None:
    """Wait until the command and whatever it started are gone."""
    process.wait()
    while True:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commands", nargs="*", help="by default all")
    parser.add_argument("--moments", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng, late = random.Random(asked.seed), False
    print(f"{'':22} {'whole s':>8} {'median s':>9} {'most s':>8}  exit codes")
    for name in asked.commands or COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            (home / "run.toml").write_text(SETTINGS)
            subprocess.run(
                ["cp", "-r", str(ROOT / "experiments" / "results"), f"{folder}/results"], check=True
            )
            make = ["generate", f"{folder}/puzzles.jsonl", "--pieces", "32", "--rotations", "free"]
            started([*make, "--count", "40"]).wait()
            took: list[float] = []
            codes: set[int] = set()
            whole = 0.0
            for moment in range(asked.moments + 1):
                out = home / f"out-{moment}"
                out.mkdir()
                began = time.perf_counter()
                process = started(COMMANDS[name](out))
                if moment:
                    time.sleep(rng.uniform(0.0, whole))
                    told = time.perf_counter()
                    process.send_signal(signal.SIGTERM)
                    wait_for_all(process)
                    took.append(time.perf_counter() - told)
                    codes.add(process.returncode)
                else:
                    wait_for_all(process)
                    whole = time.perf_counter() - began
            late = late or max(took) > PROMISED_S
            said = f"{name:22} {whole:8.1f} {sorted(took)[len(took) // 2]:9.2f} {max(took):8.2f}"
            print(f"{said}  {sorted(codes)}{'  late' if max(took) > PROMISED_S else ''}", flush=True)
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
