from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from shapely import Polygon

from sherd.core.errors import FileFormatError, UnsupportedError
from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.fragmentation import FragmentationParams, generate, generate_arrays
from sherd.generation.shapes import named_shape
from sherd.learn.vgan import (
    Discriminator,
    Generator,
    VganConfig,
    VganParams,
    canonical,
    load_generator,
    save_generator,
    train,
)
from sherd.solvers import MaxEvaluations
from sherd.solvers.learned.vgan import VganSolver
from sherd.solvers.run import run


def puzzle(shape: str = "square", pieces: int = 8, bins: int | None = 1, seed: int = 0) -> Puzzle:
    params = FragmentationParams(pieces=pieces, rotations=Rotations(bins))
    return next(generate(named_shape(shape), params, count=1, seed=seed)).puzzle


@pytest.fixture(scope="module")
def solver() -> VganSolver:
    return VganSolver()


@pytest.mark.parametrize(("shape", "cov", "iou"), [("square", 0.72, 0.562), ("mondrian", 0.549, 0.545)])
def test_the_published_figures_are_reached(solver: VganSolver, shape: str, cov: float, iou: float) -> None:
    found = [
        measure(
            run(solver, of.puzzle, stop=MaxEvaluations(1), rng=np.random.default_rng(0)).assembly, of.puzzle
        )
        for of in generate(named_shape(shape), FragmentationParams(pieces=8), count=100, seed=11)
    ]
    assert np.mean([measures.coverage for measures in found]) >= cov
    assert np.mean([measures.iou for measures in found]) >= iou


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (puzzle("pentagon"), "a fixed number of vertices"),
        (puzzle("square", pieces=4), "a fixed number of vertices"),
        (puzzle("square", bins=4), "cannot turn"),
        (replace(puzzle("square"), mirror=True), "cannot turn pieces over"),
    ],
)
def test_other_puzzles_are_refused_with_the_reason(solver: VganSolver, refused: Puzzle, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        run(solver, refused, stop=MaxEvaluations(1), rng=np.random.default_rng(0))


def test_a_square_that_is_no_square_is_refused(solver: VganSolver) -> None:
    of = puzzle()
    for target in ([(0, 0), (2, 0), (2, 1), (0, 1)], [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)]):
        with pytest.raises(UnsupportedError, match="upright square"):
            run(
                solver,
                replace(of, target=Polygon(target)),
                stop=MaxEvaluations(1),
                rng=np.random.default_rng(0),
            )


def test_order_place_and_scale_of_the_pieces_do_not_matter(solver: VganSolver) -> None:
    of = puzzle(seed=3)
    plain = run(solver, of, stop=MaxEvaluations(1), rng=np.random.default_rng(0)).assembly
    scale = 40.0
    fragments = tuple(
        Fragment(fragment.id, Pose(1.0, 2.0).apply(scaled(fragment.polygon, scale)))
        for fragment in reversed(of.fragments)
    )
    moved = Puzzle(Pose(-7.0, 5.0).apply(scaled(of.target, scale)), fragments)
    found = run(solver, moved, stop=MaxEvaluations(1), rng=np.random.default_rng(0)).assembly
    for placement in found:
        expected = plain[placement.id]
        assert (placement.pose.x + 1.0 + 7.0) / scale == pytest.approx(expected.x, abs=1e-5)
        assert (placement.pose.y + 2.0 - 5.0) / scale == pytest.approx(expected.y, abs=1e-5)


def scaled(polygon: Polygon, scale: float) -> Polygon:
    return Polygon(np.asarray(polygon.exterior.coords) * scale)


def test_the_canonical_order_forgets_any_other(rng: np.random.Generator) -> None:
    for shape in ("square", "mondrian"):
        arrays = generate_arrays(named_shape(shape), FragmentationParams(pieces=8), seed=5, stop=50)
        found, order = canonical(arrays.vertices)
        shuffle = rng.permutation(8)
        turned = np.roll(arrays.vertices[:, shuffle], 2, axis=2)
        again, _ = canonical(turned)
        np.testing.assert_array_equal(found, again)
        assert (np.sort(order, axis=1) == np.arange(8)).all()


def test_the_networks_are_those_of_the_papers_table() -> None:
    config = VganConfig()
    widths = [
        [layer.out_features for layer in network.layers if isinstance(layer, torch.nn.Linear)]
        for network in (Generator(config), Discriminator(config))
    ]
    assert config.inputs == 64
    assert widths == [[128, 64, 32, 16], [128, 64, 32, 16, 1]]
    dropped = [layer.p for layer in Discriminator(config).layers if isinstance(layer, torch.nn.Dropout)]
    assert dropped == [0.3, 0.3, 0.3]


def test_training_goes_on_and_its_weights_come_back(tmp_path: Path) -> None:
    heard: list[int] = []
    generator = train(
        VganConfig(shape="mondrian"),
        VganParams(minutes=0.005, puzzles=128),
        on_report=lambda step, *losses: heard.append(step) if np.isfinite(losses).all() else None,
        report_every=1,
    )
    assert heard == list(range(1, len(heard) + 1))
    assert heard
    path = tmp_path / "vgan.safetensors"
    save_generator(path, generator, {"train_minutes": 0.005})
    loaded, training = load_generator(path)
    assert training == {"train_minutes": 0.005}
    assert loaded.config == generator.config
    shown = torch.rand(3, 8, 4, 2)
    torch.testing.assert_close(loaded(shown), generator(shown))
    path.with_suffix(".json").write_text(path.with_suffix(".json").read_text().replace("vgan", "fan"))
    with pytest.raises(FileFormatError, match="not the weights of a VGAN"):
        load_generator(path)


def test_shapes_of_other_vertices_cannot_be_trained_on() -> None:
    with pytest.raises(ValueError, match="not all fragments of pentagon have 4 vertices"):
        train(VganConfig(shape="pentagon"), VganParams(minutes=0.001, puzzles=128))


@pytest.mark.parametrize("bad", [{"minutes": 0.0}, {"puzzles": 10}])
def test_bad_params_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must"):
        VganParams(**bad)
