"""Two processes train as one does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
import torch

from sherd.cli import run
from sherd.core.errors import UnsupportedError
from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.fan.learner import FanLearner
from sherd.learn.fan.network import Fan, FanConfig
from sherd.learn.training.checkpoint import read_tensors
from sherd.learn.training.device import choose_device, clear_memory_errors
from sherd.learn.training.processes import joined
from sherd.learn.training.settings import read_settings

# Images are encoded 8 at a time on a CPU: here each of two processes has a multiple of 8, too. In other parts
# roundings differ, and so does which of two equal pixels a max-pooling takes.
SETTINGS = """
[puzzles]
pieces = 4
rotations = 2
train_puzzles = 12
validation_puzzles = 2
[network]
size_px = 32
features = 16
hidden = 32
heads = 2
code_channels = 4
map_channels = 4
dropout = 0.0
[training]
steps = 3
batch_puzzles = 4
validations = 1
"""


def train_by_two(folder: Path, config: Path) -> subprocess.CompletedProcess[str]:
    command = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "sherd"]
    return subprocess.run(
        [sys.executable, *command, "train", "fan", "--config", config, "--out", folder, "--device", "cpu"],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.nightly
def test_two_processes_end_with_the_weights_of_one(
    tmp_path: Path, draw: Callable[..., PuzzleBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sherd.learn.training.train.SETTLING_BATCHES", 16)  # as in the other processes
    config = tmp_path / "run.toml"
    config.write_text(SETTINGS)
    assert (
        run(["train", "fan", "--config", str(config), "--out", str(tmp_path / "one"), "--device", "cpu"]) == 0
    )
    done = train_by_two(tmp_path / "two", config)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("best validation") == 1  # only the first speaks
    assert "Warning" not in done.stderr

    states = [read_tensors(tmp_path / name / "state.safetensors")[0] for name in ("one", "two")]
    assert states[0].keys() == states[1].keys()
    for name in states[0]:
        if name.startswith("adam."):  # running means of the gradients and of their squares
            torch.testing.assert_close(states[1][name], states[0][name], atol=1e-4, rtol=1e-3)

    # Where the gradient is nil but for rounding, as of a bias before batch normalisation, Adam's steps are
    # as large as elsewhere: such weights differ, and change nothing of what the network computes.
    batch = draw(count=4, pieces=4, rotations=2, seed=9)
    losses, network = [], read_settings(config).network
    assert isinstance(network, FanConfig)
    for state in states:
        learner = FanLearner(Fan(network)).eval()
        learner.model.load_state_dict({k[6:]: v for k, v in state.items() if k.startswith("model.")})
        losses.append(learner(batch, torch.zeros_like(batch.centres)))
    assert losses[0].keys() == {"select", "position", "rotation", "loss"}
    for name, value in losses[0].items():
        torch.testing.assert_close(losses[1][name], value, atol=1e-4, rtol=1e-4)


def test_alone_there_is_no_group() -> None:
    with joined("cpu") as process:
        assert (process.rank, process.world, process.is_first) == (0, 1, True)
        assert process.first_alone()
        assert not torch.distributed.is_initialized()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is an accelerator")
def test_a_device_that_is_not_there() -> None:
    assert choose_device("auto") == torch.device("cpu")
    for name in ("cuda", "cuda:3", "abacus"):
        with pytest.raises(UnsupportedError, match=f"there is no device '{name}' here"):
            choose_device(name)


@pytest.mark.parametrize("said", ["CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED when calling"])
def test_an_accelerator_without_memory(said: str) -> None:
    with (
        pytest.raises(UnsupportedError, match="memory does not suffice: take less"),
        clear_memory_errors("take less"),
    ):
        raise RuntimeError(said)


def test_memory_that_does_not_suffice() -> None:
    with (
        pytest.raises(UnsupportedError, match="memory does not suffice: take less"),
        clear_memory_errors("take less"),
    ):
        torch.empty(2**62, dtype=torch.uint8)
    with pytest.raises(UnsupportedError, match="memory does not suffice"), clear_memory_errors("take less"):
        raise MemoryError
    with pytest.raises(RuntimeError, match="shape"), clear_memory_errors("take less"):
        torch.zeros(3).view(2, 2)


@pytest.mark.skipif(torch.cuda.is_available(), reason="memory is not limited beside an accelerator")
@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="the system does not say what is free")
def test_more_memory_than_there_is_is_refused_before_it_is_used() -> None:
    """A system that promises too much would not refuse parts that are not yet filled."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    part = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
    with (
        pytest.raises(UnsupportedError, match="memory does not suffice: take less"),
        clear_memory_errors("take less"),
    ):
        assert len([torch.empty(part, dtype=torch.uint8) for _ in range(5)]) < 5
    assert resource.getrlimit(resource.RLIMIT_DATA) == before

    one, other = clear_memory_errors(""), clear_memory_errors("")  # as of two threads
    with ExitStack() as outer:
        with ExitStack() as inner:
            inner.enter_context(one)
            outer.enter_context(other)
            assert resource.getrlimit(resource.RLIMIT_DATA) != before
        assert resource.getrlimit(resource.RLIMIT_DATA) != before
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
