"""Hostile uploads: each is refused, or read and found wanting, in one sentence; the server lives on."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sherd.studio.service import RefusedError
from sherd.studio.uploads import check_params, parsed, shown_name

from .conftest import Running

EXAMPLES = Path(__file__).parents[2] / "examples"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg">%s</svg>'
SCRIPT = "<script>alert(1)</script>"


def zipped(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return stream.getvalue()


def project(source: str = "source/a.svg", params: object = None, **files: bytes) -> bytes:
    about = {"format": "sherd.project", "version": 1, "name": "x", "source": source, "params": params or {}}
    return zipped(**{"project.json": json.dumps(about).encode(), **files})


def png(width: int, height: int) -> bytes:
    """A picture that says how large it is, and is not."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def hostile() -> Iterator[tuple[str, bytes]]:
    """Some 200 files that somebody might send to do harm."""
    laughs = b"".join(b'<!ENTITY l%d "%s">' % (k, b"&l%d;" % (k - 1) * 10) for k in range(1, 10))
    yield "bomb.svg", b'<!DOCTYPE a [<!ENTITY l0 "ha">' + laughs + b"]>" + SVG % b"<text>&l9;</text>"
    yield "file.svg", b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + SVG % b"<text>&x;</text>"
    yield "use.svg", SVG % b'<use id="a" href="#a"/><use href="file:///etc/passwd"/>'
    yield "deep.svg", SVG % (b"<g>" * 50_000)
    yield "numbers.svg", SVG % b'<path d="M0 0L1e999 0L0 1e999Z"/><path d="M nan nan L inf 0 Z"/>'
    yield "many.svg", SVG % (b'<path d="M0 0H1V1Z"/>' * 3_000)
    yield "far.svg", SVG % b'<path d="M0 0H1e11V1e11Z"/><path id="target" d="M0 0H1e-9V1e-9Z"/>'
    yield "bomb.svgz", zlib.compress(b"<svg>" + b" " * 40_000_000)
    yield "huge.png", png(60_000, 60_000)
    yield "tall.png", png(1, 2**31 - 1)
    yield "short.png", png(500, 500)
    yield "deep.json", b"[" * 100_000
    yield "deep.geojson", b'{"type":"FeatureCollection","features":' + b"[" * 50_000
    yield "digits.json", b'{"format":"sherd.puzzle","version":' + b"9" * 10_000 + b"}"
    yield "nan.json", b'{"type":"Polygon","coordinates":[[[NaN,0],[1,0],[1,Infinity]]]}'
    yield "wrong.json", b'{"format":"sherd.puzzle","version":99}'
    yield "one.wkt", b"POLYGON((0 0, 1 0, 1 1, 0 0)"
    yield "many.wkt", b"POLYGON((" + b"0 0, 1 1, " * 20_000 + b"0 0))"
    yield "quotes.csv", b'name,wkt\n"' + b"a" * 1_000_000
    yield "code.dxf", b"  0\nSECTION\n  2\nENTITIES\n" + b"  0\nINSERT\n  2\nA\n" * 1000
    yield "not.zip.sherd", b"PK\x03\x04 and no more"
    yield "empty.sherd", zipped()
    yield "bomb.sherd", project(**{"source/a.svg": b" " * 25_000_000})
    yield "up.sherd", project("source/../../up.svg", **{"source/../../up.svg": SVG % b""})
    yield "root.sherd", project("/etc/passwd")
    yield "other.sherd", project(**{"source/a.svg": SVG % b"", "../../../tmp/evil": b"x"})
    yield "target.sherd", project(params={"target": "/etc/passwd"}, **{"source/a.svg": SVG % b""})
    yield "params.sherd", project(params={"__class__": 1}, **{"source/a.svg": SVG % b""})
    yield "list.sherd", zipped(**{"project.json": b"[]"})
    yield "inside.sherd", project("source/b.sherd", **{"source/b.sherd": project()})
    for name in ("../../a.svg", "/etc/passwd", "..\\..\\a.dxf", "con.svg", "a\0b.svg", "." * 300 + ".svg"):
        yield name, b"nothing"
    for name in (
        "a.exe",
        "a.php",
        "a.html",
        "a.py",
        "a",
        "",
        ".svg",
        "a.svg.exe",
        "a.pdf",
        "a.heic",
        "a.zip",
    ):
        yield name, SVG % b'<path d="M0 0H1V1Z"/>'
    names = ("tangram/tangram.svg", "tile/tile.dxf", "mixed/mixed.csv", "puzzle/puzzle.geojson")
    for path in (EXAMPLES / name for name in names):
        whole = path.read_bytes()
        for step in range(1, 20):  # cut off, or with a byte that is wrong
            at = len(whole) * step // 20
            yield path.name, whole[:at]
            yield path.name, whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :]


