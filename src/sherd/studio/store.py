"""Jobs on the disk: a row each in SQLite, and a folder each for files.

The row holds what a list of jobs shows and what a server must know when it comes back; documents, which may
be large, are JSON files in the job's folder, each written whole or not at all.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import sqlite3
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast

State = Literal["reading", "read", "queued", "solving", "done", "stopped", "failed", "interrupted"]
BUSY: tuple[State, ...] = ("reading", "queued", "solving")
ID = re.compile(r"[a-z2-7]{16}")
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"

CREATE = """
CREATE TABLE IF NOT EXISTS jobs (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL, error TEXT, created TEXT NOT NULL,
  source TEXT NOT NULL, params TEXT NOT NULL, roles TEXT NOT NULL, solve TEXT NOT NULL,
  pieces INTEGER, verdict TEXT, turn INTEGER NOT NULL DEFAULT 0
) STRICT
"""
INDEX = "CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state, turn)"
# Members of a row that are kept as JSON.
AS_JSON = ("params", "roles", "solve")


@dataclass(frozen=True, kw_only=True)
class JobRow:
    """What is known of a job without opening its files.

    ``source`` names what was uploaded inside the folder, ``params`` and ``roles`` are what was said about it,
    ``solve`` what was last asked of a solver, and ``turn`` tells who is next in the queue.
    """

    id: str
    name: str
    source: str
    state: State = "reading"
    error: str | None = None
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    roles: dict[str, Any] = field(default_factory=dict[str, Any])
    solve: dict[str, Any] = field(default_factory=dict[str, Any])
    pieces: int | None = None
    verdict: str | None = None
    turn: int = 0


COLUMNS = tuple(item.name for item in fields(JobRow))


def new_id() -> str:
    """A name for a job that nobody can guess, and that is fit to be a folder's."""
    return "".join(secrets.choice(LETTERS) for _ in range(16))


class Store:
    """The jobs of one folder; made by the one server that works in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._jobs = folder / "jobs"
        self._jobs.mkdir(parents=True, exist_ok=True)
        self._data = sqlite3.connect(folder / "jobs.sqlite", isolation_level=None)
        self._data.execute("PRAGMA journal_mode=WAL")
        self._data.execute("PRAGMA synchronous=NORMAL")
        self._data.execute(CREATE)
        self._data.execute(INDEX)

    def close(self) -> None:
        """Let go of the database."""
        self._data.close()

    def folder_of(self, job_id: str) -> Path:
        """Where a job's files lie; `KeyError` if that is no id."""
        if not ID.fullmatch(job_id):
            raise KeyError(job_id)
        return self._jobs / job_id

    def add(self, row: JobRow) -> None:
        """Keep a new job."""
        marks = ", ".join("?" * len(COLUMNS))
        self._data.execute(
            f"INSERT INTO jobs ({', '.join(COLUMNS)}) VALUES ({marks})",
            [_to_column(name, getattr(row, name)) for name in COLUMNS],
        )

    def change(self, job_id: str, **values: Any) -> None:
        """Set members of a row."""
        names = ", ".join(f"{name} = ?" for name in values)
        self._data.execute(
            f"UPDATE jobs SET {names} WHERE id = ?",
            [*(_to_column(name, value) for name, value in values.items()), job_id],
        )

    def get(self, job_id: str) -> JobRow:
        """One job; `KeyError` if there is none of that id."""
        found = self._select("WHERE id = ?", job_id)
        if not found:
            raise KeyError(job_id)
        return found[0]

    def all(self, most: int = -1) -> list[JobRow]:
        """All jobs, the newest first."""
        return self._select("ORDER BY created DESC, rowid DESC LIMIT ?", most)

    def in_state(self, *states: State) -> list[JobRow]:
        """The jobs in these states, in the order of their turns."""
        marks = ", ".join("?" * len(states))
        return self._select(f"WHERE state IN ({marks}) ORDER BY turn, rowid", *states)

    def counts(self) -> dict[str, int]:
        """How many jobs are in each state."""
        return dict(self._data.execute("SELECT state, count(*) FROM jobs GROUP BY state").fetchall())

    def next_turn(self) -> int:
        """The turn after all that wait."""
        (last,) = self._data.execute("SELECT coalesce(max(turn), 0) FROM jobs").fetchone()
        return int(last) + 1

    def remove(self, job_id: str) -> None:
        """Forget a job and take its files away."""
        self._data.execute("DELETE FROM jobs WHERE id = ?", [job_id])
        shutil.rmtree(self.folder_of(job_id), ignore_errors=True)

    def remove_strays(self) -> None:
        """Take away folders that no job knows: those of a server that was killed in the middle."""
        known = {name for (name,) in self._data.execute("SELECT id FROM jobs")}
        for path in self._jobs.iterdir():
            if path.name not in known:
                shutil.rmtree(path, ignore_errors=True)

    def document(self, job_id: str, name: str) -> Any:
        """A JSON file of a job; None if it is not there."""
        try:
            return json.loads((self.folder_of(job_id) / f"{name}.json").read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, job_id: str, name: str, document: Any) -> None:
        """Write a JSON file of a job; None takes it away."""
        write_document(self.folder_of(job_id), name, document)

    def _select(self, rest: str, *values: Any) -> list[JobRow]:
        rows = self._data.execute(f"SELECT {', '.join(COLUMNS)} FROM jobs {rest}", values)
        return [
            JobRow(**{name: _from_column(name, value) for name, value in zip(COLUMNS, row, strict=True)})
            for row in cast("list[tuple[Any, ...]]", rows.fetchall())
        ]


def write_document(folder: Path, name: str, document: Any) -> None:
    """Write a JSON file into a folder so that a reader never meets half of it; None takes it away.

    It is not flushed to the disk: it must survive a process that is killed, and need not a power cut.
    """
    path = folder / f"{name}.json"
    if document is None:
        path.unlink(missing_ok=True)
        return
    unfinished = folder / f".{name}-{secrets.token_hex(4)}.tmp"
    unfinished.write_text(json.dumps(document, allow_nan=False, separators=(",", ":")))
    unfinished.replace(path)


def _to_column(name: str, value: Any) -> Any:
    return json.dumps(value) if name in AS_JSON else value


def _from_column(name: str, value: Any) -> Any:
    return json.loads(value) if name in AS_JSON else value
