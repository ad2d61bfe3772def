"""Which device, and whether there is room on it."""

from __future__ import annotations

import pytest
import torch

from sherd.core.errors import LostDeviceError, UnsupportedError
from sherd.learn.training.device import choose_device, clear_memory_errors, device_name, require_room

CPU = torch.device("cpu")


def test_a_device_is_taken_by_its_name() -> None:
    assert choose_device("cpu") == CPU
    assert choose_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    assert device_name(CPU) == "no accelerator"
    for name in ("abacus", "cuda:99"):
        with pytest.raises(UnsupportedError, match=f"^there is no device '{name}' here: try cpu$"):
            choose_device(name)


@pytest.mark.parametrize(
    ("kept", "taught", "fits"), [(6, 0, True), (7, 0, False), (0, 1, False), (6, 1, False)]
)
def test_there_must_be_room_for_what_is_kept_and_taught(
    kept: int, taught: int, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sherd.learn.training.device._available_bytes", lambda: 6 * 32**2)
    if fits:
        require_room(CPU, 32, kept=kept, taught=taught)
    else:
        with pytest.raises(UnsupportedError, match=r"training takes at least .* GiB are free"):
            require_room(CPU, 32, kept=kept, taught=taught)


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory"),
        MemoryError(),
        RuntimeError("DefaultCPUAllocator: can't allocate memory"),
        RuntimeError("CUBLAS_STATUS_ALLOC_FAILED"),
    ],
)
def test_too_little_memory_is_said_with_advice(error: Exception) -> None:
    with pytest.raises(UnsupportedError, match="memory does not suffice: sell some"):  # noqa: SIM117
        with clear_memory_errors("sell some"):
            raise error


def test_other_errors_are_left_alone() -> None:
    with pytest.raises(RuntimeError, match="shapes differ"), clear_memory_errors("sell some"):
        raise RuntimeError("shapes differ")


def test_an_accelerator_that_is_lost_is_said_in_one_line() -> None:
    said = "CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported"
    with (
        pytest.raises(LostDeviceError, match=r"failed \(CUDA error: unspecified launch failure\)$"),
        clear_memory_errors("less"),
    ):
        raise RuntimeError(said)
