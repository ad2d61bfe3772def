"""``sherd show`` of drawings and pictures, and the same picture from ``sherd assemble``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sherd.cli import run

SQUARES = """<svg xmlns="http://www.w3.org/2000/svg" width="40mm" height="20mm" viewBox="0 0 40 20">
<rect id="target" x="0" y="0" width="10" height="10"/>
<rect id="one" x="12" y="0" width="10" height="5"/>
<rect id="two" x="25" y="3" width="10" height="5"/></svg>"""


def _scan(path: Path) -> Path:
    rng = np.random.default_rng(1)
    picture = np.full((120, 200, 3), 40.0)
    picture[10:110, 10:60], picture[10:110, 100:150] = (220, 190, 60), (60, 190, 220)
    Image.fromarray((picture + rng.normal(0, 1, picture.shape)).clip(0, 255).astype(np.uint8)).save(
        path, dpi=(254, 254)
    )
    return path


def test_show_reads_any_drawing_or_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "squares.svg").write_text(SQUARES)
    for file in (tmp_path / "squares.svg", _scan(tmp_path / "scan.png")):
        assert run(["show", str(file), "--out", str(tmp_path / "read.png")]) == 0
        said = capsys.readouterr().out
        assert "2 pieces" in said and "10 x 5 mm, 50" in said
        assert all(len(line) <= 80 for line in said.splitlines() if "written" not in line)
        with Image.open(tmp_path / "read.png") as picture:
            assert picture.width > 500 and picture.height > 300
    assert run(["show", str(file), "--out", str(tmp_path / "read.gif")]) == 2
    assert "only what was read is shown" in capsys.readouterr().err


def test_long_names_leave_the_table_within_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = tmp_path / "squares.svg"
    drawing.write_text(SQUARES.replace('"one"', f'"{"one that goes on and on " * 5}"'))
    assert run(["show", str(drawing), "--out", str(tmp_path / "read.png")]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[: next(k for k, line in enumerate(lines) if line.startswith("squares.svg: 2 pieces"))]
    assert len(table) >= 4
    assert max(map(len, table)) <= 80


def test_assemble_writes_what_was_read_first_and_the_photograph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = _scan(tmp_path / "scan.png"), tmp_path / "out"
    arguments = [
        "assemble",
        str(file),
        "--target",
        "square:10",
        "--out",
        str(out),
        "--export",
        "png,photo,pdf",
    ]
    assert run([*arguments, "--rotations", "1", "--time-limit", "5"]) == 0
    said = capsys.readouterr().out
    assert said.index("scan.read.png") < said.index("all 2 pieces placed")
    with Image.open(out / "scan.reassembled.png") as image:
        photograph = image.convert("RGB")
    assert photograph.width == pytest.approx(100, abs=3) and photograph.height == pytest.approx(100, abs=3)
    colours = {tuple(photograph.getpixel((x, 50))) for x in (20, 80)}  # pyright: ignore
    near = [
        min(sum(abs(a - b) for a, b in zip(c, wanted, strict=True)) for c in colours)
        for wanted in ((220, 190, 60), (60, 190, 220))
    ]
    assert max(near) < 30
    assert b"/DCTDecode" in (out / "scan.plan.pdf").read_bytes()
    (tmp_path / "squares.svg").write_text(SQUARES)
    assert run(["assemble", str(tmp_path / "squares.svg"), "--out", str(out), "--time-limit", "5"]) == 0
    assert (out / "squares.read.png").exists() and not (out / "squares.reassembled.png").exists()
