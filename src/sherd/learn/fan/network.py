"""The Fragment Assembly Network of *Learning to Assemble Geometric Shapes* (supplement, Table s.2).

FAN-Select scores every candidate from its own code, the code of the remaining shape and the other
candidates; FAN-Pose turns the code of the chosen one, among the others, and the remaining shape into a map
over pixels.

Shapes in comments: S steps, N fragments, R rotations, C channels, D features, H = W = 128 pixels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from sherd.core.errors import ArgumentError
from sherd.learn.folding import (
    fold,
    folded_conv,
    folded_max_pool,
    folded_pointwise,
    folded_taps,
    folded_up,
    unfold,
)
from sherd.learn.layers import AttentionLayer, BatchNorm
from sherd.learn.training.learner import TrainableNetwork

Aggregation = Literal["fram", "none", "max", "avg"]

# Images that a CPU encodes or decodes at once. With 8, what one layer gives is still at hand for the next,
# and whoever asks to stop, or sets a time limit, need not wait long.
IMAGES_AT_ONCE_ON_CPU = 8
# The channels of the encoder's innermost maps.
CODE_CHANNELS = 64
# What a layer of FRAM adds begins at this share of Xavier's. With all of it, in small runs, what is added
# soon outweighs the layer's input and is the same for every set, so that sets cannot be told apart.
BRANCH_SHARE = 0.1


@dataclass(frozen=True, kw_only=True)
class FanConfig:
    """The shape of the network; the defaults are the paper's.

    ``code_channels`` and ``map_channels`` set the size of the three dense layers that hold nearly all
    parameters: how many channels, at a quarter of the image's size, the encoder flattens (64: all that it
    has) and the decoder begins with. ``pose_sees_others`` lets FAN-Pose, too, know the other candidates;
    ``rotates`` adds the branch that chooses an angle. ``between_pixels`` takes the centre of mass about a
    map's peak for the place, not the middle of the likeliest pixel.
    """

    size_px: int = 128
    channels: int = 1
    features: int = 256
    hidden: int = 2048
    heads: int = 8
    code_channels: int = CODE_CHANNELS
    map_channels: int = 32
    aggregation: Aggregation = "fram"
    shared_encoder: bool = False
    pose_sees_others: bool = True
    rotates: bool = False
    dropout: float = 0.1
    between_pixels: bool = True

    @property
    def pose_relates(self) -> bool:
        """Whether the other candidates make a difference to FAN-Pose."""
        return self.pose_sees_others and self.aggregation != "none"

    def encoded(self, rotations: int) -> int:
        """How many images a step of training encodes for each fragment and what remains then."""
        return (1 if self.shared_encoder else 3) + rotations

    @property
    def coarse_px(self) -> int:
        """The size of the innermost maps."""
        return self.size_px // 4

    def __post_init__(self) -> None:
        if self.size_px < 16 or self.size_px % 16:
            raise ArgumentError(f"size_px must be a multiple of 16, not {self.size_px}")
        for name in ("features", "hidden", "heads", "map_channels"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 1 <= self.code_channels <= CODE_CHANNELS:
            raise ArgumentError(
                f"code_channels must be between 1 and {CODE_CHANNELS}, not {self.code_channels}"
            )
        if not 0.0 <= self.dropout < 0.5:  # the innermost convolutions drop twice as much
            raise ArgumentError(f"dropout must be at least 0 and below 0.5, not {self.dropout}")
        if self.channels not in (1, 4):
            raise ArgumentError(f"channels must be 1 (mask) or 4 (mask and RGB), not {self.channels}")
        if self.aggregation not in ("fram", "none", "max", "avg"):
            raise ArgumentError(f"aggregation must be fram, none, max or avg, not {self.aggregation!r}")
        if self.features % self.heads:
            raise ArgumentError(f"features ({self.features}) must be a multiple of heads ({self.heads})")


# A compact FAN of the same design, small enough to ship. Too small to learn puzzles by heart, it needs no
# dropout; one encoder for both networks makes a step cost two thirds as much.
COMPACT = FanConfig(
    features=128, hidden=512, code_channels=8, map_channels=6, shared_encoder=True, dropout=0.0
)
# What holds of the networks in files that are older than a field, and say nothing of it.
UNSAID: dict[str, Any] = {"pose_sees_others": False}


class Encoded(NamedTuple):
    """An image's code (B, D) and the two feature maps that the decoder's skip connections take.

    The maps are folded where the network is.
    """

    code: Tensor
    fine: Tensor  # (B, 16, H, W)
    middle: Tensor  # (B, 32, H / 2, W / 2)


class OtherCandidates(NamedTuple):
    """Codes (S, N, D) of fragments; those ``present`` (S, N) are the candidates besides the chosen one."""

    codes: Tensor
    present: Tensor


class ConvPair(nn.Module):
    """Two 3 x 3 convolutions with ReLU, dropout between them."""

    taps: Tensor

    def __init__(self, inputs: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.dropout = dropout
        self.register_buffer("taps", folded_taps(), persistent=False)

    def forward(self, x: Tensor, folded: bool = False) -> Tensor:
        def conv(layer: nn.Conv2d, x: Tensor) -> Tensor:
            return folded_conv(layer, x, self.taps) if folded else layer(x)

        x = functional.dropout(functional.relu(conv(self.first, x)), self.dropout, self.training)
        return functional.relu(conv(self.second, x))


class Encoder(nn.Module):
    """(B, C, H, W) -> code (B, D) and the maps on the way."""

    def __init__(self, config: FanConfig) -> None:
        super().__init__()
        self.folded = False
        self.fine = ConvPair(config.channels, 16, config.dropout)
        self.middle = ConvPair(16, 32, config.dropout)
        self.coarse = ConvPair(32, CODE_CHANNELS, 2.0 * config.dropout)
        narrow = config.code_channels < CODE_CHANNELS
        self.narrow = nn.Conv2d(CODE_CHANNELS, config.code_channels, 1) if narrow else nn.Identity()
        self.dense = nn.Linear(config.code_channels * config.coarse_px**2, config.features)

    def forward(self, x: Tensor) -> Encoded:
        if self.folded:
            fine = self.fine(fold(x), folded=True)
            middle = self.middle(fold(folded_max_pool(fine)), folded=True)
            coarse = self.coarse(folded_max_pool(middle))
        else:
            fine = self.fine(x)
            middle = self.middle(functional.max_pool2d(fine, 2))
            coarse = self.coarse(functional.max_pool2d(middle, 2))
        coarse = self.narrow(coarse)
        return Encoded(functional.relu(self.dense(coarse.flatten(1))), fine, middle)

    def in_parts(self, x: Tensor) -> Encoded:
        """The same, on a CPU some images at a time."""
        if x.device.type != "cpu" or len(x) <= IMAGES_AT_ONCE_ON_CPU:
            return self(x)
        parts: list[Encoded] = [self(part) for part in x.split(IMAGES_AT_ONCE_ON_CPU)]
        return Encoded(*(torch.cat(values) for values in zip(*parts, strict=True)))


class Decoder(nn.Module):
    """(B, D) and the remaining shape's maps -> logits over pixels (B, H, W)."""

    def __init__(self, config: FanConfig) -> None:
        super().__init__()
        self.folded = False
        self.coarse = (config.map_channels, config.coarse_px, config.coarse_px)
        self.dense = nn.Linear(config.features, config.map_channels * config.coarse_px**2)
        self.up_middle = nn.ConvTranspose2d(config.map_channels, 32, 2, stride=2)
        self.middle = ConvPair(32 + 32, 32, config.dropout)
        self.up_fine = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.fine = ConvPair(16 + 16, 16, config.dropout)
        self.logits = nn.Conv2d(16, 1, 1)

    def forward(self, x: Tensor, fine: Tensor, middle: Tensor) -> Tensor:
        x = functional.relu(self.dense(x)).unflatten(1, self.coarse)
        if self.folded:
            x = self.middle(torch.cat([folded_up(self.up_middle, x), middle], dim=1), folded=True)
            x = self.fine(torch.cat([folded_up(self.up_fine, unfold(x)), fine], dim=1), folded=True)
            return unfold(folded_pointwise(self.logits, x)).squeeze(1)
        x = self.middle(torch.cat([self.up_middle(x), middle], dim=1))
        x = self.fine(torch.cat([self.up_fine(x), fine], dim=1))
        return self.logits(x).squeeze(1)

    def in_parts(self, *given: Tensor) -> Tensor:
        """The same, on a CPU some at a time."""
        if given[0].device.type != "cpu" or len(given[0]) <= IMAGES_AT_ONCE_ON_CPU:
            return self(*given)
        parts = zip(*(value.split(IMAGES_AT_ONCE_ON_CPU) for value in given), strict=True)
        return torch.cat([self(*part) for part in parts])


