"""Assembling with FAN and a closer look: of its likeliest placements those that lie best, drawn.

FAN takes the likeliest fragment, turns it the likeliest way, lays it on the likeliest pixel and never looks
at what that makes. Here several of each are laid, as the matcher lays them; what overlaps or stays open on
many sides counts against a placement, and a few assemblies are followed side by side. The network is the
paper's; what is done with it is not.

Shapes in comments: B puzzles, W ways for each, S = B W states, N fragments, R rotations, K placements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from sherd.core.errors import ArgumentError
from sherd.learn.fan.learner import FanLearner
from sherd.learn.fan.network import Encoded, OtherCandidates
from sherd.learn.matcher.greedy import Assemblies, State
from sherd.learn.matcher.look import WORTH_IT, lay
from sherd.learn.matcher.peaks import Peaks, find_peaks
from sherd.learn.training.parts import assemble_in_parts
from sherd.learn.training.threads import Each


@dataclass(frozen=True, kw_only=True)
class LookParams:
    """How many of the likeliest fragments, angles of each and places of each are laid, and ways followed."""

    fragments: int = 3
    turns: int = 3
    places: int = 2
    ways: int = 4

    def __post_init__(self) -> None:
        if min(self.fragments, self.turns, self.places, self.ways) < 1:
            raise ArgumentError("fragments, turns, places and ways must be at least 1")


@dataclass(frozen=True)
class _Codes:
    """What is known of the fragments: FAN-Select's codes (B, N, D), FAN-Pose's of all copies (B, N, R, D)."""

    select: Tensor
    pose: Tensor


def assemble_looking(
    learner: FanLearner,
    images: Tensor,
    target: Tensor,
    params: LookParams,
    stop: Callable[[int], bool] = lambda steps: False,
) -> Assemblies:
    """Place all fragments, each where it lies best; ``images``, ``target``, ``stop`` as in `FanLearner`."""

    def part(images: Tensor, target: Tensor, each: Each) -> Assemblies:
        return _assemble_part(learner, images, target, params, stop, each)

    return assemble_in_parts(part, images, target)


@torch.no_grad()
def _assemble_part(
    learner: FanLearner,
    images: Tensor,
    target: Tensor,
    params: LookParams,
    stop: Callable[[int], bool],
    each: Each,
) -> Assemblies:
    ways, puzzles = params.ways, len(images)
    learner.model.eval()
    codes = _codes(learner, images, stop, each)
    if codes is None:
        return State.empty(images, target).answer
    images, target, select, pose = (
        values.repeat_interleave(ways, dim=0) for values in (images, target, codes.select, codes.pose)
    )
    state, codes = State.empty(images, target), _Codes(select, pose)
    # How good the steps of each way were together, (B, W); at first all are the same, and one counts.
    value = torch.full((puzzles, ways), float("-inf"), device=images.device)
    value[:, 0] = 0.0
    first = torch.arange(puzzles, device=images.device)[:, None] * ways
    for step in range(images.shape[1]):
        if stop(step):
            break
        peaks = _likeliest(learner, codes, state, target, params)
        facts = lay(images, state.left, peaks).facts.sum(dim=2)
        worth = peaks.probability >= WORTH_IT * peaks.probability[:, :1]
        facts = facts.masked_fill(~worth, float("-inf"))  # (S, K)
        value, best = (value[..., None] + facts.unflatten(0, (puzzles, ways))).flatten(1).topk(ways, dim=1)
        parent, k = (first + best // facts.shape[1]).flatten(), (best % facts.shape[1]).flatten()
        fragment, turn, centre, certainty = (
            values[parent, k, None]
            for values in (peaks.fragment, peaks.turn, peaks.centre, facts.softmax(dim=1))
        )
        state = state.of(parent).placed(images, Peaks(fragment, turn, centre, certainty), step)
    left = state.left.sum(dim=(1, 2)).unflatten(0, (puzzles, ways))
    fullest = left.masked_fill(value.isinf(), float("inf")).argmin(dim=1, keepdim=True)
    return state.of((first + fullest).flatten()).answer


def _codes(learner: FanLearner, images: Tensor, stop: Callable[[int], bool], each: Each) -> _Codes | None:
    """None if ``stop``, asked before every few images, says so."""
    model, rotations = learner.model, images.shape[2]
    pose = learner.codes_in_parts(model.pose_encoder, images.flatten(1, 2), stop, 0, each)
    if pose is None:
        return None
    pose = pose.unflatten(1, (-1, rotations))
    if model.config.shared_encoder:
        return _Codes(pose[:, :, 0], pose)
    select = learner.codes_in_parts(model.select_encoder, images[:, :, 0], stop, 0, each)
    return None if select is None else _Codes(select, pose)


def _likeliest(learner: FanLearner, codes: _Codes, state: State, target: Tensor, params: LookParams) -> Peaks:
    """Placements (B, K), the likeliest first: some fragments, some turns of each, some places of each."""
    model = learner.model
    puzzles, pieces, rotations = codes.pose.shape[:3]
    every = torch.arange(puzzles, device=target.device)
    colours = target[:, 1:].float() / 255.0
    shape = torch.cat([state.left[:, None], colours * state.left[:, None]], dim=1)
    with learner.autocast():
        select_shape, pose_shape = learner.encode_shapes(shape)
        chances = model.select(codes.select, select_shape.code, state.allowed).softmax(dim=1)
    # Absent fragments have no chance; where all are, anything will do.
    fragment_p, fragment = chances.nan_to_num().topk(min(params.fragments, pieces), dim=1)
    several = fragment.shape[1]
    shapes = _repeated(pose_shape, several)
    copies = codes.pose[every[:, None], fragment].flatten(0, 1)  # (B F, R, D)
    if rotations > 1:
        with learner.autocast():
            turn_p, turn = (
                model.rotate(copies, shapes.code).softmax(dim=1).topk(min(params.turns, rotations), dim=1)
            )
    else:
        turn_p, turn = torch.ones_like(copies[:, :, 0]).float(), torch.zeros_like(fragment.view(-1, 1))
    turns = turn.shape[1]
    others = None
    if model.config.pose_relates:
        besides = state.allowed[:, None].expand(-1, several, -1).scatter(2, fragment[..., None], False)
        each_time = several * turns
        others = OtherCandidates(
            codes.pose[:, None, :, 0].expand(-1, each_time, -1, -1).flatten(0, 1),
            besides.flatten(0, 1).repeat_interleave(turns, dim=0),
        )
    number = torch.arange(len(copies), device=target.device)[:, None]
    with learner.autocast():
        logits = model.locate(copies[number, turn].flatten(0, 1), _repeated(shapes, turns), others)
    found = find_peaks(logits[:, None, None], params.places, hurry=False)

    def of_each(values: Tensor) -> Tensor:
        """Of each turned fragment (B F T, places, ...), by puzzle: (B, K, ...)."""
        return values.unflatten(0, (puzzles, -1)).flatten(1, 2)

    likely = (fragment_p.flatten()[:, None] * turn_p).flatten()[:, None] * found.probability
    which = fragment.flatten()[:, None].expand_as(turn).flatten()[:, None].expand_as(found.probability)
    turned = turn.flatten()[:, None].expand_as(found.probability)
    probability, order = of_each(likely).sort(dim=1, descending=True, stable=True)
    return Peaks(
        of_each(which).gather(1, order),
        of_each(turned).gather(1, order),
        of_each(found.centre).gather(1, order[..., None].expand(-1, -1, 2)),
        probability,
    )


def _repeated(shapes: Encoded, times: int) -> Encoded:
    """Each of the shapes as many times, one after the other."""
    return Encoded(*(values.repeat_interleave(times, dim=0) for values in shapes))
