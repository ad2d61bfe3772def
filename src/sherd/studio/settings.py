"""How a server is run: where it listens, where its jobs lie, and what it allows."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path

from sherd.core.errors import ArgumentError

MIB = 2**20
PORT = 8437
LEAST_MEMORY_MB = 512
# More processes than this for solving seldom help: the page of one person has one job.
MOST_WORKERS_BY_ITSELF = 4
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


def usual_workers() -> int:
    """As many as there are processors, within reason."""
    return max(1, min(os.cpu_count() or 1, MOST_WORKERS_BY_ITSELF))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What ``sherd studio`` is told.

    ``workers`` processes solve at a time, one more reads, judges and exports; ``queue`` jobs may wait to be
    solved. A request may have ``most_bytes``, a job ``most_pieces`` and ``most_seconds``, a process
    ``most_memory_mb``; ``most_jobs`` are kept. ``names`` are further names that the server is reached by.
    """

    folder: Path
    host: str = "127.0.0.1"
    port: int = PORT
    token: str | None = None
    names: tuple[str, ...] = ()
    workers: int = field(default_factory=usual_workers)
    queue: int = 100
    most_bytes: int = 64 * MIB
    most_pieces: int = 1000
    most_seconds: float = 600.0
    most_memory_mb: int = 4096
    most_jobs: int = 10_000
    most_streams: int = 200

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ArgumentError(f"a port is a number from 0 to 65535, not {self.port}")
        for name in ("workers", "queue", "most_bytes", "most_pieces", "most_jobs"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name.replace('_', '-')} must be at least 1, not {getattr(self, name)}")
        if self.most_memory_mb < LEAST_MEMORY_MB:
            raise ArgumentError(
                f"most-memory must be at least {LEAST_MEMORY_MB} MiB, not {self.most_memory_mb}"
            )
        if not self.most_seconds > 0.0:
            raise ArgumentError(f"most-seconds must be above 0, not {self.most_seconds:g}")
        if not self.is_local and not self.token:
            raise ArgumentError(f"{self.host} can be reached from elsewhere, and that needs a token")
        if self.token is not None and not (self.token.isascii() and self.token.isprintable()):
            raise ArgumentError("a token is of plain printable characters")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is one of this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, True, False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
