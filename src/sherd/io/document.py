"""JSON read strictly, one document at a time, with errors that name the file and the line.

A file is either one JSON document or JSONL, one document a line; `documents` tells them apart. `Node`
walks a document and refuses whatever it does not expect.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeGuard, TypeVar

from sherd.core.errors import FileFormatError

# A line, or a document of one piece, longer than this is no puzzle but a mistake that would fill memory.
MOST_BYTES = 64 * 2**20
# Beyond this, products of coordinates lose their meaning.
LARGEST_NUMBER = 1e12
LINE_BY_LINE = (".jsonl", ".ndjson")

T = TypeVar("T")
Step = str | int


class _WrongError(Exception):
    """Something is wrong at a place inside a document."""

    def __init__(self, reason: str, where: Sequence[Step] = ()) -> None:
        super().__init__(reason)
        self.where = tuple(where)


@dataclass(frozen=True)
class Document:
    """One JSON text of a file and the line on which it begins."""

    path: Path
    line: int
    text: str

    def read(self, convert: Callable[[Node], T]) -> T:
        """``convert`` applied to the document's root `Node`; failures become `FileFormatError`."""
        try:
            return convert(Node(_parse(self.text)))
        except json.JSONDecodeError as error:
            raise self._error(error.lineno - 1, f"not JSON: {error.msg[0].lower()}{error.msg[1:]}") from None
        except _WrongError as error:
            place = _describe(error.where)
            reason = f"{place}: {error}" if place else str(error)
            raise self._error(_line_of(self.text, error.where), reason) from None
        except RecursionError:
            raise self._error(0, "nested too deeply") from None

    def _error(self, lines_down: int, reason: str) -> FileFormatError:
        return FileFormatError(f"{self.path}:{self.line + lines_down}: {reason}")


@dataclass(frozen=True)
class Node:
    """A value inside a document and the way to it."""

    value: Any
    where: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return _short(self.value)

    def fail(self, reason: str) -> NoReturn:
        """Refuse this value."""
        raise _WrongError(reason, self.where)

    def object(self, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Node]:
        """The members of an object that has exactly these keys."""
        members = self.members()
        for key in members:
            if key not in required and key not in optional:
                raise _WrongError(f"unknown key {_short(key)}", (*self.where, key))
        for key in required:
            if key not in members:
                self.fail(f"the key {key!r} is missing")
        return members

    def members(self) -> dict[str, Node]:
        """The members of an object, whatever its keys."""
        if not is_object(self.value):
            self.fail(f"expected an object, not {self}")
        if isinstance(self.value, _Doubled):
            self.fail(f"the key {_short(self.value.twice)} stands twice in one object")
        return {key: Node(value, (*self.where, key)) for key, value in self.value.items()}

    def list(self) -> list[Node]:
        """The items of a list."""
        if not is_list(self.value):
            self.fail(f"expected a list, not {self}")
        return [Node(value, (*self.where, index)) for index, value in enumerate(self.value)]

    def text(self) -> str:
        """A string that can be printed on one line and written anywhere."""
        if not isinstance(self.value, str):
            self.fail(f"expected a text, not {self}")
        if not self.value.isprintable():
            self.fail(f"{self} holds characters that cannot be printed")
        return self.value

    def number(self) -> float:
        """A finite number of a sensible size."""
        if type(self.value) not in (int, float):
            self.fail(f"expected a number, not {self}")
        if isinstance(self.value, float) and not math.isfinite(self.value):
            self.fail(f"{self.value} is not a finite number")
        if abs(self.value) > LARGEST_NUMBER:
            self.fail(f"the number {self} is too large (beyond {LARGEST_NUMBER:g})")
        return float(self.value)

    def whole(self, least: int, most: int) -> int:
        """A whole number within bounds."""
        number = self.number()
        if number != int(number) or not least <= number <= most:
            self.fail(f"expected a whole number from {least} to {most}, not {self}")
        return int(number)

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            self.fail(f"expected true or false, not {self}")
        return self.value

    def points(self) -> list[list[float]]:
        """A list of [x, y]."""
        if is_list(self.value) and all(map(_is_point, self.value)):
            return self.value
        for point in self.list():  # something is wrong: find it
            pair = point.list()
            if len(pair) != 2:
                point.fail(f"expected [x, y], not {point}")
            for coordinate in pair:
                coordinate.number()
        raise AssertionError("unreachable: one of the points is wrong")


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a value of a JSON document is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether a value of a JSON document is a list."""
    return isinstance(value, list)


def _is_point(value: Any) -> bool:
    return (
        is_list(value)
        and len(value) == 2
        and all(type(number) in (int, float) and abs(number) <= LARGEST_NUMBER for number in value)
    )


def check_format(root: Node, expected: str, version: int) -> None:
    """Refuse a document of another kind, or one written by a newer sherd, before anything else is read."""
    members = root.members()
    for key in ("format", "version"):
        if key not in members:
            root.fail(f"the key {key!r} is missing: expected a document of the format {expected!r}")
    found = members["format"].text()
    if found != expected:
        members["format"].fail(f"expected {expected!r}, not {found!r}")
    number = members["version"].whole(1, 10**6)
    if number > version:
        members["version"].fail(f"this is version {number}, and this sherd reads versions up to {version}")


def documents(path: str | os.PathLike[str]) -> Iterator[Document]:
    """The documents of a JSON or JSONL file, read one by one; blank lines are skipped."""
    path = Path(path)
    with path.open("rb") as file:
        line = 0
        found = False
        while data := _next_line(file, path, line + 1):
            line += 1
            text = _decode(data, path, line)
            if not text.strip():
                continue
            if not found and path.suffix.lower() not in LINE_BY_LINE and not _is_complete(text):
                rest = file.read(MOST_BYTES)
                if file.read(1):
                    raise _too_long(path, line)
                yield Document(path, line, _decode(data + rest, path, line))
                return
            found = True
            yield Document(path, line, text)
    if not found:
        raise FileFormatError(f"{path}:1: the file is empty")


def only_document(path: str | os.PathLike[str]) -> Document:
    """The one document of a file that may hold no other."""
    first, *others = islice(documents(path), 2)
    if others:
        raise FileFormatError(f"{others[0].path}:{others[0].line}: more than one document in the file")
    return first


def _next_line(file: BinaryIO, path: Path, line: int) -> bytes:
    data = file.readline(MOST_BYTES)
    if len(data) == MOST_BYTES and not data.endswith(b"\n"):
        raise _too_long(path, line)
    return data


def _too_long(path: Path, line: int) -> FileFormatError:
    return FileFormatError(f"{path}:{line}: longer than {MOST_BYTES // 2**20} MiB, which no puzzle is")


def _decode(data: bytes, path: Path, line: int) -> str:
    try:
        return data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise FileFormatError(f"{path}:{line}: not UTF-8 text") from None


def _is_complete(text: str) -> bool:
    """Whether one line is a JSON value by itself, or broken in a way that more lines cannot mend."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return bool(text[error.pos :].strip())
    except (ValueError, RecursionError):
        return True
    return True


