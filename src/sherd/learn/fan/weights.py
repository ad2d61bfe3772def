"""FAN's weights in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from sherd.learn.fan.network import UNSAID, Fan, FanConfig
from sherd.learn.training.checkpoint import load_network, save_network


def save_fan(path: Path, model: Fan, training: Mapping[str, Any], dtype: torch.dtype | None = None) -> None:
    """Weights as ``path`` (.safetensors), with config and training record beside them (.json)."""
    save_network(path, Fan.name, model, asdict(model.config), training, dtype)


def load_fan(path: Path, device: torch.device | None = None) -> tuple[Fan, dict[str, Any]]:
    """A FAN from two such files, ready to assemble, and its training record; on the CPU if not elsewhere."""
    return load_network(path, Fan.name, lambda config: Fan(config.filled(FanConfig(**UNSAID))), device)
