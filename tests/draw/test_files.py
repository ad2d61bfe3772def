"""Pictures into files."""

from __future__ import annotations

from pathlib import Path

from sherd.core.puzzle import Sample
from sherd.draw import (
    draw_puzzle,
    to_svg,
    write,
)


def test_write_goes_by_the_ending(two_halves: Sample, tmp_path: Path) -> None:
    picture = draw_puzzle(two_halves.puzzle)
    write(picture, tmp_path / "a.svg")
    write(picture, tmp_path / "a.PNG", zoom=1.0)
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == to_svg(picture)
    assert (tmp_path / "a.PNG").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.PNG", "a.svg"]
