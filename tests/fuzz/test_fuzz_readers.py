"""A few inputs of each format by day; `make fuzz` tries as many as it is told."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the program is none of a package

import ends_its_process
import fuzz_readers
from fuzz_readers import Chunk, formats, inputs, try_all, try_some

# Each format that is read, and what the studio is given.
NAMED = {
    "svg", "dxf", "geojson", "wkt", "csv", "png", "jpg", "tiff", "coco", "puzzle", "puzzles", "assembly",
    "toml", "safetensors", "record", "sherd",
}  # fmt: skip


@pytest.fixture(autouse=True)
def keep_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_readers, "KEPT", tmp_path)


def test_every_format_is_tried() -> None:
    assert set(formats()) >= NAMED
    assert len([name for name in formats() if name.startswith("upload ")]) >= 9


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*sorted(NAMED), "upload svg", "upload puzzles", "upload sherd"])
def test_no_input_breaks_its_reader(name: str, tmp_path: Path) -> None:
    _, counts, broke = try_some(name, 5, range(12))
    assert broke == []
    assert counts["read"] + counts["refused"] == 12
    assert list(tmp_path.iterdir()) == []


def test_an_input_is_the_same_for_one_seed() -> None:
    form = formats()["geojson"]
    seeds = form.seeds()
    every = list(inputs("geojson", form, seeds, 1, range(4)))
    assert list(inputs("geojson", form, seeds, 1, range(2, 4))) == every[2:]
    assert list(inputs("geojson", form, seeds, 2, range(4))) != every


def test_what_breaks_a_reader_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(path: Path) -> object:
        if path.read_bytes() != b"x":
            raise KeyError("a")
        return None

    def change(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
        return b"y"

    broken = fuzz_readers.Format(".txt", breaks, lambda: [b"x"], change)
    monkeypatch.setattr(fuzz_readers, "formats", lambda: {"bad": broken})
    _, counts, broke = try_some("bad", 1, range(3))
    assert broke
    assert len(broke) + counts["read"] == 3
    assert (tmp_path / Path(broke[0].split(":")[0]).name).exists()
    assert "KeyError" in broke[0]


def test_a_process_that_ends_is_a_finding_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHERD_TEST_KEPT", str(tmp_path))
    monkeypatch.setattr(fuzz_readers, "try_some", ends_its_process.try_some)
    chunks: list[Chunk] = [("svg", 1, range(first, first + 1)) for first in range(4)]
    found = list(try_all(chunks, 1))
    assert sum(counts["read"] for _, counts, _ in found) == 3
    (broke,) = [line for _, _, lines in found for line in lines]
    assert broke.endswith("reading-svg-1-2: ended the process that read it")


def test_a_process_that_ends_before_it_reads_is_a_finding_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz_readers, "try_some", ends_its_process.before_reading)
    ((_, _, lines),) = try_all([("svg", 1, range(1))], 1)
    assert lines == [f"{tmp_path / 'reading-svg-1-0'}: ended the process that read it"]
