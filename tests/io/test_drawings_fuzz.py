"""Whatever is in a file, reading it gives a drawing or one line: no other error, no hang."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.core.errors import FileFormatError
from sherd.io.drawings import read_drawing

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())
BY_NAME = {path.name: path for path in CORPUS}


def read_bytes(data: bytes, suffix: str) -> bool:
    """Whether the bytes are a drawing; if not, they must be refused in one line that names the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        path.write_bytes(data)
        try:
            drawing = read_drawing(path)
        except FileFormatError as error:
            assert str(error).startswith(f"{path}:")
            assert str(error).isprintable()
            return False
    assert drawing.figures
    assert len({figure.id for figure in drawing.figures}) == len(drawing.figures)
    for figure in drawing.figures:
        assert figure.polygon.is_valid
        assert figure.polygon.area > 0.0
        assert figure.id.isprintable()
        assert 0 < len(figure.id) <= 100
    assert all(note.isprintable() for note in drawing.notes)
    return True


def test_the_corpus() -> None:
    found = {name for name, path in BY_NAME.items() if read_bytes(path.read_bytes(), path.suffix)}
    refused = {
        "bomb.svg",
        "external.svg",
        "loop.svg",
        "eight.svg",
        "open.dxf",
        "overflow.dxf",
        "tiny-share.dxf",
    }
    assert set(BY_NAME) - found == refused


@st.composite
def changed(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes after a few cuts, copies and replacements."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 40)))
        middle = draw(
            st.sampled_from(
                [b"", b"-", b"0", b"1e308", b"nan", b"<", b">", b'"', b"\xff", b"\0", data[start:end] * 3]
            )
            | st.binary(max_size=4)
        )
        data = data[:start] + middle + data[end:]
    return data


@pytest.mark.parametrize("name", BY_NAME)
@settings(max_examples=25)
@given(st.data())
def test_changed_files(name: str, data: st.DataObject) -> None:
    path = BY_NAME[name]
    read_bytes(data.draw(changed(path.read_bytes())), path.suffix)


@pytest.mark.parametrize(
    "suffix", [".svg", ".dxf", ".geojson", ".wkt", ".csv", ".json", ".png", ".jpg", ".svgz"]
)
@settings(max_examples=20)
@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_noise(suffix: str, data: bytes) -> None:
    read_bytes(data, suffix)


NUMBERS = st.sampled_from(["0", "1", "-3.5", ".5", "1e9", "-1e-9", "1e400", "7 7", ""])
COMMANDS = st.lists(
    st.tuples(st.sampled_from("MmZzLlHhVvCcSsQqTtAa"), st.lists(NUMBERS, max_size=8)), max_size=8
)


@settings(max_examples=100)
@given(
    COMMANDS,
    st.sampled_from(["", "scale(0)", "rotate(30)", "matrix(1 0 0 0 0 0)", "skewX(90)", "scale(1e200)"]),
)
def test_any_path_under_any_transform(commands: list[tuple[str, list[str]]], turned: str) -> None:
    path = "M0 0 " + " ".join(letter + " ".join(numbers) for letter, numbers in commands)
    body = f'<rect width="5" height="5"/><path id="p" transform="{turned}" d="{path}"/>'
    assert read_bytes(f"<svg>{body}</svg>".encode(), ".svg")


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=12))
def test_any_ring_is_a_piece_or_left_out(places: list[tuple[int, int]]) -> None:
    ring = ", ".join(f"{x} {y}" for x, y in [*places, places[0]])
    outline = shapely.Polygon(places)
    found = read_bytes(f"POLYGON (({ring}))".encode(), ".wkt")
    if outline.is_valid and outline.area > 0.0:
        assert found
