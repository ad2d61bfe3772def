from __future__ import annotations

from importlib.metadata import version

from sherd.core.about import versions


def test_what_matters_for_a_bug_report_is_told() -> None:
    first, python, installed = versions().splitlines()
    assert first == f"sherd {version('sherd')}"
    assert python.startswith("Python 3.")
    for name in ("numpy", "shapely", "numba"):
        assert f"{name} {version(name)}" in installed
