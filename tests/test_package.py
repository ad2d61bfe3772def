from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sherd

PUBLIC = [
    "Assembly",
    "FileFormatError",
    "Fragment",
    "FragmentationParams",
    "Group",
    "InvalidPolygonError",
    "InvalidPuzzleError",
    "Job",
    "JobParams",
    "JobResult",
    "Joint",
    "Measures",
    "Placement",
    "Pose",
    "Puzzle",
    "PuzzleKind",
    "Result",
    "Rotations",
    "Sample",
    "SavedAssembly",
    "Scores",
    "Shape",
    "SherdError",
    "Summary",
    "UnsupportedError",
    "Verdict",
    "assemble",
    "assemble_job",
    "export_plan",
    "generate",
    "judge",
    "make_job",
    "make_polygon",
    "make_samples",
    "measure",
    "named_shape",
    "read_assembly",
    "read_drawing",
    "read_puzzles",
    "read_samples",
    "read_shape",
    "score",
    "solve",
    "split",
    "summarise",
    "write_assembly",
    "write_samples",
]

# What takes a moment to load, and need not be there for a line of help.
HEAVY = {"torch", "safetensors", "tensorboard", "numba", "scipy", "shapely", "numpy", "PIL"}


def test_the_public_names_are_these() -> None:
    assert sherd.__all__ == sorted(PUBLIC)
    assert sorted(sherd._HOME) == sherd.__all__


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_is_there(name: str) -> None:
    assert getattr(sherd, name).__name__ == name
    assert name in dir(sherd)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        sherd.nonsense  # noqa: B018


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import sherd", HEAVY),
        ("from sherd.cli import run; run(['--help'])", HEAVY),
        ("from sherd.cli import run; run(['train', '--help'])", HEAVY),
        ("from sherd.cli import run; run(['assemble', '--help'])", HEAVY),
        ("from sherd.cli import run; run(['generate', 'a.jsonl', '--count', '2'])", {"torch", "numba"}),
        ("import sherd; sherd.assemble, sherd.score, sherd.read_samples", {"torch", "safetensors"}),
    ],
)
def test_imports_are_lazy(code: str, unwanted: set[str], tmp_path: Path) -> None:
    report = f"import sys; {code}; print('loaded:', *(sys.modules.keys() & {unwanted!r}))"
    done = subprocess.run(
        [sys.executable, "-c", report], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_the_example_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    concepts = (Path(__file__).parents[1] / "docs" / "concepts.md").read_text()
    code = concepts.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(code, "concepts.md", "exec"), names)
    assert len(code.strip().splitlines()) <= 8
    assert (tmp_path / "answer.svg").read_text().startswith("<?xml")


def test_the_puzzle_in_the_docs_can_be_read(tmp_path: Path) -> None:
    concepts = (Path(__file__).parents[1] / "docs" / "concepts.md").read_text()
    text = concepts.split("### Puzzles\n\n")[1].split("\n\n|")[0]
    (tmp_path / "puzzle.json").write_text(text)
    (sample,) = sherd.read_samples(tmp_path / "puzzle.json")
    scores = sherd.score(sample.truth, sample)
    assert (scores.coverage, scores.posed_right) == (1.0, 1.0)
