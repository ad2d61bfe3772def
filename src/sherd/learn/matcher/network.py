"""The matcher: features of the remaining shape and of every turned fragment, compared by cross-correlation.

One softmax runs over all fragments, rotations and pixels: one number says which, how turned and where.
A third network, the judge, then looks at the likeliest placements, drawn.

Images are folded first: each 2 x 2 block of pixels becomes 4 channels, and all networks work at half the
image's size and below, where accelerators are quick. Every pixel is still told apart: the shape's network
gives features for each of the 4 places that a fragment's middle may take within a block, and their
correlations with the fragment's features are the scores of the 4 pixels. All that correlating at full size
could express, with a quarter as many features, this can express too.

Shapes in comments: S shapes, M turned fragments, F features, H = W pixels, h = H / 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from sherd.core.errors import ArgumentError
from sherd.learn.folding import fold, unfold
from sherd.learn.training.learner import TrainableNetwork

# Pixels to a block, and so scores to a place of the correlated maps.
PHASES = 4
# The images of a placement that the judge sees, and the facts (`look.Laid`) that it is given.
JUDGE_IMAGES, FACTS = 4, 3


@dataclass(frozen=True, kw_only=True)
class MatcherConfig:
    """The shape of the network.

    ``widths`` are the channels at a half, a quarter and so on of the image's size, ``features`` those that
    are compared. ``sees_target`` shows the whole target beside what remains of it. ``judge_widths`` are the
    channels of the judge.
    """

    size_px: int = 128
    features: int = 32
    widths: tuple[int, ...] = (32, 64, 128)
    sees_target: bool = True
    judge_widths: tuple[int, ...] = (32, 64, 128)

    @property
    def stride_px(self) -> int:
        """A shape moved by a multiple of this has its scores moved with it."""
        return 2 ** len(self.widths)

    def __post_init__(self) -> None:
        if (
            not self.widths
            or not self.judge_widths
            or min(*self.widths, *self.judge_widths, self.features) < 1
        ):
            raise ArgumentError("widths, judge_widths and features must be at least 1")
        if self.size_px % (2 * self.stride_px) or self.size_px % 2 ** len(self.judge_widths):
            coarsest = max(2 * self.stride_px, 2 ** len(self.judge_widths))
            raise ArgumentError(f"size_px must be a multiple of {coarsest}, not {self.size_px}")


class Residual(nn.Module):
    """Two 3 x 3 convolutions whose result is added to what comes in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.second = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.second(functional.relu(self.first(x))))


class UNet(nn.Module):
    """Folded images (B, 4 C, h, h) -> maps of the first width (B, W, h, h) and a code (B, the last width)."""

    def __init__(self, inputs: int, widths: tuple[int, ...]) -> None:
        super().__init__()
        pairs = list(pairwise(widths))
        self.stem = nn.Conv2d(inputs, widths[0], 3, padding=1)
        self.down = nn.ModuleList([nn.Conv2d(fine, coarse, 2, stride=2) for fine, coarse in pairs])
        self.encode = nn.ModuleList([Residual(width) for width in widths])
        self.up = nn.ModuleList([nn.Conv2d(coarse, PHASES * fine, 1) for fine, coarse in pairs])
        self.decode = nn.ModuleList([Residual(fine) for fine, _ in pairs])

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.encode[0](functional.relu(self.stem(x)))
        maps: list[Tensor] = []
        for k, down in enumerate(self.down):
            maps.append(x)
            x = self.encode[k + 1](functional.relu(down(x)))
        code = x.mean(dim=(2, 3))
        for k in reversed(range(len(maps))):
            x = self.decode[k](maps[k] + unfold(self.up[k](x)))
        return x, code


class Fragments(NamedTuple):
    """What is known of M turned fragments: features (M, F, h, h), and a score (M,) that holds anywhere."""

    features: Tensor
    bias: Tensor


