"""The matcher's weights in files, which `save_network` writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from sherd.core.errors import FileFormatError
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.training.checkpoint import load_network
from sherd.learn.training.toml_tables import Table


def load_matcher(path: Path, device: torch.device | None = None) -> tuple[Matcher, dict[str, Any]]:
    """A matcher, ready to assemble, and its training record; on the CPU if no other device is named."""

    def make(config: Table) -> Matcher:
        if "judge_widths" not in config.values:
            raise FileFormatError(
                f"{path}: these weights were trained for an older matcher, which had no judge: train them "
                "again with 'sherd train matcher'"
            )
        return Matcher(config.filled(MatcherConfig()))

    return load_network(path, Matcher.name, make, device)
