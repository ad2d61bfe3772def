"""V-GAN, the paper's learned baseline: LayoutGAN changed to take vertices (supplement, Table s.1).

The generator reads the vertices of all fragments and says where their centres go; the discriminator reads the
vertices so placed, or those of a true puzzle, and says which of the two it holds them for. Both are small
dense networks, so the number of fragments and of their vertices is fixed.

Shapes in comments: B puzzles, N = 8 fragments of K = 4 vertices each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sherd.core.errors import ArgumentError
from sherd.generation.fragmentation import Fragmentation, FragmentationParams, generate_arrays
from sherd.generation.shapes import named_shape
from sherd.learn.training.checkpoint import load_network, save_network

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Vertices are a few tenths of the target's size about 0: scaled to about 1 for the network.
SCALE = 4.0
# Edges that turn from an axis by less than this share of their length may lie on the target's outline.
UPRIGHT = 1e-6


@dataclass(frozen=True, kw_only=True)
class VganConfig:
    """The shape of both networks; the defaults are the paper's. ``shape`` names the target."""

    shape: str = "square"
    pieces: int = 8
    vertices: int = 4
    hidden: tuple[int, ...] = (128, 64, 32)
    judged: int = 16
    dropout: float = 0.3

    @property
    def inputs(self) -> int:
        """How many numbers the vertices of a puzzle are."""
        return self.pieces * self.vertices * 2


class Generator(nn.Module):
    """Vertices (B, N, K, 2) in the fragments' own frames to centres (B, N, 2), from the target's middle."""

    def __init__(self, config: VganConfig) -> None:
        super().__init__()
        self.config = config
        layers: list[nn.Module] = []
        before = config.inputs
        for width in config.hidden:
            layers += [nn.Linear(before, width), nn.BatchNorm1d(width), nn.ReLU()]
            before = width
        self.layers = nn.Sequential(*layers, nn.Linear(before, config.pieces * 2))

    def forward(self, vertices: Tensor) -> Tensor:
        """Where the fragments' centres go."""
        return self.layers((vertices * SCALE).flatten(1)).view(-1, self.config.pieces, 2)


class Discriminator(nn.Module):
    """Placed vertices (B, N, K, 2) to a logit (B,): above 0 if they look like a true puzzle."""

    def __init__(self, config: VganConfig) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = config.inputs
        for width in config.hidden:
            layers += [nn.Linear(before, width), nn.ReLU(), nn.Dropout(config.dropout)]
            before = width
        # The table ends at 16 outputs and leaves open how they make a decision.
        self.layers = nn.Sequential(
            *layers, nn.Linear(before, config.judged), nn.ReLU(), nn.Linear(config.judged, 1)
        )

    def forward(self, placed: Tensor) -> Tensor:
        """How true the placed vertices look."""
        return self.layers((placed * SCALE).flatten(1))[:, 0]


def canonical(vertices: Floats) -> tuple[Floats, Ints]:
    """Fragments (..., N, K, 2) in an order that depends on their shapes alone, and that order (..., N).

    A dense network needs one, and the order of the answer is not to be known. Upright edges are likely on
    the target's outline, so fragments go by the side that theirs face, bottom to top and left to right, and
    by area where none faces any. Each outline begins at its lower left vertex.
    """
    first = vertices.sum(axis=-1).argmin(axis=-1)[..., None]
    around = (first + np.arange(vertices.shape[-2])) % vertices.shape[-2]
    vertices = np.take_along_axis(vertices, around[..., None], axis=-2)
    along = np.roll(vertices, -1, axis=-2) - vertices
    upright = np.abs(along).min(axis=-1) < UPRIGHT * np.abs(along).max(axis=-1)
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1) * upright[..., None]
    facing = np.sign(outward.sum(axis=-2).round(9))  # (..., N, 2)
    x, y = vertices[..., 0], vertices[..., 1]
    area = (x * np.roll(y, -1, axis=-1) - y * np.roll(x, -1, axis=-1)).sum(axis=-1) / 2.0
    order = np.lexsort((-area, facing[..., 0], facing[..., 1]), axis=-1)
    return np.take_along_axis(vertices, order[..., None, None], axis=-3), order


