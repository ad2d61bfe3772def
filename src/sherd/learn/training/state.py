"""The state of a training run in a file: all that it needs to go on as if it had not been cut off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from sherd.core.errors import FileFormatError
from sherd.learn.training.checkpoint import fill, read_metadata, read_tensors, save_tensors

# What holds of states that are older than a member of the training's settings, and say nothing of it.
UNSAID: dict[str, Any] = {"schedule": "cosine"}


@dataclass
class RunState:
    """What a run needs to go on, besides the weights and the optimizer."""

    step: int = 0
    puzzles: int = 0
    seconds: float = 0.0
    validations: int = 0
    best: dict[str, float] = field(default_factory=dict[str, float])


def save_state(
    path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    state: RunState,
    best_weights: Mapping[str, Tensor],
    params: Mapping[str, Any],
) -> None:
    """Write all of it as one file; ``params`` are those of the training, as JSON has them."""
    tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
    tensors |= {f"best.{name}": value for name, value in best_weights.items()}
    for index, values in optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{index}.{name}": value for name, value in values.items()}
    save_tensors(path, tensors, {"state": asdict(state), "params": dict(params)})


def saved_step(path: Path) -> int:
    """How many steps the run had taken that saved this state."""
    state = read_metadata(path).get("state")
    if not isinstance(state, dict) or not isinstance(state.get("step"), int):
        raise FileFormatError(f"{path}: not the state of a training run")
    return state["step"]


def load_state(
    path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, params: Mapping[str, Any]
) -> tuple[RunState, dict[str, Tensor]]:
    """Fill model and optimizer with what `save_state` wrote; the state and the best weights."""
    tensors, about = read_tensors(path)
    saved = about.get("params")
    if not isinstance(saved, dict) or {**UNSAID, **saved} != {**UNSAID, **params}:
        raise FileFormatError(f"{path}: was saved by a run with other settings")
    groups: dict[str, dict[str, Tensor]] = {"model": {}, "best": {}, "adam": {}}
    for name, value in tensors.items():
        group, _, rest = name.partition(".")
        groups[group][rest] = value
    fill(model, groups["model"], path)
    moments: dict[int, dict[str, Tensor]] = {}
    for name, value in groups["adam"].items():
        index, _, rest = name.partition(".")
        moments.setdefault(int(index), {})[rest] = value
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    for index, each in moments.items():
        if index >= len(weights) or any(m.ndim and m.shape != weights[index].shape for m in each.values()):
            raise FileFormatError(f"{path}: was saved by a run with other settings")
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    return RunState(**about["state"]), groups["best"]
