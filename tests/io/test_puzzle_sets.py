"""Large sets as Arrow files."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

from sherd.core.errors import FileFormatError
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Sample
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.fragmentation import generate_arrays
from sherd.io import puzzle_to_line, read_all, read_one, read_samples
from sherd.io.puzzle_sets import PuzzleSet, block_of_arrays, block_of_lines, is_set, writing_set

KIND = PuzzleKind(pieces=5, rotations=Rotations(20))
COUNT = 23


@pytest.fixture
def samples() -> list[Sample]:
    return list(make_samples(KIND, seed=4, stop=COUNT))


@pytest.fixture
def path(tmp_path: Path, samples: list[Sample]) -> Path:
    """Blocks of arrays, and one of lines between them."""
    path = tmp_path / "set.arrow"
    with writing_set(path, KIND.shape.outline, KIND.rotations) as rows:
        for start, stop in ((0, 10), (12, COUNT)):
            cut = generate_arrays(KIND.shape, KIND.fragmentation, seed=4, start=start, stop=stop)
            rows.write(block_of_arrays(cut))
            if start == 0:
                lines = [puzzle_to_line(sample) for sample in samples[10:12]]
                rows.write(block_of_lines(lines, KIND.shape.outline, KIND.rotations))
        assert rows.count == COUNT
    return path


def test_puzzles_come_back_as_they_were(path: Path, samples: list[Sample]) -> None:
    found = PuzzleSet(path)
    assert len(found) == COUNT
    assert is_set(path)
    for number, (one, other) in enumerate(zip(found, samples, strict=True)):
        assert puzzle_to_line(one) == puzzle_to_line(other)
        if number not in (10, 11):  # an angle in degrees is rounded
            assert one == other
    assert list(read_all(path)) == list(read_samples(path)) == list(found)
    assert read_one(path, 7) == samples[7]


def test_slices_and_shuffles_are_views(path: Path, samples: list[Sample]) -> None:
    found = PuzzleSet(path)
    assert list(found[3:9:2]) == samples[3:9:2]
    assert found[-1] == samples[-1]
    assert list(found[2:8][1:3]) == samples[3:5]
    shuffled = found[:10].shuffled(seed=1)
    assert list(shuffled) == list(found[:10].shuffled(seed=1))
    assert list(shuffled) != samples[:10]
    assert sorted(map(puzzle_to_line, shuffled)) == sorted(map(puzzle_to_line, samples[:10]))
    assert list(shuffled[2:4]) == list(shuffled)[2:4]
    assert not list(found[5:5].shuffled(seed=1))
    with pytest.raises(IndexError):
        found[COUNT]
    with pytest.raises(ValueError, match="there is no puzzle 99: the file holds 23"):
        read_one(path, 99)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("corners", [2, 2], "its vertices are not those of its fragments"),
        ("vertices", [0.0, 0.0, 1.0, float("nan"), 1.0, 1.0], "its vertices|not finite"),
        ("poses", [0.0], "is broken"),
        ("order", [77], "is broken"),
        ("corners", None, "is broken"),
        ("line", "{", "not JSON"),
    ],
)
def test_broken_rows_are_told(path: Path, column: str, value: object, said: str) -> None:
    with pyarrow.OSFile(str(path)) as file:
        table = pyarrow.ipc.open_file(file).read_all()
    rows = table.to_pylist()
    rows[3][column] = value
    broken = path.with_name("broken.arrow")
    with pyarrow.OSFile(str(broken), "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(pyarrow.Table.from_pylist(rows, schema=table.schema))
    found = PuzzleSet(broken)
    assert found[2]
    with pytest.raises(FileFormatError, match=said):
        found[3]


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.arrow").write_text("no set")
    with pytest.raises(FileFormatError, match="is not a set of puzzles"):
        PuzzleSet(tmp_path / "text.arrow")
    table = pyarrow.table({"a": [1]})
    with (
        pyarrow.OSFile(str(tmp_path / "a.arrow"), "wb") as file,
        pyarrow.ipc.new_file(file, table.schema) as rows,
    ):
        rows.write_table(table)
    with pytest.raises(FileFormatError, match="is not a set of puzzles"):
        PuzzleSet(tmp_path / "a.arrow")
    with pytest.raises(FileNotFoundError):
        PuzzleSet(tmp_path / "none.arrow")
