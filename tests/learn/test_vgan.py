"""The networks of the learned baseline."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from sherd.core.errors import FileFormatError
from sherd.generation.fragmentation import FragmentationParams, generate_arrays
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
    with pytest.raises(FileFormatError, match="weights of the network 'fan', not of 'vgan'"):
        load_generator(path)


def test_shapes_of_other_vertices_cannot_be_trained_on() -> None:
    with pytest.raises(ValueError, match="not all fragments of pentagon have 4 vertices"):
        train(VganConfig(shape="pentagon"), VganParams(minutes=0.001, puzzles=128))


@pytest.mark.parametrize("bad", [{"minutes": 0.0}, {"puzzles": 10}])
def test_bad_params_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must"):
        VganParams(**bad)
