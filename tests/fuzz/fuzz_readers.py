# ruff: noqa: T201  (a program: it prints what it finds)
"""Look for files that break a reader: small ones, changed at random, format by format.

    python tests/fuzz/fuzz_readers.py --inputs 100000 --workers 2 --seed 1

Every input must be read, or refused by an error that sherd foresees, within seconds of work and a limit of
memory. Input number k of a format is the same for one seed, whatever the workers. What breaks a reader is
kept in build/fuzz, and belongs into tests/fuzz/corpus.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from types import FrameType

from sherd.core.errors import SherdError

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
CORPORA = (TESTS / "io" / "corpus", TESTS / "workshop" / "far", TESTS / "fuzz" / "corpus")
KEPT = ROOT / "build" / "fuzz"
# Seconds of work that an input may take, and how much memory the process may have.
MOST_SECONDS = 10.0
MOST_MEMORY = 6 * 2**30
CHUNK = 250
TOKENS = (
    b"", b"-", b"0", b"1e308", b"-1e-308", b"1e12", b"nan", b"inf", b"null", b"[]", b"{}", b"<", b">", b'"',
    b"&a;", b"\xff", b"\0", b"\n", b",", b"9" * 30, b"true", b"#", b"(", b")",
    b"\xef\xbb\xbf", b"\x7f\xff\xff\xff",
)  # fmt: skip
NUMBER = re.compile(rb"-?\d+\.?\d*(?:[eE][-+]?\d+)?")


class TooSlowError(BaseException):
    """An input took longer than it may; no reader may catch this."""


@dataclass(frozen=True)
class Format:
    """Which files a reader is given at first, how they end, and the reader."""

    suffix: str
    read: Callable[[Path], object]
    seeds: Callable[[], list[bytes]]


def changed(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """The bytes after a few cuts, copies, replacements and other numbers."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3, 5))):
        start = rng.randint(0, len(data))
        end = min(len(data), start + rng.choice((0, 1, 1, 2, 4, 8, 40, 200)))
        match rng.randrange(8):
            case 0:
                data = data[:start] + rng.choice(TOKENS) + data[end:]
            case 1:
                data = data[:start] + data[start:end] * rng.choice((2, 3, 50)) + data[end:]
            case 2:
                data = data[:start] + rng.randbytes(end - start) + data[end:]
            case 3 | 6 | 7 if numbers := list(NUMBER.finditer(data[:20_000])):
                one = rng.choice(numbers)
                data = data[: one.start()] + rng.choice(TOKENS) + data[one.end() :]
            case 4:
                other = rng.choice(others)
                at = rng.randint(0, len(other))
                data = data[:start] + other[at : at + rng.choice((4, 40, 400))] + data[end:]
            case _:
                at = min(start, max(0, len(data) - 1))
                data = (
                    data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :] if data else data
                )
    return data


def formats() -> dict[str, Format]:
    """Every format that is read, by name."""
    from sherd.bench.record import read_record
    from sherd.io import read_assembly
    from sherd.io.drawings import read_drawing
    from sherd.io.puzzle_files import read_all
    from sherd.learn.training.checkpoint import read_tensors
    from sherd.workshop.params import read_settings
    from sherd.workshop.project import read_project

    def every_puzzle(path: Path) -> object:
        return list(read_all(path))

    def project(path: Path) -> object:
        into = Path(tempfile.mkdtemp(dir=path.parent))
        try:
            return read_project(path, into).read()
        finally:
            shutil.rmtree(into)

    def files(*endings: str) -> Callable[[], list[bytes]]:
        return lambda: [
            path.read_bytes()
            for folder in CORPORA
            for path in sorted(folder.iterdir())
            if path.name.endswith(endings)
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
    found = {name: Format(f".{name}", read_drawing, seeds) for name, seeds in drawn.items()}
    found["coco"] = Format(".json", read_drawing, files("coco.json", "masks.json", "masks-2.json"))
    found["puzzle"] = Format(".json", every_puzzle, lambda: puzzles()[:1])
    found["puzzles"] = Format(".jsonl", every_puzzle, lambda: puzzles()[1:])
    found["assembly"] = Format(".json", read_assembly, files(".assembly.json"))
    found["toml"] = Format(".toml", read_settings, lambda: [SETTINGS, *files(".toml")()])
    found["safetensors"] = Format(".safetensors", read_tensors, tensors)
    found["record"] = Format(".json", read_record, records)
    found["sherd"] = Format(".sherd", project, projects)
    return found


SETTINGS = b"""target = "rect:20x10"
unit = "mm"
kerf = 0.2
rotations = 4
mirror = ["a"]
forbid = ["b"]
tolerance = 0.5
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
    drawing = b'<svg><rect id="target" width="9" height="9"/><rect x="20" width="9" height="4"/></svg>'
    found: list[bytes] = []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", method) as packed:
            packed.writestr("project.json", json.dumps({**about, "params": {"kerf": 0.1}, "roles": {}}))
            packed.writestr("source/a.svg", drawing)
        found.append(stream.getvalue())
    return found


def inputs(name: str, seeds: list[bytes], seed: int, numbers: range) -> Iterator[bytes]:
    """The inputs of a format with these numbers."""
    for number in numbers:
        rng = random.Random(f"{seed}:{name}:{number}")
        yield changed(rng.choice(seeds), seeds, rng)


def try_some(name: str, seed: int, numbers: range) -> tuple[str, Counter[str], list[str]]:
    """Read these inputs: how many were read and refused, and what broke."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    warnings.simplefilter("ignore")
    form = formats()[name]
    seeds = form.seeds()
    counts: Counter[str] = Counter()
    broke: list[str] = []

    def ring(number: int, frame: FrameType | None) -> None:
        raise TooSlowError

    signal.signal(signal.SIGPROF, ring)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{form.suffix}"
        for data in seeds:  # code is compiled before time is taken
            path.write_bytes(data)
            with suppress(SherdError):
                form.read(path)
        for number, data in zip(numbers, inputs(name, seeds, seed, numbers), strict=True):
            path.write_bytes(data)
            started = time.process_time()
            try:
                signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
                form.read(path)
                counts["read"] += 1
            except (SherdError, OSError):
                counts["refused"] += 1
            except (Exception, TooSlowError) as error:
                KEPT.mkdir(parents=True, exist_ok=True)
                kept = KEPT / f"{name}-{seed}-{number}{form.suffix}"
                kept.write_bytes(data)
                said = " ".join(str(error).split())[:100]
                broke.append(f"{kept.relative_to(ROOT)}: {type(error).__name__} {said}")
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
            counts["slow"] += time.process_time() - started > MOST_SECONDS / 5.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    counts["peak MiB"] = most
    return name, counts, broke


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
    # A process that is killed for its memory, or ended by a library, breaks the pool, which is a finding too.
    with ProcessPoolExecutor(asked.workers, get_context("spawn")) as pool:
        for name, some, found in pool.map(try_some, *zip(*chunks, strict=True)):
            peak = max(counts[name]["peak MiB"], some.pop("peak MiB"))
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
            f"{name:12} {tried:9,} inputs, {own['read']:,} read, {own['refused']:,} refused, "
            f"{own['slow']:,} slow, at most {own['peak MiB']:,} MiB"
        )
    print(f"{total:,} inputs, {len(broke)} broke a reader")
    return 1 if broke else 0


if __name__ == "__main__":
    sys.exit(main())
