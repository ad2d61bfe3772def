"""The same convolutions on folded images, which an accelerator computes up to six times faster.

Tensor cores are idle when a layer has 16 channels. Folding moves each 2 x 2 block of pixels into the
channels, (B, C, H, W) -> (B, 4 C, H / 2, W / 2); a 3 x 3 convolution is then one of 3 x 3 blocks with a
kernel built from the same weights, mostly zeros. Four times the arithmetic, in the shape the hardware
likes: 4.0 instead of 12.0 ms for the first two layers of FAN's encoder on 1,024 images on an H200.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


def fold(x: Tensor) -> Tensor:
    """(B, C, H, W) -> (B, 4 C, H / 2, W / 2)."""
    return functional.pixel_unshuffle(x, 2).contiguous(memory_format=torch.channels_last)


def unfold(x: Tensor) -> Tensor:
    """(B, 4 C, H / 2, W / 2) -> (B, C, H, W)."""
    return functional.pixel_shuffle(x, 2).contiguous(memory_format=torch.channels_last)


def folded_conv(layer: nn.Conv2d, x: Tensor, taps: Tensor) -> Tensor:
    """What the 3 x 3 layer gives for the unfolded image, folded; ``taps`` are `folded_taps`."""
    weights = functional.pad(layer.weight.flatten(2), (0, 1))  # (O, I, 9 taps and a zero)
    kernel = weights[:, :, taps]  # (O, I, 4, 4, 3, 3)
    outputs, inputs = layer.weight.shape[:2]
    kernel = kernel.transpose(1, 2).reshape(4 * outputs, 4 * inputs, 3, 3)
    assert layer.bias is not None
    return functional.conv2d(x, kernel, layer.bias.repeat_interleave(4), padding=1)


def folded_up(layer: nn.ConvTranspose2d, x: Tensor) -> Tensor:
    """What the 2 x 2 transposed layer of stride 2 gives for an image as it is, folded."""
    kernel = layer.weight.permute(1, 2, 3, 0).reshape(-1, layer.in_channels, 1, 1)
    assert layer.bias is not None
    return functional.conv2d(x, kernel, layer.bias.repeat_interleave(4))


def folded_pointwise(layer: nn.Conv2d, x: Tensor) -> Tensor:
    """What the 1 x 1 layer gives for the unfolded image, folded."""
    eye = torch.eye(4, device=x.device, dtype=layer.weight.dtype)
    kernel = torch.kron(layer.weight[:, :, 0, 0], eye)[:, :, None, None]
    assert layer.bias is not None
    return functional.conv2d(x, kernel, layer.bias.repeat_interleave(4))


def folded_max_pool(x: Tensor) -> Tensor:
    """2 x 2 max-pooling of a folded image: (B, 4 C, H, W) -> (B, C, H, W), no longer folded."""
    return x.unflatten(1, (-1, 4)).amax(dim=2)


def folded_taps() -> Tensor:
    """Which of the 9 taps, or the zero after them, joins two pixels of folded blocks: (4, 4, 3, 3).

    Indexed by the pixel within its own block, the pixel within the other block, and the step between the
    blocks.
    """
    index = torch.full((4, 4, 3, 3), 9)
    for here in range(4):
        for there in range(4):
            for block in range(9):
                row = 2 * (block // 3 - 1) + there // 2 - here // 2
                column = 2 * (block % 3 - 1) + there % 2 - here % 2
                if abs(row) <= 1 and abs(column) <= 1:
                    index[here, there, block // 3, block % 3] = 3 * (row + 1) + column + 1
    return index
