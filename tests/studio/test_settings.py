"""What a server may be told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sherd.studio.serve import address_of
from sherd.studio.settings import Settings


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"port": 70_000}, "a port is a number"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"queue": 0}, "queue must be at least 1"),
        ({"most_seconds": 0.0}, "most-seconds must be above 0"),
        ({"most_memory_mb": 10}, "most-memory must be at least 512 MiB"),
        ({"host": "192.168.1.7"}, "that needs a token"),
        ({"token": "two\nlines"}, "a token is of plain printable characters"),
    ],
)
def test_nonsense_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Settings(folder=Path("unused"), **wrong)


def test_the_address_to_open() -> None:
    assert address_of(Settings(folder=Path("unused"), port=1)) == "http://127.0.0.1:1/"
    assert address_of(Settings(folder=Path("unused"), host="::1", port=1)) == "http://[::1]:1/"
    far = Settings(folder=Path("unused"), host="0.0.0.0", port=1, token="abc")
    assert address_of(far) == "http://127.0.0.1:1/?token=abc"
