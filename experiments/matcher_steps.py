"""How long a training step of the matcher takes, by the shape of its batch: losses, time and memory.

python experiments/matcher_steps.py experiments/matcher.toml [--steps 20] [--device cuda] [--profile 25]
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import torch

from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.matcher.settings import MatcherSettings
from sherd.learn.training.device import choose_device, device_name
from sherd.learn.training.gradient_step import GradientStep, GraphedStep
from sherd.learn.training.settings import read_settings
from sherd.learn.training.train import make_optimizer

POOL = 400  # puzzles of a share: enough to time a step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--device", default="auto")
    parser.add_argument(
        "--profile", type=int, default=0, help="how many of the costliest kernels to name, too"
    )
    arguments = parser.parse_args()
    device = choose_device(arguments.device)
    settings = read_settings(arguments.config, network="matcher", steps=1)
    assert isinstance(settings, MatcherSettings)
    small = replace(settings.puzzles, pool_puzzles=POOL, validation_puzzles=1)
    data, _ = replace(settings, puzzles=small).make_data(device)
    learner = settings.make_learner(device)
    on_gpu = device.type == "cuda"
    optimizer = make_optimizer(learner, settings.training.learning_rate)
    step = (GraphedStep if on_gpu else GradientStep)(learner, optimizer, settings.training.clip)
    print(device_name(device), f"{sum(p.numel() for p in learner.parameters()):,} parameters")
    batches: dict[torch.Size, list[PuzzleBatch]] = {}
    for batch in data.examples(settings.training.batch_puzzles):
        started = time.perf_counter()
        step.prepare(batch, torch.zeros_like(batch.centres))
        batches[batch.images.shape] = []
        print(
            f"prepared {tuple(batch.images.shape[:3])} in {time.perf_counter() - started:.1f} s", flush=True
        )

    started = time.perf_counter()
    for number in range(arguments.steps):
        batch = data.batch(number, settings.training.batch_puzzles)
        batches[batch.images.shape].append(batch)
    if on_gpu:
        torch.cuda.synchronize()
    print(f"drawing: {1e3 * (time.perf_counter() - started) / arguments.steps:.1f} ms a batch")
    if arguments.profile:
        batch = next(ready[0] for ready in batches.values() if ready)
        with torch.profiler.profile() as profile:
            step(batch, torch.zeros_like(batch.centres), settings.training.learning_rate)
            if on_gpu:
                torch.cuda.synchronize()
        order = "self_cuda_time_total" if on_gpu else "self_cpu_time_total"
        print(tuple(batch.images.shape[:3]))
        print(
            profile.key_averages().table(sort_by=order, row_limit=arguments.profile, max_name_column_width=70)
        )
    for shape, ready in batches.items():
        losses: dict[str, torch.Tensor] = {}
        started = time.perf_counter()
        for batch in ready:
            losses = step(batch, torch.randn_like(batch.centres), settings.training.learning_rate)
        if on_gpu:
            torch.cuda.synchronize()
        if ready:
            seconds = (time.perf_counter() - started) / len(ready)
            said = ", ".join(f"{name} {value.item():.3f}" for name, value in losses.items())
            print(f"{tuple(shape[:3])}: {1e3 * seconds:.1f} ms, {shape[0] / seconds:.0f} puzzles/s; {said}")
    if on_gpu:
        print(f"memory: {torch.cuda.max_memory_reserved() / 2**30:.1f} GiB")


if __name__ == "__main__":
    main()
