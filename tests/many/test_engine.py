"""Engines elsewhere."""

from __future__ import annotations

import socket

import pytest

from sherd.core.errors import UnsupportedError
from sherd.many.engine import parse_engine, using


@pytest.mark.parametrize(
    "text",
    ["", "dask", "dask://", "dask://host", "ray://host:x", "spark://host:1", "dask://:80", "ray://h:0"],
)
def test_what_is_no_engine_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the engine must be local"):
        parse_engine(text)


def test_addresses_of_all_kinds() -> None:
    assert parse_engine("ray://head.example.org:10001") == ("ray", "head.example.org", 10001)
    assert parse_engine("dask://[::1]:8786") == ("dask", "::1", 8786)


@pytest.mark.parametrize("kind", ["dask", "ray"])
def test_an_engine_that_cannot_be_reached_is_one_line(kind: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        engine = f"{kind}://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(UnsupportedError, match=f"{engine}: cannot be reached: .*refused"), using(engine):
            pytest.fail("the block is not entered")


def test_who_listens_and_says_nothing_is_no_dask_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherd.many.engine.REACH_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(UnsupportedError, match="is no Dask scheduler"), using(f"dask://127.0.0.1:{port}"):
            pass
