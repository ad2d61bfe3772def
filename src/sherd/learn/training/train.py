"""Training: one loop, whatever the network.

All that is random about a step comes from the seed and the step's number, so that a run that was cut off
and resumed ends as if it had not been. Under torchrun every process takes its share of each batch.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from sherd.core.errors import ArgumentError, TrainingError
from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.layers import BatchNorm
from sherd.learn.training.checkpoint import STATE
from sherd.learn.training.gradient_step import GradientStep, GraphedStep
from sherd.learn.training.interruption import InterruptedWorkError, Work, asking
from sherd.learn.training.learner import Learner
from sherd.learn.training.state import RunState, load_state, save_state
from sherd.learn.training.toml_tables import Table

# Batches that the statistics of batch normalisation are measured on before a validation.
SETTLING_BATCHES = 16
# Puzzles that a CPU validates on before it says how far it has come.
VALIDATED_AT_ONCE_ON_CPU = 8
# The longest time, about, between two savings of the state: what a run loses that is killed outright.
SAVING_SECONDS = 60.0

# Puzzles to validate on, or several sets of them by name, which count alike.
Validation = PuzzleBatch | Mapping[str, PuzzleBatch]


class Data(Protocol):
    """Where batches come from: the batch of a step is the same whatever came before.

    ``examples`` are batches of each of the shapes that will be met.
    """

    def batch(self, step: int, size: int) -> PuzzleBatch: ...

    def examples(self, size: int) -> list[PuzzleBatch]: ...


@dataclass(frozen=True, kw_only=True)
class TrainParams:
    """How to train: for some minutes or for some steps.

    The rate rises over the first ``warm_up`` share of the run and falls to nothing along a cosine, or stays
    ``constant``. Gradients longer than ``clip`` are shortened to it; 0 leaves them as they are.
    """

    minutes: float | None = None
    steps: int | None = None
    batch_puzzles: int = 32
    learning_rate: float = 1e-3
    warm_up: float = 0.03
    schedule: Literal["cosine", "constant"] = "cosine"
    clip: float = 5.0
    validations: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        if (self.minutes is None) == (self.steps is None):
            raise ArgumentError("training needs either minutes or steps")
        lasts = self.steps if self.minutes is None else self.minutes
        if lasts is None or not 0.0 < lasts < math.inf:
            raise ArgumentError(f"training must last longer than 0 and not for ever, not {lasts}")
        if self.batch_puzzles < 1 or self.validations < 1:
            raise ArgumentError("batch_puzzles and validations must be at least 1")
        if not 0.0 < self.learning_rate < math.inf:
            raise ArgumentError(f"learning_rate must be greater than 0 and finite, not {self.learning_rate}")
        if not 0.0 <= self.clip < math.inf:
            raise ArgumentError(f"clip must be at least 0 (for none) and finite, not {self.clip}")
        if not 0.0 <= self.warm_up <= 1.0:
            raise ArgumentError(f"warm_up must be a share of the run, not {self.warm_up}")
        if self.seed < 0:
            raise ArgumentError(f"seed must be at least 0, not {self.seed}")

    @classmethod
    def read(cls, table: Table) -> TrainParams:
        """From a section of a settings file, which has to say how long to train."""
        rest = table.without("minutes", "steps").filled(cls(steps=1))
        durations = {key: table.values.get(key) for key in ("minutes", "steps")}
        if all(value is None for value in durations.values()):
            table.fail("gives neither minutes nor steps: how long should it train?")
        return Table(durations, table.place).filled(rest)

    @property
    def duration(self) -> str:
        """How long to train, in words."""
        return f"{self.steps:,} steps" if self.minutes is None else f"{self.minutes:g} minutes"

    def rate(self, progress: float) -> float:
        """The learning rate after this share of the run."""
        warm = min(1.0, (progress + 1e-3) / (self.warm_up + 1e-3))
        if self.schedule == "constant":
            return self.learning_rate * warm
        return self.learning_rate * warm * 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))


@dataclass(frozen=True, kw_only=True)
class Report:
    """Where training stands after some steps: the losses of the last one, or the figures of a validation.

    ``improved`` says that the validation is the best so far; the learner's model then holds those weights.
    """

    step: int
    puzzles: int
    progress: float
    seconds: float
    losses: Mapping[str, float] = field(default_factory=dict[str, float])
    validation: Mapping[str, float] | None = None
    improved: bool = False


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a run ended; the learner's model then holds the best weights."""

    finished: bool
    steps: int
    minutes: float
    puzzles: int
    best: Mapping[str, float]


