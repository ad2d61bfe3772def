# ruff: noqa: T201, RUF005  (a program, too: it prints what it measures; sums of arrays)
"""Files just below the limits of docs/limits.md, and what the whole command takes of each: work and memory.

    python tests/heavy.py [NAME ...] [--time-limit 5]

Work is that of the command's own process and those it waits for, less what a plain drawing takes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def svg(body: str, size: int = 1000) -> str:
    return f'<svg width="{size}mm" height="{size}mm" viewBox="0 0 {size} {size}">{body}</svg>'


def polygon(points: Points, name: str = "") -> str:
    corners = " ".join(f"{x:.5f},{y:.5f}" for x, y in points.tolist())
    return f'<polygon id="{name}" points="{corners}"/>'


def wavy_cut(corners: int, seed: int) -> Points:
    """A line from (0, 0) to (1, 0) that wanders a little from corner to corner, and much in all."""
    rng = np.random.default_rng(seed)
    along = np.linspace(0.0, 1.0, corners)
    waves = sum(rng.normal() / k * np.sin(np.pi * k * along) for k in range(1, 40))
    return np.stack([along, 0.03 * np.asarray(waves)], axis=1)


def strips(pieces: int, corners: int) -> str:
    """A square in wavy strips of so many corners each, laid beside it."""
    cuts = [500.0 * wavy_cut(corners // 2, seed) + (0.0, 500.0 * seed / pieces) for seed in range(1, pieces)]
    flat = np.array([(0.0, 0.0), (500.0, 0.0)])
    lines = [flat, *cuts, flat + (0.0, 500.0)]
    body = '<rect id="target" width="500" height="500"/>'
    for k in range(pieces):
        ring = np.concatenate([lines[k], lines[k + 1][::-1]])
        body += polygon(ring + (600.0, 160.0 * k), f"p{k}")
    return svg(body, 2000)


def blade(corners: int, depth: float, at: tuple[float, float], seed: int) -> Points:
    """A disc with teeth that cannot be thinned."""
    rng = np.random.default_rng(seed)
    turns = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    radii = 100.0 * (1.0 - depth * (np.arange(corners) % 2) * rng.uniform(0.5, 1.0, corners))
    return np.stack([radii * np.cos(turns), radii * np.sin(turns)], axis=1) + at


def blades(pieces: int, corners: int, *, target: bool = True) -> str:
    body = '<rect id="target" x="2000" width="700" height="700"/>' if target else ""
    for k in range(pieces):
        body += polygon(blade(corners, 0.1, (120.0 + 240.0 * (k % 4), 120.0 + 240.0 * (k // 4)), k), f"b{k}")
    return svg(body, 3000)


def rectangles(columns: int) -> str:
    cells = range(columns)
    body = f'<rect id="target" x="0" y="0" width="{10 * columns}" height="{10 * columns}"/>'
    for x in cells:
        body += "".join(
            f'<rect x="{12 * columns + 11 * x}" y="{11 * y}" width="10" height="10"/>' for y in cells
        )
    return svg(body, 30 * columns)


def crossing(count: int) -> str:
    return svg("".join(f'<path d="M{7 * k + 3} 0V1000M0 {7 * k + 3}H1000"/>' for k in range(count)))


def copies(count: int) -> str:
    shapes = "".join(f'<rect x="{2 * k}" width="1" height="1"/>' for k in range(1000))
    used = "".join(f'<use href="#a" y="{2 * k}"/>' for k in range(count // 1000))
    return svg(f'<defs><g id="a">{shapes}</g></defs>{used}', 2000)


def many_shapes(mebibytes: float) -> str:
    one = '<rect x="%d" y="%d" width="1" height="1"/>\n'
    count = int(mebibytes * 2**20 / 48)
    return svg("".join(one % (2 * (k % 1000), 2 * (k // 1000)) for k in range(count)), 2000)


def ring(points: int) -> str:
    turns = np.linspace(0.0, 2.0 * np.pi, points, endpoint=False)
    radii = 400.0 + 5.0 * np.sin(90.0 * turns)
    xy = np.stack([500.0 + radii * np.cos(turns), 500.0 + radii * np.sin(turns)], axis=1)
    return svg('<rect id="target" x="2000" width="900" height="900"/>' + polygon(xy, "a"), 3000)


def geojson(mebibytes: float, corners: int = 200) -> str:
    """Many outlines of a map in metres, as long together as a file may be."""
    turns = np.linspace(0.0, 2.0 * np.pi, corners)
    count = int(mebibytes * 2**20 / (corners * 27))
    features: list[str] = []
    for k in range(count):
        x, y = 450_000.0 + 100.0 * (k % 100), 5_500_000.0 + 100.0 * (k // 100)
        xy = np.stack([x + 40.0 * np.cos(turns), y + 40.0 * np.sin(turns)], axis=1)
        xy[-1] = xy[0]
        shape = {"type": "Polygon", "coordinates": [np.round(xy, 3).tolist()]}
        features.append(json.dumps({"type": "Feature", "properties": {}, "geometry": shape}))
    return f'{{"type":"FeatureCollection","features":[{",".join(features)}]}}'


def wkt(mebibytes: float, corners: int = 200) -> str:
    turns = np.linspace(0.0, 2.0 * np.pi, corners)
    lines: list[str] = []
    for k in range(int(mebibytes * 2**20 / (corners * 24))):
        xy = np.stack(
            [100.0 * (k % 100) + 40.0 * np.cos(turns), 100.0 * (k // 100) + 40.0 * np.sin(turns)], 1
        )
        xy[-1] = xy[0]
        corners_of_it = ",".join(f"{a:.5f} {b:.5f}" for a, b in xy.tolist())
        lines.append(f"POLYGON(({corners_of_it}))")
    return "\n".join(lines)


def dxf(mebibytes: float) -> str:
    line = "0\nLINE\n8\n0\n10\n%d\n20\n%d\n11\n%d\n21\n%d\n"
    count = int(mebibytes * 2**20 / 38)
    drawn = "".join(line % (k % 999, k // 999, k % 999 + 1, k // 999) for k in range(count))
    return f"0\nSECTION\n2\nENTITIES\n{drawn}0\nENDSEC\n0\nEOF\n"


def puzzle(pieces: int, corners: int) -> str:
    """The strips as our own JSON."""
    cuts = [wavy_cut(corners // 2, seed) + (0.0, seed / pieces) for seed in range(1, pieces)]
    flat = np.array([(0.0, 0.0), (1.0, 0.0)])
    lines = [flat, *cuts, flat + (0.0, 1.0)]
    fragments: list[object] = []
    for k in range(pieces):
        xy = np.concatenate([lines[k], lines[k + 1][::-1]])
        fragments.append({"id": f"p{k}", "exterior": xy.tolist()})
    target = {"exterior": [[0, 0], [1, 0], [1, 1], [0, 1]]}
    return json.dumps(
        {"format": "sherd.puzzle", "version": 1, "target": target, "fragments": fragments, "rotations": 4}
    )


def picture(path: Path, width: int, height: int) -> None:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (width, height), (250, 250, 245))
    draw = ImageDraw.Draw(image)
    step = min(width, height) // 3
    for k in range(3):
        for m in range(max(1, height // step)):
            x, y = k * step + step // 8, m * step + step // 8
            draw.polygon(
                [(x, y), (x + step // 2, y + step // 9), (x + step // 3, y + step // 2)],
                fill=(40 + 20 * k, 60, 30),
            )
    image.save(path)


@dataclass(frozen=True)
class Heavy:
    """A file, how it is made, and what the command is told beside."""

    name: str
    make: Callable[[], str] | Callable[[Path], None]
    more: tuple[str, ...] = ()

    def write(self, folder: Path) -> Path:
        path = folder / self.name
        if path.suffix == ".png":
            self.make(path)  # pyright: ignore[reportCallIssue]
        else:
            path.write_text(self.make())  # pyright: ignore
        return path


ALONE = ("--no-target",)
HEAVY = {
    "plain": Heavy("plain.svg", lambda: strips(2, 12)),
    "four of 20,000": Heavy("four.svg", lambda: strips(4, 20_000)),
    "four of 20,000, no target": Heavy(
        "four.svg", lambda: strips(4, 20_000).replace('"target"', '"p"'), ALONE
    ),
    "eight of 5,000": Heavy("eight.svg", lambda: strips(8, 5000)),
    "eight of 5,000, no target": Heavy("eight.svg", lambda: strips(8, 5000), ALONE),
    "eight blades of 2,900": Heavy("blades.svg", lambda: blades(8, 2900)),
    "eight blades, no target": Heavy("blades.svg", lambda: blades(8, 2900, target=False), ALONE),
    "thirteen blades of 2,990": Heavy("blades13.svg", lambda: blades(13, 2990)),
    "4,900 rectangles": Heavy("rectangles.svg", lambda: rectangles(70)),
    "19,600 crossings": Heavy("crossing.svg", lambda: crossing(140), ALONE),
    "99,000 copies": Heavy("copies.svg", lambda: copies(98_000), ALONE),
    "shapes of 63 MiB": Heavy("shapes.svg", lambda: many_shapes(63.0), ALONE),
    "a ring of 299,000": Heavy("ring.svg", lambda: ring(299_000)),
    "maps of 63 MiB": Heavy("map.geojson", lambda: geojson(63.0), ALONE),
    "WKT of 63 MiB": Heavy("many.wkt", lambda: wkt(63.0), ALONE),
    "DXF of 31 MiB": Heavy("lines.dxf", lambda: dxf(31.0), ALONE),
    "a puzzle of four of 20,000": Heavy("puzzle.json", lambda: puzzle(4, 20_000)),
    "a puzzle of 48 MiB": Heavy("long.json", lambda: puzzle(8, 170_000)),
    "79 megapixels": Heavy("large.png", lambda path: picture(path, 8900, 8900), ALONE),
    "a tall picture": Heavy("tall.png", lambda path: picture(path, 1000, 60_000), ALONE),
}

# Limits are limits of work here, however busy the machine is.
COMMAND = """
import sys, time
from sherd.cli import main
from sherd.core.clock import working_seconds
working_seconds.now = time.process_time
main()
"""
# Run apart, so that what it used is that of the command alone.
RUN = """
import json, os, resource, subprocess, sys, time
started = time.perf_counter()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
said = (done.stderr.strip() or done.stdout.strip()).splitlines() or [""]
print(json.dumps({"code": done.returncode, "cpu": used.ru_utime + used.ru_stime,
                  "wall": time.perf_counter() - started, "mib": used.ru_maxrss / 1024, "said": said[-1]}))
