"""What is to be put together, under which limits, and how much was spent on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import Region, Rotations
from sherd.core.texture import Texture
from sherd.solvers.contours.clusters import Clusters
from sherd.solvers.contours.fusing import joints_of_clusters
from sherd.solvers.contours.guesses import Guess, traced_tolerance
from sherd.solvers.contours.joints import Joints, find_joints
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene, make_scene
from sherd.solvers.stop import Stop, share_spent


@dataclass
class Undertaking:
    """Pieces, a target if there is one, and what all attempts share."""

    pieces: Sequence[Polygon]
    target: Region | None
    rotations: Rotations
    stop: Stop
    rng: np.random.Generator
    params: ContoursParams
    textures: Sequence[Texture]
    pixel: float | None
    evaluations: int = 0
    is_cut_short: bool = False  # not all outlines were compared

    @property
    def is_over(self) -> bool:
        """Whether nothing more may be spent."""
        return self.stop(self.evaluations)

    @property
    def is_late(self) -> bool:
        """Whether so much of the time is over that the search has to begin with what is known."""
        share = share_spent(self.stop)
        return share is not None and share > self.params.weighed_share

    def scene(self, guess: Guess) -> Scene:
        """Pieces and target under a guess."""
        return make_scene(
            self.pieces,
            self.target,
            self.params,
            tolerance=guess.tolerance,
            growth=guess.growth,
            textures=self.textures,
        )

    def compared(self, growths: tuple[float, ...]) -> Scene:
        """Pieces grown so, each as it is told, under the tolerance that arrangements are compared with."""
        traced = 0.0 if self.pixel is None else traced_tolerance(self.pieces, self.pixel, self.params)
        return make_scene(
            self.pieces,
            self.target,
            self.params,
            tolerance=max(self.params.compared_tolerance, traced),
            growth=growths,
            textures=self.textures,
        )

    def joints(self, scene: Scene, pairs: NDArray[np.int64]) -> Joints:
        """The joints of these pairs of pieces."""
        self.evaluations += 1
        found = find_joints(scene, pairs, self.params, rotations=self.rotations, stop=self.stop)
        self.is_cut_short = self.stop(0)
        return found

    def joints_along(
        self, scene: Scene, clusters: Clusters, tolerance: float, most: int | None = None
    ) -> Joints:
        """The joints that are found along the outlines of clusters, ``most`` a pair if said so."""
        self.evaluations += 1
        params = self.params
        if most is not None:
            params = replace(params, fused_joints=most, corner_joints_per_pair=most)
        return joints_of_clusters(
            scene, clusters, tolerance, params, rotations=self.rotations, stop=self.stop
        )
