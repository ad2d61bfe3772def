"""Assembling any number of puzzles, a part of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor

from sherd.learn.training.threads import Each, sharing

# Images encoded at once on an accelerator when no gradients are kept.
IMAGES_AT_ONCE = 2048
# On a CPU a puzzle alone is as quick, and what is placed need not be looked at any more.
PUZZLES_AT_ONCE_ON_CPU = 1

# A dataclass of tensors whose first dimension counts puzzles.
Answers = TypeVar("Answers")


def assemble_in_parts(
    assemble: Callable[[Tensor, Tensor, Each], Answers], images: Tensor, target: Tensor
) -> Answers:
    """The answers to puzzles, ``images`` and ``target`` of a `PuzzleBatch`, in one.

    ``assemble`` takes some of them, and threads that it may share work with. On a CPU each part is the
    affair of one thread; only if there is a single puzzle do all share the work of it.
    """
    puzzles = len(images)
    with sharing(images.device) as each:
        if puzzles == 1:
            return assemble(images, target, each)
        many = max(1, IMAGES_AT_ONCE // (images.shape[1] * images.shape[2]))
        at_once = PUZZLES_AT_ONCE_ON_CPU if images.device.type == "cpu" else many
        parts = [slice(k, k + at_once) for k in range(0, puzzles, at_once)]
        return joined(list(each(lambda part: assemble(images[part], target[part], map), parts)))


def joined(parts: Sequence[Answers]) -> Answers:
    """The answers of several parts in one."""
    names: list[str] = list(vars(parts[0]))
    tensors: dict[str, Any] = {name: torch.cat([vars(part)[name] for part in parts]) for name in names}
    return type(parts[0])(**tensors)