def test_hostile_uploads_get_a_sentence(server: Running) -> None:
    every = list(hostile())
    assert len(every) >= 190
    for name, content in every:
        answer = server.upload((name, content))
        if answer.status_code != 201:
            assert answer.status_code in (400, 413, 422), (name, answer.text)
            said = answer.json()["detail"]
        else:
            job = server.settled(answer.json()["id"])
            assert job["state"] in ("read", "failed"), (name, job["error"])
            assert job["state"] == "failed" or job["reading"]["figures"]
            said = job["error"] or job["reading"]["sentence"]
            assert server.ask("DELETE", f"/jobs/{job['id']}").status_code == 204
        assert said and "\n" not in said and "bug" not in said, (name, said)
        leaks = ("Traceback", str(server.folder), "root:", "/source/")
        assert not any(one in said for one in leaks), (name, said)
    assert server.ask("GET", "/health").status_code == 200
    outside = {path.name for path in server.folder.iterdir()}
    assert outside <= {"jobs", "jobs.sqlite", "jobs.sqlite-wal", "jobs.sqlite-shm"}


def test_script_in_names_stays_a_name(server: Running) -> None:
    """It comes back as text in JSON, and escaped in files."""
    label = SCRIPT.replace("<", "&lt;")
    shapes = "".join(f'<path id="{label} {k}" d="M{40 * k} 0h30v30h-30z"/>' for k in (1, 2))
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg"><path id="target" d="M0 99h30v60h-30z"/>{shapes}</svg>'
    )
    made = server.upload((f"{SCRIPT}.svg", drawing.encode()), solve="true")
    assert made.headers["content-type"] == "application/json"
    job = server.settled(made.json()["id"])
    assert job["name"] == "script>"  # what stands after the last slash
    assert [piece["id"] for piece in job["puzzle"]["pieces"]] == [f"{SCRIPT} 1", f"{SCRIPT} 2"]
    assert job["answer"]["verdict"]["word"] == "solved"
    for kind in ("svg", "gaps.svg"):
        made = server.ask("GET", f"/jobs/{job['id']}/answer.{kind}")
        assert SCRIPT not in made.text
        assert "<" not in made.headers.get("content-disposition", "")
    assert server.ask("DELETE", f"/jobs/{job['id']}").status_code == 204


def test_names_are_shown_on_one_line() -> None:
    assert shown_name("a/b\\c\n\x1b d.svg") == "c d.svg"
    assert shown_name("../") == "pieces"
    assert shown_name("x" * 500) == "x" * 90


def test_parameters_name_no_files_of_others(tmp_path: Path) -> None:
    (tmp_path / "tray.svg").write_bytes(SVG % b"")
    assert check_params({"target": "tray.svg", "kerf": None}, tmp_path) == {"target": "tray.svg"}
    for target in ("/etc/passwd", "../tray.svg", str(tmp_path / "tray.svg"), "none.svg", "rect:1"):
        with pytest.raises(RefusedError):
            check_params({"target": target}, tmp_path)
    for params in ({"forbid": 3}, {"unknown": 1}, {"rotations": [1]}, {"pins": {"a": [1]}}):
        with pytest.raises(RefusedError):
            check_params(params, tmp_path)
    for text in ("[1]", "{", "[" * 100_000):
        with pytest.raises(RefusedError, match="params must be"):
            parsed(text, "params")
