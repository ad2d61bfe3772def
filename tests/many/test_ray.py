"""A real Ray of two processors on this machine: the same outcomes, and workers that die."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sherd.cli import run
from sherd.core.errors import UnsupportedError
from sherd.many import parallel
from sherd.many.engine import using
from sherd.many.parallel import DIED_TWICE
from sherd.many.share import share

pytestmark = pytest.mark.filterwarnings("default")  # Ray has many
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Deadly:
    """The job itself, but for one that ends the worker."""

    job: int = -1

    def __call__(self, job: int) -> str:
        if job == self.job:
            os.kill(os.getpid(), signal.SIGKILL)
        return f"{job}"

    def lost(self, job: int, reason: str) -> str:
        return f"{job}: {reason}"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="module")
def engine() -> Iterator[str]:
    ports = free_port(), free_port()
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    environment["PYTHONPATH"] = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    # The folder's name is short: the paths of sockets must be.
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder:
        head = subprocess.Popen(
            [
                str(Path(sys.executable).with_name("ray")),
                *("start", "--head", "--block", "--node-ip-address=127.0.0.1", "--num-cpus=2"),
                *(f"--port={ports[0]}", f"--ray-client-server-port={ports[1]}", "--include-dashboard=false"),
                *("--disable-usage-stats", "--object-store-memory=100000000", f"--temp-dir={folder}"),
            ],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            _wait_for(ports[1], head)
            with pytest.MonkeyPatch.context() as patch:
                patch.syspath_prepend(ROOT)
                yield f"ray://127.0.0.1:{ports[1]}"
        finally:
            os.killpg(head.pid, signal.SIGTERM)
            head.wait()


def _wait_for(port: int, head: subprocess.Popen[bytes]) -> None:
    """Until somebody listens there."""
    while head.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
        except OSError:
            time.sleep(0.1)
            continue
        return
    pytest.fail(f"ray ended with {head.returncode}")


def test_outcomes_come_in_order(engine: str) -> None:
    with using(engine):
        assert list(share(Deadly(), range(9))) == [f"{job}" for job in range(9)]


def test_a_job_that_ends_each_worker_is_one_row(engine: str) -> None:
    expected = [f"{job}" for job in range(3)]
    expected[1] = f"1: {DIED_TWICE}"
    with using(engine):
        assert list(share(Deadly(1), range(3))) == expected


def test_other_versions_on_the_workers_are_one_line(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "installed", lambda: {"sherd": "9.9"})
    with using(engine), pytest.raises(UnsupportedError, match=r"other versions: sherd 9\.9 here"):
        list(share(Deadly(), range(3)))


def test_a_set_has_the_same_bytes_as_one_made_here(engine: str, tmp_path: Path) -> None:
    generate = ["--pieces", "3", "--count", "1200", "--seed", "6"]
    assert run(["generate", str(tmp_path / "here.arrow"), *generate]) == 0
    shards = ["--engine", engine, "--shards", str(tmp_path / "run")]
    assert run(["generate", str(tmp_path / "there.arrow"), *generate, *shards]) == 0
    assert (tmp_path / "there.arrow").read_bytes() == (tmp_path / "here.arrow").read_bytes()
