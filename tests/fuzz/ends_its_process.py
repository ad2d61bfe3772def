"""Stand for a library that ends the process: a module of its own, which other processes find by name."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path


def try_some(name: str, seed: int, numbers: range) -> tuple[str, Counter[str], list[str]]:
    """End at the third chunk, while it is read."""
    folder = Path(os.environ["SHERD_TEST_KEPT"]) / f"reading-{name}-{seed}-{numbers.start}"
    folder.mkdir(exist_ok=True)
    if numbers.start == 2:
        os._exit(3)
    folder.rmdir()
    return name, Counter(read=len(numbers)), []


def before_reading(name: str, seed: int, numbers: range) -> tuple[str, Counter[str], list[str]]:
    """End at once, always."""
    os._exit(3)
