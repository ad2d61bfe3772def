"""Every constant is used, stands once, and says what it was tuned on."""

from __future__ import annotations

import re
from pathlib import Path

import sherd.solvers.search.constants as constants

PAGES = sorted(Path(constants.__file__).parent.glob("*.py"))
FOLDER = Path(constants.__file__).parent.parent
# A comment, one or more lines of it, stands above each group of constants.
GROUPS = [
    group
    for page in PAGES
    for group in re.findall(
        r"((?:^# .*\n)+)((?:^[A-Z][A-Z_, ]*(?:: .*)? = .*\n)+)", page.read_text(), flags=re.MULTILINE
    )
]
NAMES = [
    name
    for _, lines in GROUPS
    for line in lines.splitlines()
    for name in re.findall(r"[A-Z_]{2,}", line.split(" = ")[0])
]


def test_every_constant_is_used() -> None:
    others = "\n".join(page.read_text() for page in FOLDER.rglob("*.py") if page not in PAGES)
    assert [name for name in NAMES if not re.search(rf"\b{name}\b", others)] == []


def test_no_constant_stands_on_two_pages() -> None:
    assert sorted(NAMES) == sorted(set(NAMES))


def test_every_constant_says_what_it_was_tuned_on() -> None:
    told = re.compile(r"Not\s+swept|seeds?\s+\d|Measured once|Memory", re.IGNORECASE)
    silent = [names.split(" = ")[0] for words, names in GROUPS if not told.search(words.replace("\n# ", " "))]
    assert silent == []
    assert len(NAMES) > 80
