"""What each departure from the paper does to a small FAN, on a CPU: ``python experiments/departures.py``.

A network of 32 px learns squares of 4 pieces from a fixed set, by our settings, then with one of them at a
time put back to the paper's (`fan-strict.toml`), and with all of them. Each is trained from several seeds,
the first of all of them before the second of any, and assembles test puzzles that no training saw. A line of
JSON is printed for each; ``--table`` reads such lines and prints means and how far they lie from ours.

    python experiments/departures.py --seeds 3 > FILE
    python experiments/departures.py --table FILE
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sherd.core.metrics import measure
from sherd.generation.dataset import make_samples
from sherd.learn.fan.learner import FanLearner
from sherd.learn.fan.settings import FanSettings
from sherd.learn.training.settings import settings_from
from sherd.learn.training.train import train
from sherd.solvers import MaxEvaluations, run
from sherd.solvers.learned.fan import FanSolver

# A set is seen about as often as the paper's is in 3,000 steps.
OURS: dict[str, dict[str, Any]] = {
    "puzzles": {"pieces": 4, "train_puzzles": 160, "validation_puzzles": 32},
    "network": {"preset": "compact", "size_px": 32, "features": 64, "hidden": 128, "heads": 4},
    "training": {"steps": 200, "batch_puzzles": 16, "validations": 1},
    "losses": {},
}
# By name, what of it is put back; the places that only assembling takes need no training of their own.
BACK: dict[str, dict[str, dict[str, Any]]] = {
    "ours": {},
    "mirrors": {"puzzles": {"mirrors": False}},
    "order, without mirrors": {"puzzles": {"order": "released", "mirrors": False}},
    "pools": {"losses": {"pools_px": [1, 2, 4, 6, 8]}},
    "true place": {"losses": {"true_place": "pixel"}},
    "weights of the losses": {"losses": {"position_weight": 1000.0, "rotation_weight": 10.0}},
    "rate of FRAM": {"losses": {"attention_rate": 1.0}},
    "schedule": {"training": {"schedule": "constant", "warm_up": 0.0}},
    "clipping": {"training": {"clip": 0.0}},
    "batch": {"training": {"steps": 1600, "batch_puzzles": 2}},
    "earlier pieces": {"losses": {"spread_px": 0.0}},
    "encoders of their own": {"network": {"shared_encoder": False}},
    "FAN-Pose alone": {"network": {"pose_sees_others": False}},
}
TOGETHER = "all of STRICT"
STRICT = tuple(
    name for name in BACK if name not in ("ours", "mirrors", "encoders of their own", "FAN-Pose alone")
)
WHOLE_PIXELS = ", on whole pixels"
SET_SEED, TEST_SEED, TESTED = 900, 8900, 300


def merged(*changes: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        section: {key: value for change in changes for key, value in change.get(section, {}).items()}
        for section in OURS
    }


def settings_of(name: str, seed: int) -> FanSettings:
    back = merged(*(BACK[one] for one in STRICT)) if name == TOGETHER else BACK[name]
    seeds = {"puzzles": {"seed": SET_SEED}, "training": {"seed": seed}}
    settings = settings_from(merged(OURS, back, seeds), network="fan")
    assert isinstance(settings, FanSettings)
    return settings


def trained(settings: FanSettings) -> FanLearner:
    device = torch.device("cpu")
    learner = settings.make_learner(device)
    train(learner, *settings.make_data(device), settings.training)
    return learner


def scored(learner: FanLearner, settings: FanSettings) -> dict[str, float]:
    (kind,) = settings.puzzles.kinds
    covered = [
        measure(
            run(
                FanSolver(learner),
                sample.puzzle,
                stop=MaxEvaluations(10**9),
                rng=np.random.default_rng(0),
            ).assembly,
            sample.puzzle,
        ).coverage
        for sample in make_samples(kind, seed=TEST_SEED, stop=TESTED)
    ]
    shares = {f"cov{bound}": statistics.fmean(one >= bound / 100 for one in covered) for bound in (95, 90)}
    return shares | {"cov": statistics.fmean(covered)}


def measured(seeds: range) -> Iterator[dict[str, Any]]:
    for seed in seeds:
        for name in (*BACK, TOGETHER):
            settings = settings_of(name, seed)
            learner = trained(settings)
            yield {"departure": name, "seed": seed} | scored(learner, settings)
            if name in ("ours", TOGETHER):
                learner.model.config = replace(learner.model.config, between_pixels=False)
                yield {"departure": name + WHOLE_PIXELS, "seed": seed} | scored(learner, settings)


def table(lines: list[dict[str, Any]]) -> Iterator[str]:
    """A row a departure: cov95 and mean coverage, and how far from ours in standard errors of trainings."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        by_name.setdefault(line["departure"], []).append(line)
    yield "| put back | cov95 | mean coverage | from ours | trainings |"
    yield "| --- | --- | --- | --- | --- |"
    ours = [line["cov"] for line in by_name["ours"]]
    for name, rows in by_name.items():
        covered = [row["cov"] for row in rows]
        error = math.sqrt(sum(statistics.variance(one) / len(one) for one in (covered, ours)))
        apart = (statistics.fmean(covered) - statistics.fmean(ours)) / error if name != "ours" else 0.0
        cov95 = statistics.fmean(row["cov95"] for row in rows)
        yield (
            f"| {name} | {cov95:.3f} | {statistics.fmean(covered):.4f} ± {statistics.stdev(covered):.4f} "
            f"| {apart:+.1f} s.e. | {len(rows)} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--table", type=Path)
    arguments = parser.parse_args()
    if arguments.table is not None:
        lines = [json.loads(line) for line in arguments.table.read_text(encoding="utf-8").splitlines()]
        print(*table(lines), sep="\n")
        return
    torch.set_num_threads(1)
    for line in measured(range(arguments.first_seed, arguments.first_seed + arguments.seeds)):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
