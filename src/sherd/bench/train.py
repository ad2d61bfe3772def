"""Training the paper's network for a row of a table, on the paper's split of the set that is measured."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sherd.bench.cell import Cell
from sherd.bench.measure import Watch
from sherd.bench.row_folder import RowFolder, row_folder
from sherd.bench.suites import SET_COUNT
from sherd.core.errors import InterruptedTrainingError, UnsupportedError
from sherd.generation.fragmentation import split
from sherd.learn.data.sets import ENDLESS_SEED_OFFSET, EndlessSet, FixedSet, draw_set, kept_puzzles
from sherd.learn.fan.learner import FanLossParams
from sherd.learn.fan.network import Aggregation, FanConfig
from sherd.learn.fan.settings import FanSettings, fresh_fan
from sherd.learn.training.checkpoint import sha256_of
from sherd.learn.training.device import clear_memory_errors, require_room
from sherd.learn.training.interruption import drawing
from sherd.learn.training.state import saved_step
from sherd.learn.training.toml_tables import as_json
from sherd.learn.training.train import Report, TrainParams, train
from sherd.solvers.learned.fan import FanSolver

if TYPE_CHECKING:
    import torch

# Images that a training step of the paper's network encodes, so that its time and memory hardly depend on the
# kind of puzzle. One with a shared encoder, which encodes fewer, is taught as many puzzles a step.
IMAGES_A_STEP = 1024
# The order of rows that say nothing of it, in whose place a recipe may have its own.
USUAL_ORDER = Cell(solver="fan").order
UNWATCHED = Watch()


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """How the networks of a suite's rows are trained; ``endless`` draws fresh puzzles at every step.

    Without ``batch_puzzles`` a step takes as many as make about 1,000 images; without ``dropout`` it is the
    paper's. ``seed`` is that of the weights and of the order of the puzzles, without it that of the puzzles
    themselves. A ``recipe`` says how to train, with which network and, unless the row has its own, in which
    order; but not on what, how long, or from which seed: the row and the rest of this do. Below
    ``checkpoints`` each row has a folder for its network and its state, from which it goes on if it was begun
    there before.
    """

    minutes: float | None = None
    steps: int | None = None
    endless: bool = False
    shared_encoder: bool = False
    batch_puzzles: int | None = None
    dropout: float | None = None
    seed: int | None = None
    recipe: FanSettings | None = None
    checkpoints: Path | None = None
    device: torch.device


@clear_memory_errors("take smaller batches, or fewer pieces or rotations")
def train_fan(cell: Cell, plan: TrainingPlan, *, seed: int, watch: Watch = UNWATCHED) -> FanSolver:
    """A FAN of the cell's aggregation, trained on the cell's kind of puzzle.

    `InterruptedTrainingError` if it is interrupted. Whether it is, ``watch`` is asked only where its state is
    kept: else there is nothing to save, and Ctrl-C may end it wherever it is.
    """
    bins = cell.rotations.bins
    if bins is None:
        raise UnsupportedError("fan chooses among rotation bins; it cannot turn pieces freely")
    aggregation: Aggregation = cell.aggregation or "fram"  # pyright: ignore[reportAssignmentType]
    own_seed = seed if plan.seed is None else plan.seed
    recipe = plan.recipe
    config = replace(
        FanConfig() if recipe is None else recipe.network,
        channels=1 if cell.texture is None else 4,
        aggregation=aggregation,
        rotates=bins > 1,
    )
    if plan.shared_encoder:
        config = replace(config, shared_encoder=True)
    if plan.dropout is not None:
        config = replace(config, dropout=plan.dropout)
    usual = max(1, IMAGES_A_STEP // (cell.pieces * FanConfig().encoded(bins)))
    params = replace(
        TrainParams(steps=1, batch_puzzles=usual) if recipe is None else recipe.training,
        minutes=plan.minutes,
        steps=plan.steps,
        seed=own_seed,
    )
    if plan.batch_puzzles is not None:
        params = replace(params, batch_puzzles=plan.batch_puzzles)
    parts = split(SET_COUNT)
    trained = 0 if plan.endless else len(parts["train"])
    kind = replace(cell.kind, images="train" if cell.kind.images == "test" else "all")
    if recipe is not None and kind.order == USUAL_ORDER:
        kind = replace(kind, order=recipe.puzzles.order)
    mirrors = recipe is None or recipe.puzzles.mirrors
    losses = FanLossParams() if recipe is None else recipe.losses
    require_room(
        plan.device,
        config.size_px,
        kept=(kept_puzzles(cell.kind, trained, plan.device) + len(parts["validation"]))
        * cell.pieces
        * bins
        * config.channels,
        taught=params.batch_puzzles * cell.pieces * config.encoded(bins),
    )
    begun = False

    def on_report(report: Report) -> None:
        nonlocal begun
        begun = True
        watch.on_report(report)

    interrupted = (lambda: False) if plan.checkpoints is None else watch.interrupted
    on_drawn = drawing(watch.on_work, lambda: begun and interrupted())
    folder = None
    try:
        fixed = partial(
            FixedSet.of, [kind], seed=seed, device=plan.device, size_px=config.size_px, mirrors=mirrors
        )
        # In which mirrors a set is shown follows from its target, which the first puzzle tells.
        is_mirrored = not plan.endless and bool(fixed(part=parts["train"][:1]).mirrors)
        taught = {
            "puzzles": {
                "order": kind.order,
                "train_puzzles": trained,
                "validation_puzzles": len(parts["validation"]),
                "mirrors": is_mirrored,
            },
            "network": as_json(config),
            "training": as_json(params),
            "losses": as_json(losses),
        }
        with contextlib.ExitStack() as held:
            if plan.checkpoints is not None:
                folder = held.enter_context(row_folder(plan.checkpoints, cell, seed=seed, recipe=taught))
            if plan.endless:
                endless_seed = seed + ENDLESS_SEED_OFFSET
                data = EndlessSet((kind,), endless_seed, plan.device, config.size_px, on_drawn)
            else:
                data = replace(fixed(part=parts["train"], on_drawn=on_drawn), seed=own_seed)
            held_out = parts["validation"]
            validation = draw_set(kind, seed, held_out, plan.device, config.size_px, on_drawn=on_drawn)
            learner = fresh_fan(config, losses, seed=own_seed, device=plan.device)
            outcome = train(
                learner,
                data,
                validation,
                params,
                folder=None if folder is None else folder.path,
                resume=folder is not None and folder.resumes,
                on_report=on_report,
                on_work=watch.on_work,
                interrupted=interrupted,
            )
            if not outcome.finished:
                raise KeyboardInterrupt
            if folder is not None:
                made = {"train_puzzles": trained, "train_minutes": outcome.minutes}
                folder.keep(learner.model, made | taught)
    except KeyboardInterrupt:
        raise InterruptedTrainingError(_left_of(cell, plan, folder)) from None
    return FanSolver(
        learner,
        train_puzzles=trained,
        train_minutes=outcome.minutes,
        train_steps=outcome.steps,
        batch_puzzles=params.batch_puzzles,
        dropout=config.dropout,
        train_seed=own_seed,
        weights_sha256=sha256_of(learner.model),
        recipe=taught,
    )


def _left_of(cell: Cell, plan: TrainingPlan, folder: RowFolder | None) -> str:
    """What is kept of a training that was interrupted."""
    training = f"training {cell.solver_label} on {cell.puzzle_label}"
    if plan.checkpoints is None:
        return f"nothing is kept of {training}, as no folder for checkpoints was named"
    if folder is None or not folder.state.exists():
        return f"{training} had taken no step, and nothing of it is kept"
    steps = saved_step(folder.state)
    return f"{training} is kept in {folder.path} as of step {steps:,}, and the same command goes on from it"
