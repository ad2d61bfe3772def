"""The paper's learned baseline as a solver: one look at all vertices, one guess at all centres."""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np
import shapely

from sherd.core.assembly import Assembly
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import LENGTH_TOLERANCE, Pose, size_of
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import BY_AREA, OnProgress, Progress, Proposal
from sherd.solvers.objective import Objective, compile_objective
from sherd.solvers.stop import Stop

SHAPES = ("square", "mondrian")


class VganSolver:
    """Places 8 fragments of 4 vertices each on a square, by the weights that come with the package."""

    def __init__(self) -> None:
        from sherd.learn.vgan import load_generator

        with as_file(files("sherd") / "weights") as folder:
            loaded = {shape: load_generator(folder / f"vgan-{shape}.safetensors") for shape in SHAPES}
        self.generators = {shape: generator for shape, (generator, _) in loaded.items()}
        training = loaded["square"][1]
        self.train_puzzles, self.train_minutes = training["train_puzzles"], training["train_minutes"]
        self.parameters = sum(value.numel() for value in self.generators["square"].parameters())
        compile_objective()

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """One guess; nothing about it is random."""
        shape = self._shape_of(puzzle)
        if stop(0):
            return Proposal(assembly=Assembly(), objective=0.0, evaluations=0, remark="stopped at once")
        assembly = self._guess(puzzle, shape)
        iou = Objective(puzzle).iou_of(assembly)
        if on_progress is not None:
            on_progress(Progress(assembly=assembly, objective=iou, evaluations=1))
        return Proposal(
            assembly=assembly,
            objective=iou,
            evaluations=1,
            trace=(assembly,),
            tolerance=BY_AREA,
            remark=f"the guess has an IoU of {iou:.3f}",
        )

    def _guess(self, puzzle: Puzzle, shape: str) -> Assembly:
        import torch

        from sherd.learn.vgan import canonical

        size, middle = size_of(puzzle.target), puzzle.target.envelope.centroid
        rings = [shapely.orient_polygons(fragment.polygon).exterior for fragment in puzzle.fragments]
        outlines = np.stack([shapely.get_coordinates(ring)[:-1] for ring in rings])
        centres = np.array([fragment.polygon.centroid.coords[0] for fragment in puzzle.fragments])
        vertices, order = canonical((outlines - centres[:, None]) / size)
        with torch.inference_mode():
            found = self.generators[shape](torch.from_numpy(vertices).float()[None])[0].double().numpy()
        assembly = Assembly()
        numbers: list[int] = order.tolist()
        for k, (x, y) in zip(numbers, (found * size).tolist(), strict=True):
            own_x, own_y = centres[k].tolist()
            pose = Pose(middle.x + x - own_x, middle.y + y - own_y)
            assembly = assembly.place(puzzle.fragments[k].id, pose)
        return assembly

    def _shape_of(self, puzzle: Puzzle) -> str:
        """Which of the two trained shapes the puzzle is of; `UnsupportedError` says why if neither."""
        config = self.generators["square"].config
        counts = {len(fragment.polygon.exterior.coords) - 1 for fragment in puzzle.fragments}
        if len(puzzle.fragments) != config.pieces or counts != {config.vertices}:
            raise UnsupportedError(
                f"vgan needs a fixed number of vertices: {config.pieces} pieces of {config.vertices} each, "
                "as square and mondrian have"
            )
        if any(fragment.polygon.interiors for fragment in puzzle.fragments):
            raise UnsupportedError("vgan knows no holes in pieces")
        if puzzle.rotations.bins != 1:
            raise UnsupportedError("vgan finds places, not angles: it cannot turn pieces")
        if puzzle.mirror:
            raise UnsupportedError("vgan cannot turn pieces over")
        low_x, low_y, high_x, high_y = puzzle.target.bounds
        size = size_of(puzzle.target)
        off = abs((high_x - low_x) - (high_y - low_y)) + (size**2 - puzzle.target.area) / size
        if off > LENGTH_TOLERANCE * size:
            raise UnsupportedError("vgan was trained on an upright square target alone")
        upright = all(
            fragment.polygon.envelope.area - fragment.polygon.area <= LENGTH_TOLERANCE * size**2
            for fragment in puzzle.fragments
        )
        return "mondrian" if upright else "square"
