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

from sherd.core.errors import SherdError
from sherd.io.drawings import read_drawing
from sherd.tracing.parts import check_windows
from sherd.workshop import make_job

ROOT = Path(__file__).parents[1]
BROKE = sorted((Path(__file__).parent / "fuzz" / "corpus").iterdir())
MOST_MEMORY = 2**30
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
    "copies.svg": (copies, "more than 200,000 shapes, counting copies"),
    "entities.svg": (entities, "entities stand for more text than the file should hold"),
    "inserts.dxf": (inserts, "more than 200,000 shapes, counting copies of blocks"),
    "ring.svg": (lambda: svg(f'<polygon points="{jagged(300_001, 0.0)}"/>'), "an outline of 300,001 points"),
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


def test_each_line_of_the_promise_has_a_test() -> None:
    page = (ROOT / "docs" / "limits.md").read_text()
    named = re.findall(r"`(tests/[a-z_/]+\.py)(?:::([a-z_0-9]+))?`", page)
    assert len(named) >= 20
    for path, test in named:
        text = (ROOT / path).read_text()
        assert not test or f"def {test}(" in text, f"{path} has no {test}"
    rows = [line for line in page.splitlines() if line.startswith("| ") and "---" not in line]
    assert [row for row in rows if "tests/" not in row and not row.endswith("| test |")] == []
