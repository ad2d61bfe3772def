"""Large sets of puzzles as Arrow files: compact, read lazily, sliced and shuffled without being loaded.

A row is a puzzle with its truth. What all have in common, target and rotations, stands once, in the schema's
metadata; a puzzle that is not of simple outlines in that target is its line of JSON instead.

corners   how many vertices each fragment has
vertices  x and y of all of them, fragment by fragment, each in its own frame
poses     true x, y and theta of each fragment
order     the fragments in the order of assembly
line      null, or the puzzle as JSON
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError, FileFormatError, SherdError, UnsupportedError
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.fragmentation import Fragmentation
from sherd.io.atomic import replacing
from sherd.io.document import Document
from sherd.io.puzzle_files import (
    ARROW,
    outline_from_json,
    outline_to_json,
    puzzle_from_json,
    rotations_from_json,
)

if TYPE_CHECKING:
    from sherd.io.document import Node

FORMAT = "sherd.puzzles"
VERSION = 1
KEY = b"sherd"
COLUMNS = ("corners", "vertices", "poses", "order", "line")
# Blocks of a set that are held ready; each is a view of the file.
BLOCKS_HELD = 8


def is_set(path: str | os.PathLike[str]) -> bool:
    """Whether a file is meant to be such a set, by its ending."""
    return Path(path).suffix == ARROW


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise UnsupportedError(
            "sets as Arrow files need the extra parquet: pip install 'sherd[parquet]'"
        ) from None
    return pyarrow


def _schema(target: Polygon, rotations: Rotations) -> Any:
    arrow = _arrow()
    small, real = arrow.list_(arrow.int32()), arrow.list_(arrow.float64())
    kinds = (small, real, real, small, arrow.string())
    common = {
        "format": FORMAT,
        "version": VERSION,
        "target": outline_to_json(target),
        "rotations": "free" if rotations.bins is None else rotations.bins,
    }
    return arrow.schema(list(zip(COLUMNS, kinds, strict=True)), metadata={KEY: json.dumps(common).encode()})


def block_of_arrays(cut: Fragmentation) -> bytes:
    """Puzzles as they are cut, as a block of a set's rows, by arrays alone."""
    arrow = _arrow()
    count, pieces = cut.corners.shape
    vertices, real = cut.outlines()
    each = cut.corners.sum(axis=1)

    def lists(values: Any, a_row: Any) -> Any:
        ends = np.concatenate([[0], np.cumsum(np.broadcast_to(a_row, count))]).astype(np.int32)
        return arrow.ListArray.from_arrays(ends, arrow.array(values.ravel()))

    columns = [
        lists(cut.corners.astype(np.int32), pieces),
        lists(vertices[real], 2 * each),
        lists(cut.poses, 3 * pieces),
        lists(cut.order.astype(np.int32), pieces),
        arrow.nulls(count, arrow.string()),
    ]
    batch = arrow.RecordBatch.from_arrays(columns, schema=_schema(cut.target, cut.rotations))
    return batch.serialize().to_pybytes()


def block_of_lines(lines: Sequence[str], target: Polygon, rotations: Rotations) -> bytes:
    """Other puzzles, each as its line of JSON."""
    arrow = _arrow()
    schema = _schema(target, rotations)
    nothing = [arrow.nulls(len(lines), field.type) for field in list(schema)[:-1]]
    batch = arrow.RecordBatch.from_arrays([*nothing, arrow.array(lines, arrow.string())], schema=schema)
    return batch.serialize().to_pybytes()


