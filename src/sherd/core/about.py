"""Which sherd this is, and what it runs with: what a bug report needs."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

# What answers may depend on; those that are extras are told where they are installed.
TELLING = ("numpy", "scipy", "shapely", "numba", "pillow", "scikit-image", "torch", "spyrrow", "bayeso")


def versions() -> str:
    """The version of sherd, of Python and of what is installed beside it, in lines."""
    installed: list[str] = []
    for name in TELLING:
        try:
            installed.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    system = f"{platform.system()} {platform.machine()}"
    return f"sherd {version('sherd')}\nPython {platform.python_version()}, {system}\n{', '.join(installed)}"
