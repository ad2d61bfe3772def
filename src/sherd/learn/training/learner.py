"""What the training loop needs of a network, whichever it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Protocol, TypeVar

import torch
from torch import Tensor, nn

from sherd.learn.data.batch import PuzzleBatch


class TrainableNetwork(nn.Module):
    """A network whose weights are kept with its config, a frozen dataclass.

    ``name`` is what files and commands call it. ``unsaid`` is what holds of networks in files that are older
    than a member of the config, and say nothing of it.
    """

    name: ClassVar[str]
    unsaid: ClassVar[Mapping[str, Any]] = {}
    config: Any

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    @property
    def unbound(self) -> frozenset[str]:
        """Members of the config that other weights may have otherwise, and still serve to begin with."""
        return frozenset({"dropout", "between_pixels"})

    def speed_up(self) -> None:
        """Prepare for an accelerator what takes nearly all the time there; results stay the same."""


class Learner(Protocol):
    """A network with what training needs besides it: an `nn.Module` that gives the losses of a batch."""

    @property
    def model(self) -> TrainableNetwork: ...

    def __call__(self, batch: PuzzleBatch, noise: Tensor) -> dict[str, Tensor]:
        """Losses by name, of which ``loss`` is lowered.

        ``noise`` (B, N, 2), of unit variance, moves the fragments placed earlier, as imperfect steps would.
        """
        ...

    def share_of_rate(self, name: str) -> float:
        """At which share of the learning rate a parameter learns, by its name."""
        ...

    def coverage(self, puzzles: PuzzleBatch, stop: Callable[[int], bool]) -> Tensor | None:
        """How much of each puzzle a greedy assembly covers, in pixels; None where it was stopped."""
        ...

    def eval(self) -> Any: ...

    def modules(self) -> Iterator[nn.Module]: ...

    def named_parameters(self) -> Iterator[tuple[str, nn.Parameter]]: ...


Made = TypeVar("Made", bound=Learner)


def fresh_learner(make: Callable[[], Made], *, seed: int, device: torch.device) -> Made:
    """A learner on the device, its network with fresh weights, the same for the same seed."""
    torch.manual_seed(seed)
    learner = make()
    learner.model.to(device)
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")  # of the matcher's spectra; the rest is coarser still
        learner.model.speed_up()
    return learner