@dataclass(frozen=True, kw_only=True)
class VganParams:
    """How to train; batch and learning rate are the paper's. ``puzzles`` of set ``seed`` are trained on."""

    minutes: float = 6.0
    puzzles: int = 60_000
    seed: int = 0
    batch: int = 128
    learning_rate: float = 1e-4
    # Not in the paper: the usual choices for such networks.
    beta: float = 0.5
    true_label: float = 0.9

    def __post_init__(self) -> None:
        if not self.minutes > 0.0:
            raise ArgumentError(f"minutes must be above 0, not {self.minutes}")
        if self.puzzles < self.batch:
            raise ArgumentError(f"there must be puzzles for a batch of {self.batch}, not {self.puzzles}")


def train(
    config: VganConfig,
    params: VganParams,
    *,
    seed: int = 0,
    on_report: Callable[[int, float, float], None] | None = None,
    report_every: int = 1000,
) -> Generator:
    """A generator trained against its discriminator; reports are (step, loss of each network)."""
    torch.manual_seed(seed)
    generator, discriminator = Generator(config).train(), Discriminator(config).train()
    generating, discriminating = (
        torch.optim.Adam(network.parameters(), lr=params.learning_rate, betas=(params.beta, 0.999))
        for network in (generator, discriminator)
    )
    vertices, centres = _training_set(config, params)
    started, step = time.monotonic(), 0
    while time.monotonic() - started < params.minutes * 60.0:
        shown = vertices[torch.randint(len(vertices), (params.batch,))]
        made = shown + generator(shown)[:, :, None]  # (B, N, K, 2)
        others = torch.randint(len(vertices), (params.batch,))
        true = vertices[others] + centres[others][:, :, None]

        judged_true, judged_made = discriminator(true), discriminator(made.detach())
        loss = _against(judged_true, params.true_label) + _against(judged_made, 0.0)
        discriminating.zero_grad()
        loss.backward()
        discriminating.step()

        deceived = _against(discriminator(made), 1.0)
        generating.zero_grad()
        deceived.backward()
        generating.step()
        step += 1
        if on_report is not None and step % report_every == 0:
            on_report(step, deceived.item(), loss.item())
    return generator.eval()


def _against(logits: Tensor, label: float) -> Tensor:
    return functional.binary_cross_entropy_with_logits(logits, torch.full_like(logits, label))


def _training_set(config: VganConfig, params: VganParams) -> tuple[Tensor, Tensor]:
    """Vertices (P, N, K, 2) and true centres (P, N, 2) of the training puzzles, in canonical order."""
    shape = named_shape(config.shape)
    arrays: Fragmentation = generate_arrays(
        shape, FragmentationParams(pieces=config.pieces), seed=params.seed, stop=params.puzzles
    )
    if arrays.vertices.shape[2] != config.vertices or (arrays.corners != config.vertices).any():
        raise ArgumentError(f"not all fragments of {config.shape} have {config.vertices} vertices")
    vertices, order = canonical(arrays.vertices)
    centres = np.take_along_axis(arrays.poses[..., :2], order[..., None], axis=1) - 0.5
    return torch.from_numpy(vertices).float(), torch.from_numpy(centres).float()


def save_generator(path: Path, generator: Generator, training: Mapping[str, Any]) -> None:
    """The generator's weights as safetensors, with config and training record beside them."""
    save_network(path, "vgan", generator, asdict(generator.config), training)


def load_generator(path: Path) -> tuple[Generator, dict[str, Any]]:
    """What `save_generator` wrote, on the CPU."""
    return load_network(path, "vgan", lambda config: Generator(config.filled(VganConfig())))
