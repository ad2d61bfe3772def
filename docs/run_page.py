"""Runs the blocks of a page: ``python docs/run_page.py docs/tutorials/first-puzzle.md``.

Blocks of Python and lines of shell that begin with ``sherd`` are run in turn, in an empty folder that has
examples/ and experiments/ beside it. A block with a title is written there under that name. With
``--pictures`` the pictures that the page shows from pictures/ are replaced by those of the run. A line
``<!-- quickly: A -> B -->`` says what tests put in the place of A, so that they need not wait.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sherd.cli import run

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
QUICKLY = re.compile(r"<!-- quickly: (.*?) -> (.*?) -->")
PICTURE = re.compile(r"!\[[^\]]*\]\(pictures/([^)]+)\)")


def blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """The language, the title, if there is one, and the text of each block of code."""
    for found in BLOCK.finditer(text):
        yield found[1], found[2] or "", found[3]


def run_page(page: Path, folder: Path, *, quickly: bool = False) -> None:
    """Run all blocks of a page in a folder; an error is that of the block."""
    text = page.read_text(encoding="utf-8")
    for old, new in QUICKLY.findall(text) if quickly else ():
        assert text.count(old) > 1, f"{page.name}: {old!r} stands nowhere"
        text = text.replace(old, new)
    for beside in ("examples", "experiments"):
        (folder / beside).symlink_to(ROOT / beside)
    names: dict[str, Any] = {"__name__": page.stem}
    before = Path.cwd()
    os.chdir(folder)
    try:
        for language, title, code in blocks(text):
            if title:
                Path(title).write_text(code, encoding="utf-8")
            elif language == "python":
                exec(compile(code, page.name, "exec"), names)
            elif language == "sh":
                _run_lines(page, code)
    finally:
        os.chdir(before)


def _run_lines(page: Path, code: str) -> None:
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["sherd"] and (ended := run(words[1:])):
            raise RuntimeError(f"{page.name}: {line}: exit code {ended}")


def keep_pictures(page: Path, folder: Path) -> None:
    """Put the pictures that a run made where the page shows them."""
    for name in PICTURE.findall(page.read_text(encoding="utf-8")):
        (made,) = sorted(folder.rglob(name))[:1]
        (page.parent / "pictures").mkdir(exist_ok=True)
        shutil.copyfile(made, page.parent / "pictures" / name)


def main(arguments: list[str]) -> None:
    """Run the pages that are named."""
    for page in (Path(name) for name in arguments if not name.startswith("--")):
        with tempfile.TemporaryDirectory() as folder:
            run_page(page.resolve(), Path(folder))
            if "--pictures" in arguments:
                keep_pictures(page.resolve(), Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
