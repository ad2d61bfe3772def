from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.fan.learner import FanLearner
from sherd.learn.fan.network import COMPACT, Decoder, Encoder, Fan, FanConfig, Fram, Mlp, OtherCandidates
from sherd.learn.layers import AttentionLayer
from sherd.learn.training.losses import position_loss

AGGREGATIONS = ("fram", "none", "max", "avg")


def count_parameters(config: FanConfig) -> int:
    with torch.device("meta"):
        return sum(value.numel() for value in Fan(config).parameters())


def test_the_papers_network_has_the_papers_size() -> None:
    assert count_parameters(FanConfig()) == pytest.approx(48.6e6, rel=0.02)
    assert 2 * count_parameters(COMPACT) < 8 * 2**20  # bytes in fp16
    assert count_parameters(FanConfig(shared_encoder=True)) < count_parameters(FanConfig()) - 16e6


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"size_px": 100}, "size_px must be a multiple of 16, not 100"),
        ({"channels": 3}, "channels must be 1"),
        ({"aggregation": "sum"}, "aggregation must be fram, none, max or avg, not 'sum'"),
        ({"features": 10, "heads": 4}, "multiple of heads"),
        ({"size_px": 0}, "size_px must be a multiple of 16, not 0"),
        ({"size_px": -16}, "size_px must be a multiple of 16, not -16"),
        ({"heads": 0}, "heads must be at least 1, not 0"),
        ({"features": -16}, "features must be at least 1, not -16"),
        ({"hidden": 0}, "hidden must be at least 1, not 0"),
        ({"map_channels": 0}, "map_channels must be at least 1, not 0"),
        ({"code_channels": 0}, "code_channels must be between 1 and 64, not 0"),
        ({"code_channels": 99}, "code_channels must be between 1 and 64, not 99"),
        ({"dropout": 0.6}, "dropout must be at least 0 and below 0.5, not 0.6"),
        ({"dropout": float("nan")}, "dropout must be at least 0 and below 0.5, not nan"),
    ],
)
def test_bad_configs(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        replace(FanConfig(), **changes)  # pyright: ignore[reportArgumentType]


def test_shapes_of_the_parts(tiny: FanConfig) -> None:
    seen = Encoder(tiny)(torch.rand(5, 1, 32, 32))
    assert [tuple(x.shape) for x in seen] == [(5, 16), (5, 16, 32, 32), (5, 32, 16, 16)]
    assert Decoder(tiny)(seen.code, seen.fine, seen.middle).shape == (5, 32, 32)
    each, whole = Fram(tiny)(torch.rand(5, 7, 16), torch.ones(5, 7, dtype=torch.bool))
    assert (each.shape, whole.shape) == ((5, 7, 16), (5, 16))
    assert Mlp(48, 16, 3)(torch.rand(5, 7, 48)).shape == (5, 7, 3)


@pytest.mark.parametrize("size_px", [32, 64])
def test_shapes_of_the_network(tiny: FanConfig, size_px: int) -> None:
    model = Fan(replace(tiny, size_px=size_px, channels=4, rotates=True, code_channels=64))
    shapes = model.pose_encoder(torch.rand(3, 4, size_px, size_px))
    codes, present = torch.rand(3, 5, 16), torch.ones(3, 5, dtype=torch.bool)
    assert model.select(codes, shapes.code, present).shape == (3, 5)
    assert model.rotate(torch.rand(3, 4, 16), shapes.code).shape == (3, 4)
    assert model.locate(codes[:, 0], shapes, OtherCandidates(codes, present)).shape == (3, size_px, size_px)


def test_fram_begins_near_its_input() -> None:
    torch.manual_seed(0)
    fram = Fan(FanConfig(size_px=16, code_channels=1, map_channels=1)).eval().fram
    assert fram is not None
    codes, present = torch.rand(4, 8, 256), torch.ones(4, 8, dtype=torch.bool)
    related = fram(codes, present)[0] - codes
    plain = torch.nn.functional.layer_norm(codes, (256,))
    assert (related - plain).norm() < 0.3 * plain.norm()
    for layer in fram.encoder:
        assert isinstance(layer, AttentionLayer)
        layer.quieten(10.0)  # as it would be otherwise
    assert (fram(codes, present)[0] - codes - plain).norm() > plain.norm()


def test_encoders_are_shared_only_if_asked(tiny: FanConfig) -> None:
    own = Fan(tiny)
    assert own.pose_encoder is not own.select_encoder
    shared = Fan(replace(tiny, shared_encoder=True))
    assert shared.pose_encoder is shared.select_encoder


@pytest.fixture(params=AGGREGATIONS)
def model(request: pytest.FixtureRequest, tiny: FanConfig) -> Fan:
    torch.manual_seed(0)
    return Fan(replace(tiny, aggregation=request.param))


def candidates(count: int = 5) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    codes, shapes = torch.randn(3, count, 16, generator=generator), torch.randn(3, 16, generator=generator)
    present = torch.ones(3, count, dtype=torch.bool)
    present[1, 1] = present[2, 3] = False
    return codes, shapes, present


@pytest.mark.parametrize("training", [False, True])
def test_permuted_candidates_have_permuted_scores(model: Fan, training: bool) -> None:
    model.train(training)
    codes, shapes, present = candidates()
    order = torch.tensor([3, 0, 4, 1, 2])
    scores = model.select(codes, shapes, present)[:, order]
    torch.testing.assert_close(
        model.select(codes[:, order], shapes, present[:, order]), scores, atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize("training", [False, True])
def test_absent_fragments_change_nothing(model: Fan, training: bool) -> None:
    codes, shapes, present = candidates()
    garbage = 100.0 * torch.randn(3, 4, 16, generator=torch.Generator().manual_seed(2))
    before = {name: value.clone() for name, value in model.state_dict().items()}

    def run(codes: Tensor, present: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        model.load_state_dict(before)
        model.train(training)
        scores = model.select(codes, shapes, present).detach()
        return scores, {name: value.clone() for name, value in model.named_buffers()}

    scores, statistics = run(codes, present)
    padded = torch.cat([present, torch.zeros(3, 4, dtype=torch.bool)], dim=1)
    padded_scores, padded_statistics = run(torch.cat([codes, garbage], dim=1), padded)
    torch.testing.assert_close(padded_scores[:, :5], scores, atol=1e-5, rtol=1e-5)
    assert torch.isneginf(padded_scores[:, 5:]).all()
    for name in statistics:
        torch.testing.assert_close(padded_statistics[name], statistics[name], atol=1e-6, rtol=1e-5)


def maps(model: Fan, others: OtherCandidates) -> Tensor:
    """Of three fragments among these others, by a network whose maps are not flat."""
    torch.manual_seed(1)
    torch.nn.init.normal_(model.decoder.logits.weight)
    with torch.no_grad():
        return model.locate(torch.randn(3, 16), model.pose_encoder(torch.rand(3, 1, 32, 32)), others)


def test_places_depend_on_the_other_candidates_but_not_on_their_order(model: Fan) -> None:
    model.eval()
    codes, _, present = candidates()
    found = maps(model, OtherCandidates(codes, present))
    order = torch.tensor([3, 0, 4, 1, 2])
    torch.testing.assert_close(
        maps(model, OtherCandidates(codes[:, order], present[:, order])), found, atol=1e-4, rtol=1e-4
    )
    garbage = torch.where(present[..., None], codes, 100.0)
    torch.testing.assert_close(maps(model, OtherCandidates(garbage, present)), found, atol=1e-4, rtol=1e-4)
    changes = not torch.allclose(maps(model, OtherCandidates(codes + 1.0, present)), found, atol=1e-2)
    assert changes == (model.config.aggregation != "none")


def test_the_chosen_fragment_is_seen_among_the_others(tiny: FanConfig) -> None:
    model = Fan(tiny).eval()
    assert model.fram is not None
    given: list[Tensor] = []
    model.pose_mlp.register_forward_pre_hook(lambda module, inputs: given.append(inputs[0]))
    codes, _, _ = candidates()
    shape = model.pose_encoder(torch.rand(3, 1, 32, 32))
    model.locate(codes[:, 0], shape, OtherCandidates(codes[:, 1:], torch.ones(3, 4, dtype=torch.bool)))
    related, whole = model.fram(codes, torch.ones(3, 5, dtype=torch.bool))
    torch.testing.assert_close(given[0], torch.cat([related[:, 0], shape.code, whole], dim=1))


def test_places_may_depend_on_the_fragment_alone(tiny: FanConfig) -> None:
    model = Fan(replace(tiny, pose_sees_others=False)).eval()
    codes, _, present = candidates()
    torch.testing.assert_close(
        maps(model, OtherCandidates(codes, present)), maps(model, OtherCandidates(codes + 1.0, present))
    )


def test_permuted_copies_have_permuted_angles(tiny: FanConfig) -> None:
    for aggregation in AGGREGATIONS:
        model = Fan(replace(tiny, aggregation=aggregation, rotates=True)).eval()
        copies, shapes, _ = candidates()
        order = torch.tensor([3, 0, 4, 1, 2])
        angles = model.rotate(copies, shapes)[:, order]
        assert angles.std() > 0.01
        torch.testing.assert_close(model.rotate(copies[:, order], shapes), angles, atol=1e-5, rtol=1e-5)


def test_any_number_of_fragments(model: Fan) -> None:
    model.eval()
    for count in (4, 5, 30):
        codes, shapes, present = candidates(count)
        assert torch.isfinite(model.select(codes, shapes, present)[present]).all()


@pytest.mark.parametrize("rotations", [1, 4])
def test_all_steps_at_once_are_the_steps_one_by_one(
    rotations: int, make_learner: Callable[..., FanLearner], draw: Callable[..., PuzzleBatch]
) -> None:
    learner, batch = make_learner(rotates=rotations > 1), draw(count=2, pieces=4, rotations=rotations)
    model = learner.model
    torch.nn.init.normal_(model.decoder.logits.weight)
    learner.eval()
    noise = torch.randn(batch.centres.shape, generator=torch.Generator().manual_seed(3))
    at_once = learner(batch, noise)
    laid = (batch.centres + 0.5 * noise).floor().long().clamp(0, 31)
    target, both = batch.target[:, 0].float() / 255.0, torch.arange(2)
    expected: dict[str, list[Tensor]] = {name: [] for name in at_once if name != "loss"}
    for step in range(batch.pieces):
        rest = batch.images[:, step:].float() / 255.0  # (2, N, R, 1, 32, 32)
        present = torch.ones(rest.shape[:2], dtype=torch.bool)
        codes = model.select_encoder(rest[:, :, 0].flatten(0, 1)).code.unflatten(0, (2, -1))
        scores = model.select(codes, model.select_encoder(target[:, None]).code, present)
        expected["select"].append(cross_entropy(scores, torch.zeros(2, dtype=torch.long)))
        shape = model.pose_encoder(target[:, None])
        copies = model.pose_encoder(rest[:, 0].flatten(0, 1)).code.unflatten(0, (2, -1))
        turn = batch.turns[:, step]
        if rotations > 1:
            expected["rotation"].append(cross_entropy(model.rotate(copies, shape.code), turn))
        others = model.pose_encoder(rest[:, 1:, 0].flatten(0, 1)).code.unflatten(0, (2, -1))
        logits = model.locate(copies[both, turn], shape, OtherCandidates(others, present[:, 1:]))
        expected["position"].append(position_loss(logits, batch.centres[:, step]))
        for k in range(2):
            column, row = laid[k, step].tolist()
            piece = torch.nn.functional.pad(rest[k, 0, turn[k], 0], (32, 32, 32, 32))
            top, left = 32 + 16 - row, 32 + 16 - column
            target[k] = (target[k] - piece[top : top + 32, left : left + 32]).clamp_min(0.0)
    for name, found in expected.items():
        torch.testing.assert_close(at_once[name], torch.stack(found).mean(), atol=1e-4, rtol=1e-5)
