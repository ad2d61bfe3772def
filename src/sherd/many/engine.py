"""Engines: this machine, or a Dask or Ray cluster that is running already, behind `joblib.Parallel`."""

from __future__ import annotations

import logging
import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from joblib import parallel_config

from sherd.core.errors import ArgumentError, UnsupportedError

LOCAL = "local"
# An engine that does not answer within this is not there.
REACH_SECONDS = 10.0
# What Ray says of a failure can go over many lines.
LONGEST_REASON = 200


@contextmanager
def using(engine: str = LOCAL) -> Generator[None]:
    """Within the block jobs are shared by this engine: local, dask://HOST:PORT or ray://HOST:PORT."""
    if engine == LOCAL:
        yield
        return
    kind, host, port = parse_engine(engine)
    try:
        socket.create_connection((host, port), timeout=REACH_SECONDS).close()
    except OSError as error:
        raise UnsupportedError(f"{engine}: cannot be reached: {error.strerror or error}") from None
    with ExitStack() as stack:
        backend = (_dask if kind == "dask" else _ray)(engine, host, port, stack)
        with parallel_config(backend=backend, n_jobs=-1):
            yield


def parse_engine(text: str) -> tuple[str, str, int]:
    """The kind of an engine elsewhere, its host and its port.

    >>> parse_engine("dask://10.0.0.7:8786")
    ('dask', '10.0.0.7', 8786)
    """
    kind, colon, address = text.partition("://")
    host, _, port = address.rpartition(":")
    known = colon and kind in ("dask", "ray") and host and port.isascii() and port.isdecimal()
    if not known or not 0 < int(port) < 65536:
        raise ArgumentError(f"the engine must be local, dask://HOST:PORT or ray://HOST:PORT, not {text!r}")
    return kind, host.strip("[]"), int(port)


def reason_in(text: str) -> str:
    """What an engine says of a failure, on one line; of where in its code that was, only the last.

    >>> reason_in("it failed: Traceback (most recent call last):\\n  File 'x'\\nRuntimeError: no memory\\n")
    'RuntimeError: no memory'
    """
    if "Traceback (most recent call last)" in text:
        text = text.strip().splitlines()[-1]
    return " ".join(text.split())[:LONGEST_REASON]


def _dask(engine: str, host: str, port: int, stack: ExitStack) -> Any:
    try:
        from distributed import Client

        from sherd.many.dask_backend import DaskBackend
    except ImportError:
        raise UnsupportedError(f"{engine}: needs the extra dask: pip install 'sherd[dask]'") from None
    if not _speaks_first(host, port):
        raise UnsupportedError(f"{engine}: cannot be used: what answers there is no Dask scheduler")
    try:
        address = f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"
        client = stack.enter_context(Client(address, timeout=REACH_SECONDS, set_as_default=False))
        client.wait_for_workers(1, timeout=REACH_SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        reason = "it has no workers" if isinstance(error, TimeoutError) else str(error).splitlines()[0]
        raise UnsupportedError(f"{engine}: cannot be used: {reason}") from None
    return DaskBackend(client=client)


def _speaks_first(host: str, port: int) -> bool:
    """Whether whoever listens there says something to a caller, as a Dask scheduler does.

    Its client waits for ever for one who does not.
    """
    try:
        with socket.create_connection((host, port), timeout=REACH_SECONDS) as there:
            return bool(there.recv(1))
    except OSError:
        return False


def _ray(engine: str, host: str, port: int, stack: ExitStack) -> str:
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError:
        raise UnsupportedError(f"{engine}: needs the extra ray: pip install 'sherd[ray]'") from None
    try:
        ray.init(f"ray://{host}:{port}", log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UnsupportedError(f"{engine}: cannot be used: {reason_in(str(error))}") from None
    stack.callback(ray.shutdown)
    if ray.cluster_resources().get("CPU", 0) < 2:  # joblib would do the work of one by itself
        raise UnsupportedError(f"{engine}: cannot be used: it has fewer than two processors")
    with suppress(ValueError):
        register_ray()
    return "ray"