class _Doubled(dict[str, Any]):
    """An object in which a key stands twice; refused by `Node`, which knows where it is."""

    twice = ""


def _parse(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_mark_doubles)
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python's limit on the digits of a whole number
        raise _WrongError("a number has thousands of digits") from None


def _mark_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        members = _Doubled(members)
        seen: set[str] = set()
        members.twice = next(key for key, _ in pairs if key in seen or seen.add(key))
    return members


def _short(value: Any) -> str:
    """A value in a message: one line, ASCII, not too long."""
    if is_list(value):
        return f"a list of {len(value)}"
    if is_object(value):
        return "an object"
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _describe(where: Sequence[Step]) -> str:
    """The way to a value, as in ``fragments[3].exterior``."""
    text = ""
    for step in where:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            name = step if step.isidentifier() and step.isascii() else _short(step)
            text += f".{name}" if text else name
    return text if len(text) <= 120 else f"{text[:117]}..."


def _line_of(text: str, where: Sequence[Step]) -> int:
    """How many lines below the document's first one the value lies; the document itself is sound JSON."""
    decoder = json.JSONDecoder()
    at = _skip(text, 0)
    for step in where:
        at = _skip(text, at + 1)  # past the opening bracket
        index: Step = 0
        while True:
            if isinstance(step, str):
                index, at = decoder.raw_decode(text, at)
                at = _skip(text, _skip(text, at) + 1)  # past the colon
            if index == step:
                break
            at = _skip(text, decoder.raw_decode(text, at)[1]) + 1  # past the comma
            at = _skip(text, at)
            if isinstance(index, int):
                index += 1
    return text.count("\n", 0, at)


def _skip(text: str, at: int) -> int:
    """Past the space from a place on."""
    return next((k for k in range(at, len(text)) if text[k] not in " \t\n\r"), len(text))
