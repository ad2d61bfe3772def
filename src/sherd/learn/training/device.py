"""Which device to compute on: chosen once, by whoever starts a command."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import torch

from sherd.core.errors import LostDeviceError, UnsupportedError

# What training a network keeps of an image it sees, for each pixel, at the very least: the channels of the
# first layer's maps, each in as many bytes as the device computes with.
LEAST_CHANNELS = 16
# In what torch says where an accelerator is lost or fails; a lack of memory is said otherwise.
LOST = ("CUDA error: ", "CUDA driver error: ", "cuDNN error: ", "NCCL error")


def choose_device(name: str) -> torch.device:
    """The named device, or for ``auto`` the first accelerator if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):
        raise UnsupportedError(f"there is no device {name!r} here: try cpu") from None
    return device


def device_name(device: torch.device) -> str:
    """What figures were computed on, in words."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "no accelerator"


@contextmanager
def clear_memory_errors(advice: str) -> Generator[None, None, None]:
    """Say in one line, with advice, that memory does not suffice, or that an accelerator failed.

    The latter is a `LostDeviceError`, to which whoever knows adds what is kept.
    """
    try:
        with _memory_limit:
            yield
    except torch.OutOfMemoryError:
        raise UnsupportedError(f"the accelerator's memory does not suffice: {advice}") from None
    except MemoryError:
        raise UnsupportedError(f"the memory does not suffice: {advice}") from None
    except RuntimeError as error:
        lacks_memory = any(
            sign in str(error) for sign in ("out of memory", "ALLOC_FAILED", "can't allocate memory")
        )
        if any(sign in str(error) for sign in LOST) and not lacks_memory:
            said = str(error).strip().partition("\n")[0]
            raise LostDeviceError(f"the accelerator failed ({said})") from None
        # Of the accelerator, of one of its libraries, of the CPU.
        if not lacks_memory:
            raise
        raise UnsupportedError(f"the memory does not suffice: {advice}") from None


def require_room(device: torch.device, size_px: int, *, kept: int, taught: int) -> None:
    """`UnsupportedError` if there is no room for ``kept`` images as bytes and ``taught`` in one step.

    What is being copied counts twice. Asked before any is drawn, which may take long.
    """
    on_gpu = device.type == "cuda"
    needed = size_px**2 * (kept + LEAST_CHANNELS * (2 if on_gpu else 4) * taught)
    free = torch.cuda.mem_get_info(device)[0] if on_gpu else _available_bytes()
    if free is not None and needed > free:
        raise UnsupportedError(
            f"the memory does not suffice: training takes at least {needed / 2**30:,.1f} GiB, of which "
            f"{free / 2**30:,.1f} GiB are free; take fewer puzzles, pieces or rotations, or a smaller batch"
        )


class _MemoryLimit:
    """Lets what asks for more memory than there is be refused, while anybody is within.

    Linux promises more than it has, and kills whoever takes it at its word. An accelerator's driver asks for
    far more than it uses, so that there it is left alone. The limit is the whole process's: of several
    threads the first sets it and the last lifts it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._within = 0
        self._lift: Callable[[], None] = lambda: None

    def __enter__(self) -> None:
        with self._lock:
            self._within += 1
            if self._within == 1:
                self._lift = self._set()

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._within -= 1
            if self._within == 0:
                self._lift()

    def _set(self) -> Callable[[], None]:
        free = None if torch.cuda.is_available() else _free_bytes()
        if free is None:
            return lambda: None
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limits = [limit for limit in (free, soft, hard) if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
        return lambda: resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


_memory_limit = _MemoryLimit()


def _free_bytes() -> int | None:
    """How large this process may grow, with what it has already; None where the system does not say."""
    left, own = _available_bytes(), _said_bytes("self/status", "VmData")
    return None if left is None or own is None else left + own


def _available_bytes() -> int | None:
    """How much memory is there to be had; None where the system does not say."""
    return _said_bytes("meminfo", "MemAvailable")


def _said_bytes(file: str, name: str) -> int | None:
    try:
        text = Path("/proc", file).read_text(encoding="ascii")
        return 1024 * int(text.partition(f"\n{name}:")[2].split()[0])
    except (OSError, IndexError):
        return None
