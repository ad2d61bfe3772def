"""What docs/limits.md promises of files that mean harm: refused in one line, in seconds, in little memory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from heavy import HEAVY, run_heavy
from sherd.cli import deadline
from sherd.core import proper_polygons, thinning
from sherd.core.errors import SherdError
from sherd.io import document
from sherd.io.drawings import coco, cut_lines, figures, image_files, read_drawing, xml
from sherd.io.drawings import dxf as dxf_file
from sherd.io.drawings import read as reading
from sherd.io.drawings import svg as svg_file
from sherd.tracing import parts
from sherd.tracing.parts import check_windows
from sherd.workshop import make_job, params, project

ROOT = Path(__file__).parents[1]
BROKE = sorted((Path(__file__).parent / "fuzz" / "corpus").iterdir())
MOST_MEMORY = 2**30
MIB = 2**20
# Seconds of work for all of the files together, most of it for loading what reads them.
MOST_SECONDS = 60.0


def svg(body: str, head: str = "") -> str:
    return f'{head}<svg width="100mm" height="100mm" viewBox="0 0 1000 1000">{body}</svg>'


def jagged(points: int, depth: float) -> str:
    """A ring of many points, each second one of which lies deeper."""
    turns = np.linspace(0.0, 2.0 * np.pi, points, endpoint=False)
    radii = 400.0 * (1.0 - depth * (np.arange(points) % 2))
    xy = np.stack([500.0 + radii * np.cos(turns), 500.0 + radii * np.sin(turns)], axis=1)
    return " ".join(f"{x:.4f},{y:.4f}" for x, y in xy.tolist())


def star(points: int) -> str:
    """A ring whose every edge crosses most of the others."""
    turns = 2.5 * np.arange(points)
    xy = np.stack([500.0 + 400.0 * np.cos(turns), 500.0 + 400.0 * np.sin(turns)], axis=1)
    return " ".join(f"{x:.4f},{y:.4f}" for x, y in xy.tolist())


def crossing(count: int) -> str:
    lines = (f'<path d="M{7 * k + 3} 0V1000M0 {7 * k + 3}H1000"/>' for k in range(count))
    return svg("".join(lines))


def copies() -> str:
    shapes = "".join(f'<rect x="{k}" width="1" height="1"/>' for k in range(1000))
    return svg(f'<defs><g id="a">{shapes}</g></defs>' + '<use href="#a"/>' * 1000)


def entities() -> str:
    declared = f'<!DOCTYPE svg [<!ENTITY a "{"1 " * 99}">]>'
    return svg(f'<path d="M0 0 {"&a;" * 200_000}"/>', declared)


def inserts() -> str:
    blocks = ""
    for k in range(12):
        inner = f"0\nINSERT\n8\n0\n2\nB{k - 1}\n10\n0\n20\n0\n" * 8 if k else ""
        blocks += f"0\nBLOCK\n8\n0\n2\nB{k}\n70\n0\n10\n0\n20\n0\n{inner}0\nENDBLK\n8\n0\n"
    drawn = "0\nINSERT\n8\n0\n2\nB11\n10\n0\n20\n0\n"
    return f"0\nSECTION\n2\nBLOCKS\n{blocks}0\nENDSEC\n0\nSECTION\n2\nENTITIES\n{drawn}0\nENDSEC\n0\nEOF\n"


HOSTILE: dict[str, tuple[Callable[[], str], str]] = {
    "crossing.svg": (lambda: crossing(160), "cross each other more than 20,000 times"),
    "copies.svg": (copies, "more than 100,000 shapes, counting copies"),
    "entities.svg": (entities, "entities stand for more text than the file should hold"),
    "inserts.dxf": (inserts, "more than 100,000 shapes, counting copies of blocks"),
    "ring.svg": (lambda: svg(f'<polygon points="{jagged(300_001, 0.0)}"/>'), "an outline of 300,001 points"),
    "star.svg": (lambda: svg(f'<polygon points="{star(1500)}"/>'), "crosses itself again and again"),
    "tangle.svg": (
        lambda: svg(f'<polygon points="{jagged(50_000, 0.5)}"/>'),
        "crosses itself again and again",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_would_take_minutes_is_counted_before_it_is_made(name: str, tmp_path: Path) -> None:
    make, said = HOSTILE[name]
    path = tmp_path / name
    path.write_text(make())
    with pytest.raises(SherdError, match=said):
        make_job(read_drawing(path))


@pytest.mark.parametrize("name", ["a.geojson", "a.wkt", "a.csv", "a.json", "a.svg", "a.dxf"])
def test_long_files_are_refused_unread(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(65 * MIB)  # which takes no room on the disk
    with pytest.raises(SherdError, match=f"{name}: longer than (64|32) MiB, which is more than is read"):
        read_drawing(path)
    (tmp_path / "a.toml").write_bytes(b"#" * (MIB + 1))
    with pytest.raises(SherdError, match="longer than 1 MiB, which no settings are"):
        params.read_settings(tmp_path / "a.toml")


def test_too_many_shapes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    squares = "".join(
        f'<rect x="{3 * (k % 80)}" y="{3 * (k // 80)}" width="2" height="2"/>' for k in range(5001)
    )
    (tmp_path / "a.svg").write_text(svg(squares))
    with pytest.raises(SherdError, match="5,001 shapes, and no more than 5,000 are read"):
        read_drawing(tmp_path / "a.svg")
    monkeypatch.setattr(reading, "MOST_STROKES", 5000)
    with pytest.raises(SherdError, match="5,001 lines, and no more than 5,000 are read"):
        read_drawing(tmp_path / "a.svg")


def test_long_pictures(tmp_path: Path) -> None:
    wide = tmp_path / "wide.png"
    Image.new("1", (70_000, 1)).save(wide)
    with pytest.raises(SherdError, match="70,000 pixels long, and no more than 65,535 are read"):
        read_drawing(wide)
    flat = np.full((8, 3000, 3), 250, dtype=np.uint8)
    flat[2:6, 100:2000] = 30
    Image.fromarray(flat).save(tmp_path / "flat.png")
    (found,) = read_drawing(tmp_path / "flat.png").figures
    assert found.texture is not None
    assert found.texture.grid.size_px <= 1000
    assert found.polygon.bounds == pytest.approx((100, 2, 2000, 6), abs=2.0)


def test_want_of_memory_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*given: object) -> None:
        raise MemoryError

    Image.new("L", (9, 9)).save(tmp_path / "a.png")
    monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load", too_large)
    said = r"a\.png: there is not enough memory to read it: make pictures smaller"
    with pytest.raises(SherdError, match=said):
        read_drawing(tmp_path / "a.png")


def test_parts_around_one_another_are_counted() -> None:
    whole = slice(0, 4000), slice(0, 4000)
    check_windows([whole, whole])
    with pytest.raises(SherdError, match="parts that lie around one another, 48 megapixels in all"):
        check_windows([whole] * 3)
    small = slice(0, 2000), slice(0, 2000)
    check_windows([small] * 4)
    with pytest.raises(SherdError, match="20 megapixels in all, and no more than 16 are read"):
        check_windows([small] * 5)
    tiny = slice(0, 200), slice(0, 200)
    check_windows([tiny] * 150)
    with pytest.raises(SherdError, match="parts that lie around one another"):
        check_windows([(slice(0, 400), slice(0, 400))] * 3, factor=10)


def test_large_pictures_are_looked_at_smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherd.io.drawings.image_files.LARGEST_PX", 10_000)
    picture = np.full((200, 300, 3), 250, dtype=np.uint8)
    picture[40:160, 60:120] = 30
    picture[40:160, 180:260] = 60
    Image.fromarray(picture).save(tmp_path / "scan.png", dpi=(254, 254))
    drawing = read_drawing(tmp_path / "scan.png")
    assert drawing.unit == "mm"
    assert "looked at 3 times smaller than it is" in drawing.notes[0]
    found = sorted(figure.polygon.bounds for figure in drawing.figures)
    assert np.allclose(found, [(6.0, 4.0, 12.0, 16.0), (18.0, 4.0, 26.0, 16.0)], atol=0.12)


READ_ALL = """
import json, resource, sys, warnings
from pathlib import Path
from sherd.core.errors import SherdError
from sherd.io.drawings import read_drawing
for name in sys.argv[1:]:
    try:
        read_drawing(Path(name))
    except SherdError:
        pass
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
"""


def test_what_broke_readers_once_takes_little_time_and_memory(tmp_path: Path) -> None:
    files = [path for path in BROKE if path.suffix not in (".toml", ".sherd") and "assembly" not in path.name]
    assert len(files) >= 10
    for name, (make, _) in HOSTILE.items():
        (tmp_path / name).write_text(make())
        files.append(tmp_path / name)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, *map(str, files)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    seconds, memory = json.loads(done.stdout)
    assert seconds < MOST_SECONDS
    assert memory < MOST_MEMORY


# Reading puzzles is not counted.
READ_FOR_LONG = ("a puzzle of 48 MiB",)


@pytest.fixture(scope="module")
def plain_seconds(tmp_path_factory: pytest.TempPathFactory) -> float:
    """The work that a plain drawing takes, most of it for loading."""
    return run_heavy(HEAVY["plain"], tmp_path_factory.mktemp("plain"), 5.0).cpu


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in HEAVY if name != "plain"])
def test_the_whole_command_keeps_its_limit_in_little_memory(
    name: str, plain_seconds: float, tmp_path: Path
) -> None:
    used = run_heavy(HEAVY[name], tmp_path, 5.0)
    assert used.code in (0, 2), used.said
    assert used.mib < MOST_MEMORY / MIB
    if name not in READ_FOR_LONG:
        assert used.cpu - plain_seconds < 1.1 * 5.0 + 1.0


# What the table says, in the words of its rows, of what the code holds to.
NUMBERS = {
    f"| SVG | {svg_file.MOST_BYTES // MIB} MiB, unpacked |": 64 * MIB == svg_file.MOST_BYTES,
    "| GeoJSON, WKT, CSV, COCO | 64 MiB |": reading.MOST_TEXT_BYTES == 64 * MIB,
    "| DXF | 32 MiB |": dxf_file.MOST_BYTES == 32 * MIB,
    f"| a puzzle in JSON, a line of JSONL | {document.MOST_BYTES // MIB} MiB |": True,
    "| settings in TOML | 1 MiB |": params.MOST_TOML_BYTES == MIB,
    "| a project | 512 MiB, unpacked, in 2,000 files |": (
        (project.MOST_BYTES, project.MOST_FILES) == (512 * MIB, 2000)
    ),
    "| 100,000, counted before one is made |": svg_file.MOST_DRAWN == dxf_file.MOST_DRAWN == 100_000,
    "| 200,000 lines, 5,000 shapes |": (figures.MOST_STROKES, figures.MOST_FIGURES) == (200_000, 5000),
    "| short texts, 16 MiB in all |": xml.MOST_EXPANDED_BYTES == 16 * MIB,
    "| 20,000 crossings |": cut_lines.MOST_CROSSINGS == 20_000,
    "| 300,000; of a tangle 5,000; 500 crossings with itself |": (
        (figures.MOST_RING_POINTS, figures.LONG_RING, proper_polygons.MOST_SELF_CROSSINGS)
        == (300_000, 5000, 500)
    ),
    "thinning to 0.2 % of the target | 3,000 a piece, 40,000 in all |": (
        (thinning.COARSEST_SHARE, thinning.MOST_LEFT, thinning.MOST_LEFT_IN_ALL) == (2e-3, 3000, 40_000)
    ),
    "| 80 megapixels, 65,535 a side; above 16 it is": (
        (image_files.MOST_PIXELS, image_files.MOST_SIDE_PX, image_files.LARGEST_PX)
        == (80 * 10**6, 65_535, 16 * 10**6)
    ),
    "| 40 megapixels of windows, and 4 a pixel above 8 megapixels |": (
        (parts.MOST_WINDOWS_PX, parts.FEW_WINDOWS_PX) == (40 * 10**6, 8 * 10**6)
    ),
    "| masks of COCO | 40 megapixels together |": coco.MOST_MASKED == 40 * 10**6,
    "| coordinates | up to 1e12;": document.LARGEST_NUMBER == 1e12,
    "| `--time-limit` and 10 % and a second,": (deadline.OVER_SHARE, deadline.OVER_S) == (0.1, 1.0),
}


@pytest.mark.parametrize("row", NUMBERS)
def test_the_numbers_of_the_table_are_those_of_the_code(row: str) -> None:
    assert row in (ROOT / "docs" / "limits.md").read_text()
    assert NUMBERS[row]


def test_each_line_of_the_promise_has_a_test() -> None:
    page, _, _ = (ROOT / "docs" / "limits.md").read_text().partition("Measured by")
    named = re.findall(r"`(tests/[a-z_/]+\.py)(?:::([a-z_0-9]+))?`", page)
    assert len(named) >= 20
    for path, test in named:
        text = (ROOT / path).read_text()
        assert not test or f"def {test}(" in text, f"{path} has no {test}"
    rows = [line for line in page.splitlines() if line.startswith("| ") and "---" not in line]
    assert [row for row in rows if "tests/" not in row and not row.endswith("| test |")] == []
