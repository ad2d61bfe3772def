"""Without the extra ``learn`` sherd solves and draws, and says in one line what the networks need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sherd import PuzzleKind, make_samples, write_samples

# What Python runs before anything else: these packages are then not to be found.
NOT_INSTALLED = """
import sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        missing = name.partition(".")[0] in ("torch", "safetensors", "tensorboard")
        return None if missing else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Without
"""
LINE = (
    "sherd: the networks need torch, safetensors and tensorboard, not installed here: "
    "pip install 'sherd[learn]'\n"
)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder to work in, for a Python without the extra."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(NOT_INSTALLED)
    return tmp_path


def python(bare: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = [str(bare / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=bare, env=environment, capture_output=True, text=True
    )


def sherd(bare: Path, command: str) -> subprocess.CompletedProcess[str]:
    return python(bare, "-m", "sherd", *command.split())


def test_puzzles_are_made_solved_and_shown(bare: Path) -> None:
    for command in (
        "generate puzzles.jsonl --pieces 4 --count 2 --seed 1",
        "assemble puzzles.jsonl --out answers --check",
        "show puzzles.jsonl --out puzzles.svg",
    ):
        done = sherd(bare, command)
        assert done.returncode == 0, done.stderr
    assert (bare / "answers" / "puzzles-1.assembly.json").is_file()
    assert (bare / "puzzles.svg").read_text().startswith("<?xml")


def test_what_needs_the_networks_says_so_in_one_line(bare: Path) -> None:
    write_samples(bare / "puzzles.jsonl", make_samples(PuzzleKind(pieces=3), seed=0, stop=1))
    for command in ("train fan --minutes 1 --out run", "assemble puzzles.jsonl --solver fan"):
        done = sherd(bare, command)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", LINE)
    commands = [  # all in one process, which takes less time
        "train matcher --steps 1 --out run",
        "export fan --out onnx",
        "assemble puzzles.jsonl --solver matcher --explain",
        "assemble puzzles.jsonl --solver fan --weights run",
        "bench --suite table1 --train --rows 0:1 --count 1",
        "bench --solver matcher --weights run --count 1",
    ]
    code = f"from sherd.cli import run; print([run(line.split()) for line in {commands}])"
    done = python(bare, "-c", code)
    assert done.stdout == f"{[2] * len(commands)}\n"
    assert done.stderr == LINE * len(commands)
    assert not {"run", "onnx"} & {path.name for path in bare.iterdir()}


def test_a_bench_skips_the_rows_of_networks(bare: Path) -> None:
    networks = ["fan", "fan-look", "matcher", "matcher-beam", "vgan"]
    solvers = " ".join(f"--solver {name}" for name in [*networks, "random"])
    done = sherd(bare, f"bench {solvers} --pieces 3 --count 1")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == [
        f"sherd: skipped {name} on square, 3 pieces: {LINE.removeprefix('sherd: ').strip()}"
        for name in networks
    ]
    assert "random" in done.stdout


def test_auto_skips_the_networks(bare: Path) -> None:
    code = """
import numpy as np
from sherd import PuzzleKind, make_samples
from sherd.solvers import SOLVERS, Assembler
del SOLVERS["search"]  # the first that auto would take
puzzle = next(make_samples(PuzzleKind(pieces=3), seed=0, stop=1)).puzzle
print(Assembler()(puzzle, seconds=0.1, rng=np.random.default_rng(0))[0])
"""
    done = python(bare, "-c", code)
    assert done.stdout == "random\n", done.stderr
