"""Members of records are read strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.bench.fields import (
    count_of_some,
    day,
    integer,
    natural,
    number_or_none,
    read_fields,
    share,
    share_or_none,
    text_or_none,
)
from sherd.core.errors import FileFormatError
from sherd.io.document import Node, only_document


def members_of(path: Path, text: str) -> dict[str, Node]:
    path.write_text(text)
    return dict(only_document(path).read(Node.members))


def test_members_are_read_by_their_readers_and_others_left(tmp_path: Path) -> None:
    members = members_of(tmp_path / "a.json", '{"n": 3, "x": null, "t": "two", "other": []}')
    readers = {"n": integer, "x": number_or_none, "t": text_or_none}
    assert read_fields(members, readers) == {"n": 3, "x": None, "t": "two"}


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (integer, "3.0"),
        (integer, "true"),
        (number_or_none, '"3"'),
        (count_of_some, "0"),
        (count_of_some, "1.0"),
        (natural, "-1"),
        (day, '"yesterday"'),
        (day, '"2026-02-30"'),
        (share_or_none, "2"),
        (share, "1.01"),
        (share, "-0.1"),
        (share, "null"),
    ],
)
def test_what_is_no_such_value_is_refused(read: object, text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=r"a\.json"):
        only_document(path).read(read)  # pyright: ignore[reportArgumentType]
