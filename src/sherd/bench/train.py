"""Training the paper's network for a row of a table, on the paper's split of the set that is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sherd.bench.cell import Cell
from sherd.bench.suites import SET_COUNT
from sherd.core.errors import UnsupportedError
from sherd.generation.fragmentation import split
from sherd.learn.data.sets import ENDLESS_SEED_OFFSET, EndlessSet, FixedSet, draw_set, kept_puzzles
from sherd.learn.fan.learner import FanLossParams
from sherd.learn.fan.network import Aggregation, FanConfig
from sherd.learn.fan.settings import fresh_fan
from sherd.learn.training.device import clear_memory_errors, require_room
from sherd.learn.training.train import Report, TrainParams, train
from sherd.solvers.learned.fan import FanSolver

if TYPE_CHECKING:
    import torch

# Images that a training step of the paper's network encodes, so that its time and memory hardly depend on the
# kind of puzzle. One with a shared encoder, which encodes fewer, is taught as many puzzles a step.
IMAGES_A_STEP = 1024


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """How the networks of a suite's rows are trained; ``endless`` draws fresh puzzles at every step.

    Without ``batch_puzzles`` a step takes as many as make about 1,000 images; without ``dropout`` it is the
    paper's.
    """

    minutes: float | None = None
    steps: int | None = None
    endless: bool = False
    shared_encoder: bool = False
    batch_puzzles: int | None = None
    dropout: float | None = None
    device: torch.device


@clear_memory_errors("take a smaller --batch, or fewer pieces or rotations")
def train_fan(
    cell: Cell, plan: TrainingPlan, *, seed: int, on_report: Callable[[Report], None] = lambda report: None
) -> FanSolver:
    """A FAN of the cell's aggregation, trained on the cell's kind of puzzle."""
    bins = cell.rotations.bins
    if bins is None:
        raise UnsupportedError("fan chooses among rotation bins; it cannot turn pieces freely")
    aggregation: Aggregation = cell.aggregation or "fram"  # pyright: ignore[reportAssignmentType]
    config = FanConfig(
        channels=1 if cell.texture is None else 4,
        aggregation=aggregation,
        shared_encoder=plan.shared_encoder,
        rotates=bins > 1,
    )
    if plan.dropout is not None:
        config = replace(config, dropout=plan.dropout)
    params = TrainParams(
        minutes=plan.minutes,
        steps=plan.steps,
        batch_puzzles=plan.batch_puzzles
        or max(1, IMAGES_A_STEP // (cell.pieces * FanConfig().encoded(bins))),
        seed=seed,
    )
    parts = split(SET_COUNT)
    trained = 0 if plan.endless else len(parts["train"])
    require_room(
        plan.device,
        config.size_px,
        kept=(kept_puzzles(cell.kind, trained, plan.device) + len(parts["validation"]))
        * cell.pieces
        * bins
        * config.channels,
        taught=params.batch_puzzles * cell.pieces * config.encoded(bins),
    )
    if plan.endless:
        data = EndlessSet((cell.kind,), seed + ENDLESS_SEED_OFFSET, plan.device, config.size_px)
    else:
        data = FixedSet.of([cell.kind], seed=seed, part=parts["train"], device=plan.device)
    validation = draw_set(cell.kind, seed, parts["validation"], plan.device)
    learner = fresh_fan(config, FanLossParams(), seed=seed, device=plan.device)
    outcome = train(learner, data, validation, params, on_report=on_report)
    return FanSolver(
        learner,
        train_puzzles=trained,
        train_minutes=outcome.minutes,
        train_steps=outcome.steps,
        batch_puzzles=params.batch_puzzles,
        dropout=config.dropout,
    )
