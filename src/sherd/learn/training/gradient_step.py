"""One step of training, run plainly or recorded once on a GPU and replayed.

A step launches about two thousand small kernels; recorded as one CUDA graph, launching costs nothing.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from sherd.learn.data.batch import PuzzleBatch

WARM_UP_STEPS = 3


@contextmanager
def fastest_convolutions() -> Generator[None]:
    """Of the ways that cuDNN knows to convolve, those that prove the fastest are taken, and recorded."""
    before = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = True
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = before


@dataclass
class GradientStep:
    """Lowers the loss of one batch a little.

    Every group of the optimizer's weights learns at its own ``share`` of the learning rate.
    """

    teach: nn.Module
    optimizer: torch.optim.Optimizer
    clip: float

    def __call__(self, batch: PuzzleBatch, noise: Tensor, rate: float) -> dict[str, Tensor]:
        """Train on the batch at this learning rate and return its losses."""
        for group in self.optimizer.param_groups:
            own = rate * group["share"]
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(own)
            else:
                group["lr"] = own
        return self._run(batch, noise)

    def prepare(self, batch: PuzzleBatch, noise: Tensor) -> None:
        """Get what takes long only once out of the way; changes no weights."""

    def _run(self, batch: PuzzleBatch, noise: Tensor) -> dict[str, Tensor]:
        self.teach.train()
        self.optimizer.zero_grad()
        losses = self.teach(batch, noise)
        losses["loss"].backward()
        if self.clip > 0.0:
            nn.utils.clip_grad_norm_(self.teach.parameters(), self.clip)
        self.optimizer.step()
        return losses


@dataclass(frozen=True)
class _Recording:
    graph: torch.cuda.CUDAGraph
    batch: PuzzleBatch
    noise: Tensor
    losses: dict[str, Tensor]


@dataclass
class GraphedStep(GradientStep):
    """The same, recorded when it is prepared, once for each shape of a batch."""

    _recorded: dict[torch.Size, _Recording] = field(
        default_factory=dict[torch.Size, "_Recording"], init=False
    )

    def _run(self, batch: PuzzleBatch, noise: Tensor) -> dict[str, Tensor]:
        recording = self._recorded[batch.images.shape]
        for name, value in vars(batch).items():
            getattr(recording.batch, name).copy_(value)
        recording.noise.copy_(noise)
        recording.graph.replay()
        return {name: value.clone() for name, value in recording.losses.items()}

    @fastest_convolutions()
    def prepare(self, batch: PuzzleBatch, noise: Tensor) -> None:
        """Compile and record the step."""
        own = PuzzleBatch(**{name: value.clone() for name, value in vars(batch).items()})
        own_noise = noise.clone()
        before = self._snapshot()
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP_STEPS):
                super()._run(own, own_noise)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        self.optimizer.zero_grad()
        # Nothing of a replay outlives it but the losses, so that all recordings may share their memory.
        others = [recording.graph.pool() for recording in self._recorded.values()]
        with torch.cuda.graph(graph, pool=others[0] if others else None):
            losses = super()._run(own, own_noise)
        self._recorded[batch.images.shape] = _Recording(graph, own, own_noise, losses)
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