class Fram(nn.Module):
    """Fragment relation attention: a set of codes -> each code in its context, and the whole set's code."""

    def __init__(self, config: FanConfig) -> None:
        super().__init__()
        layer = (config.features, config.heads, config.hidden, config.dropout)
        self.encoder = nn.ModuleList([AttentionLayer(*layer) for _ in range(2)])
        self.decoder = nn.ModuleList([AttentionLayer(*layer) for _ in range(2)])

    def forward(self, codes: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
        """Codes (S, N, D), of which ``present`` (S, N) count -> (S, N, D) and (S, D)."""
        related = codes
        for layer in self.encoder:
            related = layer(related, related, present)
        whole = torch.ones_like(codes[:, :1])  # the paper's all-ones query
        for layer in self.decoder:
            whole = layer(whole, related, present)
        return codes + related, whole.squeeze(1)


class Mlp(nn.Module):
    """Three dense layers, two with batch normalisation and ReLU: (..., inputs) -> (..., outputs)."""

    def __init__(self, inputs: int, features: int, outputs: int) -> None:
        super().__init__()
        self.dense = nn.ModuleList([nn.Linear(inputs, features), nn.Linear(features, features)])
        self.norms = nn.ModuleList([BatchNorm(features) for _ in range(2)])
        self.out = nn.Linear(features, outputs)

    def forward(self, x: Tensor, present: Tensor | None = None) -> Tensor:
        """Rows that are not ``present`` (...) count in no statistics."""
        for dense, norm in zip(self.dense, self.norms, strict=True):
            x = functional.relu(norm(dense(x), present))
        return self.out(x)


def _initialise(module: nn.Module) -> None:
    """Weights that keep activations at one scale, and no bias.

    With PyTorch's own, the codes of unlike fragments differ by less than bfloat16 resolves.
    """
    if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
    elif isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
    if isinstance(module, (Encoder, Decoder)):
        nn.init.kaiming_normal_(module.dense.weight, nonlinearity="relu")
    if isinstance(module, AttentionLayer):  # after the layers in it
        module.quieten(BRANCH_SHARE)
    if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d, nn.Linear)) and module.bias is not None:
        nn.init.zeros_(module.bias)


