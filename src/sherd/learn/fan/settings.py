"""All settings of a training run of FAN: one kind of puzzle, the network, its losses and how to train."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import torch

from sherd.core.errors import ArgumentError
from sherd.core.geometry import Rotations
from sherd.generation.dataset import PuzzleKind
from sherd.generation.degradation import Kind
from sherd.generation.fragmentation import Order
from sherd.generation.patterns import PROCEDURAL
from sherd.generation.shapes import named_shape
from sherd.learn.data.batch import PuzzleBatch, concatenate
from sherd.learn.data.sets import (
    ENDLESS_SEED_OFFSET,
    EndlessSet,
    FixedSet,
    draw_set,
    kept_puzzles,
    taught_in_mirrors,
)
from sherd.learn.fan.learner import UNSAID_LOSSES, FanLearner, FanLossParams
from sherd.learn.fan.network import COMPACT, UNSAID, Fan, FanConfig
from sherd.learn.training.device import require_room
from sherd.learn.training.interruption import Progress, no_progress
from sherd.learn.training.learner import fresh_learner
from sherd.learn.training.toml_tables import Table, as_json
from sherd.learn.training.train import TrainParams

PRESETS = {"paper": FanConfig(), "compact": COMPACT}


@dataclass(frozen=True, kw_only=True)
class PuzzleSettings:
    """What to train on: puzzles of every shape alike.

    ``train_puzzles`` of each shape are drawn once, and the ``validation_puzzles`` after them in the same
    set are for validation (with 3,200 and 800 the paper's split); 0 draws fresh ones at every step. A fixed
    set is also shown in its ``mirrors``, as far as its order allows.
    """

    shapes: tuple[str, ...] = ("square",)
    pieces: int = 8
    rotations: int = 1
    order: Order = "bottom-left"
    degradation: Kind = "none"
    texture: str | None = None
    train_puzzles: int = 3200
    validation_puzzles: int = 800
    mirrors: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.shapes:
            raise ArgumentError("shapes must name at least one shape")
        for name in self.shapes:
            if self.shapes.count(name) > 1:
                raise ArgumentError(f"shapes must name every shape once, not {name} twice")
        if self.train_puzzles < 0:
            raise ArgumentError(f"train_puzzles must be at least 0 (for endless), not {self.train_puzzles}")
        if self.validation_puzzles < 1:
            raise ArgumentError(f"validation_puzzles must be at least 1, not {self.validation_puzzles}")
        if self.seed < 0:
            raise ArgumentError(f"seed must be at least 0, not {self.seed}")
        if self.texture not in (None, *PROCEDURAL) and not Path(self.texture or "").is_dir():
            known = ", ".join(PROCEDURAL)
            raise ArgumentError(f"{self.texture!r} is neither a built-in texture ({known}) nor a folder")
        self.kinds  # noqa: B018  (checks the rest)

    @property
    def kinds(self) -> tuple[PuzzleKind, ...]:
        """A kind of puzzle for each shape."""
        return tuple(
            PuzzleKind(
                shape=named_shape(name),
                pieces=self.pieces,
                rotations=Rotations(self.rotations),
                order=self.order,
                degradation=self.degradation,
                texture=self.texture,
                images="all" if self.texture in (None, *PROCEDURAL) else "train",
            )
            for name in self.shapes
        )


@dataclass(frozen=True, kw_only=True)
class FanSettings:
    """Everything that decides what a training run of FAN gives."""

    name: ClassVar[str] = "fan"
    unsaid: ClassVar[Mapping[str, Mapping[str, Any]]] = {"network": UNSAID, "losses": UNSAID_LOSSES}
    # What two cores teach in a minute or two.
    small: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "puzzles": {"pieces": 4, "train_puzzles": 0, "validation_puzzles": 32},
        "network": {"preset": "compact", "size_px": 32, "features": 64, "hidden": 128, "heads": 4},
        "training": {"batch_puzzles": 16, "validations": 3},
    }

    puzzles: PuzzleSettings
    network: FanConfig
    training: TrainParams
    losses: FanLossParams

    @classmethod
    def read(cls, tables: Mapping[str, Table]) -> FanSettings:
        """Settings from a table a section."""
        puzzles = tables["puzzles"].filled(PuzzleSettings())
        if not taught_in_mirrors(puzzles.order):  # so that what is written down is what was done
            if tables["puzzles"].values.get("mirrors"):
                tables["puzzles"].fail(
                    f"mirrors must be false in the order {puzzles.order!r}, which is taught without them"
                )
            puzzles = replace(puzzles, mirrors=False)
        network = _network(tables["network"], puzzles)
        losses = tables["losses"].filled(FanLossParams())
        if max(losses.pools_px) > network.size_px:
            pools = list(losses.pools_px)
            tables["losses"].fail(f"pools_px must be at most size_px, {network.size_px}, not {pools}")
        return cls(
            puzzles=puzzles,
            network=network,
            losses=losses,
            training=TrainParams.read(tables["training"]),
        )

    @property
    def size_px(self) -> int:
        """The side of the images that the network sees."""
        return self.network.size_px

    @property
    def drawn(self) -> int:
        """How many puzzles are drawn beforehand; 0 for endless."""
        return self.puzzles.train_puzzles * len(self.puzzles.shapes)

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return as_json(self)

    def check_room(self, device: torch.device, *, world: int = 1) -> None:
        """`UnsupportedError` if what a run keeps, and a step on each of ``world`` devices, has no room."""
        puzzles, network = self.puzzles, self.network
        kept = sum(
            kept_puzzles(kind, puzzles.train_puzzles, device) + puzzles.validation_puzzles
            for kind in puzzles.kinds
        )
        encoded = puzzles.pieces * network.encoded(puzzles.rotations)
        require_room(
            device,
            network.size_px,
            kept=kept * puzzles.pieces * puzzles.rotations * network.channels,
            taught=self.training.batch_puzzles * encoded // world,
        )

    def make_data(
        self, device: torch.device, on_drawn: Progress = no_progress
    ) -> tuple[FixedSet | EndlessSet, PuzzleBatch]:
        """What a run trains on, and what it is validated on."""
        puzzles, size_px = self.puzzles, self.network.size_px
        train = range(puzzles.train_puzzles)
        validation = range(train.stop, train.stop + puzzles.validation_puzzles)
        drawn = [
            draw_set(kind, puzzles.seed, validation, device, size_px, on_drawn=on_drawn)
            for kind in puzzles.kinds
        ]
        if not train:
            seed = puzzles.seed + ENDLESS_SEED_OFFSET
            return EndlessSet(puzzles.kinds, seed, device, size_px, on_drawn), concatenate(drawn)
        data = FixedSet.of(
            puzzles.kinds,
            seed=puzzles.seed,
            part=train,
            device=device,
            size_px=size_px,
            mirrors=puzzles.mirrors,
            on_drawn=on_drawn,
        )
        return data, concatenate(drawn)

    def make_learner(self, device: torch.device) -> FanLearner:
        """A network with fresh weights, the same for the same seed."""
        return fresh_fan(self.network, self.losses, seed=self.training.seed, device=device)


def fresh_fan(config: FanConfig, losses: FanLossParams, *, seed: int, device: torch.device) -> FanLearner:
    """A FAN with fresh weights, whatever it is trained on."""
    return fresh_learner(lambda: FanLearner(Fan(config), losses), seed=seed, device=device)


def _network(table: Table, puzzles: PuzzleSettings) -> FanConfig:
    preset = table.values.get("preset", "paper")
    if not isinstance(preset, str) or preset not in PRESETS:
        table.fail(f"preset must be {' or '.join(PRESETS)}, not {preset!r}")
    # What the network must be able to do follows from the puzzles.
    derived = {"channels": 1 if puzzles.texture is None else 4, "rotates": puzzles.rotations > 1}
    for key, value in derived.items():
        if table.values.get(key, value) != value:
            table.fail(f"{key} must be {value} for these puzzles, not {table.values[key]}")
    return table.without("preset").filled(replace(PRESETS[preset], **derived))
