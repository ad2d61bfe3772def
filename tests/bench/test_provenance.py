"""Machine, commit and versions say where a figure comes from, and no more."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from sherd.bench import provenance


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with one committed source file."""
    package = tmp_path / "src" / "sherd"
    package.mkdir(parents=True)
    (package / "a.py").write_text("a = 1\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "src")
    git(tmp_path, "commit", "-qm", "One file")
    return tmp_path


def test_commit_of_a_clean_and_a_changed_checkout(checkout: Path) -> None:
    package = checkout / "src" / "sherd"
    clean = provenance.commit(package)
    assert len(clean) >= 10
    assert int(clean, 16) > 0
    (checkout / "results.json").write_text("{}")
    assert provenance.commit(package) == clean
    (package / "b.py").write_text("b = 2\n")
    assert provenance.commit(package) == f"{clean}-dirty"


def test_a_package_installed_in_a_foreign_repository_has_no_commit(checkout: Path) -> None:
    installed = checkout / ".venv" / "site-packages" / "sherd"
    installed.mkdir(parents=True)
    assert provenance.commit(installed) == "unknown"


def test_outside_any_repository_the_commit_is_unknown(tmp_path: Path) -> None:
    package = tmp_path / "src" / "sherd"
    package.mkdir(parents=True)
    assert provenance.commit(package) == "unknown"


def test_the_machine_is_named_without_its_host() -> None:
    name = provenance.machine()
    assert "core" in name
    assert platform.system() in name
    assert platform.node() not in name.split()


def test_versions_cover_what_figures_depend_on() -> None:
    found = provenance.versions()
    assert list(found) == ["python", "sherd", "numpy", "shapely", "torch"]
    assert all(found.values())
