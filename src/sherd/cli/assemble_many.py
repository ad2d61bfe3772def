"""``sherd assemble`` for sets: puzzles shared among workers, and their answers written here."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sherd.cli.interrupt import Interrupted
from sherd.cli.request import AssembleRequest

if TYPE_CHECKING:
    from sherd.core.puzzle import Puzzle, Sample
    from sherd.many.shards import Shards
    from sherd.solvers import Assembler
    from sherd.solvers.base import ExplainingSolver

Job = tuple[int, str, "Puzzle | Sample"]


@dataclass(frozen=True)
class Answered:
    """What came of one puzzle: lines of the table, without what the files say, and the files by name."""

    rows: tuple[tuple[str, int, float, tuple[str, ...]], ...]
    files: dict[str, bytes]


@dataclass(frozen=True)
class AssembleEach:
    """A puzzle's answers and pictures, by its number, the name that they are to have, and itself."""

    request: AssembleRequest

    def __call__(self, job: Job) -> Answered:
        """Solved in a folder of its own: workers elsewhere cannot write where the answers go."""
        import numpy as np

        from sherd.cli.assemble_puzzles import assemble_one

        number, name, item = job
        assembler, explainer = _made(self.request)
        rng = np.random.default_rng([self.request.seed, number])
        with TemporaryDirectory() as folder:
            request = replace(self.request, out=Path(folder))
            rows = assemble_one(request, item, name, assembler, explainer, rng, Interrupted())
            files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
        return Answered(tuple((row.name, row.pieces, row.whole, row.remarks) for row in rows), files)

    def lost(self, job: Job, reason: str) -> Answered:
        """An answer without pieces, which says why."""
        from sherd.core.assembly import Assembly
        from sherd.core.puzzle import Sample
        from sherd.io.assembly_files import SavedAssembly, assembly_to_text

        _, name, item = job
        puzzle = item.puzzle if isinstance(item, Sample) else item
        nothing = SavedAssembly(
            assembly=Assembly(),
            solver=self.request.solver,
            seconds=0.0,
            solved=False,
            coverage=0.0,
            iou=0.0,
            overlap=0.0,
            reason=reason,
        )
        files = {f"{name}.assembly.json": assembly_to_text(nothing).encode()}
        return Answered(((name, len(puzzle.fragments), 0.0, (f"not solved: {reason}",)),), files)


def answer_all(
    request: AssembleRequest, named: Iterable[Job], total: int
) -> Iterator[tuple[int, str, int, float, tuple[str, ...]]]:
    """Write the answers to each puzzle in turn; the numbers of puzzles done, and their lines of the table."""
    from sherd.io import write_atomically
    from sherd.many.share import share

    # What changes no answer is left out, so that workers make one assembler, and shards are of one run.
    plain = replace(request, out=Path(), check=False, workers=None, engine="local", keeping=None)
    work = AssembleEach(plain)
    shards = _shards(request, work, total)
    with closing(share(work, named, workers=request.workers, shards=shards)) as outcomes:
        for done, answered in enumerate(outcomes, start=1):
            for name, data in answered.files.items():
                write_atomically(request.out / name, data)
            for row in answered.rows:
                yield done, *row


def _shards(request: AssembleRequest, work: AssembleEach, total: int) -> Shards[Answered] | None:
    if request.keeping is None:
        return None
    from sherd.many.shards import json_lines, open_shards

    with request.file.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    about = {"request": replace(work.request, file=Path(request.file.name)), "file": digest}
    return open_shards(request.keeping, about, json_lines(_to_row, _from_row), total=total)


def _to_row(answered: Answered) -> dict[str, Any]:
    files = {name: b64encode(data).decode() for name, data in answered.files.items()}
    return {"rows": answered.rows, "files": files}


def _from_row(row: dict[str, Any]) -> Answered:
    rows = tuple((name, pieces, whole, tuple(remarks)) for name, pieces, whole, remarks in row["rows"])
    return Answered(rows, {Path(name).name: b64decode(data) for name, data in row["files"].items()})


@lru_cache(maxsize=1)
def _made(request: AssembleRequest) -> tuple[Assembler, ExplainingSolver | None]:
    """What solves, made once in a worker."""
    return request.make_all()
