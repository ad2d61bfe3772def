"""What the documentation names is there: files, folders, modules and the pages that it links to."""

from __future__ import annotations

import hashlib
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "sherd"
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "experiments" / "LOG.md",
    ROOT / "experiments" / "results" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
)
# Code font may run over the end of a line, but not over that of a paragraph.
IN_CODE_FONT = re.compile(r"`((?:[^`\n]|\n(?!\n))+)`")
PATH = re.compile(r"[\w.*-]+(/[\w.*-]+)*(/|\.py)")
FOLDERS = ("benchmarks", "docs", "examples", "experiments", "src", "tests")
TRACKED_PATH = re.compile(rf"({'|'.join(FOLDERS)})/[\w./*-]+")
MODULE = re.compile(r"sherd(\.[a-z_]+){2,}")
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")


def named(page: Path) -> list[str]:
    """The words in code font on a page."""
    return [
        word.strip(",;:()\"'")
        for span in IN_CODE_FONT.findall(page.read_text())
        for word in span.split()
        if not word.startswith(("http", "-"))
    ]


def exists(path: str, *folders: Path) -> bool:
    return any(next(folder.glob(path.rstrip("/")), None) is not None for folder in folders)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# A file may be called by its name alone, where its folder stands in the same sentence or line.
BY_NAME = frozenset(path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def missing(paths: list[str]) -> list[str]:
    """Those that are neither in the repository nor in the package, nor the name of a file anywhere."""
    return [path for path in paths if path not in BY_NAME and not exists(path, ROOT, SOURCES)]


def test_every_path_that_says_where_things_go_exists() -> None:
    paths = [word for word in named(ROOT / "CONTRIBUTING.md") if PATH.fullmatch(word)]
    assert len(paths) > 40
    assert missing(paths) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_file_of_code_and_tracked_path_on_a_page_exists(page: Path) -> None:
    words = [word.rstrip(".") for word in named(page)]
    code = [word for word in words if word.endswith(".py") and PATH.fullmatch(word)]
    assert missing(code) == []
    assert [word for word in words if TRACKED_PATH.fullmatch(word) and not exists(word, ROOT)] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_module_on_a_page_exists(page: Path) -> None:
    for word in named(page):
        if MODULE.fullmatch(word):
            folder, name = word.rsplit(".", 1)
            path = word.replace(".", "/")
            found = exists(path, ROOT / "src") or exists(f"{path}.py", ROOT / "src")
            assert found or hasattr(importlib.import_module(folder), name), word


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_file(page: Path) -> None:
    links: list[str] = LINK.findall(page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_weights_are_those_that_their_page_describes() -> None:
    page = (ROOT / "docs" / "weights.md").read_text()
    files = sorted((SOURCES / "weights").glob("*.safetensors"))
    assert len(files) == 4
    for path in files:
        line = next(line for line in page.splitlines() if line.startswith(f"| `{path.name}` |"))
        assert f"`{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}`" in line
