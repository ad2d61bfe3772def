"""The site: pages, links, commands and code on them, and what checks the built pages."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
import tomllib
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
import typer

import sherd
from sherd.cli import COMMANDS, make_app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted({*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("*.md")})
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
MOST_PICTURES = 2_500_000


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@cache
def load(name: str) -> ModuleType:
    """A program of docs/ as a module."""
    found = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # dataclasses look for it there
    found.loader.exec_module(module)
    return module


def in_nav(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [path for one in (nav.values() if isinstance(nav, dict) else nav) for path in in_nav(one)]


def test_every_page_is_in_the_navigation() -> None:
    nav = in_nav(tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"])
    assert [path for path in nav if not (ROOT / path).is_file()] == []
    assert {name_of(page) for page in DOCS.rglob("*.md")} <= set(nav)


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    plain = (re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(text))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    wrong: list[str] = []
    for link in LINK.findall(page.read_text()):
        path, _, anchor = link.partition("#")
        if "://" in path or path.startswith("mailto:"):
            continue
        target = page.parent / path if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            wrong.append(link)
    assert wrong == []


@cache
def commands() -> Any:
    return typer.main.get_command(make_app("*"))


def lines_of_shell(page: Path) -> list[str]:
    """Lines of code that call sherd, those that go on over a backslash in one."""
    text = page.read_text().replace("\\\n", " ")
    found = re.findall(r"^(?: {4}|)(sherd [a-z]+ .*)$", text, re.MULTILINE)
    return [line for line in found if "..." not in line and " | " not in line and "PUZZLES" not in line]


@pytest.mark.parametrize("page", [page for page in PAGES if lines_of_shell(page)], ids=name_of)
def test_every_command_on_a_page_can_be_given(page: Path) -> None:
    for line in lines_of_shell(page):
        words = shlex.split(line, comments=True)[1:]
        command = commands().get_command(None, words[0])
        if command is None:  # a sentence that begins with the name
            assert words[0] not in COMMANDS
            continue
        command.make_context(words[0], words[1:]).close()


@pytest.mark.parametrize("page", [*TUTORIALS, DOCS / "how-to" / "own-solver.md"], ids=name_of)
def test_what_is_told_to_do_can_be_done(page: Path, tmp_path: Path) -> None:
    load("run_page").run_page(page, tmp_path, quickly=True)


def test_there_is_a_page_for_each_public_name() -> None:
    named = re.findall(r"^::: (sherd\.[\w.]+)\.(\w+)$", (DOCS / "reference" / "python.md").read_text(), re.M)
    assert set(sherd.__all__) <= {name for _, name in named}
    for module, name in named:
        assert hasattr(importlib.import_module(module), name), f"{module}.{name}"


def test_docstrings_keep_their_examples() -> None:
    said = load("plain_blocks").with_blocks(
        "One.\n\nkind   a name\nsize   a number\n\n>>> 1\n1\n\nLast  one."
    )
    assert said.count("```") == 4
    assert "```text\nkind   a name\nsize   a number\n```" in said
    assert said.endswith("\n\nLast  one.")


def test_a_built_site_is_checked(tmp_path: Path) -> None:
    check = load("check_site")
    assert check.problems(tmp_path) == [f"{tmp_path}: there is no page"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text(
        '<h1 id="top">Other</h1><a href="https://a.example">out</a>'
    )
    (tmp_path / "index.html").write_text(
        '<a href="other/#top">fine</a><a href="other/#end">no</a><a href="gone/">no</a><img src="no.png">'
        '<link rel="stylesheet" href="https://fonts.example/a.css"><script src="//cdn.example/b.js"></script>'
    )
    (tmp_path / "style.css").write_text("body { background: url(https://c.example/d.png) }")
    assert check.problems(tmp_path) == [
        "index.html: loads https://fonts.example/a.css",
        "index.html: loads //cdn.example/b.js",
        "index.html: other/#end: there is no such place on the page",
        "index.html: gone/ leads nowhere",
        "index.html: no.png leads nowhere",
        "style.css: loads from elsewhere",
    ]


def test_the_list_of_public_sets_is_that_of_the_sets() -> None:
    page = (DOCS / "leaderboard" / "enter.md").read_text()
    assert load("make_leaderboard").enter_page(page) == page


def test_the_gallery_has_a_dozen_things_and_they_are_small() -> None:
    gallery = load("make_gallery")
    page = (DOCS / "gallery.md").read_text()
    assert len(gallery.THINGS) >= 12
    total = 0
    for thing in gallery.THINGS:
        picture = gallery.PICTURES / f"{thing.name}.svg"
        assert f"(pictures/gallery/{thing.name}.svg)" in page
        assert all(f"    {command}\n" in page for command in thing.commands)
        text = picture.read_text()
        ElementTree.fromstring(text)
        assert re.findall(r"https?://[^\"]+", text) == ["http://www.w3.org/2000/svg"]
        total += len(text)
    assert total < MOST_PICTURES


def test_an_animation_ends_where_the_pieces_belong() -> None:
    params = sherd.FragmentationParams(pieces=3, rotations=sherd.Rotations(None))
    sample = next(sherd.generate(sherd.named_shape("square"), params, count=1, seed=0))
    svg = load("make_gallery").animation(sample.puzzle, sample.truth)
    ends = re.findall(r"#p\d{transform:translate\((\S+)px,(\S+)px\) rotate\((\S+)deg\);", svg)
    poses = sorted((one.pose for one in sample.truth), key=lambda pose: -pose.y)
    assert len(ends) == len(poses) == 3
    for (x, y, degrees), pose in zip(ends, poses, strict=True):
        said = sherd.Pose(float(x) / 1000.0, float(y) / 1000.0, float(degrees) * 3.141592653589793 / 180.0)
        assert said.is_close(pose, tolerance=2e-3)
