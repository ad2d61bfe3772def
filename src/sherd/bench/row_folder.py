"""What is kept of the training of a row where that is asked for: its recipe, its state and its network.

recipe.json           the row and how it is trained, so that nothing else is trained in its folder
state.safetensors     all that is needed to go on
weights.safetensors   the weights that validated best, their config and record in weights.json
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sherd.bench.cell import Cell
from sherd.bench.record import Recipe
from sherd.core.errors import ArgumentError, FileFormatError
from sherd.io.atomic import write_atomically
from sherd.io.document import is_object
from sherd.io.folder_lock import held
from sherd.learn.fan.network import Fan
from sherd.learn.fan.weights import save_fan
from sherd.learn.training.checkpoint import STATE, WEIGHTS
from sherd.learn.training.toml_tables import difference

RECIPE = "recipe.json"
FORMAT, VERSION = "sherd.row", 1


@dataclass(frozen=True)
class RowFolder:
    """Where a row's training is kept; ``resumes`` if it was begun there before, with the same recipe."""

    path: Path
    resumes: bool

    @property
    def state(self) -> Path:
        """The file that training goes on from."""
        return self.path / STATE

    def keep(self, model: Fan, training: Mapping[str, Any]) -> None:
        """Write down the network that came of it."""
        save_fan(self.path / WEIGHTS, model, training)


@contextmanager
def row_folder(
    checkpoints: Path, cell: Cell, *, seed: int, recipe: Recipe
) -> Generator[RowFolder, None, None]:
    """The folder of a row below ``checkpoints``, made if need be and held until it is left.

    `FileFormatError` if another row, or another recipe, was trained in it. Where training fails, or is
    interrupted, before it has saved anything, what was made is taken away again.
    """
    path = checkpoints / folder_name(cell, seed=seed, recipe=recipe)
    made = [part for part in (path, *path.parents) if not part.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise ArgumentError(f"{path}: there is a file in the way") from None
    with held(path):
        about = {"format": FORMAT, "version": VERSION, "row": f"{cell.solver_label} on {cell.puzzle_label}"}
        about |= {"seed": seed, "recipe": recipe}
        document = json.dumps(about, indent=2) + "\n"
        written = path / RECIPE
        if not written.exists():
            if any(path.iterdir()):
                raise FileFormatError(f"{path}: is not empty, and holds no training of a row")
            write_atomically(written, document)
        elif (known := _read(written)) != json.loads(document):
            raise FileFormatError(f"{path}: holds a training of another recipe: {difference(known, about)}")
        try:
            yield RowFolder(path, resumes=(path / STATE).exists())
        except BaseException:
            if made and list(path.iterdir()) == [written]:
                written.unlink()
                with suppress(OSError):  # whatever is in the way: the failure itself must be heard
                    for part in made:
                        part.rmdir()
            raise


def folder_name(cell: Cell, *, seed: int, recipe: Recipe) -> str:
    """What a row's folder is called.

    >>> folder_name(Cell(solver="fan", aggregation="fram"), seed=8000, recipe={"training": {"seed": 1}})
    'fan-square-8-pieces-seed8000-train1'
    """
    words = re.sub("[^a-z0-9.]+", "-", f"{cell.solver_label} {cell.puzzle_label}".lower()).strip("-")
    return f"{words}-seed{seed}-train{recipe['training']['seed']}"


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise FileFormatError(f"{path}: not JSON, or cut off") from None
    if not is_object(document) or document.get("format") != FORMAT:
        raise FileFormatError(f"{path}: not the recipe of a row")
    return document
