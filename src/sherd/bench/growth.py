"""The suite `growth`: what the whole command costs as pieces become more, kind by kind.

A row is one puzzle in a file, for which `sherd assemble` is run as anybody runs it: seconds and memory are
those of the process, from its start to its end, with reading, scoring and drawing in them.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from pathlib import Path

import numpy as np
import shapely

from sherd.bench import launch
from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError, UnsupportedError
from sherd.core.geometry import Pose
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.dataset import Dissection, PuzzleKind, make_samples
from sherd.generation.lattice import large_lattice
from sherd.generation.shapes import Shape
from sherd.io import puzzle_to_line, read_assembly, write_atomically

SIZES = (4, 16, 64, 256, 1024, 4096, 16_384)
# Beyond these nothing is made: torn sheets take a minute each, as does cutting a large frame on a grid, and a
# jigsaw has so many pieces at most.
MOST_TORN, MOST_OF_A_JIGSAW, MOST_LATTICE = 256, 1024, 256
# Fewer pieces are not cut on a grid.
LEAST_LATTICE = 16
MOST_CUT = 4096
# What a square of side 1 is cut into before, as any cuts would: from bottom to top, then from each side
# to that. None has parallel sides: two halves of such a part could be glued along those as well.
_FOOT, _HEAD, _LEFT, _RIGHT = (0.47, 0.0), (0.55, 1.0), (0.0, 0.41), (1.0, 0.57)
_ON_LEFT, _ON_RIGHT = (0.47 + 0.08 * 0.47, 0.47), (0.47 + 0.08 * 0.61, 0.61)
PARTS = (
    ((0.0, 0.0), _FOOT, _ON_LEFT, _LEFT),
    (_LEFT, _ON_LEFT, _HEAD, (0.0, 1.0)),
    (_FOOT, (1.0, 0.0), _RIGHT, _ON_RIGHT),
    (_ON_RIGHT, _RIGHT, (1.0, 1.0), _HEAD),
)
# Cells of the grid that a lattice piece has on average.
CELLS = 16
# So much is told of what a command said that failed.
SAID = 300
TRIED = re.compile(r"tried .*?: ([\d,]+) (?:try|tries)")


# Left, lower, right and upper edge, in cells.
Box = tuple[int, int, int, int]
# What to call the interpreter with to solve a file's puzzle into a folder within some seconds, and say how.
Command = Callable[[Path, Path, float], Sequence[str]]


@dataclass(frozen=True)
class Cost:
    """What one puzzle cost: the command's seconds, CPU seconds and peak memory, and the solver's own figures.

    ``tries`` are nodes of a search or joints that were weighed; None if the command was killed.
    """

    kind: str
    pieces: int
    solved: bool
    seconds: float
    cpu_seconds: float
    peak_mib: float
    solver_seconds: float | None
    tries: int | None


@dataclass(frozen=True)
class GrowthRequest:
    """Which rows, of the puzzles that a seed makes, each solved within ``time_limit`` seconds.

    After a puzzle of a kind that was not solved, larger ones of that kind are left out.
    """

    rows: tuple[tuple[str, int], ...]
    seed: int = 0
    time_limit: float = 60.0

    def __post_init__(self) -> None:
        if self.seed < 0 or not self.time_limit > 0.0:
            raise ArgumentError("a seed of 0 or more and some seconds are needed")


def measure_growth(request: GrowthRequest, command: Command) -> Iterator[Cost | None]:
    """Each row in turn; None for one that is left out."""
    hopeless: set[str] = set()
    for kind, pieces in request.rows:
        if kind in hopeless:
            yield None
            continue
        cost = _cost(kind, pieces, request, command)
        if not cost.solved:
            hopeless.add(kind)
        yield cost


def _cost(kind: str, pieces: int, request: GrowthRequest, command: Command) -> Cost:
    """Run the command on one puzzle, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "puzzle.jsonl", Path(folder) / "out"
        write_atomically(file, puzzle_to_line(KINDS[kind](pieces, request.seed)) + "\n")
        words = [sys.executable, *command(file, out, request.time_limit)]
        report = Path(folder) / "cost.json"
        started = time.perf_counter()
        with (Path(folder) / "said").open("w+b") as file_of_words:
            process = subprocess.Popen(
                [sys.executable, launch.__file__, str(report), *words],
                stdout=file_of_words,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                process.wait()
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            seconds = time.perf_counter() - started
            file_of_words.seek(0)
            said = file_of_words.read().decode("utf-8", "replace")
        used = json.loads(report.read_text(encoding="utf-8"))
        if used["code"] > 0:  # one that was killed, as for want of memory, has not solved it
            raise UnsupportedError(f"{kind}, {pieces:,} pieces: the command failed: {said.strip()[-SAID:]}")
        tried = TRIED.findall(" ".join(said.split()))
        saved = read_assembly(out / "puzzle.assembly.json") if used["code"] == 0 else None
    return Cost(
        kind,
        pieces,
        solved=saved is not None and saved.solved,
        seconds=seconds,
        cpu_seconds=used["cpu_seconds"],
        peak_mib=used["peak"] / (2**20 if sys.platform == "darwin" else 2**10),
        solver_seconds=None if saved is None else saved.seconds,
        tries=sum(int(count.replace(",", "")) for count in tried) if tried else None,
    )


def _made(dissection: Dissection) -> Callable[[int, int], Sample]:
    def make(pieces: int, seed: int) -> Sample:
        return next(iter(make_samples(PuzzleKind(pieces=pieces, dissection=dissection), seed=seed, stop=1)))

    return make


def _exact_cuts(pieces: int, seed: int) -> Sample:
    """Exact cuts of a square; of more pieces than are ever cut at once, those of four parts of it."""
    if pieces <= MOST_CUT:
        return _made("cuts")(pieces, seed)
    fragments: list[Fragment] = []
    truth: list[Placement] = []
    for number, corners in enumerate(PARTS):
        kind = PuzzleKind(shape=Shape("part", make_polygon(corners)), pieces=pieces // len(PARTS))
        cut = next(iter(make_samples(kind, seed=len(PARTS) * seed + number, stop=1)))
        names = {one.id: f"f{len(fragments) + k}" for k, one in enumerate(cut.puzzle.fragments)}
        fragments += [Fragment(names[one.id], one.polygon) for one in cut.puzzle.fragments]
        truth += [Placement(names[one.id], one.pose) for one in cut.truth]
    return Sample(Puzzle(shapely.box(0.0, 0.0, 1.0, 1.0), tuple(fragments)), Assembly(tuple(truth)))


def _on_a_grid(pieces: int, seed: int) -> Sample:
    """A square of a grid cut into rectangles of whole cells, always the largest in two."""
    rng = np.random.default_rng([seed, pieces])
    side = round((CELLS * pieces) ** 0.5)
    boxes: list[tuple[int, Box]] = [(-side * side, (0, 0, side, side))]
    while len(boxes) < pieces:
        _, (low_x, low_y, high_x, high_y) = heappop(boxes)
        if high_x - low_x >= high_y - low_y:
            at = int(rng.integers(low_x + 1, high_x))
            parts = [(low_x, low_y, at, high_y), (at, low_y, high_x, high_y)]
        else:
            at = int(rng.integers(low_y + 1, high_y))
            parts = [(low_x, low_y, high_x, at), (low_x, at, high_x, high_y)]
        for box in parts:
            heappush(boxes, (-(box[2] - box[0]) * (box[3] - box[1]), box))
    fragments: list[Fragment] = []
    truth: list[Placement] = []
    shuffled: list[int] = rng.permutation(len(boxes)).tolist()
    for k, number in enumerate(shuffled):
        _, (low_x, low_y, high_x, high_y) = boxes[number]
        half_x, half_y = (high_x - low_x) / 2.0, (high_y - low_y) / 2.0
        fragments.append(Fragment(f"f{k}", shapely.box(-half_x, -half_y, half_x, half_y)))
        truth.append(Placement(f"f{k}", Pose(low_x + half_x, low_y + half_y)))
    return Sample(Puzzle(shapely.box(0, 0, side, side), tuple(fragments)), Assembly(tuple(truth)))


def _lattice(pieces: int, seed: int) -> Sample:
    """A frame on a grid, cut freely into pieces that may be turned, as in the suite of that name."""
    return large_lattice(pieces, np.random.default_rng([seed, pieces]))


KINDS: dict[str, Callable[[int, int], Sample]] = {
    "exact cuts": _exact_cuts,
    "on a grid": _on_a_grid,
    "broken": _made("broken"),
    "jigsaw": _made("jigsaw"),
    "lattice": _lattice,
}
LEAST = {"lattice": LEAST_LATTICE}
MOST = {"broken": MOST_TORN, "jigsaw": MOST_OF_A_JIGSAW, "lattice": MOST_LATTICE}
ROWS = tuple(
    (kind, size)
    for kind in KINDS
    for size in SIZES
    if LEAST.get(kind, 0) <= size <= MOST.get(kind, SIZES[-1])
)
