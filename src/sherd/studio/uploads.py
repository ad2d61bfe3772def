"""What people give: files by names that never become paths, and parameters that never name others' files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile

from sherd.io.document import is_object
from sherd.io.drawings.image_files import SUFFIXES as IMAGE_SUFFIXES
from sherd.io.drawings.model import clean_name
from sherd.plan.formats.names import safe_file_name, unique
from sherd.studio.service import RefusedError
from sherd.workshop.params import params_from
from sherd.workshop.project import SOURCE, refuse_paths

MOST_FILES = 500
LONGEST_NAME = 100


def shown_name(name: str) -> str:
    """A name fit to be shown: on one line, printable, not too long."""
    return clean_name(Path(name.replace("\\", "/")).name)[:LONGEST_NAME] or "pieces"


async def keep_files(files: Sequence[UploadFile], folder: Path, target: str | None) -> tuple[str, str]:
    """Write uploads into a new folder; the source inside of it, and what the job is called.

    Several pictures are one source, a folder of them. Beside one drawing there may be its target.
    """
    given = [file.filename or "pieces" for file in files]
    names = list(unique(map(_safe_with_ending, given)))
    if not names:
        raise RefusedError(422, "there is no file in the request")
    pieces = [name for name, said in zip(names, given, strict=True) if target not in (name, said)]
    all_pictures = all(Path(name).suffix.lower() in IMAGE_SUFFIXES for name in pieces)
    if len(pieces) > 1 and not all_pictures:
        raise RefusedError(422, "several files are taken only if they are pictures, or one is the target")
    if not pieces:
        raise RefusedError(422, "the only file is the target, and there are no pieces")
    inside = f"{SOURCE}/pictures" if len(pieces) > 1 else SOURCE
    (folder / inside).mkdir(parents=True)
    for file, name in zip(files, names, strict=True):
        with (folder / inside / name).open("xb") as out:
            while block := await file.read(2**20):
                out.write(block)
    first = shown_name(given[names.index(pieces[0])])
    if len(pieces) > 1:
        return inside, f"{len(pieces)} pictures"
    return f"{inside}/{pieces[0]}", Path(first).stem or first


def _safe_with_ending(name: str) -> str:
    """A file name that means nothing but itself; its ending, which tells the format, is kept."""
    plain = safe_file_name(shown_name(name))
    ending = Path(name.replace("\\", "/")).suffix.lower()
    return plain if Path(plain).suffix.lower() == ending or not ending[1:].isalnum() else f"{plain}{ending}"


def check_params(given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Parameters as they are kept, without those that are null; `RefusedError` if they are none."""
    params = {name: value for name, value in given.items() if value is not None}
    try:
        refuse_paths(params, folder)
        params_from(params, folder)
    except (ValueError, TypeError) as error:
        raise RefusedError(422, " ".join(str(error).split())) from None
    return params


def parsed(text: str, what: str) -> dict[str, Any]:
    """A JSON object that stands in a field of a form."""
    try:
        value: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise RefusedError(422, f"{what} must be JSON") from None
    if not is_object(value):
        raise RefusedError(422, f"{what} must be a JSON object")
    return value
