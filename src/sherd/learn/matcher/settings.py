"""All settings of a training run of the matcher: a mixture of puzzles, network, losses and how to train."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch

from sherd.core.errors import ArgumentError
from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.data.mixture import Share, usable_processes
from sherd.learn.data.pool import Mixture, Pool, Teaching, draw_all, make_pools
from sherd.learn.data.sets import ENDLESS_SEED_OFFSET
from sherd.learn.matcher.learner import MatcherLearner, MatcherLossParams
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.training.device import require_room
from sherd.learn.training.interruption import Progress, no_progress
from sherd.learn.training.learner import fresh_learner
from sherd.learn.training.toml_tables import Table, as_json
from sherd.learn.training.train import TrainParams

# Fewer puzzles than these are made sooner by one process than others are started.
PUZZLES_WORTH_PROCESSES = 5_000


@dataclass(frozen=True, kw_only=True)
class MixtureSettings:
    """What to train on: puzzles of several shares, one share at a step.

    ``pool_puzzles`` of each share are made once and seen in all 8 symmetries of their box; others, as many
    as ``validation_puzzles``, are for validation. ``teaching`` is the order in which earlier fragments were
    placed, ``images_a_step`` the most images of fragments in a batch.
    """

    shares: tuple[Share, ...] = (Share(),)
    pool_puzzles: int = 20_000
    validation_puzzles: int = 100
    teaching: Teaching = "sweep"
    images_a_step: int = 1024
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.shares:
            raise ArgumentError("there must be at least one of shares")
        if min(self.pool_puzzles, self.validation_puzzles, self.images_a_step) < 1:
            raise ArgumentError("pool_puzzles, validation_puzzles and images_a_step must be at least 1")
        if self.seed < 0:
            raise ArgumentError(f"seed must be at least 0, not {self.seed}")


@dataclass(frozen=True, kw_only=True)
class MatcherSettings:
    """Everything that decides what a training run of the matcher gives."""

    name: ClassVar[str] = "matcher"
    unsaid: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    small: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "puzzles": {"pool_puzzles": 400, "validation_puzzles": 20, "images_a_step": 32},
        "network": {"size_px": 64},
        "losses": {"steps": 2},
    }

    puzzles: MixtureSettings
    network: MatcherConfig
    training: TrainParams
    losses: MatcherLossParams

    @classmethod
    def read(cls, tables: Mapping[str, Table]) -> MatcherSettings:
        """Settings from a table a section."""
        return cls(
            puzzles=_mixture(tables["puzzles"]),
            network=tables["network"].filled(MatcherConfig()),
            losses=tables["losses"].filled(MatcherLossParams()),
            training=TrainParams.read(tables["training"]),
        )

    @property
    def size_px(self) -> int:
        """The side of the images that the network sees."""
        return self.network.size_px

    @property
    def drawn(self) -> int:
        """How many puzzles are drawn beforehand."""
        return self.puzzles.pool_puzzles * len(self.puzzles.shares)

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return as_json(self)

    def check_room(self, device: torch.device, *, world: int = 1) -> None:
        """`UnsupportedError` if the images that a run keeps have no room; training's are kept as vertices."""
        puzzles = self.puzzles
        images = sum(share.pieces * share.rotations for share in puzzles.shares)
        require_room(device, self.network.size_px, kept=puzzles.validation_puzzles * images, taught=0)

    def make_data(
        self, device: torch.device, on_drawn: Progress = no_progress
    ) -> tuple[Mixture, dict[str, PuzzleBatch]]:
        """What a run trains on, and what it is validated on."""
        puzzles, size_px = self.puzzles, self.network.size_px

        def make(seed: int, count: int) -> tuple[Pool, ...]:
            workers = usable_processes() if count * len(puzzles.shares) >= PUZZLES_WORTH_PROCESSES else 1
            return make_pools(
                puzzles.shares, seed=seed, count=count, workers=workers, device=device, on_drawn=on_drawn
            )

        pools = make(puzzles.seed + ENDLESS_SEED_OFFSET, puzzles.pool_puzzles)
        validation = {
            f"{number} {pool.share.label}": draw_all(pool, size_px)
            for number, pool in enumerate(make(puzzles.seed, puzzles.validation_puzzles))
        }
        data = Mixture(
            pools,
            seed=puzzles.seed,
            teaching=puzzles.teaching,
            images_a_step=puzzles.images_a_step,
            size_px=size_px,
        )
        return data, validation

    def make_learner(self, device: torch.device) -> MatcherLearner:
        """A network with fresh weights, the same for the same seed."""
        return fresh_learner(
            lambda: MatcherLearner(Matcher(self.network), self.losses),
            seed=self.training.seed,
            device=device,
        )


def _mixture(table: Table) -> MixtureSettings:
    shares = table.values.get("shares", [])
    if not isinstance(shares, list) or not all(isinstance(share, dict) for share in shares):
        table.fail("shares must be sections of their own: [[puzzles.shares]]")
    found = tuple(
        Table(share, f"{table.place}shares {number}: ").filled(Share())
        for number, share in enumerate(shares, start=1)
    )
    settings = table.without("shares").filled(MixtureSettings())
    return replace(settings, shares=found) if found else settings
