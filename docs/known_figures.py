"""What is known of figures: where each was measured, on what, and which words of a page speak of that.

A figure of a record is known by its commit, by what it is a figure of (cov95, iou, ...) and by its traits:
solver, shape, pieces and so on. `traits_in` finds the same in the words of a page, so that the two can be
held against each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from sherd.bench.cell import Cell
from sherd.bench.entries import Entry, entries_of, load_records
from sherd.bench.pooled import Pooled, pooled_cells
from sherd.bench.published import published_for, published_rows
from sherd.bench.record import Record

FIGURE = re.compile(r"(?<![\w.])\d?\.\d{3}(?!\d| %)")
ROOT = Path(__file__).parents[1]
PUBLISHED = "published"
KIND = "figure"
IN_ORDER = ("cov95", "cov90", "cov", "iou")
Traits = Mapping[str, frozenset[str]]

# How a trait is said: a trait, its value ("" for what the expression has found), and the expression.
WORDS = tuple(
    (trait, value, re.compile(expression, re.IGNORECASE))
    for trait, value, expression in (
        ("shape", "square", r"\bsquares?\b"),
        ("shape", "pentagon", r"\bpentagons?\b"),
        ("shape", "hexagon", r"\bhexagons?\b"),
        ("shape", "mondrian", r"\bmondrians?\b|\brectangles\b"),
        ("shape", "", r"--shape ([\w:-]+)"),
        ("shape", "crosscut", r"\bcrosscut\b|\bcrossing cuts\b"),
        ("shape", "voronoi", r"\bvoronoi\b|\bcells by\b"),
        ("pieces", "", r"(?<! to )\b(\d+)(?: merged)? pieces|--pieces (\d+)"),
        ("rotations", "", r"\b(\d+) (?:rotations?|angles)|--rotations (\d+)"),
        ("rotations", "free", r"\bfree\b"),
        ("rotations", "1", r"\bfixed\b|\bnot turned\b"),
        ("degradation", "missing", r"\bmissing\b|\blost\b"),
        ("degradation", "eroded", r"\beroded\b"),
        ("degradation", "distorted", r"\bdistorted\b"),
        ("strength", "0.5", r"(?<!a )\bhalf(?=,| \||$)"),
        ("strength", "2", r"\btwice(?=,| \||$|:)"),
        ("noise", "", r"moved by (\d+(?:\.\d+)?) %"),
        ("input", "masks", r"\bgrey\b|\btraced from masks\b|--input masks"),
        ("input", "binary", r"\bbinary\b|\bblack and white\b"),
        ("input", "", r"\blevel[ -](\d)"),
        ("size_px", "", r"\b(\d+) px\b"),
        ("solver", "annealing", r"`annealing`"),
        ("solver", "annealing-joint", r"`annealing-joint`"),
        ("solver", "bayesopt", r"\bbayesopt\b|\bBayesian optimisation\b"),
        ("solver", "vgan", r"`vgan`"),
        ("solver", "nesting", r"`nesting`"),
        ("solver", "matcher", r"\bmatcher\b(?!-beam)|\bgreedy\b"),
        ("solver", "fan", r"\bFAN\b|\bcompact\b"),
        ("variation", "compact", r"\bcompact\b"),
        ("variation", "usual", r"\bat a time\b"),
        ("variation", "one-process", r"^one at a time"),
        ("variation", "strict", r"\bSTRICT\b"),
        ("variation", "budget", r"\bseed 900\b"),
        ("variation", "weights-before", r"^before$"),
        ("seed", "", r"\bseed (\d[\d,]*)\b(?! of the weights)"),
    )
)
KINDS = tuple(
    (kind, re.compile(expression, re.IGNORECASE))
    for kind, expression in (
        ("cov95", r"\bcov95\b|\bcover 95 %|\bcovered to 95 %"),
        ("cov90", r"\bcov90\b"),
        ("cov", r"\bcov\b|\bcoverage\b"),
        ("iou", r"\biou\b"),
        ("solved", r"\bsolved\b"),
        ("posed_right", r"\bposed right\b"),
        ("overlap", r"\boverlap\b"),
        ("covered", r"\bcovered(?! to)\b"),
    )
)
VARIATIONS = tuple(value for trait, value, _ in WORDS if trait == "variation")
IN_PIXELS = re.compile(r"\bin pixels\b")


@dataclass(frozen=True)
class Known:
    """A figure with its commit, or `PUBLISHED`, what it is a figure of, and its traits."""

    value: float
    commit: str
    kind: str
    traits: Mapping[str, str]

    def fits(self, wanted: Traits) -> bool:
        """Whether nothing that is said speaks against it."""
        kinds = wanted.get(KIND)
        if kinds is not None and self.kind not in kinds:
            return False
        return all(
            value in wanted[trait]
            for trait, value in self.traits.items()
            if trait in wanted and trait != KIND
        )


@cache
def traits_in(text: str) -> dict[str, frozenset[str]]:
    """The traits and kinds of figures that a text speaks of."""
    found: dict[str, set[str]] = {}
    for trait, value, expression in WORDS:
        for match in expression.finditer(text):
            said = value or next(group for group in match.groups() if group is not None)
            if trait == "noise":
                said = f"{float(said) / 100.0:g}"
            elif trait == "seed":
                said = said.replace(",", "")
            elif trait == "input" and said.isdigit():
                said = f"level-{said}"
            found.setdefault(trait, set()).add(said)
    pixels = "raster_" if IN_PIXELS.search(text) else ""
    for kind, expression in KINDS:
        if expression.search(text):
            found.setdefault(KIND, set()).add(f"{pixels}{kind}" if kind in IN_ORDER else kind)
    return {trait: frozenset(values) for trait, values in found.items()}


@cache
def records() -> dict[str, Record]:
    return dict(load_records(ROOT / "experiments" / "results"))


@cache
def pooled() -> dict[Cell, Pooled]:
    """What the report shows of each cell."""
    return pooled_cells(entries_of(records()))


@cache
def known_figures() -> dict[str, tuple[Known, ...]]:
    """All of them, by commit."""
    found: dict[str, list[Known]] = {}
    for known in (*_published(), *_measured(), *_pooled(), *_broken()):
        found.setdefault(known.commit, []).append(known)
    return {commit: tuple(each) for commit, each in found.items()}


def _published() -> Iterator[Known]:
    for row in published_rows():
        figures = published_for(row.cell)
        assert figures is not None
        traits = _cell_traits(row.cell)
        yield from (Known(getattr(figures, kind), PUBLISHED, kind, traits) for kind in IN_ORDER)


def _measured() -> Iterator[Known]:
    for entry in entries_of(records()):
        commit, traits = entry.record.commit[:7], _entry_traits(entry)
        numbers = asdict(entry.result.figures) | (asdict(entry.result.raster) if entry.result.raster else {})
        yield from (
            Known(value, commit, kind, traits) for kind, value in numbers.items() if value is not None
        )


def _pooled() -> Iterator[Known]:
    for cell, ours in pooled().items():
        if ours.trainings > 1:
            commit, traits = ours.commit[:7], _cell_traits(cell)
            for kind in IN_ORDER:
                yield Known(ours.mean(kind), commit, kind, traits)


def _broken() -> Iterator[Known]:
    for record in records().values():
        for result in record.contours:
            traits = {"shape": result.cell.kind, "input": result.cell.input, "seed": f"{record.seed}"}
            traits["count"] = f"{result.count}"
            figures = asdict(result.figures)
            yield from (
                Known(value, record.commit[:7], kind, traits)
                for kind, value in figures.items()
                if value is not None
            )


def _cell_traits(cell: Cell) -> dict[str, str]:
    return {
        "solver": cell.solver,
        "shape": cell.shape,
        "pieces": f"{cell.pieces}",
        "rotations": "free" if cell.rotations.bins is None else f"{cell.rotations.bins}",
        "degradation": cell.degradation,
        "strength": f"{cell.strength:g}",
        "noise": f"{cell.noise:g}",
        "input": cell.input,
        "size_px": f"{cell.size_px}",
        "order": cell.order,
        "texture": cell.texture or "none",
    }


def _entry_traits(entry: Entry) -> dict[str, str]:
    # What options described has its description there, too.
    parts = [part for part in VARIATIONS if part in entry.variation]
    variation = parts[0] if parts else "usual" if entry.is_custom or not entry.variation else entry.variation
    own = {"variation": variation, "seed": f"{entry.record.seed}", "count": f"{entry.result.count}"}
    return _cell_traits(entry.result.cell) | own


@cache
def log_blocks() -> tuple[tuple[tuple[str, ...], str], ...]:
    """The figures of each paragraph, item and table of the log, with the whole entry that it stands in."""
    text = (ROOT / "experiments" / "LOG.md").read_text(encoding="utf-8")
    return tuple(
        (tuple(f"{float(figure):.3f}" for figure in FIGURE.findall(block)), entry)
        for entry in re.split(r"\n(?=## )", text)
        for block in re.split(r"\n\n|\n(?=- )", entry)
    )
