"""The settings of a training run, whichever the network: read from TOML, kept as JSON."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import torch

from sherd.core.errors import FileFormatError
from sherd.learn.fan.settings import FanSettings
from sherd.learn.matcher.settings import MatcherSettings
from sherd.learn.training.interruption import Progress, no_progress
from sherd.learn.training.learner import Learner
from sherd.learn.training.toml_tables import Table
from sherd.learn.training.train import Data, TrainParams, Validation

SECTIONS = ("puzzles", "network", "training", "losses")


class TrainingSettings(Protocol):
    """Everything that decides what a training run gives, a frozen dataclass of the network's own.

    ``name`` is the network's, ``unsaid`` what holds, by section, of runs that are older than a key, and
    ``small`` what a machine without an accelerator can train in minutes: a step takes a second or two.
    """

    name: ClassVar[str]
    small: ClassVar[Mapping[str, Mapping[str, Any]]]
    unsaid: ClassVar[Mapping[str, Mapping[str, Any]]]

    @classmethod
    def read(cls, tables: Mapping[str, Table]) -> Self:
        """Settings from a table for each of `SECTIONS`."""
        ...

    @property
    def training(self) -> TrainParams: ...

    @property
    def size_px(self) -> int:
        """The side of the images that the network sees."""
        ...

    @property
    def drawn(self) -> int:
        """How many puzzles are drawn beforehand; 0 for endless."""
        ...

    def to_json(self) -> dict[str, Any]:
        """As JSON has it, for `settings_from`."""
        ...

    def check_room(self, device: torch.device, *, world: int = 1) -> None:
        """`UnsupportedError` if what a run keeps, and a step on each of ``world`` devices, has no room."""
        ...

    def make_data(self, device: torch.device, on_drawn: Progress = no_progress) -> tuple[Data, Validation]:
        """What a run trains on, and what it is validated on; ``on_drawn`` may also end drawing later on."""
        ...

    def make_learner(self, device: torch.device) -> Learner:
        """A network with fresh weights, the same for the same seed."""
        ...


NETWORKS: dict[str, type[TrainingSettings]] = {"fan": FanSettings, "matcher": MatcherSettings}


def read_settings(
    path: Path | None,
    *,
    network: str = "fan",
    minutes: float | None = None,
    steps: int | None = None,
    small: bool = False,
) -> TrainingSettings:
    """Settings from a TOML file, or the network's own, which may be small ones.

    A duration given here goes before the file's.
    """
    own = dict(NETWORKS[network].small) if small else {}
    try:
        document = own if path is None else tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path}: not TOML: {error}") from None
    source = "" if path is None else f"{path}: "
    return settings_from(_lasting(document, minutes, steps), network=network, source=source)


def lasting(settings: TrainingSettings, *, minutes: float | None, steps: int | None) -> TrainingSettings:
    """The same settings, for a duration that is given here, if any is."""
    return settings_from(_lasting(settings.to_json(), minutes, steps), network=settings.name)


def _lasting(document: Mapping[str, Any], minutes: float | None, steps: int | None) -> Mapping[str, Any]:
    given = document.get("training", {})
    if (minutes is None and steps is None) or not isinstance(given, dict):
        return document
    return {**document, "training": {**given, "minutes": minutes, "steps": steps}}


def settings_from(document: Mapping[str, Any], *, network: str = "fan", source: str = "") -> TrainingSettings:
    """Settings from tables by section; ``source`` begins every message about what is wrong with them."""
    for section, table in document.items():
        if section not in SECTIONS:
            raise FileFormatError(f"{source}unknown section [{section}]: there are {', '.join(SECTIONS)}")
        if not isinstance(table, dict):
            raise FileFormatError(f"{source}{section} must be a section of keys")
    tables = {name: Table(document.get(name, {}), f"{source}[{name}] ") for name in SECTIONS}
    return NETWORKS[network].read(tables)
