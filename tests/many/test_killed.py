"""Runs whose processes are killed in the middle, and what they come to when they are gone on with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def sherd(*words: str, folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "sherd", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def kill_when(path: Path, shards: int, driver: subprocess.Popen[bytes], victim: str) -> None:
    """Kill the driver, or a child of it, once so many shards are there."""
    while driver.poll() is None and len(list(path.glob("*.shard"))) < shards:
        time.sleep(0.01)
    children = Path(f"/proc/{driver.pid}/task/{driver.pid}/children").read_text().split()
    workers = [
        int(child) for child in children if b"popen_loky" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    assert driver.poll() is None, "it was over too soon"
    os.kill(driver.pid if victim == "driver" else workers[0], signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found by /proc")
@pytest.mark.parametrize("victim", ["driver", "worker"])
def test_a_run_gives_the_same_bytes_though_its_driver_or_a_worker_is_killed(
    tmp_path: Path, victim: str
) -> None:
    generate = ["generate", "--pieces", "4", "--count", "12000", "--seed", "2"]
    driver = sherd(*generate, "killed.jsonl", "--workers", "2", "--shards", "run", folder=tmp_path)
    kill_when(tmp_path / "run", 2, driver, victim)
    _, said = driver.communicate()
    if victim == "driver":
        assert driver.returncode == -signal.SIGKILL
        assert not (tmp_path / "killed.jsonl").exists()
        assert len(list((tmp_path / "run").glob("*.shard"))) >= 2
        again = sherd(*generate, "killed.jsonl", "--shards", "run", folder=tmp_path)
        assert again.wait() == 0
        again.communicate()
    else:
        assert driver.returncode == 0
        assert b"a worker died" in said
    whole = sherd(*generate, "whole.jsonl", folder=tmp_path)
    whole.communicate()
    assert whole.returncode == 0
    assert (tmp_path / "killed.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
