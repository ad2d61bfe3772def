"""``sherd marker`` writes the page in each format, and refuses other papers."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from sherd.cli import run


@pytest.mark.parametrize(("name", "begins"), [("m.pdf", b"%PDF"), ("m.svg", b"<"), ("m.png", b"\x89PNG")])
def test_the_page_is_written(tmp_path: Path, name: str, begins: bytes) -> None:
    assert run(["marker", "--out", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_a_picture_has_the_proportions_of_its_paper(tmp_path: Path) -> None:
    for paper, ratio in (("a4", 297 / 210), ("letter", 11 / 8.5)):
        file = tmp_path / f"{paper}.png"
        assert run(["marker", "--paper", paper, "--out", str(file)]) == 0
        with Image.open(file) as picture:
            sides = sorted(picture.size)
        assert sides[1] / sides[0] == pytest.approx(ratio, abs=0.01)


def test_other_papers_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["marker", "--paper", "a0", "--out", str(tmp_path / "m.pdf")]) == 2
    assert "a0" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
