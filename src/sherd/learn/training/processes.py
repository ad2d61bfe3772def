"""Training in several processes that torchrun starts: which one this is, and how they meet and part."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import distributed

from sherd.core.errors import UnsupportedError
from sherd.learn.training.device import choose_device


@dataclass(frozen=True)
class Process:
    """One of ``world`` processes that train together, and its device; the first has rank 0."""

    device: torch.device
    rank: int = 0
    world: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this process writes and speaks for all."""
        return self.rank == 0

    def first_alone(self, succeeded: bool = True) -> bool:
        """Wait for the first process to do what only one may do; whether it said that it succeeded."""
        if self.world == 1:
            return succeeded
        said = torch.tensor(float(succeeded))
        distributed.broadcast(said, src=0)
        return bool(said)


def rank_in_group() -> int:
    """This process's rank as torchrun says it, 0 if it was started alone."""
    return int(os.environ.get("RANK", "0"))


@contextmanager
def joined(device_name: str) -> Generator[Process, None, None]:
    """This process among those that torchrun started, or alone; they part cleanly at the end."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Process(choose_device(device_name))
        return
    device = choose_device(device_name)
    if device.type == "cuda":
        local = int(os.environ.get("LOCAL_RANK", "0"))
        if local >= torch.cuda.device_count():
            raise UnsupportedError(
                f"process {local} of this machine has no accelerator of its own: there are "
                f"{torch.cuda.device_count()}"
            )
        device = torch.device("cuda", local)
        torch.cuda.set_device(device)
    # Figures that steer the run go over the CPU, so that they need not wait for an accelerator.
    distributed.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
    try:
        yield Process(device, distributed.get_rank(), world)
        # Without these the process may abort at exit, after all is done.
        gc.collect()
        distributed.barrier()
    finally:
        distributed.destroy_process_group()
