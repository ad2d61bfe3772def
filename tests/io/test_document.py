"""JSON documents: what is no such, and where they break."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sherd.core.errors import FileFormatError
from sherd.core.puzzle import Sample
from sherd.io import (
    puzzle_to_json,
    read_all,
)

RAW: dict[str, tuple[bytes, str]] = {
    "empty": (b"", ":1: the file is empty"),
    "blank": (b" \n\n", ":1: the file is empty"),
    "not utf-8": (b'{"format":\n "\xff"}', ":2: not UTF-8 text"),
    "utf-16": ('{"a": 1}'.encode("utf-16"), ":1: not UTF-8 text"),
    "not json": (b"hello", ":1: not JSON: expecting value"),
    "cut off": (b'{"format": "sherd.puzzle",\n', ": not JSON: "),
    "a list": (b"[1, 2]", ":1: expected an object, not a list of 2"),
    "deep": (b"[" * 100_000, ":1: nested too deeply"),
    "deep and closed": (b"[" * 100_000 + b"]" * 100_000, ":1: nested too deeply"),
    "key twice": (b'{\n "a": 1, "a": 2}', ':1: the key "a" stands twice in one object'),
    "digits": (b'{"version": ' + b"9" * 5000 + b"}", ":1: a number has thousands of digits"),
    "two documents": (b'{"a": 1} {"b": 2}', ":1: not JSON: extra data"),
    "null bytes": (b"\0" * 50, ":1: not JSON: expecting value"),
}


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
@pytest.mark.parametrize("name", RAW)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, name: str, suffix: str) -> None:
    data, reason = RAW[name]
    path = tmp_path / f"bad.{suffix}"
    path.write_bytes(data)
    with pytest.raises(FileFormatError) as caught:
        list(read_all(path))
    message = str(caught.value)
    if suffix == "json" or b"\n" not in data:
        assert reason in message
    assert message.startswith(f"{path}:")
    assert "\n" not in message


def test_the_line_inside_an_indented_document_is_named(tmp_path: Path, two_halves: Sample) -> None:
    document = puzzle_to_json(two_halves)
    document["fragments"][1]["exterior"][2] = [0.5, "oops"]
    text = json.dumps(document, indent=2)
    path = tmp_path / "a.json"
    path.write_text("\n" + text)
    line = 2 + text[: text.index("oops")].count("\n")
    with pytest.raises(FileFormatError) as caught:
        list(read_all(path))
    assert str(caught.value) == (f'{path}:{line}: fragments[1].exterior[2][1]: expected a number, not "oops"')


def test_a_line_that_would_fill_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherd.io.document.MOST_BYTES", 2**20)
    for name in ("a.json", "a.jsonl"):
        (tmp_path / name).write_bytes(b"{" + b" " * 2**20 + b"}")
        with pytest.raises(FileFormatError, match=f"{name}:1: longer than 1 MiB"):
            list(read_all(tmp_path / name))
    (tmp_path / "b.json").write_bytes(b"{\n" + b" " * 2**20 + b"}")
    with pytest.raises(FileFormatError, match="longer than 1 MiB"):
        list(read_all(tmp_path / "b.json"))


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(read_all(tmp_path / "none.json"))
