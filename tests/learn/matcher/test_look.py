"""A closer look at placements: masks between pixels, overlap, contact, the judge, and which is taken."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from sherd.learn.data.batch import place
from sherd.learn.matcher.look import CONTACT_WEIGHT, OVERLAP_WEIGHT, Looked, lay, look_at, place_between
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.matcher.peaks import Peaks

TINY = MatcherConfig(size_px=32, features=2, widths=(2, 2), judge_widths=(4, 6))


def bar() -> Tensor:
    """The image of one piece, 8 pixels wide and 5 high: (1, 1, 1, 1, 32, 32)."""
    images = torch.zeros((1, 1, 1, 1, 32, 32), dtype=torch.uint8)
    images[..., 14:19, 12:20] = 255
    return images


def peaks_at(*places: tuple[float, float, float]) -> Peaks:
    """Placements of the only piece of one state: column, row and probability of each."""
    number = torch.zeros((1, len(places)), dtype=torch.long)
    centre = torch.tensor([[[column, row] for column, row, _ in places]])
    return Peaks(number, number, centre, torch.tensor([[probability for _, _, probability in places]]))


@torch.no_grad()
def looked_at(images: Tensor, left: Tensor, peaks: Peaks) -> Looked:
    """As an untaught judge sees it, who goes by the facts."""
    return look_at(Matcher(TINY).judge, images, left, torch.ones_like(left), peaks)


def test_a_mask_between_pixels_keeps_its_area_and_its_middle() -> None:
    mask = torch.zeros(1, 32, 32)
    mask[:, 14:19, 15:18] = 1.0  # its middle is the middle pixel's centre
    moved = place_between(mask, torch.tensor([[10.3, 20.9]]))[0]
    assert float(moved.sum()) == pytest.approx(15.0)
    pixel = torch.arange(32) + 0.5
    assert float((moved.sum(0) * pixel).sum() / 15.0) == pytest.approx(10.3, abs=1e-4)
    assert float((moved.sum(1) * pixel).sum() / 15.0) == pytest.approx(20.9, abs=1e-4)


def test_a_mask_on_a_pixels_centre_is_moved_by_whole_pixels() -> None:
    mask = torch.rand(2, 16, 16)
    cells = torch.tensor([[3, 9], [12, 0]])
    assert torch.equal(place_between(mask, cells + 0.5), place(mask, cells))


def test_overlap_and_open_sides_count_against_a_placement() -> None:
    left = torch.zeros((1, 32, 32))
    left[:, 0:5, 0:8] = 1.0  # a gap that the piece fills, in a corner
    left[:, 10:30, 4:30] = 1.0
    fits, lies_across, stands_free = (4.5, 2.5, 0.2), (8.5, 2.5, 0.2), (16.5, 20.5, 0.2)
    peaks = peaks_at(lies_across, stands_free, fits)
    facts = lay(bar(), left, peaks).facts[0]
    assert (facts[:, 1] / -OVERLAP_WEIGHT).tolist() == pytest.approx([20.0, 0.0, 0.0], abs=1e-3)
    is_open = facts[:, 2] / -CONTACT_WEIGHT
    assert is_open[1:].tolist() == pytest.approx([1.0, 0.0], abs=1e-3)
    seen = looked_at(bar(), left, peaks)
    assert seen.best.centre.tolist() == [[[4.5, 2.5]]]
    assert float(seen.best.probability) == pytest.approx(float(seen.value.softmax(1).max()))


def test_what_is_much_likelier_is_taken_in_spite_of_its_looks() -> None:
    left = torch.zeros((1, 32, 32))
    left[:, 0:5, 0:8] = 1.0
    seen = looked_at(bar(), left, peaks_at((4.5, 2.5, 0.01), (5.5, 2.5, 0.9)))
    assert seen.best.centre.tolist() == [[[5.5, 2.5]]]


def test_what_is_no_peak_is_never_taken() -> None:
    left = torch.zeros((1, 32, 32))
    left[:, 0:5, 0:8] = 1.0
    seen = looked_at(bar(), left, peaks_at((20.5, 20.5, 1e-9), (4.5, 2.5, 0.0)))
    assert seen.best.centre.tolist() == [[[20.5, 20.5]]]


def test_states_of_one_puzzle_share_its_pieces() -> None:
    left = torch.rand((3, 32, 32))
    one = peaks_at((4.5, 2.5, 0.3), (9.2, 7.9, 0.3))
    peaks = Peaks(*(value.expand(3, *value.shape[1:]) for value in vars(one).values()))
    together = looked_at(bar(), left, peaks)
    for k in range(3):
        alone = looked_at(bar(), left[k : k + 1], one)
        torch.testing.assert_close(together.value[k], alone.value[0])


def test_placements_are_in_conflict_that_cannot_both_be_made() -> None:
    images = bar().expand(1, 3, 1, 1, 32, 32)
    left = torch.ones((1, 32, 32))
    places = (
        (8.5, 8.5, 0, 0.4),
        (24.5, 8.5, 0, 0.1),
        (10.5, 9.5, 1, 0.1),
        (24.5, 24.5, 2, 0.1),
        (8.5, 8.5, 1, 0.0),
    )
    peaks = Peaks(
        torch.tensor([[fragment for _, _, fragment, _ in places]]),
        torch.zeros((1, len(places)), dtype=torch.long),
        torch.tensor([[[column, row] for column, row, _, _ in places]]),
        torch.tensor([[probability for _, _, _, probability in places]]),
    )
    seen = looked_at(images, left, peaks)
    # Itself, the same piece elsewhere and another in its place; not one beside it, nor what is no peak.
    assert seen.conflicts[0, 0].tolist() == [True, True, True, False, False]
    assert torch.equal(seen.conflicts, seen.conflicts.mT)
    assert float(seen.certainty[0, 3]) == pytest.approx(1.0)
    likely = seen.value[0, :3].softmax(0)
    assert float(seen.certainty[0, 0]) == pytest.approx(float(likely[0]))
    assert seen.nth(3).fragment.tolist() == [[2]]


def test_what_nothing_speaks_against_goes_before_what_is_contested() -> None:
    """Two placements of one piece are as likely as a third, of another piece, or a little likelier."""
    images = bar().expand(1, 2, 1, 1, 32, 32)
    peaks = Peaks(
        torch.tensor([[0, 0, 1]]),
        torch.zeros((1, 3), dtype=torch.long),
        torch.tensor([[[8.5, 8.5], [24.5, 8.5], [16.5, 24.5]]]),
        torch.tensor([[0.35, 0.34, 0.31]]),
    )
    seen = looked_at(images, torch.ones((1, 32, 32)), peaks)
    assert seen.best.fragment.tolist() == [[1]]
    assert float(seen.best.probability) == pytest.approx(1.0)


def test_a_judge_sees_only_what_is_near_the_piece() -> None:
    torch.manual_seed(0)
    judge = Matcher(MatcherConfig(size_px=64, features=2, widths=(2, 2), judge_widths=(4, 6))).judge
    torch.nn.init.normal_(judge.out.weight)
    laid, left, facts = torch.zeros((1, 64, 64)), torch.ones((1, 64, 64)), torch.zeros((1, 3))
    laid[:, 8:16, 8:16] = 1.0
    near, far = left.clone(), left.clone()
    near[:, 4:8, 8:16], far[:, 48:, 48:] = 0.0, 0.0
    with torch.no_grad():
        value, other_near, other_far = (float(judge(laid, x, left, facts)) for x in (left, near, far))
    assert other_near != pytest.approx(value, abs=1e-4)
    assert other_far == pytest.approx(value, abs=1e-6)


def test_a_judge_learns_which_of_equally_likely_placements_is_right() -> None:
    torch.manual_seed(0)
    judge = Matcher(TINY).judge
    optimizer = torch.optim.Adam(judge.parameters(), lr=1e-2)
    left = torch.zeros((1, 32, 32))
    left[:, 8:13, 4:12] = 1.0
    left[:, 20:32, 16:32] = 1.0
    # The piece fits the small gap; in the large one it touches as much as it would there.
    peaks = peaks_at((8.5, 10.5, 0.5), (20.5, 22.5, 0.5))
    for _ in range(60):
        value = look_at(judge, bar(), left, torch.ones_like(left), peaks).value
        loss = torch.nn.functional.cross_entropy(value, torch.tensor([0]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert float(loss.detach()) < 0.05
