"""Ending long work midway: a step of training at any of its layers, drawing at any part.

A step changes nothing but the running statistics of batch normalisation until Adam takes it, so that one that
is left midway is as if it had not been begun once these are put back.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


class InterruptedWorkError(Exception):
    """Work was left midway, since it was asked to end."""


@dataclass(frozen=True)
class Work:
    """How far work has come that is no step of training: drawing, settling, validating.

    Without a ``total`` nobody knows how far, only what has begun.
    """

    what: str
    done: int = 0
    total: int = 0


# Told how much is done of how much; may raise `InterruptedWorkError`.
Progress = Callable[[int, int], None]


def no_progress(done: int, total: int) -> None:
    """Nobody is told."""


def drawing(on_work: Callable[[Work], None], interrupted: Callable[[], bool]) -> Progress:
    """Tells how far drawing puzzles has come, and leaves it midway once ``interrupted``."""

    def on_drawn(done: int, total: int) -> None:
        if interrupted():
            raise InterruptedWorkError
        on_work(Work("drawing", done, total))

    return on_drawn


@contextmanager
def asking(module: nn.Module, interrupted: Callable[[], bool]) -> Generator[None]:
    """Within the block every layer asks, forwards and backwards: `InterruptedWorkError` once it is so.

    Buffers, which a forward pass may change, are put back then.
    """

    def ask(*arguments: object) -> None:
        if interrupted():
            raise InterruptedWorkError

    def ask_going_back(layer: nn.Module, arguments: Any, output: Any) -> None:
        for value in output if isinstance(output, tuple) else (output,):
            if isinstance(value, Tensor) and value.requires_grad:
                value.register_hook(ask)

    layers = [layer for layer in module.modules() if next(layer.children(), None) is None]
    handles = [layer.register_forward_pre_hook(ask) for layer in layers]
    handles += [layer.register_forward_hook(ask_going_back) for layer in layers]
    before = [buffer.clone() for buffer in module.buffers()]
    try:
        yield
    except InterruptedWorkError:
        with torch.no_grad():
            for buffer, value in zip(module.buffers(), before, strict=True):
                buffer.copy_(value)
        raise
    finally:
        for handle in handles:
            handle.remove()
