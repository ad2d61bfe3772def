"""A real Dask cluster of two processes: the same outcomes, workers killed in the middle or for good."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dask
import pytest
from distributed import Client, LocalCluster
from joblib import parallel_config

from sherd.cli import run
from sherd.core.errors import UnsupportedError
from sherd.many import parallel
from sherd.many.engine import using
from sherd.many.parallel import DIED_TWICE
from sherd.many.share import share


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


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[2])
        with (
            dask.config.set({"distributed.scheduler.allowed-failures": 0}),
            LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
            ) as cluster,
        ):
            yield cluster


@pytest.fixture
def engine(cluster: LocalCluster) -> Iterator[str]:
    found = cluster.scheduler_address.replace("tcp://", "dask://")
    with using(found):
        yield found


@pytest.mark.filterwarnings("default")
def test_outcomes_come_in_order_though_a_worker_is_killed(cluster: LocalCluster, engine: str) -> None:
    outcomes = share(Deadly(), range(40))
    some = [next(outcomes) for _ in range(3)]
    os.kill(cluster.workers[0].process.pid, signal.SIGKILL)
    assert [*some, *outcomes] == [f"{job}" for job in range(40)]


@pytest.mark.filterwarnings("default")
def test_a_job_that_ends_each_worker_is_one_row_even_if_joblib_alone_chose_dask(
    cluster: LocalCluster,
) -> None:
    expected = [f"{job}" for job in range(8)]
    expected[5] = f"5: {DIED_TWICE}"
    with Client(cluster), parallel_config(backend="dask"):
        assert list(share(Deadly(5), range(8))) == expected


def test_other_versions_on_the_workers_are_one_line(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "installed", lambda: {"sherd": "9.9"})
    with pytest.raises(UnsupportedError, match=r"the workers run other versions: sherd 9\.9 here, .* there"):
        list(share(Deadly(), range(3)))


def test_a_set_has_the_same_bytes_as_one_made_here(engine: str, tmp_path: Path) -> None:
    generate = ["--pieces", "3", "--count", "1200", "--seed", "6"]
    assert run(["generate", str(tmp_path / "here.arrow"), *generate]) == 0
    shards = ["--engine", engine, "--shards", str(tmp_path / "run")]
    assert run(["generate", str(tmp_path / "there.arrow"), *generate, *shards]) == 0
    assert (tmp_path / "there.arrow").read_bytes() == (tmp_path / "here.arrow").read_bytes()
