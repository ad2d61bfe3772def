"""Every constant is used, and says what it was tuned on."""

from __future__ import annotations

import re
from pathlib import Path

import sherd.solvers.search.constants as constants

FOLDER = Path(constants.__file__).parent
TEXT = Path(constants.__file__).read_text()
NAMES = [name for name in dir(constants) if name.isupper()]


def test_every_constant_is_used() -> None:
    others = "\n".join(page.read_text() for page in FOLDER.rglob("*.py") if page.name != "constants.py")
    assert [name for name in NAMES if not re.search(rf"\b{name}\b", others)] == []


def test_every_constant_says_what_it_was_tuned_on() -> None:
    # A comment, one or more lines of it, stands above each group of constants.
    groups = re.findall(r"((?:^# .*\n)+)((?:^[A-Z][A-Z_, ]*(?:: .*)? = .*\n)+)", TEXT, flags=re.MULTILINE)
    told = re.compile(r"Not\s+swept|seeds?\s+\d|Measured once|Memory", re.IGNORECASE)
    silent = [names.split(" = ")[0] for words, names in groups if not told.search(words.replace("\n# ", " "))]
    assert silent == []
    assert sum(len(re.findall(r"^[A-Z]", names, flags=re.MULTILINE)) for _, names in groups) > 80
