"""The networks as ONNX files, for people who run them elsewhere.

Each network becomes a few files, one for each thing that is computed at another time: fragments once for a
puzzle, the remaining shape at every step. ``network.json`` beside them says how they fit together.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from sherd.core.errors import UnsupportedError
from sherd.io.atomic import write_atomically
from sherd.learn.fan.network import Encoded, Encoder, Fan, OtherCandidates
from sherd.learn.matcher.look import (
    CONFLICT,
    CONTACT_PX,
    CONTACT_WEIGHT,
    LOOKED_AT,
    OVERLAP_WEIGHT,
    WORTH_IT,
)
from sherd.learn.matcher.network import Matcher

FORMAT, VERSION = "sherd.onnx", 1
OPSET = 17
# How the files fit together, for a person who has only them.
IMAGES = (
    "H = W = size_px, row 0 on top; the target's box fills its image; a fragment's box has its "
    "middle on the centre of the pixel in column and row H / 2"
)
FAN_TOGETHER = {
    "images": IMAGES,
    "codes": "select_encoder gives those of all fragments, not turned, once, and that of what is left at "
    "every step; pose_encoder that of the chosen fragment in all its rotations, that of what is left, with "
    "its maps, and, where locate takes them, those of the others, not turned",
    "step": "select says which fragment is next, the highest of those present; rotate, if there are "
    "rotations, which of its turned copies; locate, for that copy, where the middle of its image lies: on "
    "the pixel with the highest score, and more closely in the centre of mass of the softmax around it; "
    "take the fragment, on that pixel, from what is left, and go on",
}
RING = f"{2 * CONTACT_PX + 1} x {2 * CONTACT_PX + 1}"
MATCHER_TOGETHER = {
    "images": IMAGES,
    "scores": "with h = H / 2, p = 1.5 h: shapes in p x p zeros from row and column h / 2 on, rfft2 of "
    "them times the conjugate of rfft2 of the fragments' features padded at the end to p x p, "
    "summed over the F features, irfft2, the first h x h, divided by h sqrt(F), plus the "
    "fragment's bias; [s, m, 2 dy + dx, r, c] is the score of fragment m with its middle on "
    "column 2 c + dx, row 2 r + dy of shape s",
    "probability": "one softmax over all fragments that are left, their rotations and pixels; that of a "
    "placement is the sum over 3 x 3 pixels, its place their mean; placements of one turned "
    "fragment are peaks of that sum within 5 x 5 pixels; the judge is asked about the "
    f"{LOOKED_AT} likeliest, those at least {WORTH_IT:g} times as likely as the best",
    "facts": f"the logarithm of the probability; -{OVERLAP_WEIGHT:g} times the fragment's pixels that do not "
    f"lie on what was left, outside the image too; -{CONTACT_WEIGHT:g} times the share of what was left in "
    f"the ring around the laid fragment, which is its maximum over {RING} pixels less itself",
    "step": "a softmax of the judge's values says how likely each of these placements is; two are in "
    f"conflict if they are of the same fragment or share more than {CONFLICT:g} of the smaller one's pixels; "
    "make the one with the largest square of its probability divided by the sum of those in conflict with "
    "it, itself included; take it from what is left, and go on",
}


@dataclass(frozen=True)
class OnnxPart:
    """A function of a network that becomes one file.

    ``inputs`` are examples by name, ``free`` the name of each dimension that may have another size, in the
    order of the input's dimensions, None where it may not. The first dimension of every output is as free as
    that of the first input.
    """

    module: nn.Module
    inputs: Mapping[str, Tensor]
    free: Mapping[str, tuple[str | None, ...]]
    outputs: tuple[str, ...]
    says: str


def export(model: Fan | Matcher, folder: Path) -> list[Path]:
    """Write the network's files into a folder, and say which; `UnsupportedError` without onnx."""
    if find_spec("onnx") is None:
        raise UnsupportedError("export needs the package onnx: pip install 'sherd[onnx]'")
    parts = matcher_parts(model) if isinstance(model, Matcher) else fan_parts(model)
    folder.mkdir(parents=True, exist_ok=True)
    model.eval()
    written: list[Path] = []
    for name, part in parts.items():
        path = folder / f"{name}.onnx"
        write_atomically(path, _onnx(part))
        written.append(path)
    about: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "network": model.name,
        "config": asdict(model.config),
        "together": MATCHER_TOGETHER if isinstance(model, Matcher) else FAN_TOGETHER,
        "parts": {
            f"{name}.onnx": {"inputs": list(part.inputs), "outputs": list(part.outputs), "says": part.says}
            for name, part in parts.items()
        },
    }
    description = folder / "network.json"
    write_atomically(description, json.dumps(about, indent=2) + "\n")
    return [*written, description]


def _onnx(part: OnnxPart) -> bytes:
    free = {
        name: {k: size for k, size in enumerate(sizes) if size is not None}
        for name, sizes in part.free.items()
    }
    many = next(iter(part.free.values()))[0]
    free |= {name: {0: many} for name in part.outputs if many is not None}
    stream = BytesIO()
    # The exporter by tracing is called outdated, but it takes a tenth of a second where the other takes ten.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            part.module.eval(),
            tuple(part.inputs.values()),
            stream,  # pyright: ignore[reportArgumentType]  (a stream is as good as a path)
            input_names=list(part.inputs),
            output_names=list(part.outputs),
            dynamic_axes=free,
            opset_version=OPSET,
            dynamo=False,
        )
    return stream.getvalue()


