"""Where a figure comes from: machine, commit and versions."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import sherd
from sherd.core.about import version_of

PACKAGES = ("sherd", "numpy", "shapely", "torch")
GIT_SECONDS = 10.0
COMMIT_VARIABLE = "SHERD_COMMIT"


def machine() -> str:
    """The processor, its cores and the system; no host name."""
    cores = os.cpu_count() or 1
    return f"{_processor()}, {cores} core{'s' if cores > 1 else ''}, {platform.system()}"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine() or "unknown processor"


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that figures depend on, without importing any of them."""
    return {"python": platform.python_version()} | {package: version_of(package) for package in PACKAGES}


def commit(package: Path | None = None) -> str:
    """The commit of the checkout that the code runs from, with "-dirty" if its sources are changed.

    "unknown" outside a checkout, unless SHERD_COMMIT names it, as for a copy without the history. Results
    written beside the sources do not make it dirty.
    """
    if COMMIT_VARIABLE in os.environ:
        return os.environ[COMMIT_VARIABLE]
    sources = (Path(sherd.__file__).parent if package is None else package).resolve().parent
    top = _git(sources, "rev-parse", "--show-toplevel")
    # An installed package may lie within somebody else's repository.
    if top is None or Path(top).resolve() / "src" != sources:
        return "unknown"
    head = _git(sources, "rev-parse", "--short=10", "HEAD")
    changes = _git(sources, "status", "--porcelain", "--", ".")
    if head is None or changes is None:
        return "unknown"
    return f"{head}-dirty" if changes else head


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=GIT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
