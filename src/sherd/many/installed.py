"""What a process runs: versions and sources, which must be the same wherever a run's rows are made."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path

import sherd
from sherd.core.about import version_of

# What rows depend on, bit for bit.
PACKAGES = ("sherd", "numpy", "scipy", "shapely", "numba")
SOURCES = "sherd's sources"


@cache
def installed() -> dict[str, str]:
    """Versions by name, and a hash of sherd's own sources, which change between versions too."""
    found = {"python": ".".join(platform.python_version_tuple()[:2])}
    found |= {package: version_of(package) for package in PACKAGES}
    sources = hashlib.sha256()
    folder = Path(sherd.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        sources.update(path.relative_to(folder).as_posix().encode())
        sources.update(path.read_bytes())
    found[SOURCES] = sources.hexdigest()[:12]
    return found


def differences(ours: dict[str, str], theirs: dict[str, str]) -> str:
    """What differs, in words, ours first; nothing if all is the same.

    >>> differences({"numpy": "2.4", "scipy": "1"}, {"numpy": "2.3", "scipy": "1"})
    'numpy 2.4 here, 2.3 there'
    """
    return "; ".join(
        f"{name} {ours.get(name, 'missing')} here, {theirs.get(name, 'missing')} there"
        for name in dict.fromkeys((*ours, *theirs))
        if ours.get(name) != theirs.get(name)
    )
