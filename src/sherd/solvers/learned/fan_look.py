"""FAN with a closer look at what it would do, and its places refined in the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from sherd.core.puzzle import Puzzle
from sherd.solvers.base import Proposal
from sherd.solvers.learned.fan import FanSolver
from sherd.solvers.learned.matcher import steps_of
from sherd.solvers.learned.refining import refined
from sherd.solvers.learned.steps import NetworkSolver, enough_memory, proposals_of
from sherd.solvers.stop import Stop

if TYPE_CHECKING:
    import torch

    from sherd.learn.fan.look import LookParams


class FanLookSolver(NetworkSolver):
    """Assembles with FAN's weights, but lays several of its likeliest placements to choose from."""

    name, weights_file, batch_size = "fan", FanSolver.weights_file, FanSolver.batch_size

    def __init__(self, fan: FanSolver, params: LookParams) -> None:
        self.fan, self.params = fan, params
        self.train_puzzles, self.train_minutes = fan.train_puzzles, fan.train_minutes
        self.parameters = fan.parameters

    @classmethod
    def load(cls, path: Path, device: torch.device | None = None) -> Self:
        from sherd.learn.fan.look import LookParams

        return cls(FanSolver.load(path, device), LookParams())

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Proposal]:
        from sherd.learn.fan.look import assemble_looking

        with enough_memory(puzzles[0]):
            images, target, middles = self.fan.draw(puzzles)
            answer = assemble_looking(self.fan.learner, images, target, self.params, stop)
        proposals = proposals_of(steps_of(answer, target), puzzles, middles)
        return [refined(*each, stop) for each in zip(puzzles, proposals, strict=True)]
