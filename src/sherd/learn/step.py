"""One step of training, run plainly or recorded once on a GPU and replayed.

A step launches about two thousand small kernels; recorded as one CUDA graph, launching costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from sherd.learn.batch import PuzzleBatch

WARM_UP_STEPS = 3


@dataclass
class Step:
    """Lowers the loss of one batch a little."""

    teach: nn.Module
    optimizer: torch.optim.Optimizer
    clip: float

    def __call__(self, batch: PuzzleBatch, noise: Tensor, rate: float) -> dict[str, Tensor]:
        """Train on the batch at this learning rate and return its losses."""
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        return self._run(batch, noise)

    def prepare(self, batch: PuzzleBatch, noise: Tensor) -> None:
        """Get what takes long only once out of the way; changes no weights."""

    def _run(self, batch: PuzzleBatch, noise: Tensor) -> dict[str, Tensor]:
        self.teach.train()
        self.optimizer.zero_grad()
        losses = self.teach(batch, noise)
        losses["loss"].backward()
        nn.utils.clip_grad_norm_(self.teach.parameters(), self.clip)
        self.optimizer.step()
        return losses


@dataclass
class GraphedStep(Step):
    """The same, recorded when it is prepared; every batch must have the shape of that one."""

    _graph: torch.cuda.CUDAGraph = field(init=False)
    _batch: PuzzleBatch = field(init=False)
    _noise: Tensor = field(init=False)
    _losses: dict[str, Tensor] = field(init=False)

    def _run(self, batch: PuzzleBatch, noise: Tensor) -> dict[str, Tensor]:
        for name, value in vars(batch).items():
            getattr(self._batch, name).copy_(value)
        self._noise.copy_(noise)
        self._graph.replay()
        return {name: value.clone() for name, value in self._losses.items()}

    def prepare(self, batch: PuzzleBatch, noise: Tensor) -> None:
        """Compile and record the step."""
        self._batch = PuzzleBatch(**{name: value.clone() for name, value in vars(batch).items()})
        self._noise = noise.clone()
        before = self._snapshot()
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP_STEPS):
                super()._run(self._batch, self._noise)
        torch.cuda.current_stream().wait_stream(aside)
        self._graph = torch.cuda.CUDAGraph()
        self.optimizer.zero_grad()
        with torch.cuda.graph(self._graph):
            self._losses = super()._run(self._batch, self._noise)
        self._restore(before)

    def _tensors(self) -> dict[str, Tensor]:
        """Everything that a step changes."""
        tensors = dict(self.teach.state_dict())
        for index, values in self.optimizer.state_dict()["state"].items():
            tensors |= {f"{index}.{name}": value for name, value in values.items()}
        return tensors

    def _snapshot(self) -> dict[str, Tensor]:
        return {name: value.clone() for name, value in self._tensors().items()}

    def _restore(self, before: dict[str, Tensor]) -> None:
        for name, value in self._tensors().items():
            if name in before:
                value.copy_(before[name])
            else:  # the optimizer's state, which the first step makes
                value.zero_()