class SetWriter:
    """Blocks on their way into a set; only whole ones count."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer = writer
        self._schema = schema
        self.count = 0
        self.torn = False

    def write(self, block: bytes) -> None:
        """Add a block, as `block_of_arrays` and `block_of_lines` make them."""
        batch = _arrow().ipc.read_record_batch(block, self._schema)
        self.torn = True  # until it is written whole
        self._writer.write_batch(batch)
        self.torn = False
        self.count += batch.num_rows


@contextmanager
def writing_set(path: Path, target: Polygon, rotations: Rotations) -> Generator[SetWriter]:
    """A writer whose blocks become the file when the block ends; if it raises, nothing is left."""
    schema = _schema(target, rotations)
    with replacing(path) as file, _arrow().ipc.new_file(file, schema) as writer:
        rows = SetWriter(writer, schema)
        yield rows
        if rows.torn:  # a caller keeps what it has, but the last block is in the way
            raise KeyboardInterrupt


class PuzzleSet(Sequence[Puzzle | Sample]):
    """The puzzles of an Arrow file, each read when it is asked for; slices and shuffles are views.

    >>> some = PuzzleSet("puzzles.arrow")[1000:2000].shuffled(seed=3)  # doctest: +SKIP
    """

    def __init__(self, path: str | os.PathLike[str], numbers: Sequence[int] | None = None) -> None:
        self.path = Path(path)
        self._file = _opened(self.path)
        self._numbers = range(self._file.count) if numbers is None else numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Puzzle | Sample: ...
    @overload
    def __getitem__(self, index: slice) -> PuzzleSet: ...
    def __getitem__(self, index: int | slice) -> Puzzle | Sample | PuzzleSet:
        if isinstance(index, slice):
            return PuzzleSet(self.path, self._numbers[index])
        return self._file.puzzle(int(self._numbers[index]))

    def __iter__(self) -> Iterator[Puzzle | Sample]:
        return (self._file.puzzle(int(number)) for number in self._numbers)

    def shuffled(self, seed: int) -> PuzzleSet:
        """The same puzzles in another order, which the seed says."""
        order = np.random.default_rng(seed).permutation(len(self))
        numbers = np.asarray(self._numbers)[order] if len(self) else order
        return PuzzleSet(self.path, cast("Sequence[int]", numbers))


class _File:
    """A file that is mapped into memory, of which pages are read as they are touched."""

    def __init__(self, path: Path) -> None:
        arrow = _arrow()
        self.path = path
        try:
            self._reader = arrow.ipc.open_file(arrow.memory_map(str(path)))
            metadata: dict[bytes, bytes] = self._reader.schema.metadata or {}
            document = Document(path, 1, metadata[KEY].decode())
        except (arrow.ArrowInvalid, KeyError, UnicodeDecodeError):
            raise FileFormatError(f"{path}: is not a set of puzzles as sherd writes them") from None
        self._target, self._rotations = document.read(_common)
        if self._reader.schema.remove_metadata() != _schema(self._target, self._rotations).remove_metadata():
            raise FileFormatError(f"{path}: has other columns than {', '.join(COLUMNS)}")
        blocks = range(self._reader.num_record_batches)
        self._ends = list(accumulate(self._reader.get_batch(k).num_rows for k in blocks))
        self.count = self._ends[-1] if self._ends else 0
        self._block = lru_cache(BLOCKS_HELD)(self._checked)

    def _checked(self, number: int) -> Any:
        batch = self._reader.get_batch(number)
        batch.validate(full=True)
        return batch

    def puzzle(self, number: int) -> Puzzle | Sample:
        """The puzzle of this number in the file."""
        block = bisect_right(self._ends, number)
        row = number - (self._ends[block - 1] if block else 0)
        try:
            batch = self._block(block)
            line = batch.column(4)[row].as_py()
            if line is not None:
                return Document(self.path, number + 1, line).read(puzzle_from_json)
            corners, vertices, poses, order = (
                batch.column(k)[row].values.to_numpy(zero_copy_only=False) for k in range(4)
            )
            return self._sample(corners, vertices, poses, order)
        except FileFormatError:
            raise
        except (ValueError, IndexError, AttributeError, SherdError, shapely.errors.ShapelyError) as error:
            raise FileFormatError(f"{self.path}: puzzle {number} is broken: {error}") from None

    def _sample(self, corners: Any, vertices: Any, poses: Any, order: Any) -> Sample:
        ends = np.cumsum(corners)
        if len(corners) and (corners.min() < 3 or 2 * ends[-1] != len(vertices)):
            raise ArgumentError("its vertices are not those of its fragments")
        if not (np.isfinite(vertices).all() and np.isfinite(poses).all()):
            raise ArgumentError("a number is not finite")
        rings = np.split(vertices.reshape(-1, 2), ends[:-1])
        ids = [f"f{k}" for k in range(len(corners))]
        fragments = tuple(map(Fragment, ids, map(Polygon, rings)))
        true = [Pose(*pose) for pose in poses.reshape(len(ids), 3).tolist()]
        truth = Assembly(tuple(Placement(ids[k], true[k]) for k in cast("list[int]", order.tolist())))
        return Sample(Puzzle(self._target, fragments, self._rotations), truth)


@lru_cache(4)
def _of_state(path: Path, state: tuple[int, int]) -> _File:
    return _File(path)


def _opened(path: Path) -> _File:
    """The file, mapped once for all views of it, unless it has changed."""
    found = path.stat()
    return _of_state(path, (found.st_mtime_ns, found.st_size))


def _common(root: Node) -> tuple[Polygon, Rotations]:
    members = root.object(["format", "version", "target", "rotations"])
    if members["format"].value != FORMAT or members["version"].value != VERSION:
        root.fail(f"expected {FORMAT} of version {VERSION}")
    target = members["target"]
    return outline_from_json(target.object(["exterior"], ["holes"]), target), rotations_from_json(
        members["rotations"]
    )
