"""How fast large sets are made: compact files and masks, against one puzzle at a time with pictures.

With --released the generator that the paper's authors released (github.com/POSTECH-CVLab/LAGS) is run in the
same run, from a clone of it, which needs matplotlib and scikit-image; none of its code is here. Without, a
figure of it is quoted: 4.5 puzzles a second with pictures on this kind of machine. Two programs of our own
run beside ours in any case, both in the manner of that protocol, which cuts one puzzle, draws it, and goes on
to the next: one draws a mask of the target and of each piece with Pillow; the other, where matplotlib is
installed, draws a figure each, as the released code does: of the whole, and of every piece alone, with those
before it, and of what is left to fill. Seconds are those of the processor. Exits with 1 if compact files come
slower than 20,000 a second, or masks less than 1,000 times as fast as the released generator.

    python benchmarks/large_sets.py [--count 100000] [--masks 2000] [--plain 40] [--released LAGS]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Sample
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.fragmentation import BLOCK, generate_arrays
from sherd.io.puzzle_sets import PuzzleSet, writing_set
from sherd.many.generating import MakePuzzles
from sherd.tracing.scanline import draw

# Puzzles a second of the released generator, as quoted, and how many it makes where it is run.
RELEASED = 4.5
FEW, MORE = 2, 12
LEAST_ROWS = 20_000.0
LEAST_RATIO = 1000.0
SIZE_PX = 128
AT_ONCE = 5  # a block's masks should stay in the cache
KIND = PuzzleKind(pieces=8, rotations=Rotations(20))


def rate(count: int, work: Callable[[], object]) -> float:
    """Puzzles a second of this process's own time."""
    started = time.process_time()
    work()
    return count / (time.process_time() - started)


def write_compact(path: Path, count: int) -> None:
    make = MakePuzzles(KIND, 1, compact=True)
    with writing_set(path, KIND.shape.outline, KIND.rotations) as rows:
        for job in make.jobs(range(count)):
            rows.write(make(job))


def masks_of_arrays(count: int) -> float:
    """Masks of every piece in its own frame, by exact areas, from the arrays that puzzles are cut as."""
    covered = 0.0
    cover = np.zeros((AT_ONCE * KIND.pieces, SIZE_PX, SIZE_PX), dtype=np.float32)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        block = generate_arrays(KIND.shape, KIND.fragmentation, seed=1, start=start, stop=stop)
        for first in range(0, len(block), AT_ONCE):
            cut = block[first : first + AT_ONCE]
            vertices, real = cut.outlines()
            points = (vertices[real] * (1.0, -1.0) + 0.5) * SIZE_PX
            starts = np.concatenate([[0], np.cumsum(cut.corners.ravel())])
            numbers = np.arange(cut.corners.size)
            cover[:] = 0.0
            draw(points, starts, numbers, np.ones(len(numbers), dtype=bool), cover)
            if start == first == 0:  # these are masks: all pieces of a puzzle cover its target once
                whole = KIND.shape.outline.area * len(cut) * SIZE_PX**2
                assert abs(float(cover[: len(numbers)].sum()) - whole) < 0.01 * whole
            covered += float(cover[0, ::16, ::16].sum())
    return covered


def plain_with_pictures(samples: list[Sample]) -> int:
    """A mask of the target and of each piece, one after the other, by a library for pictures."""
    filled = 0
    for sample in samples:
        outlines = [sample.puzzle.one_part, *(piece.polygon for piece in sample.puzzle.fragments)]
        for outline in outlines:
            picture = Image.new("L", (SIZE_PX, SIZE_PX))
            low_x, low_y, _, _ = outline.bounds
            points = [((x - low_x) * SIZE_PX, (y - low_y) * SIZE_PX) for x, y in outline.exterior.coords]
            ImageDraw.Draw(picture).polygon(points, fill=1)
            filled += int(np.asarray(picture).sum())
    return filled


