"""Shards: the outcomes of jobs that follow each other, in a file each, written once and whole.

A file's name has the run it belongs to and the numbers of its first job and of the one after its last, so a
run is whatever its shards cover, wherever and in whatever chunks they were made. Its first line is a hash of
its name and of all after that. ``run.json`` beside them says which run that is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from sherd.core.errors import ArgumentError, FileFormatError
from sherd.io.atomic import write_atomically
from sherd.many.installed import installed

Outcome = TypeVar("Outcome")

ABOUT = "run.json"
FORMAT = "sherd.run"
SUFFIX = ".shard"
_NAME = re.compile(r"([0-9a-f]{16})-(\d{9})-(\d{9})\.shard")


@dataclass(frozen=True, kw_only=True)
class Keeping:
    """Where a run keeps its shards.

    ``shard`` (k, n) is the k-th of n parts of the jobs, counted from 1; ``whole`` refuses a run of which some
    are missing, and ``arguments`` are those that call the command again.
    """

    folder: Path
    shard: tuple[int, int] = (1, 1)
    whole: bool = False
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Codec(Generic[Outcome]):
    """How outcomes become the bytes of a shard, and back."""

    encode: Callable[[Sequence[Outcome]], bytes]
    decode: Callable[[bytes], list[Outcome]]


def json_lines(to_row: Callable[[Any], Any], from_row: Callable[[Any], Any]) -> Codec[Any]:
    """Outcomes as lines of JSON."""

    def encode(outcomes: Sequence[Any]) -> bytes:
        return b"".join(json.dumps(to_row(one), allow_nan=False).encode() + b"\n" for one in outcomes)

    return Codec(encode, lambda data: [from_row(json.loads(line)) for line in data.splitlines()])


def frames() -> Codec[bytes]:
    """Outcomes that are bytes already, each after its length."""

    def decode(data: bytes) -> list[bytes]:
        found: list[bytes] = []
        at = 0
        while at < len(data):
            end = at + 8 + int.from_bytes(data[at : at + 8], "little")
            found.append(data[at + 8 : end])
            at = end
        return found

    return Codec(lambda many: b"".join(len(one).to_bytes(8, "little") + one for one in many), decode)


@dataclass(frozen=True)
class Shards(Generic[Outcome]):
    """The shards of one run in a folder; of ``total`` jobs those with numbers in ``part`` are to be there.

    ``files`` has, by the first job that is taken from each, the numbers that it holds.
    """

    folder: Path
    run: str
    total: int
    part: range
    codec: Codec[Outcome]
    files: dict[int, range] = field(default_factory=dict[int, range], compare=False)

    def done(self) -> list[range]:
        """The numbers of all jobs that need not be done: those kept, and those of other parts."""
        kept = [range(first, numbers.stop) for first, numbers in self.files.items()]
        return [*kept, *filter(None, (range(self.part.start), range(self.part.stop, self.total)))]

    def keep(self, first: int, outcomes: Sequence[Outcome]) -> None:
        """Write a shard, whole or not at all; one that is there already is left as it is."""
        numbers = range(first, first + len(outcomes))
        path = self._path(numbers)
        if not path.exists():
            data = self.codec.encode(outcomes)
            write_atomically(path, _hash(path, data) + data)
        self.files[first] = numbers

    def following(self, position: int) -> Iterator[list[Outcome]]:
        """The outcomes of one shard after the other, from this job or the part's first on, up to a gap."""
        position = max(position, self.part.start)
        while position in self.files:
            numbers = self.files[position]
            outcomes = self._read(numbers)[position - numbers.start : self.part.stop - numbers.start]
            yield outcomes
            position += len(outcomes)

    def missing(self) -> list[range]:
        """The stretches of jobs of which nothing is kept."""
        gaps: list[range] = []
        position = self.part.start
        for first, numbers in sorted(self.files.items()):
            gaps.append(range(position, first))
            position = numbers.stop
        return [gap for gap in (*gaps, range(position, self.part.stop)) if gap]

    def take_up(self, found: Sequence[range]) -> None:
        """Know of shards that are there; where several have the same jobs, the first counts."""
        position = self.part.start
        for numbers in sorted(found, key=lambda one: (one.start, -one.stop)):
            first = max(position, numbers.start)
            if first < min(numbers.stop, self.part.stop):
                self.files[first] = numbers
                position = numbers.stop

    def _path(self, numbers: range) -> Path:
        return self.folder / f"{self.run}-{numbers.start:09}-{numbers.stop:09}{SUFFIX}"

    def _read(self, numbers: range) -> list[Outcome]:
        path = self._path(numbers)
        said, end, data = path.read_bytes().partition(b"\n")
        if said + end != _hash(path, data):
            raise FileFormatError(
                f"{path}: is not as it was written: remove it, and run again what it is a shard of"
            )
        outcomes = self.codec.decode(data)
        assert len(outcomes) == len(numbers), f"{path} holds {len(outcomes)} outcomes, not {len(numbers)}"
        return outcomes


