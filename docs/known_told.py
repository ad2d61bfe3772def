"""Whether pages say what is told of their sources, and whether anything tells their other quantities.

A sentence that is told (`told_fan.py`, `told_matcher.py`, `told_training.py`) is made anew, each number from
its own source: a record, the file beside weights that ship, the code or the log. It must stand on the page
word for word but for line breaks, so that no number in it can be changed, nor two exchanged. On these pages
each number with a unit, a comma or one or two decimals must stand in such a sentence. Those without a source,
such as goals and what the paper says, stand in words that are written out, the fewer the better.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from told_fan import fan
from told_matcher import matcher
from told_training import readme, training_page, weights_page

TOLD: dict[str, Callable[[], Iterator[str]]] = {
    "README.md": readme,
    "fan.md": fan,
    "matcher.md": matcher,
    "training.md": training_page,
    "weights.md": weights_page,
}
DIGIT, NEW_LINE = re.compile(r"\d"), "\n"
UNITS = "%|M|[MG]i?B|GFLOP|m?s|minutes|times|parameters|steps|networks|standard errors"
PUZZLES = "(?:fresh |test |more )?(?:puzzles|squares|Mondrians)"
QUANTITY = re.compile(
    r"(?<![\w.,:-])(?:\d+(?:,\d{3})+|\d+\.\d{1,2}"
    rf"|\d+(?:\.\d+)?(?=/s| (?:{UNITS}|{PUZZLES})(?!\w)))(?![\d.]*\d)"
)
# Code, commands and the addresses of links.
NO_TEXT = re.compile(r"^ {4}.*$|`[^`]*`|\]\([^)]*\)", re.MULTILINE)


@cache
def told(name: str) -> dict[str, re.Pattern[str]]:
    """The sentences of a page, and each as it may stand there, broken into lines."""
    sentences = TOLD[name]() if name in TOLD else ()
    return {sentence: re.compile(r"\s+".join(map(re.escape, sentence.split()))) for sentence in sentences}


def untold(name: str, text: str, number: re.Pattern[str]) -> str:
    """A page without the numbers of such a form that its told sentences have."""
    for expression in told(name).values():
        text = expression.sub(lambda sentence: _without(number, sentence[0]), text)
    return text


def _without(number: re.Pattern[str], text: str) -> str:
    return number.sub(lambda match: "~" * len(match[0]), text)


def told_problems(name: str, text: str) -> list[str]:
    """What a page should say and does not, and what quantities on it nothing tells."""
    if name not in TOLD:
        return []
    found = [
        f"{name}: should say: {sentence}"
        for sentence, expression in told(name).items()
        if not expression.search(text)
    ]
    return found + [
        f"{name}:{text.count(NEW_LINE, 0, match.start()) + 1}: nothing tells where {match[0]} is from"
        for match in QUANTITY.finditer(prose(untold(name, text, QUANTITY)))
    ]


def prose(text: str) -> str:
    """A page without the digits of code, commands and addresses."""
    return NO_TEXT.sub(lambda code: _without(DIGIT, code[0]), text)
