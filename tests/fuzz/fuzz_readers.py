# ruff: noqa: T201  (a program: it prints what it finds)
"""Look for files that break a reader: small ones, changed at random, format by format.

    python tests/fuzz/fuzz_readers.py --inputs 100000 --workers 2 --seed 1

Every input must be read, and what was read be a job, or be refused by an error that sherd foresees, within
seconds of work and a limit of memory. ``upload svg`` and the like are read as a worker of the studio does.
Input number k of a format is the same for one seed, whatever the workers. What breaks a reader is kept in
build/fuzz, and belongs into tests/fuzz/corpus; what takes more than two seconds is kept there, too.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parent))  # however it is started: a program, or from a test

from mutations import Change, changed, of_bytes, of_json, of_numbers, of_png, of_tensors, of_zip

from sherd.core.errors import SherdError

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
CORPORA = (
    TESTS / "io" / "corpus",
    TESTS / "workshop" / "far",
    TESTS / "fuzz" / "corpus",
    *(ROOT / "examples" / name for name in ("tangram", "mixed", "puzzle", "tile")),
)
# Larger examples than this make inputs dear.
LARGEST_SEED = 10_000
KEPT = ROOT / "build" / "fuzz"
# Seconds of work that an input may take, and how much memory the process may have.
MOST_SECONDS = 10.0
MOST_MEMORY = 6 * 2**30
CHUNK = 250


class TooSlowError(BaseException):
    """An input took longer than it may; no reader may catch this."""


@dataclass(frozen=True)
class Format:
    """Which files a reader is given at first, how they end, the reader, and how what they hold is changed."""

    suffix: str
    read: Callable[[Path], object]
    seeds: Callable[[], list[bytes]]
    deeper: Change = of_bytes
    foreseen: tuple[type[Exception], ...] = (SherdError, OSError)


# What the process that reads for the studio makes a sentence of.
SAID_BY_THE_STUDIO = (SherdError, OSError, RecursionError)
# A chunk of inputs: their format, the seed, and their numbers; and what became of them.
Chunk = tuple[str, int, range]
Tried = tuple[str, "Counter[str]", list[str]]


def formats() -> dict[str, Format]:
    """Every format that is read, by name."""
    from sherd.bench.record import read_record
    from sherd.io import read_assembly
    from sherd.io.drawings import read_drawing
    from sherd.io.puzzle_files import read_all
    from sherd.learn.training.checkpoint import read_tensors
    from sherd.studio.tasks import Tasks
    from sherd.workshop import make_job
    from sherd.workshop.params import JobParams, read_settings
    from sherd.workshop.project import read_project

    def job(path: Path) -> object:
        drawing = read_drawing(path)
        with suppress(SherdError):  # most have no target
            return make_job(drawing)
        return make_job(drawing, JobParams(no_target=True))

    def every_puzzle(path: Path) -> object:
        return list(read_all(path))

    def settings(path: Path) -> object:
        params = read_settings(path)
        drawing = path.with_suffix(".svg")
        drawing.write_bytes(DRAWING)
        return make_job(read_drawing(drawing, params), params)

    def project(path: Path) -> object:
        into = Path(tempfile.mkdtemp(dir=path.parent))
        try:
            return make_job(*read_project(path, into).read())
        finally:
            shutil.rmtree(into)

    def upload(path: Path) -> object:
        folder = Path(tempfile.mkdtemp(dir=path.parent))
        (folder / "source").mkdir()
        source = f"source/{path.name}"
        shutil.copy(path, folder / source)
        task = {"task": "read", "id": "a", "folder": str(folder), "source": source, "params": {}, "roles": {}}
        try:
            return Tasks(print, lambda: False).run({**task, "most_pieces": 300, "most_unpacked": 2**26})
        finally:
            shutil.rmtree(folder)

    def files(*endings: str) -> Callable[[], list[bytes]]:
        return lambda: [
            path.read_bytes()
            for folder in CORPORA
            for path in sorted(folder.iterdir())
            if path.name.endswith(endings) and path.stat().st_size <= LARGEST_SEED
        ]

    drawn = {
        "svg": files(".svg"),
        "dxf": files(".dxf"),
        "geojson": files(".geojson"),
        "wkt": files(".wkt"),
        "csv": files(".csv"),
        "png": lambda: [*files("tiny.png", "cut-out.png")(), picture("PNG")],
        "jpg": lambda: [picture("JPEG")],
        "tiff": lambda: [picture("TIFF")],
    }
    deeper: dict[str, Change] = {"png": of_png, "geojson": of_json, "jpg": of_bytes, "tiff": of_bytes}
    found = {
        name: Format(f".{name}", job, seeds, deeper.get(name, of_numbers)) for name, seeds in drawn.items()
    }
    found["coco"] = Format(".json", job, files("coco.json", "masks.json", "masks-2.json"), of_json)
    found["puzzle"] = Format(".json", every_puzzle, lambda: puzzles()[:1], of_json)
    found["puzzles"] = Format(".jsonl", every_puzzle, lambda: puzzles()[1:], of_json)
    found["assembly"] = Format(".json", read_assembly, files(".assembly.json"), of_json)
    found["toml"] = Format(".toml", settings, lambda: [SETTINGS, *files(".toml")()], of_numbers)
    found["safetensors"] = Format(".safetensors", read_tensors, tensors, of_tensors)
    found["record"] = Format(".json", read_record, records, of_json)
    found["sherd"] = Format(".sherd", project, projects, of_zip)
    for name in ("svg", "dxf", "geojson", "wkt", "csv", "png", "coco", "puzzles", "sherd"):
        found[f"upload {name}"] = replace(found[name], read=upload, foreseen=SAID_BY_THE_STUDIO)
    return found


DRAWING = (
    b'<svg><rect id="target" width="9" height="9"/><rect id="a" x="20" width="9" height="4"/>'
    b'<rect id="b" x="20" y="20" width="9" height="5"/></svg>'
)
SETTINGS = b"""target = "rect:20x10"
unit = "mm"
kerf = 0.2
rotations = 4
mirror = ["a"]
tolerance = 0.5
offset = 0.01
scale = 1.001
play = 0.1
mm_per_px = 1.5
[pins]
a = [1.0, 2.0, 90.0]
"""


def picture(kind: str) -> bytes:
    """Two dark pieces on white paper."""
    from PIL import Image, ImageDraw

    image = Image.new("L", (48, 32), 250)
    draw = ImageDraw.Draw(image)
    draw.rectangle((4, 4, 18, 26), fill=40)
    draw.polygon([(24, 5), (44, 8), (30, 28)], fill=60)
    stream = io.BytesIO()
    image.save(stream, kind)
    return stream.getvalue()


def puzzles() -> list[bytes]:
    """A puzzle as one document, and three as lines."""
    import sherd

    params = sherd.FragmentationParams(pieces=3)
    samples = list(sherd.generate(sherd.named_shape("square"), params, count=3, seed=1))
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "a.jsonl"
        sherd.write_samples(lines, samples)
        text = lines.read_bytes()
    return [text.splitlines()[0], text]


def tensors() -> list[bytes]:
    """A file of two small tensors."""
    import torch
    from safetensors.torch import save

    return [save({"a": torch.zeros(2, 3), "b": torch.ones(4)}, metadata={"about": '{"step": 3}'})]


def records() -> list[bytes]:
    """The shortest records that are kept."""
    every = sorted(
        (ROOT / "experiments" / "results").rglob("*.json"), key=lambda path: (path.stat().st_size, path)
    )
    return [data for path in every[:40] if b'"cells"' in (data := path.read_bytes())][:3]


def projects() -> list[bytes]:
    """A project of the studio that holds a drawing."""
    import zipfile

    about = {"format": "sherd.project", "version": 1, "name": "a", "source": "source/a.svg"}
    found: list[bytes] = []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", method) as packed:
            packed.writestr("project.json", json.dumps({**about, "params": {"kerf": 0.1}, "roles": {}}))
            packed.writestr("source/a.svg", DRAWING)
        found.append(stream.getvalue())
    return found


def inputs(name: str, form: Format, seeds: list[bytes], seed: int, numbers: range) -> Iterator[bytes]:
    """The inputs of a format with these numbers."""
    for number in numbers:
        rng = random.Random(f"{seed}:{name}:{number}")
        yield changed(rng.choice(seeds), seeds, rng, form.deeper)


def prepare() -> None:
    """Give a process its limit of memory, and let it say nothing."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    warnings.simplefilter("ignore")
    logging.disable()