def _hash(path: Path, data: bytes) -> bytes:
    """The first line of a shard, which neither holds other bytes nor was called otherwise."""
    return hashlib.sha256(path.name.encode() + data).hexdigest().encode() + b"\n"


def name_run(folder: Path, about: Mapping[str, Any], arguments: Sequence[str] = ()) -> str:
    """The id of the run whose outcomes depend on ``about`` alone, and on what is installed.

    ``run.json`` is written into the folder, with the arguments that call the command again; if it is there
    and names another run, that is refused.
    """
    about = json.loads(json.dumps({**about, "installed": installed()}, default=str))
    run = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / ABOUT).exists():
        before = read_about(folder)
        if before["run"] != run:
            raise FileFormatError(f"{folder}: holds shards of another run: {_other(before['about'], about)}")
    else:
        document = {"format": FORMAT, "version": 1, "run": run, "about": about, "arguments": [*arguments]}
        write_atomically(folder / ABOUT, json.dumps(document, indent=1) + "\n")
    return run


def open_shards(
    keeping: Keeping, about: Mapping[str, Any], codec: Codec[Outcome], *, total: int, within: str = ""
) -> Shards[Outcome]:
    """The shards of a run, which are taken up if there are any; those of another run are refused."""
    folder = keeping.folder / within
    run = name_run(folder, {**about, "jobs": total}, keeping.arguments)
    number, parts = keeping.shard
    shards = Shards(folder, run, total, range(total * (number - 1) // parts, total * number // parts), codec)
    found: list[range] = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        match = _NAME.fullmatch(path.name)
        if match is None or match[1] != run:
            raise FileFormatError(f"{path}: is a shard of another run than {folder / ABOUT}")
        found.append(range(int(match[2]), int(match[3])))
    shards.take_up(found)
    if keeping.whole and (gaps := shards.missing()):
        some = ", ".join(f"{gap.start} to {gap.stop - 1}" for gap in gaps[:3])
        more = ", ..." if len(gaps) > 3 else ""
        raise FileFormatError(
            f"{folder}: {sum(map(len, gaps)):,} of {total:,} jobs are missing, {some}{more}: "
            "run their shards first"
        )
    return shards


def read_about(folder: Path) -> dict[str, Any]:
    """What ``run.json`` says of the shards in a folder."""
    path = folder / ABOUT
    try:
        document = json.loads(path.read_bytes())
        if document["format"] != FORMAT or document["version"] != 1:
            raise KeyError("format")
        kinds = {"run": str, "about": dict, "arguments": list}
        if not all(isinstance(document[name], kind) for name, kind in kinds.items()):
            raise TypeError("run")
        return {name: document[name] for name in kinds}
    except FileNotFoundError:
        raise FileFormatError(f"{folder}: holds no shards: there is no {ABOUT}") from None
    except (ValueError, KeyError, TypeError):
        raise FileFormatError(f"{path}: is not what sherd writes beside shards") from None


def parse_shard(text: str) -> tuple[int, int]:
    """The k-th of n parts, counted from 1.

    >>> parse_shard("3/16")
    (3, 16)
    """
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ArgumentError(f"a shard must be K/N with K from 1 to N, such as 3/16, not {text!r}")
    return int(match[1]), int(match[2])


def _other(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What two runs differ in."""
    names = [name for name in dict.fromkeys((*before, *now)) if before.get(name) != now.get(name)]
    if names == ["installed"]:
        kept, here = before["installed"], now["installed"]
        names = [name for name in here if kept.get(name) != here[name]]
    return f"it differs in {', '.join(names)}"