def train(
    learner: Learner,
    data: Data,
    validation: Validation,
    params: TrainParams,
    *,
    folder: Path | None = None,
    resume: bool = False,
    settings: Mapping[str, Any] | None = None,
    on_report: Callable[[Report], None] = lambda report: None,
    on_work: Callable[[Work], None] = lambda work: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Train the learner's model in place, keep the weights that validate best, and say how it went.

    With a ``folder``, the state is saved there about every minute, at every validation and when
    ``interrupted``, and with it the ``settings`` of the whole run, if given; ``resume`` goes on from it.
    ``interrupted`` is not asked before a first step is taken, as there is nothing to save until then; from
    then on also within steps, settling and validation, which are left midway and done again by a run that is
    resumed. Of several processes only the first reports and saves, and all finish what they are at.
    """
    rank, world = (distributed.get_rank(), distributed.get_world_size()) if _shared() else (0, 1)
    assert isinstance(learner, nn.Module)
    teach = DistributedDataParallel(learner) if world > 1 else learner
    device = learner.model.device
    optimizer = make_optimizer(learner, params.learning_rate)
    graphed = device.type == "cuda" and world == 1

    def stops() -> bool:
        return state.step > 0 and interrupted()

    leaves = stops if world == 1 else lambda: False
    # A recorded step has no layers to ask, and takes a moment.
    asked_in_steps = (lambda: nullcontext()) if graphed else (lambda: asking(learner, leaves))
    take_step = (GraphedStep if graphed else GradientStep)(teach, optimizer, params.clip)
    state, best_weights = RunState(), _copy(learner.model)
    saved = None if folder is None else folder / STATE
    if resume and saved is not None:
        state, best_weights = load_state(saved, learner.model, optimizer, asdict(params))

    examples = data.examples(params.batch_puzzles)
    if rank == 0 and _progress(params, state) < 1.0:
        on_work(Work("taking the first step"))
    for example in examples:
        if len(example) % world:
            raise ArgumentError(f"{world} processes cannot share a batch of {len(example)} puzzles evenly")
        share = example[rank::world]
        take_step.prepare(share, torch.zeros_like(share.centres))
    started = time.perf_counter() - state.seconds
    last_saved = state.seconds
    pending: deque[tuple[int, int, dict[str, Tensor]]] = deque()
    while True:
        state.seconds = time.perf_counter() - started
        due = saved is not None and state.seconds - last_saved >= SAVING_SECONDS
        progress, stop, due = _agree(_progress(params, state), stops(), due)
        ended = progress >= 1.0 and not stop
        validating = progress * params.validations >= state.validations + 1 and not stop
        saving = stop or validating or due
        # Losses are read one step late, so that an accelerator need not wait for the next batch.
        while len(pending) > (0 if saving or device.type == "cpu" else 1):
            step, puzzles, losses = pending.popleft()
            report = Report(
                step=step,
                puzzles=puzzles,
                progress=progress,
                seconds=state.seconds,
                losses=_checked(losses, step, world),
            )
            if rank == 0:
                on_report(report)
        if validating:
            unsettled = _copy(learner.model)
            settled = _settle(learner, data, params, state.step, (rank, world), leaves, on_work)
            if rank == 0:
                figures = validate(learner, validation, leaves, on_work) if settled else None
                if figures is None:
                    learner.model.load_state_dict(unsettled)
                    continue
                improved = not state.best or figures["cov"] > state.best["cov"]
                if improved:
                    state.best, best_weights = figures, _copy(learner.model)
                on_report(
                    Report(
                        step=state.step,
                        puzzles=state.puzzles,
                        progress=progress,
                        seconds=state.seconds,
                        validation=figures,
                        improved=improved,
                    )
                )
            state.validations = int(progress * params.validations)
        if saved is not None and saving:
            if rank == 0:
                save_state(
                    saved, learner.model, optimizer, state, best_weights, asdict(params), settings or {}
                )
            last_saved = time.perf_counter() - started  # however long that took
        if stop or ended:
            break

        try:
            batch = data.batch(state.step, params.batch_puzzles)
            torch.manual_seed(_entropy(params.seed, state.step, 0))
            noise = torch.randn(batch.centres.shape).to(device, non_blocking=True)
            torch.manual_seed(_entropy(params.seed, state.step, rank + 1))  # of dropout
            with asked_in_steps():
                losses = take_step(batch[rank::world], noise[rank::world], params.rate(progress))
        except InterruptedWorkError:
            continue  # as if the step had not been begun; it is asked once more above
        state.step += 1
        state.puzzles += len(batch)
        pending.append((state.step, state.puzzles, losses))

    learner.model.load_state_dict(best_weights)
    return Outcome(
        finished=ended,
        steps=state.step,
        minutes=state.seconds / 60.0,
        puzzles=state.puzzles,
        best=state.best,
    )


def make_optimizer(learner: Learner, rate: float) -> torch.optim.Optimizer:
    """Adam over the learner's weights, grouped by the ``share`` of the rate that they learn at."""
    device = learner.model.device
    on_gpu = device.type == "cuda"
    groups: dict[float, list[nn.Parameter]] = {}
    for name, weights in learner.named_parameters():
        groups.setdefault(learner.share_of_rate(name), []).append(weights)

    def own(share: float) -> Tensor | float:
        """On a GPU a tensor, which a recorded step reads anew."""
        return torch.tensor(rate * share, device=device) if on_gpu else rate * share

    return torch.optim.Adam(
        [{"params": weights, "lr": own(share), "share": share} for share, weights in groups.items()],
        fused=on_gpu,
        capturable=on_gpu,
    )


def validate(
    learner: Learner,
    puzzles: Validation,
    interrupted: Callable[[], bool] = lambda: False,
    on_work: Callable[[Work], None] = lambda work: None,
) -> dict[str, float] | None:
    """Figures of a real greedy assembly, counted in pixels; None where it was interrupted.

    Of several sets the means, and cov95 of each by its name.
    """
    if isinstance(puzzles, Mapping):
        each = {name: validate(learner, part, interrupted, on_work) for name, part in puzzles.items()}
        found = {name: figures for name, figures in each.items() if figures is not None}
        if len(found) < len(each):
            return None
        means = {key: float(np.mean([f[key] for f in found.values()])) for key in ("cov95", "cov90", "cov")}
        return means | {name: figures["cov95"] for name, figures in found.items()}
    # On a CPU, where a puzzle is assembled alone anyway, some at a time, to say how far it has come.
    at_once = VALIDATED_AT_ONCE_ON_CPU if puzzles.images.device.type == "cpu" else len(puzzles)
    found_so_far: list[Tensor] = []
    for first in range(0, len(puzzles), at_once):
        on_work(Work("validating", first, len(puzzles)))
        with _as_it_is():
            part = learner.coverage(puzzles[first : first + at_once], lambda steps: interrupted())
        if part is None:
            return None
        found_so_far.append(part)
    coverage = torch.cat(found_so_far)
    return {
        "cov95": (coverage >= 0.95).double().mean().item(),
        "cov90": (coverage >= 0.90).double().mean().item(),
        "cov": coverage.double().mean().item(),
    }


@torch.no_grad()
def _settle(
    learner: Learner,
    data: Data,
    params: TrainParams,
    step: int,
    process: tuple[int, int],
    interrupted: Callable[[], bool],
    on_work: Callable[[Work], None],
) -> bool:
    """Measure the statistics of batch normalisation anew as the network is used: without dropout.

    Dropout before max-pooling lifts what comes out of it, so that the statistics of training do not fit.
    Whether it came to its end: ``interrupted`` is asked before each batch, and by each layer.
    """
    rank, world = process
    assert isinstance(learner, nn.Module)
    learner.eval()
    norms = [module for module in learner.modules() if isinstance(module, BatchNorm)]
    momenta = [norm.momentum for norm in norms]
    stopped = False
    # A short run is not settled for longer than it took.
    batches = min(SETTLING_BATCHES, max(step // 4, 1)) if norms else 0
    for k in range(batches):
        on_work(Work("settling", k, batches))
        for norm in norms:
            norm.train()
            norm.momentum = 1.0 / (k + 1)  # all batches count alike
        try:
            batch = data.batch(step + k, params.batch_puzzles)
            torch.manual_seed(_entropy(params.seed, step + k, 0))
            noise = torch.randn(batch.centres.shape).to(learner.model.device)
            with _as_it_is(), asking(learner, interrupted):
                learner(batch[rank::world], noise[rank::world])
        except InterruptedWorkError:
            stopped = True
            break
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    learner.eval()
    return not stopped


def _as_it_is() -> AbstractContextManager[Any]:
    """Without compiled code: other shapes, or another mode than training's, would be compiled anew."""
    return torch.compiler.set_stance("force_eager")


def _shared() -> bool:
    return distributed.is_available() and distributed.is_initialized()


def _progress(params: TrainParams, state: RunState) -> float:
    if params.steps is not None:
        return state.step / params.steps
    assert params.minutes is not None
    return state.seconds / (60.0 * params.minutes)


def _agree(progress: float, stop: bool, due: bool) -> tuple[float, bool, bool]:
    """What the first process says of the clock, and whether any was interrupted or is to save, for all.

    Told on the CPU, so that no accelerator is waited for.
    """
    if not _shared():
        return progress, stop, due
    first = distributed.get_rank() == 0
    said = torch.tensor([progress if first else 0.0, float(stop), float(due)], dtype=torch.float64)
    distributed.all_reduce(said, op=distributed.ReduceOp.MAX)
    return float(said[0]), bool(said[1]), bool(said[2])


def _entropy(seed: int, step: int, stream: int) -> int:
    """One seed for each step and stream, far apart for near ones."""
    return int(np.random.SeedSequence([seed, step, stream]).generate_state(1, np.uint64)[0]) >> 1


def _checked(losses: Mapping[str, Tensor], step: int, world: int) -> dict[str, float]:
    """The losses of a step as numbers, the mean of all processes, so that all of them stop if one must."""
    values = torch.stack([value.detach() for value in losses.values()])
    if world > 1:
        distributed.all_reduce(values)
    found = dict(zip(losses, (values / world).tolist(), strict=True))
    broken = [name for name, value in found.items() if not math.isfinite(value)]
    if broken:
        raise TrainingError(f"the {broken[0]} loss is not finite at step {step}: training stopped")
    return found


def _copy(model: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}
