"""Which device to compute on: chosen once, by whoever starts a command."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import torch

from sherd.errors import UnsupportedError


def choose_device(name: str) -> torch.device:
    """The named device, or for ``auto`` the first accelerator if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):
        raise UnsupportedError(f"there is no device {name!r} here: try --device cpu") from None
    return device


def device_name(device: torch.device) -> str:
    """What figures were computed on, in words."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "no accelerator"


@contextmanager
def clear_memory_errors(advice: str) -> Generator[None, None, None]:
    """Say in one line, with advice, that a device's memory does not suffice."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise UnsupportedError(f"the accelerator's memory does not suffice: {advice}") from None
    except RuntimeError as error:
        # Of the accelerator, of one of its libraries, of the CPU.
        if not any(sign in str(error) for sign in ("out of memory", "ALLOC_FAILED", "can't allocate memory")):
            raise
        raise UnsupportedError(f"the memory does not suffice: {advice}") from None
