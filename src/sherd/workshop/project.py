"""Project files, ``NAME.sherd``: a zip of a job's source files, what was said about them, and the answer.

    project.json   the format, the name, the source, and what was asked: `Project` without its folder
    source/...     the drawing, the pictures or the puzzle as they were given
    puzzle.json    the puzzle that they make, for other programs (sherd.puzzle)
    answer.json    the answer, for other programs (sherd.assembly), if there is one

Nothing but plain files in these places is ever unpacked.
"""

from __future__ import annotations

import json
import lzma
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, cast

from sherd.core.errors import ArgumentError, FileFormatError
from sherd.io.atomic import write_atomically
from sherd.io.document import is_object
from sherd.io.drawings.model import Drawing
from sherd.plan.formats.names import safe_file_name
from sherd.workshop.params import OUTLINES, JobParams, Pin, params_from
from sherd.workshop.source import ROLES, read_source, with_roles
from sherd.workshop.target import plain_target

FORMAT = "sherd.project"
VERSION = 1
ENDING = ".sherd"
ABOUT = "project.json"
BROKEN_ZIP = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError)
SOURCE = "source"
MOST_FILES = 2000
MOST_BYTES = 512 * 2**20
MOST_ABOUT_BYTES = 64 * 2**20
# Files are unpacked in parts of this length.
BLOCK = 2**20
# How the tables of a project are called, which of them is missing being empty.
TABLES = ("params", "roles", "solve", "board", "found")


@dataclass(frozen=True, kw_only=True)
class Project:
    """A job as it was left.

    ``source`` is a file, or a folder of pictures, inside ``folder``, where the files were unpacked or lie.
    ``params``, ``roles`` and ``solve`` are what was said and asked; ``board`` is where hands have laid
    pieces, ``found`` an answer as the studio keeps it, and ``state`` that of the job there.
    """

    name: str
    source: str
    folder: Path
    state: str = ""
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    roles: Mapping[str, Any] = field(default_factory=dict[str, Any])
    solve: Mapping[str, Any] = field(default_factory=dict[str, Any])
    board: Mapping[str, Any] = field(default_factory=dict[str, Any])
    found: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def read(self) -> tuple[Drawing, JobParams]:
        """The drawing with what was said about it, and what is asked of it; pins and forbidden ids too."""
        drawing, params = read_source(self.folder / self.source, self.params)
        pins: dict[str, Pin | None] = {}
        pinned = set(self.board.get("pinned", ()))
        for row in self.board.get("placements", ()):
            if row["id"] in pinned:
                if row["pose"]["flipped"]:
                    raise ArgumentError(f"{row['id']!r} is pinned turned over, which only the studio can do")
                pins[row["id"]] = Pin(row["pose"]["x"], row["pose"]["y"], row["pose"]["angle_deg"])
        forbid = frozenset(self.board.get("forbidden", ())) | frozenset(self.board.get("aside", ()))
        if params.no_target or params.outline:
            pins = {}  # there is no frame to pin them in
        return with_roles(drawing, cast(Any, self.roles)), params.changed(pins=pins, forbid=forbid)


