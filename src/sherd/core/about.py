"""Which sherd this is, and what it runs with: what a bug report needs."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

# What answers may depend on; those that are extras are told where they are installed.
TELLING = ("numpy", "scipy", "shapely", "numba", "pillow", "scikit-image", "torch", "spyrrow", "bayeso")
NOT_INSTALLED = "not installed"


def version_of(package: str) -> str:
    """The version of a package, without importing it; sources on a path of their own have none.

    >>> version_of("no such package")
    'not installed'
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return NOT_INSTALLED


def versions() -> str:
    """The version of sherd, of Python and of what is installed beside it, in lines."""
    known = {name: version_of(name) for name in TELLING}
    installed = ", ".join(f"{name} {number}" for name, number in known.items() if number != NOT_INSTALLED)
    system = f"{platform.system()} {platform.machine()}"
    return f"sherd {version_of('sherd')}\nPython {platform.python_version()}, {system}\n{installed}"
