"""Writes the frozen public test sets: ``python experiments/make_public_sets.py FOLDER [SET ...]``.

Each file that is written has the hash of the frozen one; a set that comes out differently is refused.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sherd.bench.public_sets import PUBLIC_SETS, write_set
from sherd.core.errors import SherdError


def main(folder: str = "public", *names: str) -> None:
    """Write the sets that are named, or all, and say their hashes."""
    for name in names or tuple(PUBLIC_SETS):
        for file, hash_ in write_set(name, Path(folder)).items():
            sys.stdout.write(f"{hash_}  {file}\n")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (SherdError, ValueError, OSError) as error:
        sys.exit(f"{error}")
