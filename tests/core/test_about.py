from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

from sherd.core import about
from sherd.core.about import versions


def test_what_matters_for_a_bug_report_is_told() -> None:
    first, python, installed = versions().splitlines()
    assert first == f"sherd {version('sherd')}"
    assert python.startswith("Python 3.")
    for name in ("numpy", "shapely", "numba"):
        assert f"{name} {version(name)}" in installed


def test_sources_that_are_not_installed_are_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(about, "version", unknown)
    first, _, installed = versions().split("\n")
    assert first == "sherd not installed"
    assert installed == ""