"""


@dataclass(frozen=True)
class Used:
    """What a command took."""

    code: int
    cpu: float
    wall: float
    mib: float
    said: str


def run_heavy(heavy: Heavy, folder: Path, time_limit: float, *more: str) -> Used:
    """Assemble the file in a process of its own."""
    path = heavy.write(folder)
    words = ["assemble", str(path), "--time-limit", f"{time_limit:g}", "--out", str(folder / "out")]
    done = subprocess.run(
        [sys.executable, "-c", RUN, sys.executable, "-c", COMMAND, *words, *heavy.more, *more],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=True,
    )
    path.unlink()
    return Used(**json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="by default all")
    parser.add_argument("--time-limit", type=float, default=5.0)
    asked = parser.parse_args()
    names = asked.names or [name for name in HEAVY if name != "plain"]
    with tempfile.TemporaryDirectory() as folder:
        plain = run_heavy(HEAVY["plain"], Path(folder), asked.time_limit)
        print(f"{'plain':28} {plain.cpu:7.1f} s {plain.wall:7.1f} s {plain.mib:6.0f} MiB")
        for name in names:
            used = run_heavy(HEAVY[name], Path(folder), asked.time_limit)
            figures = f"{used.cpu - plain.cpu:7.1f} s {used.wall:7.1f} s {used.mib:6.0f} MiB"
            print(f"{name:28} {figures} {used.code} {used.said[:120]}", flush=True)


if __name__ == "__main__":
    main()
