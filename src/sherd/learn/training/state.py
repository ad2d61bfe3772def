"""The state of a training run in a file: all that it needs to go on as if it had not been cut off."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from sherd.core.errors import ArgumentError, FileFormatError
from sherd.io.document import is_object
from sherd.learn.training.checkpoint import fitting, read_metadata, read_tensors, save_tensors
from sherd.learn.training.toml_tables import Table, difference

# What holds of states that are older than a member of the training's settings, and say nothing of it.
UNSAID: dict[str, Any] = {"schedule": "cosine"}
OTHER_SETTINGS = "was saved by a run with other settings"


@dataclass
class RunState:
    """What a run needs to go on, besides the weights and the optimizer."""

    step: int = 0
    puzzles: int = 0
    seconds: float = 0.0
    validations: int = 0
    best: dict[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        for name in ("step", "puzzles", "seconds", "validations"):
            if not 0 <= getattr(self, name) <= sys.maxsize:
                raise ArgumentError(f"{name} must be from 0 to {sys.maxsize:,}, not {getattr(self, name)}")
        if self.best and not all(map(math.isfinite, (self.best.get("cov", math.nan), *self.best.values()))):
            raise ArgumentError(f"best must have cov, and finite figures alone, not {self.best}")


def save_state(
    path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    state: RunState,
    best_weights: Mapping[str, Tensor],
    params: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> None:
    """Write all of it as one file; ``params`` are those of the training, as JSON has them.

    ``settings`` are all of the run by section, if it has any; it is for its folder to compare them.
    """
    tensors = _by_name(model.state_dict(), best_weights, optimizer.state_dict()["state"])
    save_tensors(path, tensors, {"state": asdict(state), "params": dict(params), "settings": dict(settings)})


def settings_in_state(path: Path) -> dict[str, Any]:
    """All settings of the run that saved this state; empty where an older one did not say."""
    told = read_metadata(path).get("settings", {})
    if not is_object(told):
        raise FileFormatError(f"{path}: {OTHER_SETTINGS}")
    return told


def saved_step(path: Path) -> int:
    """How many steps the run had taken that saved this state."""
    return _state_in(read_metadata(path), path).step


def load_state(
    path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, params: Mapping[str, Any]
) -> tuple[RunState, dict[str, Tensor]]:
    """Fill model and optimizer with what `save_state` wrote; the state and the best weights."""
    tensors, about = read_tensors(path)
    saved = about.get("params")
    if not is_object(saved):
        raise FileFormatError(f"{path}: {OTHER_SETTINGS}")
    there, here = {**UNSAID, **saved}, {**UNSAID, **params}
    if there != here:
        raise FileFormatError(f"{path}: {OTHER_SETTINGS}: {difference(there, here)}")
    state, own = _state_in(about, path), model.state_dict()
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    if not state.step and not any(name.startswith("adam.") for name in tensors):
        weights = []  # all of them have moments as soon as a step is taken
    moments = {
        index: {"step": torch.zeros(()), "exp_avg": weight, "exp_avg_sq": weight}
        for index, weight in enumerate(weights)
    }
    found = fitting(_by_name(own, own, moments), tensors, path, f"{OTHER_SETTINGS}, or is broken")
    for name, value in found.items():
        if name.startswith("adam.") and not name.endswith(".exp_avg") and bool((value < 0.0).any()):
            raise FileFormatError(f"{path}: {name} must be at least 0")
    model.load_state_dict({name: found[f"model.{name}"] for name in own})
    for index, each in moments.items():
        moments[index] = {name: found[f"adam.{index}.{name}"] for name in each}
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    return state, {name: found[f"best.{name}"] for name in own}


def _by_name(
    weights: Mapping[str, Tensor],
    best_weights: Mapping[str, Tensor],
    moments: Mapping[int, Mapping[str, Tensor]],
) -> dict[str, Tensor]:
    """All tensors of a state, as its file calls them."""
    tensors = {f"model.{name}": value for name, value in weights.items()}
    tensors |= {f"best.{name}": value for name, value in best_weights.items()}
    for index, values in moments.items():
        tensors |= {f"adam.{index}.{name}": value for name, value in values.items()}
    return tensors


def _state_in(about: Mapping[str, Any], path: Path) -> RunState:
    """The state that a file's metadata tell."""
    told = about.get("state")
    if not is_object(told):
        raise FileFormatError(f"{path}: not the state of a training run")
    table = Table(told, f"{path}: state: ")
    missing = [each.name for each in fields(RunState) if each.name not in told]
    if missing:
        table.fail(f"{missing[0]} is missing")
    return table.filled(RunState())
