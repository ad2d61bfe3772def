"""Cell: one solver on one kind of puzzle, a row of a benchmark before it is run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from sherd.core.errors import ArgumentError
from sherd.core.geometry import FIXED, Rotations
from sherd.generation.dataset import CUTS, NO_DEGRADATION, Dissection, PuzzleKind, target_shape
from sherd.generation.degradation import Kind
from sherd.generation.fragmentation import Order
from sherd.generation.patterns import PROCEDURAL

Input = Literal["polygons", "masks", "binary"]
INPUTS: tuple[str, ...] = get_args(Input)

# Across the target's longer side, as in the paper.
DEFAULT_SIZE_PX = 128
MOST_PX = 4096

# How the paper's network can join the codes of the fragments; its Table 6 compares them.
AGGREGATIONS = ("fram", "none", "max", "avg")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A solver, the puzzles that it gets and what it is shown of them.

    ``input`` is what the solver sees: the exact outlines, or outlines traced from anti-aliased or from
    black-and-white masks in which the target spans ``size_px`` pixels. ``aggregation`` is None but for the
    paper's network. The others are as in `PuzzleKind`, the shape by its name.
    """

    solver: str
    shape: str = "square"
    pieces: int = 8
    rotations: Rotations = FIXED
    degradation: Kind = NO_DEGRADATION
    input: Input = "polygons"
    order: Order = "bottom-left"
    noise: float = 0.0
    texture: str | None = None
    aggregation: str | None = None
    dissection: Dissection = CUTS
    mirror: bool = False
    strength: float = 1.0
    size_px: int = DEFAULT_SIZE_PX

    def __post_init__(self) -> None:
        self.kind  # noqa: B018  (checks what concerns the puzzles)
        if self.input not in INPUTS:
            raise ArgumentError(f"input must be one of {', '.join(INPUTS)}, not {self.input!r}")
        if not 1 <= self.size_px <= MOST_PX:
            raise ArgumentError(f"size_px must be between 1 and {MOST_PX:,}, not {self.size_px:,}")
        if self.input == "polygons" and self.size_px != DEFAULT_SIZE_PX:
            raise ArgumentError(f"polygons have no pixels: size_px must not be {self.size_px:,}")
        if self.aggregation is not None and self.aggregation not in AGGREGATIONS:
            raise ArgumentError(
                f"aggregation must be one of {', '.join(AGGREGATIONS)}, not {self.aggregation!r}"
            )

    @property
    def kind(self) -> PuzzleKind:
        """The puzzles of the cell."""
        return PuzzleKind(
            shape=target_shape(self.shape, self.dissection),
            pieces=self.pieces,
            rotations=self.rotations,
            order=self.order,
            degradation=self.degradation,
            strength=self.strength,
            noise=self.noise,
            texture=self.texture,
            images="all" if self.texture in (None, *PROCEDURAL) else "test",
            dissection=self.dissection,
            mirror=self.mirror,
        )

    @property
    def puzzle(self) -> Cell:
        """The same cell with all that concerns the solver left out: equal for equal puzzles."""
        return replace(self, solver="", input="polygons", size_px=DEFAULT_SIZE_PX, aggregation=None)

    @property
    def registered_name(self) -> str:
        """The solver's name in ``SOLVERS``, where variants of the paper's network have their own.

        >>> Cell(solver="fan", aggregation="max").registered_name
        'fan-max'
        """
        if self.aggregation in (None, "fram"):
            return self.solver
        return f"{self.solver}-{self.aggregation}"

    def with_solver(self, registered_name: str) -> Cell:
        """The same puzzles for another solver.

        >>> Cell(solver="random").with_solver("fan").aggregation
        'fram'
        """
        solver, _, variant = registered_name.partition("-")
        if solver == "fan" and (not variant or variant in AGGREGATIONS):
            return replace(self, solver=solver, aggregation=variant or "fram")
        return replace(self, solver=registered_name, aggregation=None)

    @property
    def solver_label(self) -> str:
        """The solver with what sets it apart from its like, for tables."""
        size = "" if self.size_px == DEFAULT_SIZE_PX else f" of {self.size_px} px"
        notes = [self.aggregation, None if self.input == "polygons" else f"from {self.input}{size}"]
        said = ", ".join(note for note in notes if note and note != "fram")
        return f"{self.solver} ({said})" if said else self.solver

    @property
    def puzzle_label(self) -> str:
        """The puzzles in words, for tables.

        >>> Cell(solver="random", rotations=Rotations(4), noise=0.01).puzzle_label
        'square, 8 pieces, 4 rotations, noise 0.01'
        """
        words = [
            self.shape,
            f"{self.pieces} {'' if self.dissection == CUTS else f'{self.dissection} '}pieces",
        ]
        if self.rotations.bins is None:
            words.append("free rotation")
        elif self.rotations.bins > 1:
            words.append(f"{self.rotations} rotations")
        if self.mirror:
            words.append("mirrored")
        if self.degradation != NO_DEGRADATION:
            words.append(self.degradation)
        if self.strength != 1.0:
            words.append(f"strength {self.strength:g}")
        if self.order != "bottom-left":
            words.append(f"{self.order} order")
        if self.noise:
            words.append(f"noise {self.noise:g}")
        if self.texture is not None:
            words.append(f"texture {self.texture}")
        return ", ".join(words)
