"""Rows of figures, one a line of JSONL or one of a Parquet table, by the file's ending."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sherd.core.errors import UnsupportedError
from sherd.io.atomic import LINES, check_ending, replacing, writing_lines

PARQUET = ".parquet"
# So many rows are held before they are written.
GROUP = 10_000


def flat(row: Mapping[str, Any], under: str = "") -> dict[str, Any]:
    """The row with what is in objects beside what is not, under both names; lists and other things as text.

    >>> flat({"solved": True, "raster": {"iou": 0.5}, "pieces": (3, 4)})
    {'solved': True, 'raster_iou': 0.5, 'pieces': '(3, 4)'}
    """
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{under}{name}_")  # pyright: ignore[reportUnknownArgumentType]
        else:
            plain = value is None or isinstance(value, (bool, int, float, str))
            found[f"{under}{name}"] = value if plain else str(value)
    return found


@contextmanager
def writing_rows(path: Path) -> Generator[Callable[[Mapping[str, Any]], None]]:
    """A function that adds a row; the file is there, whole, when the block ends."""
    check_ending(path, LINES, PARQUET)
    if path.suffix != PARQUET:
        with writing_lines(path) as lines:
            yield lambda row: lines.write(json.dumps(flat(row), allow_nan=False))
        return
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise UnsupportedError(f"{path}: needs the extra parquet: pip install 'sherd[parquet]'") from None
    arrow: Any = pyarrow
    rows: list[dict[str, Any]] = []
    tables: list[Any] = []

    def gather() -> None:
        if rows:
            tables.append(arrow.Table.from_pylist(rows))
            rows.clear()

    def add(row: Mapping[str, Any]) -> None:
        rows.append(flat(row))
        if len(rows) >= GROUP:
            gather()

    with replacing(path) as file:
        yield add
        gather()
        # A column without any value so far has no type yet: types are settled over all rows.
        whole = arrow.concat_tables(tables, promote_options="permissive") if tables else arrow.table({})
        parquet.write_table(whole, file)
