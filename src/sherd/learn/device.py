"""Which device to compute on: chosen once, by whoever starts a command."""

from __future__ import annotations

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
