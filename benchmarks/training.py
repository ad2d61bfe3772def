"""How fast FAN is trained: sherd's loop against one that takes single steps, and where the time goes.

Both see the same endless puzzles and train the same network in the same precision. sherd's loop trains all
steps of a puzzle at once, each fragment encoded a single time, with folded convolutions and, on a GPU, one
recorded graph. The other takes batches of 32 single steps, as the paper describes its training, encodes
every candidate anew at each step, and runs plainly. A puzzle of N fragments is N steps in both.

    python benchmarks/training.py [--device auto] [--pieces 8] [--batch 64] [--dropout 0.1] [--seconds 20]
        [--record FILE]

On a GPU it is the paper's full network and exits with 1 below a ratio of 4; the table then also says which
share is reached of what the device's memory and arithmetic can do, measured by a large copy and a large
matrix product in the same run. On the CPU it is a small network on small images, as a check that all works.
With --record all figures are written there as JSON, with the device, the commit and the versions.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import torch
from torch import Tensor, nn

from sherd.bench.provenance import commit, machine, versions
from sherd.generation.dataset import PuzzleKind
from sherd.io.atomic import write_atomically
from sherd.learn.data.batch import PuzzleBatch, as_floats, cells_at, remaining_images
from sherd.learn.data.sets import EndlessSet
from sherd.learn.fan.learner import FanLearner
from sherd.learn.fan.network import Encoder, Fan, FanConfig, OtherCandidates
from sherd.learn.training.device import choose_device, device_name
from sherd.learn.training.gradient_step import fastest_convolutions
from sherd.learn.training.losses import choice_loss, position_loss
from sherd.learn.training.train import Report, TrainParams, make_optimizer, train

LEAST_RATIO = 4.0
SINGLE_STEPS = 32
SMALL = FanConfig(size_px=64, features=64, hidden=128, code_channels=8, map_channels=8)
COPY_BYTES = 2**30
MATRIX = 8192


def make_learner(config: FanConfig, device: torch.device, *, fast: bool) -> FanLearner:
    torch.manual_seed(0)
    learner = FanLearner(Fan(config).to(device))
    if fast and device.type == "cuda":
        learner.model.speed_up()
    return learner


def wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def our_puzzles_a_second(data: EndlessSet, config: FanConfig, batch: int, seconds: float) -> float:
    """By the reports of a real run, the first fifth of which is not counted."""
    arrivals: list[tuple[int, float]] = []

    def on_report(report: Report) -> None:
        if report.validation is None:
            arrivals.append((report.puzzles, time.perf_counter()))

    params = TrainParams(minutes=seconds / 60.0, batch_puzzles=batch, validations=1)
    train(make_learner(config, data.device, fast=True), data, data.batch(0, 4), params, on_report=on_report)
    if len(arrivals) < 6:
        sys.exit("too few steps to measure: give more --seconds")
    (first, started), (last, ended) = arrivals[len(arrivals) // 5], arrivals[-2]
    return (last - first) / (ended - started)


@dataclass
class SingleSteps:
    """A loop over single steps of assembly, each with all that it needs computed for it alone."""

    learner: FanLearner
    optimizer: torch.optim.Optimizer
    loss: Tensor = field(default_factory=lambda: torch.zeros(()), init=False)

    def train(self, puzzles: PuzzleBatch) -> None:
        """All steps of these puzzles, in random batches."""
        shapes = remaining_images(puzzles, cells_at(puzzles.centres, puzzles.images.shape[-1]))
        items = torch.randperm(len(puzzles) * puzzles.pieces).to(shapes.device)
        for chosen in items.split(SINGLE_STEPS):
            self._step(puzzles, shapes, chosen // puzzles.pieces, chosen % puzzles.pieces)

    def _step(self, puzzles: PuzzleBatch, shapes: Tensor, which: Tensor, step: Tensor) -> None:
        learner, model = self.learner, self.learner.model
        learner.train()
        self.optimizer.zero_grad()
        present = torch.arange(puzzles.pieces, device=step.device) >= step[:, None]  # (32, N)
        item, candidate = present.nonzero(as_tuple=True)
        every = torch.arange(len(step), device=step.device)
        besides = present.index_put((every, step), torch.zeros_like(step, dtype=torch.bool))

        def codes_of(encoder: Encoder) -> Tensor:
            found = encoder(as_floats(puzzles.images[which[item], candidate, 0])).code
            return found.new_zeros((*present.shape, found.shape[-1])).index_put((item, candidate), found)

        with learner.autocast():
            shape = shapes[which, step]
            scores = model.select(codes_of(model.select_encoder), model.select_encoder(shape).code, present)
            codes = codes_of(model.pose_encoder)
            logits = model.locate(
                codes[every, step], model.pose_encoder(shape), OtherCandidates(codes, besides)
            )
            loss = choice_loss(scores, step) + position_loss(logits, puzzles.centres[which, step])
        loss.backward()
        nn.utils.clip_grad_norm_(learner.parameters(), 5.0)
        self.optimizer.step()
        self.loss = loss.detach()


def plain_puzzles_a_second(data: EndlessSet, config: FanConfig, seconds: float) -> float:
    learner = make_learner(config, data.device, fast=False)
    loop = SingleSteps(learner, torch.optim.Adam(learner.parameters(), lr=1e-3))
    at_once = SINGLE_STEPS if data.device.type == "cuda" else 4
    loop.train(data.batch(0, at_once))
    wait(data.device)
    done, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        loop.train(data.batch(done + 1, at_once))
        done += 1
    wait(data.device)
    taken = time.perf_counter() - started
    if not torch.isfinite(loop.loss):
        sys.exit("the loss of the plain loop is not finite")
    return done * at_once / taken


def timed(action: Callable[[], object], device: torch.device, repeats: int) -> float:
    """Seconds a call, once it is warm."""
    action()
    wait(device)
    started = time.perf_counter()
    for _ in range(repeats):
        action()
    wait(device)
    return (time.perf_counter() - started) / repeats


@fastest_convolutions()
def recorded(action: Callable[[], object], device: torch.device) -> Callable[[], object]:
    """The action as one CUDA graph, so that launching its kernels is not what is measured."""
    if device.type != "cuda":
        return action
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            action()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        action()
    return graph.replay


def phases(data: EndlessSet, config: FanConfig, size: int) -> dict[str, float]:
    """Seconds that each part of a training step takes."""
    device = data.device
    on_gpu = device.type == "cuda"
    repeats = 20 if on_gpu else 2
    learner = make_learner(config, device, fast=True)
    optimizer = make_optimizer(learner, 1e-3)
    batch = data.batch(0, size)
    noise = torch.zeros_like(batch.centres)
    learner.train()

    def forward() -> Tensor:
        return learner(batch, noise)["loss"]

    def forward_backward() -> None:
        optimizer.zero_grad()
        forward().backward()

    def whole() -> None:
        forward_backward()
        nn.utils.clip_grad_norm_(learner.parameters(), 5.0)
        optimizer.step()

    steps = iter(range(1, 10**6))
    seconds = {"data": timed(lambda: data.batch(next(steps), size), device, repeats)}
    reached = 0.0
    for name, action in (("forward", forward), ("backward", forward_backward), ("optimizer", whole)):
        total = timed(recorded(action, device), device, repeats)
        seconds[name], reached = max(0.0, total - reached), total
        optimizer.zero_grad()
    return seconds


def operations_a_puzzle(config: FanConfig, pieces: int) -> float:
    """Multiplications and additions of a training step, the backward pass being twice the forward one.

    Those that the network needs: what folding multiplies by zero is not counted.
    """
    px, features, hidden = config.size_px**2, config.features, config.hidden
    coarse = config.coarse_px**2
    encoder = 9 * ((config.channels + 16) * 16 * px + (16 + 32) * 32 * px / 4 + (32 + 64) * 64 * px / 16)
    encoder += 64 * config.code_channels * coarse if config.code_channels < 64 else 0.0
    encoder += config.code_channels * coarse * features
    decoder = features * config.map_channels * coarse
    decoder += config.map_channels * 32 * px / 4 + 9 * (64 + 32) * 32 * px / 4
    decoder += 32 * 16 * px + 9 * (32 + 16) * 16 * px + 16 * px
    row = 2 * features * hidden
    attention = pieces * (4 * features**2 + 2 * pieces * features + row)
    summary = 2 * pieces * features**2 + 2 * features**2 + 2 * pieces * features + row
    related = 2 * (attention + summary)
    select = pieces * (3 + 1) * features**2
    pose = (3 + 1 + 1) * features**2
    return 3.0 * 2.0 * pieces * (4 * encoder + decoder + 2 * related + select + pose)


def bytes_a_puzzle(config: FanConfig, pieces: int, batch: int) -> float:
    """The least traffic: every feature map in 16 bits written and read forward, and thrice more backward.

    Backward each is read once more, and its gradient written and read. Weights, gradients and Adam's
    moments, in 32 bits, pass nine times a step of the whole batch.
    """
    px = config.size_px**2
    encoder = 2 * 16 * px + 2 * 32 * px / 4 + 2 * 64 * px / 16 + (16 * px + 32 * px / 4) / 4
    decoder = config.map_channels * px / 16 + 3 * 32 * px / 4 + 3 * 16 * px + px
    with torch.device("meta"):
        weights = sum(value.numel() for value in Fan(config).parameters())
    return 2.0 * 5.0 * pieces * (4 * encoder + decoder) + 4.0 * 9.0 * weights / batch


def ceilings(device: torch.device) -> tuple[float, float]:
    """Bytes a second of a large copy, and operations a second of a large matrix product in bfloat16."""
    one, other = (torch.empty(COPY_BYTES, dtype=torch.uint8, device=device) for _ in range(2))
    copied = 2.0 * COPY_BYTES / timed(lambda: one.copy_(other), device, 20)
    a, b = (torch.randn(MATRIX, MATRIX, device=device, dtype=torch.bfloat16) for _ in range(2))
    return copied, 2.0 * MATRIX**3 / timed(lambda: a @ b, device, 20)


def shares_of_ceilings(
    device: torch.device, config: FanConfig, pieces: int, batch: int, puzzles_a_second: float
) -> dict[str, dict[str, float]]:
    """What is reached, and what can be, a second: bytes of memory and operations."""
    copied, multiplied = ceilings(device)
    moved = puzzles_a_second * bytes_a_puzzle(config, pieces, batch)
    computed = puzzles_a_second * operations_a_puzzle(config, pieces)
    return {
        "bytes": {"reached": moved, "ceiling": copied, "share": moved / copied},
        "operations": {"reached": computed, "ceiling": multiplied, "share": computed / multiplied},
    }


def provenance(device: torch.device) -> dict[str, object]:
    """Where the figures come from."""
    return {
        "device": device_name(device),
        "machine": machine(),
        "commit": commit(),
        "versions": versions() | {"torch": torch.__version__},
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--pieces", type=int, default=8)
    parser.add_argument("--batch", type=int, default=None, help="puzzles a step: 64, or 4 on the CPU")
    parser.add_argument("--dropout", type=float, default=FanConfig().dropout, help="0.1 unless told")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each of the two loops")
    parser.add_argument("--record", type=Path, default=None, metavar="FILE")
    options = parser.parse_args()
    if options.record is not None and not options.record.parent.is_dir():
        parser.error(f"--record {options.record}: there is no such folder")
    device = choose_device(options.device)
    on_gpu = device.type == "cuda"
    config = replace(FanConfig() if on_gpu else SMALL, dropout=options.dropout)
    batch = options.batch or (64 if on_gpu else 4)
    data = EndlessSet((PuzzleKind(pieces=options.pieces),), 0, device, config.size_px)

    print(f"{device_name(device)}, {options.pieces} fragments, {config.size_px} px, {batch} puzzles a step")
    plain = plain_puzzles_a_second(data, config, options.seconds)
    print(f"  single steps, encoded anew  {plain:10,.1f} puzzles/s")
    ours = our_puzzles_a_second(data, config, batch, options.seconds)
    print(f"  sherd's loop                {ours:10,.1f} puzzles/s")
    print(f"  ratio                       {ours / plain:10.1f}")

    seconds = phases(data, config, batch)
    whole = sum(seconds.values())
    print(f"\nwhere the time goes: {1e3 * whole:,.1f} ms if nothing overlapped")
    for part, taken in seconds.items():
        print(f"  {part:<10} {1e3 * taken:8.2f} ms {taken / whole:6.0%}")

    shares = shares_of_ceilings(device, config, options.pieces, batch, ours) if on_gpu else None
    if shares is not None:
        print("\nshare of the ceilings that sherd's loop reaches")
        for part, unit in (("bytes", "TB/s"), ("operations", "TFLOP/s")):
            reached, ceiling, share = shares[part].values()
            print(f"  {part:<10} {reached / 1e12:8.2f} of {ceiling / 1e12:8.2f} {unit:<7} {share:5.0%}")

    if options.record is not None:
        figures = {
            **provenance(device),
            "command": f"python benchmarks/training.py --pieces {options.pieces} --batch {batch} "
            f"--dropout {options.dropout:g} --seconds {options.seconds:g}",
            "network": asdict(config),
            "puzzles_a_second": ours,
            "puzzles_a_second_by_single_steps": plain,
            "ratio": ours / plain,
            "step_seconds": seconds,
            "a_second": shares,  # of bytes and of operations, reached and possible
        }
        write_atomically(options.record, json.dumps(figures, indent=1) + "\n")
    return 0 if ours >= LEAST_RATIO * plain or not on_gpu else 1


if __name__ == "__main__":
    sys.exit(main())
