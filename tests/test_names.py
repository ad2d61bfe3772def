"""Names: no two that are easily taken for each other, and no flags of the command line below it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "sherd"
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
# Modules of the command line are named as its commands are.
COMMANDS = SOURCE / "cli"
# Other words altogether, though only a letter differs.
OTHER_WORDS = {
    frozenset({"api", "app"}),
    frozenset({"base", "case"}),
    frozenset({"folding", "holding"}),
    frozenset({"masks", "tasks"}),
    frozenset({"near", "wear"}),
    frozenset({"waiting", "writing"}),
}
# Classes of one name. None may be added.
TWICE = {"Arrangement", "Rules", "Shapes"}
# What goes over a wire is named as what it stands for.
WIRE = SOURCE / "studio" / "api.py"
# Where a flag is data: what a report tells readers to run, and what git is called with.
WITH_FLAGS = {"bench/report.py", "bench/provenance.py"}


def differ_by_a_letter(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    if len(short) == len(long):
        return sum(a != b for a, b in zip(short, long, strict=True)) == 1
    return any(long[:k] + long[k + 1 :] == short for k in range(len(long)))


def test_no_two_modules_differ_by_one_letter() -> None:
    assert differ_by_a_letter("area", "areas") and not differ_by_a_letter("area", "gap")
    names = {path.stem for path in MODULES if path.parent != COMMANDS}
    alike = [pair for pair in combinations(sorted(names), 2) if differ_by_a_letter(*pair)]
    assert [pair for pair in alike if frozenset(pair) not in OTHER_WORDS] == []


def test_no_class_name_stands_twice() -> None:
    classes = Counter(
        node.name
        for path in SOURCE.rglob("*.py")
        if path != WIRE
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in classes.items() if count > 1} == TWICE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_and_folders_that_a_page_names_are_there(page: Path) -> None:
    tops = (SOURCE, ROOT, ROOT / "tests", page.parent)
    files = {
        path.name
        for folder in ("src", "tests", "docs", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
    }
    named = re.findall(r"`((?:[\w.-]+/)*[\w.-]+(?:\.py|/))`", page.read_text(encoding="utf-8"))
    gone = [
        name
        for name in named
        if not any((top / name).exists() for top in tops) and ("/" in name or name not in files)
    ]
    assert gone == []


def test_only_the_command_line_names_its_flags() -> None:
    told: list[str] = []
    for path in MODULES:
        where = path.relative_to(SOURCE).as_posix()
        if path.parent == COMMANDS or where in WITH_FLAGS:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and isinstance(node.body[0], ast.Expr)
        }
        told += [
            f"{where}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
            if re.search(r"(^|[\s(`])--[a-z]", node.value)
        ]
    assert told == []
