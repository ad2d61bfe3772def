"""What a process runs."""

from __future__ import annotations

from importlib.metadata import version

from sherd.many.installed import SOURCES, differences, installed


def test_versions_and_sources_are_told() -> None:
    found = installed()
    assert {"python", "sherd", "numpy", "shapely", SOURCES} <= found.keys()
    assert found["sherd"] == version("sherd")
    assert not differences(found, dict(found))
    assert differences(found, found | {"numpy": "1.0"}) == f"numpy {found['numpy']} here, 1.0 there"
