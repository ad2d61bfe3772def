"""Teaching FAN all steps of a puzzle at once, and letting it assemble.

A fragment's code does not depend on the step, so N fragments and the N shapes that remain before each
step are encoded once and give N training steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from sherd.core.errors import ArgumentError
from sherd.learn.data.batch import PuzzleBatch, as_floats, cells_at, place, remaining_images
from sherd.learn.fan.network import IMAGES_AT_ONCE_ON_CPU, Encoded, Encoder, Fan, OtherCandidates
from sherd.learn.training.losses import POOLS_PX, TruePlace, choice_loss, position_loss
from sherd.learn.training.parts import IMAGES_AT_ONCE, assemble_in_parts
from sherd.learn.training.threads import Each, sharing

# How far around its peak, in pixels each way, a map is averaged for a place between pixels, and the steps
# that such places are rounded to: what is below depends on how many puzzles are assembled at once.
PEAK_REACH, PEAK_STEPS = 3, 64
# The largest cell that places may be compared in.
MOST_POOL_PX = 1024


@dataclass(frozen=True, kw_only=True)
class FanLossParams:
    """How the three losses are weighed, and how the network is taught.

    Earlier fragments lie ``spread_px`` from their true places, and FRAM learns at ``attention_rate`` times
    the rate of the rest. ``pools_px`` are the cells that places are compared in; ``true_place`` counts the
    four pixels about a place in shares, or the one pixel that holds it. Adam is blind to the scale of a loss,
    so the weights matter only to what several losses share (FRAM, a shared encoder, where fragments turn
    FAN-Pose's) and where gradients are clipped.
    """

    position_weight: float = 1.0
    rotation_weight: float = 1.0
    spread_px: float = 0.5
    attention_rate: float = 0.3
    pools_px: tuple[int, ...] = POOLS_PX
    true_place: TruePlace = "shares"

    def __post_init__(self) -> None:
        for name in ("position_weight", "rotation_weight", "spread_px", "attention_rate"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise ArgumentError(f"{name} must be at least 0 and finite, not {getattr(self, name)}")
        if not self.pools_px or not all(1 <= pool <= MOST_POOL_PX for pool in self.pools_px):
            raise ArgumentError(f"pools_px must be sizes of 1 to {MOST_POOL_PX}, not {list(self.pools_px)}")
        if self.attention_rate == 0.0:
            raise ArgumentError("attention_rate must be greater than 0")


# What holds of runs that are older than a field, and say nothing of it.
UNSAID_LOSSES: dict[str, Any] = {"attention_rate": 1.0}


@dataclass(frozen=True)
class Greedy:
    """Answers for B puzzles of N fragments, step by step.

    chosen      (B, N)     which fragment each step placed, -1 where it was stopped before
    cells       (B, N, 2)  where, as (column, row), by step
    offsets     (B, N, 2)  how far from the middles of those pixels it holds the places to be, by step
    turns       (B, N)     at which rotation, by step
    confidence  (B, N, 3)  probabilities of the choice, the rotation and the pixel, by step
    remaining   (B, H, W)  what no fragment covers in the end
    """

    chosen: Tensor
    cells: Tensor
    offsets: Tensor
    turns: Tensor
    confidence: Tensor
    remaining: Tensor


@dataclass(frozen=True)
class _Step:
    """One step of B assemblies: a row of `Greedy` each, and what it is drawn from.

    logits  (B, H, W)  of the pixels, for the fragment that was chosen, as it was turned
    left    (B, H, W)  what no fragment covers after it
    """

    choice: Tensor
    turn: Tensor
    cell: Tensor
    offset: Tensor
    confidence: Tensor
    logits: Tensor
    left: Tensor


class FanLearner(nn.Module):
    """A FAN with what training and assembling need besides the network."""

    def __init__(self, model: Fan, params: FanLossParams | None = None) -> None:
        super().__init__()
        self.model = model
        self.params = params or FanLossParams()

    @property
    def _dtype(self) -> torch.dtype:
        device = self.model.device
        fast = device.type == "cuda" and torch.cuda.is_bf16_supported()
        return torch.bfloat16 if fast else torch.float32

    def autocast(self) -> torch.autocast:
        dtype = self._dtype
        return torch.autocast(self.model.device.type, dtype=dtype, enabled=dtype != torch.float32)

    def forward(self, batch: PuzzleBatch, noise: Tensor) -> dict[str, Tensor]:
        """The losses of all steps of all puzzles; ``loss`` is their weighted sum.

        ``noise`` (B, N, 2), of unit variance, moves the fragments placed earlier, as imperfect steps would.
        """
        model, device, size = self.model, self.model.device, batch.images.shape[-1]
        puzzles, pieces = batch.images.shape[:2]
        cells = cells_at(batch.centres + self.params.spread_px * noise, size)
        shapes = remaining_images(batch, cells).flatten(0, 1)  # (S, C, H, W)
        every, step = torch.arange(puzzles, device=device)[:, None], torch.arange(pieces, device=device)

        def at_every_step(values: Tensor) -> Tensor:
            """Of fragments (B, N, D), the same at all steps of their puzzle: (S, N, D)."""
            return values[:, None].expand(-1, pieces, -1, -1).flatten(0, 1)

        # At step t the fragments t .. N - 1 are candidates, and t is the right one: (S, N).
        present = (step >= step[:, None]).repeat(puzzles, 1)
        besides = (step > step[:, None]).repeat(puzzles, 1)
        with self.autocast():
            codes, copies = self._encode_fragments(batch.images)
            select_shapes, pose_shapes = self.encode_shapes(shapes)
            choice_logits = model.select(at_every_step(codes), select_shapes.code, present)
            turned = copies[every, step, batch.turns].flatten(0, 1)  # (S, D)
            relates = model.config.pose_relates
            others = OtherCandidates(at_every_step(copies[:, :, 0]), besides) if relates else None
            pixel_logits = model.locate(turned, pose_shapes, others)
            losses = {
                "select": choice_loss(choice_logits, step.repeat(puzzles)),
                "position": position_loss(
                    pixel_logits, batch.centres.flatten(0, 1), self.params.pools_px, self.params.true_place
                ),
            }
            losses["loss"] = losses["select"] + self.params.position_weight * losses["position"]
            if model.config.rotates:
                turn_logits = model.rotate(copies.flatten(0, 1), pose_shapes.code)
                losses["rotation"] = choice_loss(turn_logits, batch.turns.flatten())
                losses["loss"] = losses["loss"] + self.params.rotation_weight * losses["rotation"]
        return losses

    def share_of_rate(self, name: str) -> float:
        """At which share of the learning rate a parameter of this learner learns, by its name."""
        return self.params.attention_rate if name.startswith("model.fram.") else 1.0

    def coverage(self, puzzles: PuzzleBatch, stop: Callable[[int], bool]) -> Tensor | None:
        """How much of each puzzle a greedy assembly covers, in pixels; None where it was stopped."""
        found = self.assemble(puzzles.images, puzzles.target, stop)
        return None if bool((found.chosen < 0).any()) else pixel_coverage(puzzles, found)

    def assemble(
        self, images: Tensor, target: Tensor, stop: Callable[[int], bool] = lambda steps: False
    ) -> Greedy:
        """Place all fragments greedily: the likeliest one, at its likeliest angle and pixel, and so on.

        ``images`` and ``target`` are a `PuzzleBatch`'s; any number of puzzles, a part of them at a time.
        ``stop``, called with the number of steps taken, may end it early, also while fragments are encoded.
        """
        return assemble_in_parts(
            lambda images, target, each: self._assemble_part(images, target, stop, each), images, target
        )

    def explain(self, images: Tensor, target: Tensor) -> Generator[Tensor]:
        """What a greedy assembly of one puzzle (1, N, R, C, H, W) holds likely, step by step.

        Log-probabilities (H, W) of the pixels, for the fragment that is chosen, turned as it is.
        """
        with sharing(images.device) as each:
            for step in self._steps(images, target, lambda steps: False, each):
                yield step.logits.flatten(1).log_softmax(dim=1).view_as(step.logits)[0]

    def _assemble_part(
        self, images: Tensor, target: Tensor, stop: Callable[[int], bool], each: Each
    ) -> Greedy:
        device, (puzzles, pieces) = images.device, images.shape[:2]
        chosen = torch.full((puzzles, pieces), -1, device=device)
        cells = torch.zeros((puzzles, pieces, 2), dtype=torch.long, device=device)
        offsets = torch.zeros((puzzles, pieces, 2), device=device)
        turns, confidence = torch.zeros_like(chosen), torch.zeros((puzzles, pieces, 3), device=device)
        left = as_floats(target[:, 0])
        for k, step in enumerate(self._steps(images, target, stop, each)):
            chosen[:, k], turns[:, k], cells[:, k] = step.choice, step.turn, step.cell
            offsets[:, k], confidence[:, k], left = step.offset, step.confidence, step.left
        return Greedy(chosen, cells, offsets, turns, confidence, left)

    @torch.no_grad()
    def _steps(
        self, images: Tensor, target: Tensor, stop: Callable[[int], bool], each: Each
    ) -> Generator[_Step]:
        """The steps of a greedy assembly.

        Unless FAN-Pose relates all candidates, a fragment is encoded for its pose only once it is chosen.
        """
        model = self.model
        puzzles, pieces, rotations = images.shape[:3]
        every = torch.arange(puzzles, device=images.device)
        present = torch.ones((puzzles, pieces), dtype=torch.bool, device=images.device)
        aim = as_floats(target)
        left = aim[:, 0]
        model.eval()
        upright = images[:, :, 0]
        codes = self.codes_in_parts(model.select_encoder, upright, stop, 0, each)
        if codes is None:
            return
        pose_codes = codes if model.config.shared_encoder else None  # of all, where they are at hand
        if model.config.pose_relates and pose_codes is None:
            pose_codes = self.codes_in_parts(model.pose_encoder, upright, stop, 0, each)
            if pose_codes is None:
                return
        for k in range(pieces):
            if stop(k):
                return
            shape = torch.cat([left[:, None], aim[:, 1:] * left[:, None]], dim=1)
            with self.autocast():
                select_shape, pose_shape = self.encode_shapes(shape)
                choice_p, choice = model.select(codes, select_shape.code, present).softmax(dim=1).max(dim=1)
            if pose_codes is not None and rotations == 1:
                copies = pose_codes[every, choice, None]  # (B, R, D)
            else:
                copies = self.codes_in_parts(model.pose_encoder, images[every, choice], stop, k, each)
                if copies is None:
                    return
            present = present.scatter(1, choice[:, None], False)
            with self.autocast():
                if model.config.rotates:
                    turn_p, turn = model.rotate(copies, pose_shape.code).softmax(dim=1).max(dim=1)
                else:
                    turn_p, turn = torch.ones_like(choice_p), torch.zeros_like(choice)
                others = None if pose_codes is None else OtherCandidates(pose_codes, present)
                logits = model.locate(copies[every, turn], pose_shape, others)
            probability = logits.flatten(1).softmax(dim=1)
            pixel_p, pixel = probability.max(dim=1)
            cell = torch.stack([pixel % images.shape[-1], pixel // images.shape[-1]], dim=1)
            left = (left - as_floats(place(images[every, choice, turn, 0], cell))).clamp_min(0.0)
            yield _Step(
                choice=choice,
                turn=turn,
                cell=cell,
                offset=peak_offsets(probability.view_as(logits), cell)
                if model.config.between_pixels
                else torch.zeros(cell.shape, device=cell.device),
                confidence=torch.stack([choice_p, turn_p, pixel_p], dim=1),
                logits=logits,
                left=left,
            )

    def _encode_fragments(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """FAN-Select's codes (B, N, D) and FAN-Pose's of all rotated copies (B, N, R, D)."""
        model = self.model
        copies = self._codes(model.pose_encoder, images.flatten(0, 2)).unflatten(0, images.shape[:3])
        if model.config.shared_encoder:
            return copies[:, :, 0], copies
        codes = self._codes(model.select_encoder, images[:, :, 0].flatten(0, 1))
        return codes.unflatten(0, images.shape[:2]), copies

    def _codes(self, encoder: Encoder, images: Tensor) -> Tensor:
        """Codes (M, D) of images (M, C, H, W)."""
        return encoder.in_parts(as_floats(images, self._dtype)).code

    def codes_in_parts(
        self, encoder: Encoder, images: Tensor, stop: Callable[[int], bool], steps: int, each: Each
    ) -> Tensor | None:
        """Codes (B, K, D) of images (B, K, C, H, W), a part at a time.

        None once ``stop``, asked before each part with the number of ``steps`` taken, says so.
        """

        @torch.no_grad()
        def codes(part: Tensor) -> Tensor | None:
            if stop(steps):
                return None
            with self.autocast():
                return self._codes(encoder, part)

        at_once = IMAGES_AT_ONCE_ON_CPU if images.device.type == "cpu" else IMAGES_AT_ONCE
        found = list(each(codes, images.flatten(0, 1).split(at_once)))
        made = [part for part in found if part is not None]
        return torch.cat(made).unflatten(0, images.shape[:2]) if len(made) == len(found) else None

    def encode_shapes(self, shapes: Tensor) -> tuple[Encoded, Encoded]:
        """Remaining shapes (S, C, H, W) as FAN-Select and as FAN-Pose sees them."""
        shapes = shapes.to(self._dtype)
        select = self.model.select_encoder.in_parts(shapes)
        shared = self.model.config.shared_encoder
        return select, select if shared else self.model.pose_encoder.in_parts(shapes)


def peak_offsets(probability: Tensor, cells: Tensor) -> Tensor:
    """From the peaks (B, 2) of maps (B, H, W), as (column, row), to the centres of mass near them, (B, 2).

    The network says which pixel; between two that are as likely, the place is in the middle.
    """
    size = probability.shape[-1]
    reach = torch.arange(-PEAK_REACH, PEAK_REACH + 1, device=cells.device)
    at = cells[:, :, None] + reach  # (B, 2, K)
    inside = (at >= 0) & (at < size)
    columns, rows = at.clamp(0, size - 1).unbind(dim=1)
    every = torch.arange(len(cells), device=cells.device)[:, None, None]
    near = probability[every, rows[:, :, None], columns[:, None]]  # (B, K, K)
    near = near * (inside[:, 1, :, None] & inside[:, 0, None])
    mass = near.sum(dim=(1, 2))
    offsets = torch.stack([(near.sum(dim=axis) * reach).sum(dim=1) / mass for axis in (1, 2)], dim=1)
    return (offsets * PEAK_STEPS).round() / PEAK_STEPS


def pixel_coverage(batch: PuzzleBatch, answer: Greedy) -> Tensor:
    """How much of what the fragments truly cover is covered, (B,), counted in pixels: for validation."""
    step = torch.arange(batch.pieces, device=answer.cells.device)
    every = torch.arange(len(batch), device=answer.cells.device)[:, None]

    def covered(which: Tensor, turns: Tensor, cells: Tensor) -> Tensor:
        return as_floats(place(batch.images[every, which, turns, 0], cells)).sum(dim=1).clamp_max(1.0)

    aim = as_floats(batch.target[:, 0])
    truth = covered(step, batch.turns, cells_at(batch.centres, aim.shape[-1])) * aim
    found = covered(answer.chosen, answer.turns, answer.cells)
    return torch.minimum(found, truth).sum(dim=(1, 2)) / truth.sum(dim=(1, 2))