class _Function(nn.Module):
    """A function of a network as a module of its own, which is what the exporter takes."""

    def __init__(self, model: nn.Module, call: Callable[..., Any]) -> None:
        super().__init__()
        self.model, self.call = model, call

    def forward(self, *inputs: Tensor) -> Any:
        return self.call(*inputs)


def matcher_parts(model: Matcher) -> dict[str, OnnxPart]:
    """What the matcher computes; comparing the features is left to an FFT, as `correlate` does it."""
    size = model.config.size_px
    image = torch.zeros(2, size, size, device=model.device)
    inputs = {"remaining": image, "target": image}
    if not model.config.sees_target:
        del inputs["target"]

    def fragments(images: Tensor) -> tuple[Tensor, Tensor]:
        found = model.fragments(images)
        return found.features, found.bias

    def shapes(remaining: Tensor, *target: Tensor) -> Tensor:
        return model.shapes(remaining, *(target or (remaining,)))

    return {
        "fragments": OnnxPart(
            _Function(model, fragments),
            {"images": image},
            {"images": ("fragments", None, None)},
            ("features", "bias"),
            "masks (M, H, W), 0 to 1, of turned fragments: features (M, F, H/2, W/2), and a score each (M)",
        ),
        "shapes": OnnxPart(
            _Function(model, shapes),
            inputs,
            dict.fromkeys(inputs, ("shapes", None, None)),
            ("features",),
            "what remains of targets, and the targets (S, H, W): features (S, 4, F, H/2, W/2), by the place "
            "of a fragment's middle within 2 x 2 pixels",
        ),
        "judge": OnnxPart(
            model.judge,
            {"laid": image, "left": image, "target": image, "facts": torch.zeros(2, 3, device=model.device)},
            dict.fromkeys(("laid", "left", "target"), ("placements", None, None))
            | {"facts": ("placements", None)},
            ("values",),
            "fragments in their places, what was left before and the targets (M, H, W), and facts (M, 3), "
            "as docs/matcher.md has them: how good the placements are (M)",
        ),
    }


def fan_parts(model: Fan) -> dict[str, OnnxPart]:
    """What FAN computes: codes of images, and which, at what angle and where from those."""
    config, device = model.config, model.device
    image = torch.zeros(2, config.channels, config.size_px, config.size_px, device=device)
    codes, code = (torch.zeros(*shape, config.features, device=device) for shape in ((2, 3), (2,)))
    present = torch.ones(2, 3, dtype=torch.bool, device=device)
    with torch.no_grad():
        fine, middle = model.pose_encoder(image)[1:]

    def locate(codes: Tensor, shape_codes: Tensor, fine: Tensor, middle: Tensor, *others: Tensor) -> Tensor:
        return model.locate(
            codes, Encoded(shape_codes, fine, middle), OtherCandidates(*others) if others else None
        )

    def coding(encoder: Encoder) -> _Function:
        def encode(images: Tensor) -> tuple[Tensor, ...]:
            return tuple(encoder(images))

        return _Function(encoder, encode)

    encoder = OnnxPart(
        coding(model.select_encoder),
        {"images": image},
        {"images": ("images", None, None, None)},
        ("codes", "fine", "middle"),
        "images (B, C, H, W), 0 to 1: FAN-Select's codes (B, D), and maps that it does not need",
    )
    parts = {
        "select_encoder": encoder,
        "pose_encoder": OnnxPart(
            coding(model.pose_encoder),
            encoder.inputs,
            encoder.free,
            encoder.outputs,
            "the same for FAN-Pose, which needs the maps of the remaining shape",
        ),
        "select": OnnxPart(
            _Function(model, model.select),
            {"codes": codes, "shape_codes": code, "present": present},
            {
                "codes": ("steps", "fragments", None),
                "shape_codes": ("steps", None),
                "present": ("steps", "fragments"),
            },
            ("logits",),
            "codes of the candidates (S, N, D) and of the remaining shape (S, D), and which of them are "
            "there (S, N): scores (S, N)",
        ),
        "locate": OnnxPart(
            _Function(model, locate),
            {"codes": code, "shape_codes": code, "fine": fine, "middle": middle},
            {
                "codes": ("steps", None),
                "shape_codes": ("steps", None),
                "fine": ("steps", None, None, None),
                "middle": ("steps", None, None, None),
            },
            ("logits",),
            "a fragment's code as turned (S, D), the remaining shape's code and maps: scores (S, H, W)",
        ),
    }
    if config.pose_relates:
        alone, select = parts["locate"], parts["select"]
        parts["locate"] = replace(
            alone,
            inputs={**alone.inputs, "others": codes, "present": present},
            free={**alone.free, "others": select.free["codes"], "present": select.free["present"]},
            says="a fragment's code as turned (S, D), the remaining shape's code and maps, codes of "
            "fragments not turned (S, N, D), and which of them are candidates besides it (S, N): scores "
            "(S, H, W)",
        )
    if config.rotates:
        parts["rotate"] = OnnxPart(
            _Function(model, model.rotate),
            {"copies": codes, "shape_codes": code},
            {"copies": ("steps", "rotations", None), "shape_codes": ("steps", None)},
            ("logits",),
            "codes of a fragment's turned copies (S, R, D) and of the remaining shape (S, D): scores (S, R)",
        )
    return parts