class Judge(nn.Module):
    """Says how good placements are, laid; the sum of the facts known of them is where it begins.

    The features of the picture count where the fragment is and next to it: their mean, and the most of each.
    """

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        pairs = list(pairwise(widths))
        self.stem = nn.Conv2d(JUDGE_IMAGES * PHASES, widths[0], 3, padding=1)
        self.down = nn.ModuleList([nn.Conv2d(fine, coarse, 2, stride=2) for fine, coarse in pairs])
        self.encode = nn.ModuleList([Residual(coarse) for _, coarse in pairs])
        self.hidden = nn.Linear(2 * widths[-1] + FACTS, 64)
        self.out = nn.Linear(64, 1)

    def forward(self, laid: Tensor, left: Tensor, target: Tensor, facts: Tensor) -> Tensor:
        """Fragments in their places, what was left and the targets (M, H, W), facts (M, 3) -> values (M,)."""
        overlap = (laid - left).clamp_min(0.0)
        x = functional.relu(self.stem(fold(torch.stack([left, laid, target, overlap], dim=1))))
        for down, encode in zip(self.down, self.encode, strict=True):
            x = encode(functional.relu(down(x)))
        near = functional.max_pool2d(laid[:, None], laid.shape[-1] // x.shape[-1])
        near = (functional.max_pool2d(near, 3, stride=1, padding=1) > 0.0).to(x.dtype)
        mean = (x * near).sum(dim=(2, 3)) / near.sum(dim=(2, 3)).clamp_min(1.0)
        seen = torch.cat([mean, (x * near).amax(dim=(2, 3)), facts.to(x.dtype)], dim=1)
        return facts.sum(dim=1) + self.out(functional.relu(self.hidden(seen))).squeeze(1).float()


class Matcher(TrainableNetwork):
    """Two networks whose features are compared, and a judge; any number of fragments and rotations."""

    name: ClassVar[str] = "matcher"
    config: MatcherConfig

    def __init__(self, config: MatcherConfig) -> None:
        super().__init__()
        self.config = config
        width, features = config.widths[0], config.features
        self.shape_net = UNet((2 if config.sees_target else 1) * PHASES, config.widths)
        self.fragment_net = UNet(PHASES, config.widths)
        self.shape_head = nn.Conv2d(width, PHASES * features, 1)
        self.fragment_head = nn.Conv2d(width, features, 1)
        self.fragment_bias = nn.Linear(config.widths[-1], 1)
        self.judge = Judge(config.judge_widths)
        self.apply(_initialise)
        nn.init.zeros_(self.shape_head.weight)  # at first every pixel is as likely
        nn.init.zeros_(self.fragment_bias.weight)
        nn.init.zeros_(self.judge.out.weight)  # and the judge goes by the facts
        self.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]

    def speed_up(self) -> None:
        """Compile what takes most of the time on an accelerator; results stay the same."""
        for part in (self.shape_net, self.fragment_net, self.judge):
            part.compile()

    def fragments(self, images: Tensor) -> Fragments:
        """What to know of masks (M, H, W) in 0 .. 1."""
        maps, code = self.fragment_net(fold(images[:, None]))
        return Fragments(self.fragment_head(maps).float(), self.fragment_bias(code).squeeze(1).float())

    def shapes(self, remaining: Tensor, target: Tensor) -> Tensor:
        """Features of remaining shapes (S, H, W) of targets (S, H, W): (S, 4, F, h, h)."""
        images = torch.stack([remaining, target], dim=1) if self.config.sees_target else remaining[:, None]
        maps = self.shape_head(self.shape_net(fold(images))[0])
        return maps.float().unflatten(1, (PHASES, self.config.features))


def _initialise(module: nn.Module) -> None:
    """Weights that keep activations at one scale, and no bias; a block adds little to what comes in."""
    if isinstance(module, (nn.Conv2d, nn.Linear)):
        nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        assert module.bias is not None
        nn.init.zeros_(module.bias)
    elif isinstance(module, Residual):
        with torch.no_grad():
            module.second.weight.mul_(0.5)


class Spectra(NamedTuple):
    """Fragments ready to be compared, by puzzle: (P, f, F, M) complex, f frequencies, and scores (P, M)."""

    values: Tensor
    bias: Tensor


def fragment_spectra(fragments: Fragments, puzzles: int) -> Spectra:
    """The spectra of fragments (P M, F, h, h), equally many of each puzzle."""
    half = fragments.features.shape[-1]
    values = torch.fft.rfft2(fragments.features, s=(_padded(half),) * 2).conj()
    values = values.unflatten(0, (puzzles, -1)).flatten(3)  # (P, M, F, f)
    return Spectra(values.permute(0, 3, 2, 1).contiguous(), fragments.bias.unflatten(0, (puzzles, -1)))


def correlate(shapes: Tensor, spectra: Spectra) -> Tensor:
    """The scores of all places: shapes (P, S, 4, F, h, h) by puzzle -> (P, S, M, 4, h, h).

    The score of a fragment whose middle lies at pixel (2 c + dx, 2 r + dy) stands at [.., 2 dy + dx, r, c]:
    the sum, over the fragment's image, of products with the features of the shape beneath it. Outside the
    image the shape has none: the padding to 1.5 times the size is all that this needs.
    """
    steps, features, half = shapes.shape[1], shapes.shape[3], shapes.shape[-1]
    padded = _padded(half)
    # The fragment's middle is half an image from its corner: shifting the shape as far saves rolling back.
    shifted = functional.pad(shapes, (half // 2, 0, half // 2, 0))
    spectrum = torch.fft.rfft2(shifted, s=(padded, padded)).flatten(4)  # (P, S, 4, F, f)
    spectrum = spectrum.flatten(1, 2).permute(0, 3, 1, 2).contiguous()  # (P, f, S 4, F)
    product = (spectrum @ spectra.values).permute(0, 2, 3, 1)  # (P, S 4, M, f)
    maps = torch.fft.irfft2(product.unflatten(3, (padded, -1)), s=(padded, padded))[..., :half, :half]
    maps = maps.unflatten(1, (steps, PHASES)).transpose(2, 3) * (half * features**0.5) ** -1
    return maps + spectra.bias[:, None, :, None, None, None]


def as_images(scores: Tensor) -> Tensor:
    """Scores by place within blocks (..., 4, h, h) as maps over pixels (..., H, W)."""
    return functional.pixel_shuffle(scores, 2).squeeze(-3)


def _padded(half: int) -> int:
    return half + half // 2