def try_some(name: str, seed: int, numbers: range) -> Tried:
    """Read these inputs: how many were read and refused, and what broke."""
    form = formats()[name]
    seeds = form.seeds()
    counts: Counter[str] = Counter()
    broke: list[str] = []

    def ring(number: int, frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, ring)
    # Where a process is killed, what it read last stays here.
    folder = _folder_of((name, seed, numbers))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"a{form.suffix}"
    for data in seeds:  # code is compiled before time is taken
        path.write_bytes(data)
        with suppress(*form.foreseen):
            form.read(path)
    for number, data in zip(numbers, inputs(name, form, seeds, seed, numbers), strict=True):
        path.write_bytes(data)
        started = time.process_time()
        try:
            signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
            form.read(path)
            counts["read"] += 1
        except form.foreseen:
            counts["refused"] += 1
        except (Exception, TooSlowError) as error:
            kept = KEPT / f"{name.replace(' ', '-')}-{seed}-{number}{form.suffix}"
            kept.write_bytes(data)
            said = " ".join(str(error).split())[:100]
            broke.append(f"{_named(kept)}: {type(error).__name__} {said}")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
        if time.process_time() - started > MOST_SECONDS / 5.0:
            counts["slow"] += 1
            (KEPT / f"slow-{name.replace(' ', '-')}-{seed}-{number}{form.suffix}").write_bytes(data)
    shutil.rmtree(folder)
    signal.signal(signal.SIGPROF, before)
    counts["peak MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return name, counts, broke


def _folder_of(chunk: Chunk) -> Path:
    name, seed, numbers = chunk
    return KEPT / f"reading-{name.replace(' ', '-')}-{seed}-{numbers.start}"


def _named(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def try_all(chunks: Iterable[Chunk], workers: int) -> Iterator[Tried]:
    """Try chunks as they are done; one that ends its process, which is a finding, is found by itself."""
    waiting = list(chunks)
    while waiting:
        failed: list[Chunk] = []
        with ProcessPoolExecutor(workers, get_context("spawn"), prepare) as pool:
            asked: dict[Future[Tried], Chunk] = {pool.submit(try_some, *chunk): chunk for chunk in waiting}
            for done in as_completed(asked):
                try:
                    yield done.result()
                except BrokenProcessPool:
                    failed.append(asked[done])
        reading = [chunk for chunk in failed if _folder_of(chunk).exists()] or failed
        waiting = [chunk for chunk in failed if chunk not in reading]
        for chunk in reading:
            folder = _folder_of(chunk)
            try:
                with ProcessPoolExecutor(1, get_context("spawn"), prepare) as alone:
                    yield alone.submit(try_some, *chunk).result()
            except BrokenProcessPool:
                yield chunk[0], Counter(), [f"{_named(folder)}: ended the process that read it"]


def main() -> int:
    """Try so many inputs of the formats in turn, and say what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", help="by default all")
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    names = asked.formats or list(formats())
    each = -(-asked.inputs // len(names))
    chunks = [
        (name, asked.seed, range(first, min(first + CHUNK, each)))
        for first in range(0, each, CHUNK)
        for name in names
    ]
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    broke: list[str] = []
    for name, some, found in try_all(chunks, asked.workers):
        peak = max(counts[name]["peak MiB"], some.pop("peak MiB", 0))
        counts[name] += some
        counts[name]["peak MiB"] = peak
        broke += found
        for line in found:
            print(line, flush=True)
    total = 0
    for name, own in counts.items():
        tried = own["read"] + own["refused"]
        total += tried
        print(
            f"{name:14} {tried:9,} inputs, {own['read']:,} read, {own['refused']:,} refused, "
            f"{own['slow']:,} slow, at most {own['peak MiB']:,} MiB"
        )
    print(f"{total:,} inputs, {len(broke)} broke a reader")
    return 1 if broke else 0


if __name__ == "__main__":
    sys.exit(main())