class Fan(TrainableNetwork):
    """FAN-Select and FAN-Pose; any number of fragments, in any order."""

    name: ClassVar[str] = "fan"
    unsaid: ClassVar[Mapping[str, Any]] = UNSAID
    config: FanConfig

    def __init__(self, config: FanConfig) -> None:
        super().__init__()
        self.config = config
        features = config.features
        self.select_encoder = Encoder(config)
        self.own_pose_encoder = None if config.shared_encoder else Encoder(config)
        self.fram = Fram(config) if config.aggregation == "fram" else None
        self.select_mlp = Mlp((2 if config.aggregation == "none" else 3) * features, features, 1)
        self.pose_mlp = Mlp((3 if config.pose_relates else 2) * features, features, features)
        self.decoder = Decoder(config)
        self.rotation_mlp = Mlp(3 * features, features, 1) if config.rotates else None
        self.apply(_initialise)
        nn.init.zeros_(self.decoder.logits.weight)  # at first every pixel is as likely

    @property
    def pose_encoder(self) -> Encoder:
        """FAN-Pose's encoder: its own, or FAN-Select's where they share one."""
        return self.select_encoder if self.own_pose_encoder is None else self.own_pose_encoder

    @property
    def unbound(self) -> frozenset[str]:
        """Dropout; and where nothing is aggregated, what FAN-Pose sees is of no account."""
        alone = {"pose_sees_others"} if self.config.aggregation == "none" else set[str]()
        return super().unbound | alone

    def speed_up(self) -> None:
        """Fold and compile what takes nearly all the time on an accelerator; results stay the same."""
        for part in (self.select_encoder, self.own_pose_encoder, self.decoder):
            if part is not None:
                part.folded = True
                part.compile()

    def select(self, codes: Tensor, shape_codes: Tensor, present: Tensor) -> Tensor:
        """Which fragment is next: codes (S, N, D), (S, D), candidates (S, N) -> logits (S, N)."""
        related, *whole = self._relate(codes, present)
        parts = [related, *(code[:, None].expand_as(related) for code in (shape_codes, *whole))]
        scores = self.select_mlp(torch.cat(parts, dim=-1), present).squeeze(-1)
        return scores.float().masked_fill(~present, float("-inf"))

    def rotate(self, copies: Tensor, shape_codes: Tensor) -> Tensor:
        """At which angle: codes of one fragment's rotated copies (S, R, D), (S, D) -> logits (S, R)."""
        assert self.rotation_mlp is not None, "this network was made without a rotation branch"
        present = torch.ones(copies.shape[:2], dtype=torch.bool, device=copies.device)
        if self.fram is not None:
            copies, whole = self.fram(copies, present)
        else:
            whole = copies.mean(dim=1)
        features = [copies, *(c[:, None].expand_as(copies) for c in (shape_codes, whole))]
        return self.rotation_mlp(torch.cat(features, dim=-1)).squeeze(-1).float()

    def locate(self, codes: Tensor, shapes: Encoded, others: OtherCandidates | None = None) -> Tensor:
        """Where: codes (S, D) of the fragments as turned, and the shapes -> logits (S, H, W).

        ``others`` are needed where they make a difference.
        """
        parts = [codes, shapes.code]
        if self.config.pose_relates:
            assert others is not None, "this network was made to see the other candidates"
            members = torch.cat([codes[:, None], others.codes], dim=1)
            related, *whole = self._relate(members, functional.pad(others.present, (1, 0), value=True))
            parts = [related[:, 0], shapes.code, *whole]
        x = self.pose_mlp(torch.cat(parts, dim=-1))
        return self.decoder.in_parts(x, shapes.fine, shapes.middle).float()

    def _relate(self, codes: Tensor, present: Tensor) -> tuple[Tensor, ...]:
        """Codes (S, N, D) in the context of those present, and, if there is one, the whole set's (S, D)."""
        if self.fram is not None:
            return self.fram(codes, present)
        if self.config.aggregation == "max":
            return codes, codes.masked_fill(~present[..., None], float("-inf")).amax(dim=1)
        if self.config.aggregation == "avg":
            share = present / present.sum(dim=1, keepdim=True)
            return codes, (codes * share[..., None]).sum(dim=1)
        return (codes,)