def with_figures(samples: list[Sample]) -> float:
    """Figures of the whole and of each piece: alone, with those before it, and of what is left then."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    def empty() -> tuple[FigureCanvasAgg, Any]:
        figure = Figure(figsize=(1, 1), dpi=SIZE_PX, facecolor="black")
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(-0.5, 0.5), ylim=(-0.5, 0.5))
        axes.set_axis_off()
        return FigureCanvasAgg(figure), axes

    def drawn(canvas: FigureCanvasAgg) -> float:
        canvas.draw()
        return float(np.asarray(canvas.buffer_rgba())[..., 0].mean())

    total = 0.0
    for sample in samples:
        target = np.asarray(sample.puzzle.one_part.exterior.coords)
        places = [np.asarray(one.exterior.coords) for one in sample.puzzle.placed(sample.truth)]
        whole, so_far, left = empty(), empty(), empty()
        left[1].fill(*target.T, color="white")
        for place in places:
            whole[1].fill(*place.T, color="white")
        total += drawn(whole[0])
        for place in places:
            alone = empty()
            alone[1].fill(*(place - place.mean(axis=0)).T, color="white")
            so_far[1].fill(*place.T, color="white")
            left[1].fill(*place.T, color="black")
            total += drawn(alone[0]) + drawn(so_far[0]) + drawn(left[0])
    return total


def released_rate(clone: Path, folder: Path) -> float:
    """Puzzles a second of the authors' program, squares in 8 pieces with rotations, once it has started."""
    stand_in = folder / "modules"
    stand_in.mkdir()
    if find_spec("tensorflow") is None:  # which the program loads, and makes puzzles without
        (stand_in / "tensorflow.py").touch()
    took: list[float] = []
    for count in (FEW, MORE):
        words = ["--num_of_partition", "3", "--use_rotation", "--num_of_data", str(count)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "create_shape_fragmentation.py", *words, "--str_datasets", str(folder / "sets")],
            cwd=clone / "src",
            env={**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(stand_in)},
            check=True,
            capture_output=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return (MORE - FEW) / (took[1] - took[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100_000, help="puzzles of the compact file")
    parser.add_argument("--masks", type=int, default=2000, help="puzzles with masks")
    parser.add_argument("--plain", type=int, default=40, help="puzzles of the plain program")
    parser.add_argument("--released", type=Path, help="a clone of the authors' generator, to be run beside")
    options = parser.parse_args()

    def plain(draw: Callable[[list[Sample]], object]) -> None:
        for number in range(options.plain):  # each by itself, as the protocol has it
            draw(list(make_samples(KIND, seed=1, start=number, stop=number + 1)))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set.arrow"
        compact = rate(options.count, lambda: write_compact(path, options.count))
        size = path.stat().st_size / options.count
        some = PuzzleSet(path).shuffled(seed=1)[: options.masks]
        read = rate(len(some), lambda: sum(len(item.puzzle.fragments) for item in some))
        is_run = options.released is not None
        released = released_rate(options.released.resolve(), Path(folder)) if is_run else RELEASED
    masks_of_arrays(1)  # compiles
    masks = rate(options.masks, lambda: masks_of_arrays(options.masks))
    slowly = rate(options.plain, lambda: plain(plain_with_pictures))
    with suppress(ImportError):
        with_figures([])  # loads
        figures = rate(options.plain, lambda: plain(with_figures))
        print(
            f"own program with matplotlib {figures:,.1f} a second; masks are {masks / figures:,.0f} x as fast"
        )
    print(f"square, {KIND.pieces} pieces, 20 rotations, puzzles a second of one core:")
    print(f"  compact file           {compact:10,.0f}   {size:,.0f} bytes a puzzle")
    print(f"  read back, shuffled    {read:10,.0f}")
    print(f"  masks of {SIZE_PX} pixels     {masks:10,.0f}   {masks / released:,.0f} x released")
    print(f"  plain, one at a time   {slowly:10,.0f}   masks by arrays are {masks / slowly:,.1f} x as fast")
    how = "run beside" if is_run else "as quoted, not run here"
    print(f"  released generator     {released:10,.1f}   {how}")
    return 0 if compact >= LEAST_ROWS and masks >= LEAST_RATIO * released else 1


if __name__ == "__main__":
    sys.exit(main())