def write_project(
    project: Project, path: str | os.PathLike[str], extras: Mapping[str, str | bytes] | None = None
) -> None:
    """Write a project with its source files; ``extras`` are further files by name."""
    import io

    about = {
        "format": FORMAT,
        "version": VERSION,
        "name": project.name,
        "source": project.source,
        "state": project.state,
        **{name: dict(getattr(project, name)) for name in TABLES},
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(ABOUT, json.dumps(about, allow_nan=False, indent=1))
        for file in sorted((project.folder / SOURCE).rglob("*")):
            if file.is_file() and not file.is_symlink():
                packed.write(file, file.relative_to(project.folder).as_posix())
        for name, content in (extras or {}).items():
            packed.writestr(name, content)
    write_atomically(path, stream.getvalue())


def read_project(path: str | os.PathLike[str], into: Path, most_bytes: int = MOST_BYTES) -> Project:
    """Unpack a project's source files into a folder; `FileFormatError` if it is none, or too large."""
    name = Path(path).name
    try:
        with zipfile.ZipFile(path) as packed:
            return _unpack(packed, into, most_bytes, name)
    except (*BROKEN_ZIP, EOFError, NotImplementedError, RuntimeError) as error:
        raise FileFormatError(f"{name}: not a project file: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise FileFormatError(f"{name}: not a project file that can be read: {error}") from None


def _unpack(packed: zipfile.ZipFile, into: Path, most_bytes: int, name: str) -> Project:
    every = packed.infolist()
    if len(every) > MOST_FILES:
        raise FileFormatError(
            f"{name}: it holds {len(every):,} files, and no more than {MOST_FILES:,} are read"
        )
    size = sum(one.file_size for one in every)
    if size > most_bytes:
        raise FileFormatError(f"{name}: longer than {most_bytes // 2**20} MiB when unpacked")
    about = _about(packed, name)
    kept: dict[str, str] = {}
    for one in every:
        parts = PurePosixPath(one.filename).parts
        if one.is_dir() or parts[:1] != (SOURCE,):
            continue
        if not 2 <= len(parts) <= 3 or any(part != safe_file_name(part) for part in parts[1:]):
            raise FileFormatError(f"{name}: {one.filename!r} is no name of a source file")
        kept[one.filename] = "/".join(parts)
    source = about["source"]
    if source not in kept.values() and not any(
        Path(one).parent.as_posix() == source for one in kept.values()
    ):
        raise FileFormatError(f"{name}: the source {source!r} is not in it")
    for packed_name, place in kept.items():
        file = into / place
        file.parent.mkdir(parents=True, exist_ok=True)
        room = packed.getinfo(packed_name).file_size
        with packed.open(packed_name) as data, file.open("wb") as out:
            while block := data.read(BLOCK):
                room -= len(block)
                if room < 0:
                    raise FileFormatError(f"{name}: longer than it says")
                out.write(block)
    refuse_paths(about["params"], (into / source).parent)
    params_from(about["params"], (into / source).parent)  # which checks them
    for figure, role in about["roles"].items():
        if role not in ROLES:
            raise FileFormatError(f"{name}: {figure!r} is no {role!r}: choose {', '.join(ROLES)}")
    return Project(
        name=str(about["name"])[:200],
        source=source,
        folder=into,
        state=str(about.get("state", "")),
        **{table: about[table] for table in TABLES},
    )


def refuse_paths(params: Mapping[str, Any], folder: Path) -> None:
    """`ValueError` if a target or an outline names a file that does not lie in the folder itself.

    >>> refuse_paths({"target": "/etc/passwd"}, Path())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    sherd.core.errors.ArgumentError: the target '/etc/passwd' is no file that was given, nor a plain...
    """
    for key in ("target", "outline"):
        named = params.get(key)
        if not isinstance(named, str) or named in OUTLINES or plain_target(named) is not None:
            continue
        if named != safe_file_name(named) or not (folder / named).is_file():
            raise ArgumentError(
                f"the {key} {named!r} is no file that was given, nor a plain shape such as rect:297x210"
            )


def _about(packed: zipfile.ZipFile, name: str) -> dict[str, Any]:
    if ABOUT not in packed.namelist():
        raise FileFormatError(f"{name}: there is no {ABOUT} in it")
    if packed.getinfo(ABOUT).file_size > MOST_ABOUT_BYTES:
        raise FileFormatError(f"{name}: {ABOUT} is longer than {MOST_ABOUT_BYTES // 2**20} MiB")
    about: Any = json.loads(packed.read(ABOUT))
    if not is_object(about) or about.get("format") != FORMAT:
        raise FileFormatError(f"{name}: {ABOUT} is not that of a project")
    if about.get("version") != VERSION:
        raise FileFormatError(f"{name}: version {about.get('version')!r} is not known here; {VERSION} is")
    tables: dict[str, Any] = {table: about.get(table, {}) for table in TABLES}
    for table, content in tables.items():
        if not is_object(content):
            raise FileFormatError(f"{name}: {table} must be an object")
    if not isinstance(about.get("name"), str) or not isinstance(about.get("source"), str):
        raise FileFormatError(f"{name}: a name or a source is missing")
    return {**about, **tables}
