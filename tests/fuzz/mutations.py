"""Files changed at random: their bytes, or what stands in them, so that readers get past their first look."""

from __future__ import annotations

import io
import json
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

TOKENS = (
    b"", b"-", b"0", b"1e308", b"-1e-308", b"1e12", b"nan", b"inf", b"null", b"[]", b"{}", b"<", b">", b'"',
    b"&a;", b"\xff", b"\0", b"\n", b",", b"9" * 30, b"true", b"#", b"(", b")",
    b"\xef\xbb\xbf", b"\x7f\xff\xff\xff",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 3, 0.5, 2**63, -(2**63), 10**30, 1e308, -1e-308, 1e12, float("nan"),
    float("inf"), "9" * 30, "", "a", "piece 1", "\0", "free", "../a", [], [[]], {}, [0], [0, 0], [None],
    {"a": 1},
)  # fmt: skip
NUMBER = re.compile(rb"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
PNG = b"\x89PNG\r\n\x1a\n"

Change = Callable[[bytes, list[bytes], random.Random], bytes]


def of_bytes(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """The bytes after a few cuts, copies, replacements and other numbers."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3, 5))):
        start = rng.randint(0, len(data))
        end = min(len(data), start + rng.choice((0, 1, 1, 2, 4, 8, 40, 200)))
        match rng.randrange(8):
            case 0:
                data = data[:start] + rng.choice(TOKENS) + data[end:]
            case 1:
                data = data[:start] + data[start:end] * rng.choice((2, 3, 50)) + data[end:]
            case 2:
                data = data[:start] + rng.randbytes(end - start) + data[end:]
            case 3 | 6 | 7 if numbers := list(NUMBER.finditer(data[:20_000])):
                one = rng.choice(numbers)
                data = data[: one.start()] + rng.choice(TOKENS) + data[one.end() :]
            case 4:
                other = rng.choice(others)
                at = rng.randint(0, len(other))
                data = data[:start] + other[at : at + rng.choice((4, 40, 400))] + data[end:]
            case _ if data:
                at = min(start, len(data) - 1)
                data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
            case _:
                pass
    return data


def of_numbers(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """A few numbers of a text exchanged, for others that stand in it above all: it stays well-formed."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        numbers = list(NUMBER.finditer(data[:20_000]))
        if not numbers:
            return of_bytes(data, others, rng)
        one = rng.choice(numbers)
        other = rng.choice((rng.choice(numbers).group(), b"0", b"-1", b"1e12", b"1e-9", b"1e5", b"3"))
        data = data[: one.start()] + other + data[one.end() :]
    return data


def of_json(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """A value somewhere in a document, or in one line of several, left out, doubled or exchanged."""
    lines = data.split(b"\n") if b"\n{" in data else [data]
    number = rng.randrange(len(lines))
    try:
        document: Any = json.loads(lines[number])
    except ValueError:
        return of_bytes(data, others, rng)
    for _ in range(rng.choice((1, 1, 2))):
        places = list(_places(document))
        if not places:
            break
        holder, key = rng.choice(places)
        match rng.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, holder[key])  # pyright: ignore[reportUnknownMemberType]
            case 2:
                other_holder, other = rng.choice(places)
                # Not the thing itself, which could come to hold itself.
                with suppress(LookupError):
                    holder[key] = json.loads(json.dumps(other_holder[other]))
            case _:
                holder[key] = rng.choice(VALUES)
    lines[number] = json.dumps(document).encode()
    return b"\n".join(lines)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each list or table in a document, with each of its keys."""
    keys: Any = (
        list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )  # pyright: ignore[reportUnknownArgumentType]
    for key in keys:
        yield value, key
        yield from _places(value[key])


def of_png(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """A chunk of the picture changed, what is packed in it too, with checksums that are right again."""
    chunks: list[tuple[bytes, bytes]] = []
    at = len(PNG)
    while at + 12 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        chunks.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += 12 + length
    number = rng.randrange(len(chunks))
    kind, held = chunks[number]
    if kind == b"IDAT" and rng.random() < 0.8:
        with suppress(zlib.error):
            held = zlib.compress(of_bytes(zlib.decompress(held), others, rng))
    else:
        held = of_bytes(held, others, rng)
    chunks[number] = kind, held
    return PNG + b"".join(
        struct.pack(">I", len(held)) + kind + held + struct.pack(">I", zlib.crc32(kind + held))
        for kind, held in chunks
    )


def of_zip(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """One of the files in an archive changed."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    name = rng.choice(list(files))
    change = of_json if name.endswith(".json") and rng.random() < 0.8 else of_bytes
    files[name] = change(files[name], list(files.values()), rng)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for each, held in files.items():
            packed.writestr(each, held)
    return stream.getvalue()


def of_tensors(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """The header of a file of tensors changed, with a length that is right again."""
    (length,) = struct.unpack("<Q", data[:8])
    header = of_json(data[8 : 8 + length].rstrip(), others, rng)
    return struct.pack("<Q", len(header)) + header + data[8 + length :]


def changed(data: bytes, others: list[bytes], rng: random.Random, deeper: Change = of_bytes) -> bytes:
    """The bytes changed, or as often what stands in them."""
    return (deeper if rng.random() < 0.5 else of_bytes)(data, others, rng)
