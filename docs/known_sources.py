"""Where the numbers of told sentences come from: records, weights that ship, settings, code and the log."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from math import prod
from typing import Any

from known_figures import ROOT, pooled, records

from sherd.bench.entries import Entry, entries_of
from sherd.bench.pooled import Pooled
from sherd.bench.published import published_for
from sherd.bench.record import CellResult

WEIGHTS = ROOT / "src" / "sherd" / "weights"
# At which commit FAN's rows were trained, for how many steps, on how many of the paper's puzzles.
TRAINED, STEPS, TRAINING_PUZZLES = "8531f73", 3000, 3200


def listed(items: Iterable[str]) -> str:
    """Items in a row of words.

    >>> listed(["1", "2", "3"])
    '1, 2 and 3'
    """
    *some, last = items
    return f"{', '.join(some)} and {last}" if some else last


def result(source: str, shape: str = "") -> CellResult:
    """What a record of `experiments/results` has, or of several cells that of a shape."""
    cells = records()[f"{source}.json"].cells
    [found] = [one for one in cells if shape in ("", one.cell.shape)]
    return found


def said(source: str, figure: str = "cov95", shape: str = "") -> str:
    """A figure of a record, as pages show it."""
    return f"{getattr(result(source, shape).figures, figure):.3f}"


def four(source: str, shape: str = "") -> str:
    """The four figures of the paper's tables."""
    return " / ".join(said(source, figure, shape) for figure in ("cov95", "cov90", "cov", "iou"))


def pool(source: str) -> Pooled:
    """The cell of a record with all that counts for it."""
    return pooled()[result(source).cell]


def published(ours: Pooled) -> float:
    """The published cov95 of the same puzzles."""
    row = published_for(ours.entries[0].result.cell)
    assert row is not None
    return row.cov95


def trained_at(commit: str) -> list[Entry]:
    """All networks that were trained for a row at a commit."""
    return [
        entry
        for entry in entries_of(records())
        if entry.record.commit.startswith(commit) and entry.train_seed is not None
    ]


def parameters(source: str) -> int:
    """Of the network of a record."""
    training = result(source).training
    assert training is not None and training.parameters is not None
    return training.parameters


def training(network: str) -> dict[str, Any]:
    """How weights that ship were trained, by the file beside them."""
    return json.loads((WEIGHTS / f"{network}.json").read_text(encoding="utf-8"))["training"]


def runs(network: str) -> list[dict[str, Any]]:
    """The runs of weights that ship, the first first."""
    found = [training(network)]
    while "start" in found[0]:
        found.insert(0, found[0]["start"])
    return found


@cache
def weights(network: str, part: str = "") -> int:
    """How many weights that ship begin with a name."""
    content = (WEIGHTS / f"{network}.safetensors").read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return sum(prod(one["shape"]) for name, one in header.items() if "shape" in one and name.startswith(part))


def mebibytes(network: str) -> str:
    """How large a file of weights that ship is."""
    return f"{(WEIGHTS / f'{network}.safetensors').stat().st_size / 2**20:.1f} MiB"


def millions(number: float, digits: int = 1) -> str:
    """A number of weights."""
    return f"{number / 1e6:.{digits}f} M"


@cache
def benchmark(path: str) -> dict[str, Any]:
    """What a program in `benchmarks` wrote."""
    return json.loads((ROOT / "experiments" / "benchmarks" / f"{path}.json").read_text(encoding="utf-8"))


@cache
def constant(path: str, name: str) -> float:
    """A number that the code calls by a name, read without what the module imports."""
    code = (ROOT / "src" / "sherd" / f"{path}.py").read_text(encoding="utf-8")
    found = re.search(rf"^ *{name}(?:: \w+)? = ([\d._]+)", code, re.MULTILINE)
    assert found is not None, f"{path} has no number {name}"
    return float(found[1])


def percent(share: float) -> str:
    """A share as a page says it.

    >>> percent(0.15)
    '15 %'
    """
    return f"{share:.0%}".replace("%", " %")


@cache
def log_text() -> str:
    """The whole log."""
    return (ROOT / "experiments" / "LOG.md").read_text(encoding="utf-8")


@cache
def _log_in_a_line() -> str:
    return " ".join(log_text().split())


@cache
def logged(expression: str) -> tuple[str, ...]:
    """The groups of an expression in the log, where it must stand once; with one nought before a point."""
    found = list(re.finditer(expression, _log_in_a_line()))
    assert len(found) == 1, f"the log has {len(found)} times {expression}"
    return tuple(re.sub(r"^\.", "0.", group) for group in found[0].groups())
