"""The matcher's network: what its scores are, and what they do not depend on."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from sherd.learn.matcher.network import (
    Fragments,
    Matcher,
    MatcherConfig,
    as_images,
    correlate,
    fragment_spectra,
)

TINY = MatcherConfig(size_px=32, features=6, widths=(8, 12), judge_widths=(6, 8))


def make_model(config: MatcherConfig = TINY) -> Matcher:
    torch.manual_seed(0)
    model = Matcher(config)
    torch.nn.init.normal_(model.shape_head.weight)
    torch.nn.init.normal_(model.fragment_bias.weight)
    return model.eval()


def scores(model: Matcher, fragments: Tensor, remaining: Tensor, target: Tensor) -> Tensor:
    """Maps over pixels (M, H, W) of one shape (H, W)."""
    with torch.no_grad():
        spectra = fragment_spectra(model.fragments(fragments), 1)
        return as_images(correlate(model.shapes(remaining[None], target[None])[None], spectra))[0, 0]


def test_the_score_is_the_sum_of_products_beneath_the_fragment() -> None:
    torch.manual_seed(1)
    half, features = 8, 3
    fragments = Fragments(torch.randn(2, features, half, half), torch.randn(2))
    shape = torch.randn(1, 1, 4, features, half, half)
    maps = as_images(correlate(shape, fragment_spectra(fragments, 1)))[0, 0]  # (2, 16, 16)
    for member, row, column in ((0, 0, 0), (1, 7, 4), (0, 15, 15), (1, 3, 10)):
        phase = 2 * (row % 2) + column % 2
        total = 0.0
        for y in range(half):
            for x in range(half):
                at_y, at_x = row // 2 + y - half // 2, column // 2 + x - half // 2
                if 0 <= at_y < half and 0 <= at_x < half:
                    total += float(shape[0, 0, phase, :, at_y, at_x] @ fragments.features[member, :, y, x])
        expected = total / (half * features**0.5) + float(fragments.bias[member])
        assert float(maps[member, row, column]) == pytest.approx(expected, abs=1e-5)


def test_features_that_are_moved_have_their_scores_moved() -> None:
    torch.manual_seed(2)
    features = torch.zeros(1, 1, 4, 3, 16, 16)
    features[..., 6:10, 6:10] = torch.randn(1, 1, 4, 3, 4, 4)
    small = torch.zeros(2, 3, 16, 16)
    small[..., 7:9, 6:10] = torch.randn(2, 3, 2, 4)
    spectra = fragment_spectra(Fragments(small, torch.zeros(2)), 1)
    here, there = (
        as_images(correlate(maps, spectra)) for maps in (features, features.roll((3, -2), (-2, -1)))
    )
    torch.testing.assert_close(there, here.roll((6, -4), (-2, -1)), atol=1e-5, rtol=0.0)


def test_a_shape_that_is_moved_has_its_features_moved() -> None:
    model, step = (
        make_model(MatcherConfig(size_px=128, features=4, widths=(8, 12), judge_widths=(6, 8))),
        TINY.stride_px,
    )
    shape = torch.zeros(128, 128)
    shape[60:68, 56:70] = torch.rand(8, 14)
    moved = shape.roll((step, -step), (0, 1))
    with torch.no_grad():
        here, there = (model.shapes(image[None], image[None]) for image in (shape, moved))
    inside, back = slice(20, 44), here.roll((step // 2, -step // 2), (-2, -1))
    torch.testing.assert_close(there[..., inside, inside], back[..., inside, inside], atol=1e-5, rtol=1e-4)


def test_fragments_in_another_order_have_the_same_scores() -> None:
    model, order = make_model(), torch.tensor([2, 0, 3, 1])
    fragments, shape = torch.rand(4, 32, 32), torch.rand(32, 32)
    one, other = (scores(model, images, shape, shape) for images in (fragments, fragments[order]))
    torch.testing.assert_close(other, one[order])


def test_puzzles_side_by_side_do_not_mix() -> None:
    model = make_model()
    fragments, shapes = torch.rand(2, 3, 32, 32), torch.rand(2, 32, 32)
    with torch.no_grad():
        spectra = fragment_spectra(model.fragments(fragments.flatten(0, 1)), 2)
        together = as_images(correlate(model.shapes(shapes, shapes)[:, None], spectra))[:, 0]
    for k in range(2):
        torch.testing.assert_close(together[k], scores(model, fragments[k], shapes[k], shapes[k]))


def test_the_target_is_seen_only_if_asked_for() -> None:
    fragments, shape = torch.rand(2, 32, 32), torch.rand(32, 32)
    for sees_target in (True, False):
        model = make_model(MatcherConfig(size_px=32, features=4, widths=(8,), sees_target=sees_target))
        one, other = (scores(model, fragments, shape, t) for t in (shape, torch.ones(32, 32)))
        assert torch.equal(one, other) != sees_target


def test_a_new_network_holds_every_pixel_as_likely() -> None:
    maps = scores(Matcher(TINY), torch.rand(2, 32, 32), torch.rand(32, 32), torch.rand(32, 32))
    assert float(maps.abs().max()) == 0.0


def test_the_default_network_is_small_enough_to_ship() -> None:
    count = sum(value.numel() for value in Matcher(MatcherConfig()).parameters())
    assert 0.8e6 < count < 4e6


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"size_px": 100}, "multiple of 16, not 100"),
        ({"widths": ()}, "at least 1"),
        ({"features": 0}, "at least 1"),
    ],
)
def test_bad_configs(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        MatcherConfig(**changes)  # type: ignore[arg-type]
