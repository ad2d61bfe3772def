"""The folders of the search import each other in one direction only."""

from __future__ import annotations

import re
from pathlib import Path

import sherd.solvers.search

FOLDER = Path(sherd.solvers.search.__file__).parent
# Each may import those before it.
ORDER = ("constants", "tiling", "lattice", "gluing", "beliefs", "completing")


def test_folders_import_in_one_direction() -> None:
    for number, name in enumerate(ORDER):
        for page in (FOLDER / name).glob("*.py"):
            used = re.findall(r"from sherd\.solvers\.search\.([a-z]+)\.", page.read_text())
            assert set(used) <= set(ORDER[: number + 1]), page.name


def test_no_two_modules_differ_by_one_letter() -> None:
    names = sorted(page.stem for page in FOLDER.rglob("*.py") if page.stem != "__init__")
    assert len(set(names)) == len(names)
    for name in names:
        shorter = {name[:k] + name[k + 1 :] for k in range(len(name))}
        assert not shorter.intersection(names), name


def test_no_solver_reads_a_clock() -> None:
    for page in FOLDER.rglob("*.py"):
        assert not re.search(r"\bimport time\b|working_seconds|perf_counter", page.read_text()), page.name
