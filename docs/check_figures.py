"""Check that every figure in README.md and docs/ stands in a record at the commit that it is given with.

A figure is a number with three decimals, and no percentage. It is tied to what is said around it: a cell of
a table to its row and the head of its column, then to the paragraph before and the heading; a figure in prose
to its sentence, then to its paragraph. The nearest words count. They name the commit, what the figure is of
(cov95, where nothing else is said) and its traits, and the figure must be one that a record has of these
(`known_figures.py`). Of several figures as "a / b / c" each is tied to its own of as many words, such as
"square / pentagon / hexagon"; one alone holds for all of them.

What is in no record is said to be from the log where it stands: the figures of a sentence, or of a cell, must
then stand together in one paragraph of it. Goals, numbers that are no results, and those of which no record
could be written, are few and marked or listed here. Tables that a script writes are checked by the tests of
those scripts, README's table of results by the report. Counts such as "17 of 30" are looked up by
`known_counts.py`; sentences whose numbers could be exchanged, and other numbers, by `known_told.py`.

    python docs/check_figures.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from known_counts import count_problems
from known_figures import (
    FIGURE,
    KIND,
    PUBLISHED,
    ROOT,
    known_figures,
    log_blocks,
    pooled,
    traits_in,
)
from known_told import told_problems, untold

from sherd.bench.cell import Cell
from sherd.bench.published import published_for
from sherd.core.geometry import Rotations

COMMIT = re.compile(r"`([0-9a-f]{7})`")
SENTENCE = re.compile(r"(?<=[.:])\s+(?=[A-Z*`])")
SLASH, NEW_LINE = " / ", "\n"
IN_THIS_ORDER = "cov95 / cov90 / cov / iou"
README = "README.md"
FROM_LOG = re.compile(r"\blog\b")
SAID_PUBLISHED = re.compile(r"\bpublished\b|\bthe paper\b", re.IGNORECASE)
PIECES_ALONE = re.compile(
    r"(?<![\w.,-])(4|7|8|15|16|30|32|50|64)\b(?![.,]\d)(?! (rotations|angles|puzzles|px|pieces|to|merged|of))"
)
GOAL = re.compile(r"\bgoals? ?(?:of |\()?(?:[\d.]+(?:,| and|;|\))? )*$")
# An item of a list and the stroke after it, at the end of a text; a stroke and an item, at its beginning.
_ITEM = r"(?:\*\*)?(?:\d?\.\d{3}|–)(?:\*\*)?(?: ± [\d.]+)?(?: \([^()]*\))?"
ITEM_BEFORE = re.compile(rf"{_ITEM} / (?:\*\*)?(?:\d?\.\d{{3}}(?:\*\*)? \()?$")
ITEM_AFTER = re.compile(rf"^(?:\*\*)?(?: \([^()]*)?\)? / {_ITEM}")
BRACKETS = re.compile(r"([^(),;:]+?) \(([^()]+)\)")
# Numbers that are no results of ours, by page, with an expression for words of the sentence that they stand
# in: lengths and chances that are settings, and figures of single puzzles, of which there can be no record.
SETTINGS = {
    "baselines.md": {"0.002": "shifts shrink", "0.005": "Temperatures matter little"},
    "contours.md": {
        **dict.fromkeys(("0.003", "0.006"), "else guessed: tolerances"),
        "0.004": r"\*\*Tolerances\*\* of|T-junctions",
        "0.012": "else guessed: tolerances|T-junctions",
        "0.035": "Where corners meet only",
    },
    "growth.md": {"0.002": "Where thousands of pieces"},
    "search.md": {"0.006": "A piece is sure of its place"},
    "search-guarantees.md": {
        "0.006": "of the probability",
        "0.002": "ambiguous answer may cover|several may be meant",
    },
    "tutorials/first-puzzle.md": {"1.000": "says that all pieces lie"},
}
BY_HAND = {
    "contours.md": {
        ".997": "said to be right",
        ".967": "one of three cells at level 2",
        ".208": "was not put together",
        ".937": "eight worn wavy pieces",
    }
}
# Between such marks a script has written, which has a test of its own.
BY_SCRIPT = re.compile(r"<!-- (\w+) -->.*?<!-- /\1 -->", re.DOTALL)
WRITTEN_BY_SCRIPTS = ("leaderboard/", "reference/")
# What is meant where nothing is said.
USUAL = {KIND: "cov95", "variation": "usual"}
PUZZLE = {
    "shape",
    "pieces",
    "rotations",
    "degradation",
    "strength",
    "noise",
    "input",
    "size_px",
    "texture",
    "order",
}
README_ROW = re.compile(r"\| (\w+), (\d+)(?: pieces)?(?:, turned by (\d+) angles)? \|(.*)\|")
README_COLUMNS = ("fan", "matcher", "search")


@dataclass(frozen=True)
class Figure:
    """A figure of a page, at this character of its text, with the words around it, the nearest first.

    ``closest`` of the words are of its cell or sentence. ``items`` are the words that go with the figures of
    a list, where it stands alone for all of them. Paragraphs ``above`` may name the commit.
    """

    start: int
    text: str
    words: tuple[str, ...]
    above: tuple[str, ...] = ()
    closest: int = 1
    items: tuple[str, ...] = ()
    is_goal: bool = False

    @property
    def value(self) -> str:
        return f"{float(self.text):.3f}"


def page_problems(name: str, text: str) -> list[str]:
    """What on a page of the documentation is tied to no record."""
    figures = page_figures(untold(name, text, FIGURE))
    loose = [one for one in figures if not is_tied(name, one, figures)]
    places = [f"{name}:{text.count(NEW_LINE, 0, one.start) + 1}" for one in loose]
    return [
        f"{place}: {one.text} stands in no record of what is said there"
        for place, one in zip(places, loose, strict=True)
    ]


def is_tied(name: str, one: Figure, figures: Sequence[Figure]) -> bool:
    """Whether a figure stands in a record, or in the log with others of its sentence, if it says so."""
    if is_marked(name, one) or is_recorded(one):
        return True
    if not any(FROM_LOG.search(words) for words in one.words[: one.closest]):
        return False
    commits = COMMIT.findall(one.words[0])
    together = [
        other.value
        for other in figures
        if other is one
        or (other.words[0] == one.words[0] and not is_marked(name, other) and not is_recorded(other))
    ]
    return any(
        _stand_in_order(together, found) and all(commit in entry for commit in commits)
        for found, entry in log_blocks()
    )


def _stand_in_order(wanted: Sequence[str], found: Sequence[str]) -> bool:
    """Whether all that is wanted is found, one after the other, with others between them or not.

    >>> _stand_in_order("ac", "abc"), _stand_in_order("ca", "abc")
    (True, False)
    """
    rest = iter(found)
    return all(figure in rest for figure in wanted)


def is_marked(name: str, one: Figure) -> bool:
    """Whether it is a goal, or listed here as a setting or as measured by hand."""
    known = SETTINGS.get(name, {}) | BY_HAND.get(name, {})
    return one.is_goal or (one.text in known and bool(re.search(known[one.text], one.words[0])))


def page_figures(text: str) -> list[Figure]:
    """All figures of a page, each with its words; but for what a script has written."""
    return list(_figures(BY_SCRIPT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)))


def _figures(text: str) -> Iterator[Figure]:
    headings: list[str] = []
    above: list[str] = []
    for block, start in _blocks(text):
        if block.startswith("#"):
            depth = len(block) - len(block.lstrip("#"))
            headings[depth - 1 :] = [block]
            above = above if depth > 2 else []
        elif block.lstrip().startswith("|"):
            yield from _of_table(block, start, above, headings)
        else:
            yield from _of_prose(block, start, above, headings)
            above.insert(0, block)


def _blocks(text: str) -> Iterator[tuple[str, int]]:
    """Paragraphs, items of lists, tables and headings, and where each begins."""
    place = 0
    for block in re.split(r"(\n\s*\n|\n(?=\s*- )|\n(?=\s*\|)(?<!\|\n)|(?<=\|)\n(?!\s*\|))", text):
        if block.strip():
            yield block, place
        place += len(block)


def _of_prose(block: str, start: int, above: Sequence[str], headings: Sequence[str]) -> Iterator[Figure]:
    place = 0
    for sentence in _sentences(block):
        yield from _of_text(sentence, start + place, (sentence, block, *headings[-1:]), above, 1)
        place += len(sentence)


def _sentences(block: str) -> list[str]:
    ends = [0, *(match.end() for match in SENTENCE.finditer(block)), len(block)]
    return [block[first:last] for first, last in pairwise(ends)]


def _of_table(block: str, start: int, above: Sequence[str], headings: Sequence[str]) -> Iterator[Figure]:
    lines = block.split("\n")
    head = _cells(lines[0], 0)
    place = start
    for line in lines:
        cells = _cells(line, place)
        labels = " | ".join(
            f"{_labelled(title)} {cell if number else _spelled(cell)}"
            for number, ((cell, _), (title, _)) in enumerate(zip(cells, head, strict=False))
            if not FIGURE.search(cell)
        )
        for (cell, where), (title, _) in zip(cells, head, strict=False):
            near = (cell, title, labels, head[0][0], *above[:1], *headings[-1:])
            yield from _of_text(cell, where, near, above, 4)
        place += len(line) + 1


def _spelled(label: str) -> str:
    """A label with the word that is left out where a number of pieces stands alone."""
    return PIECES_ALONE.sub(r"\1 pieces", label)


def _labelled(title: str) -> str:
    return title if title in ("seed", "commit") else ""


def _cells(line: str, start: int) -> list[tuple[str, int]]:
    """The cells of a row of a table, and where each begins."""
    found: list[tuple[str, int]] = []
    place = line.index("|") + 1 if "|" in line else 0
    for cell in line[place:].rstrip().removesuffix("|").split("|"):
        blanks = len(cell) - len(cell.lstrip())
        found.append((cell.strip(), start + place + blanks))
        place += len(cell) + 1
    return found


def _of_text(
    text: str, start: int, words: tuple[str, ...], above: Sequence[str], closest: int
) -> Iterator[Figure]:
    """The figures of a sentence or a cell; of those in a list each with its own words."""
    for match in FIGURE.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        inside = before.rfind("(") > before.rfind(")")
        number = _in_list(ITEM_BEFORE, before)
        length = number + 1 + _in_list(ITEM_AFTER, after)
        named = tuple(_in_brackets(each, inside) for each in words)
        labels = _labels(named if length == 1 else (*named, IN_THIS_ORDER), length)
        own = labels[number : number + 1] if length > 1 else ()
        yield Figure(
            start=start + match.start(),
            text=match.group(),
            words=(*own, *named),
            above=tuple(above),
            closest=closest + len(own),
            items=labels if SLASH not in text else (),
            is_goal=_is_goal(before, words[1], inside),
        )


def _is_goal(before: str, title: str, inside: bool) -> bool:
    """Whether a figure is what was aimed at: by the head of its column, or by the words before it."""
    return title == "goal" or (inside and title.endswith("(goal)")) or bool(GOAL.search(before))


def _in_list(item: re.Pattern[str], text: str) -> int:
    """How many items of a list such as "a / b (c) / d" a text ends, or begins, with."""
    count = 0
    while match := item.search(text):
        text = text[: match.start()] if item is ITEM_BEFORE else text[match.end() :]
        count += 1
    return count


def _in_brackets(words: str, inside: bool) -> str:
    """Of words such as "cov95 (solved)" those that are of a figure in brackets, or of one before them."""

    def choose(match: re.Match[str]) -> str:
        both = all(KIND in traits_in(match[number]) for number in (1, 2))
        return f" {match[2 if inside else 1]}" if both else match[0]

    return BRACKETS.sub(choose, words)


def _labels(words: Sequence[str], length: int) -> tuple[str, ...]:
    """The nearest list of so many words, or of any number where it is 1, that each say something."""
    nearer: set[str] = {KIND}
    for text in words:
        for listed in re.findall(r"[\w',-]+(?: [\w',-]+)*(?: / [\w'-]+(?: [\w'-]+)*)+", text):
            items = tuple(item.strip() for item in listed.split(SLASH))
            turned = items[-1] == "free"
            items = tuple(
                f"{item} rotations" if turned and item.isdigit() else _spelled(item) for item in items
            )
            news = all(traits_in(item).keys() - nearer for item in items)
            if (length == len(items) and all(map(traits_in, items))) or (length == 1 and news):
                return items
        nearer |= traits_in(text).keys()
    return ()


def is_recorded(one: Figure) -> bool:
    """Whether a record has it, of each item of a list where it stands for all of them."""
    return all(_stands(one, item) for item in one.items or ("",))


def _stands(one: Figure, item: str) -> bool:
    """Whether a record has the figure, with all that is said of it, and of an item of a list."""
    wanted = wanted_of((item, *one.words), one.closest + 1)
    for trait, usual in USUAL.items():
        wanted.setdefault(trait, frozenset({usual}))
    return any(
        f"{known.value:.3f}" == one.value and known.fits(wanted)
        for commit in _commits(one)
        for known in known_figures().get(commit, ())
    )


def wanted_of(words: Sequence[str], closest: int) -> dict[str, frozenset[str]]:
    """What is said of a figure, by the nearest words that say anything of it.

    What it is a figure of, and in what a run varies, is said in the ``closest`` words. If these speak of the
    puzzles at all, farther ones say nothing of them. A seed goes with its commit.
    """
    wanted: dict[str, frozenset[str]] = {}
    has_commit = False
    for number, text in enumerate(words):
        said = traits_in(text)
        left_out = {"seed"} if has_commit else set[str]()
        if number >= closest:
            left_out |= {KIND, "variation"}
            left_out |= PUZZLE if PUZZLE & wanted.keys() else set()
        wanted |= {
            trait: values for trait, values in said.items() if trait not in wanted and trait not in left_out
        }
        has_commit = has_commit or bool(COMMIT.search(text))
    return wanted


def _commits(one: Figure) -> set[str]:
    """Those that the nearest words name which name any; the paper where they speak of it."""
    paper = {PUBLISHED} if SAID_PUBLISHED.search(" ".join(one.words[:3])) else set[str]()
    for words in (*one.words, *one.above):
        if found := set(COMMIT.findall(words)):
            return found | paper
    return paper


def readme_problems(text: str) -> list[str]:
    """What in README's table of results is not what the report has, and what else is tied to no record."""
    found: list[str] = []
    rows = README_ROW.findall(text)
    for shape, pieces, angles, figures in rows:
        puzzle = Cell(solver="", shape=shape, pieces=int(pieces), rotations=Rotations(int(angles or 1)))
        published = published_for(puzzle.with_solver("fan"))
        wanted = [f"{published.cov95:.3f}" if published else "none"]
        wanted += [pooled()[puzzle.with_solver(solver)].shown("cov95") for solver in README_COLUMNS]
        said = [figure.strip() for figure in figures.split("|")]
        if said != wanted:
            found.append(f"{README}: {puzzle.puzzle_label}: {said} should be {wanted}")
    found += page_problems(README, README_ROW.sub("", text))
    return found if rows else [f"{README}: has no table of results"]


def pages() -> dict[str, str]:
    """The pages of the documentation that people write, by their names below docs."""
    docs = ROOT / "docs"
    names = (path.relative_to(docs).as_posix() for path in sorted(docs.rglob("*.md")))
    return {
        name: (docs / name).read_text(encoding="utf-8")
        for name in names
        if not name.startswith(WRITTEN_BY_SCRIPTS)
    }


def problems() -> list[str]:
    """All of them."""
    readme = {README: (ROOT / README).read_text(encoding="utf-8")}
    return [problem for name, text in (readme | pages()).items() for problem in all_problems(name, text)]


def all_problems(name: str, text: str) -> list[str]:
    """Those of a page, README among them."""
    figures = readme_problems(text) if name == README else page_problems(name, text)
    return figures + count_problems(name, text) + told_problems(name, text)


if __name__ == "__main__":
    found = problems()
    sys.exit("\n".join(found) if found else 0)
