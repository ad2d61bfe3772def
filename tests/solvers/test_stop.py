"""Stop rules: when they say so, and what they tell of the time."""

from __future__ import annotations

import pytest

from sherd.solvers.stop import AnyOf, MaxEvaluations, MaxSeconds, Resumed, share_spent


class Told:
    """A rule of one's own that tells a share."""

    def __init__(self, share: float | None) -> None:
        self.share = share

    def __call__(self, evaluations: int) -> bool:
        return False

    def share_spent(self) -> float | None:
        return self.share


@pytest.mark.parametrize(
    ("rule", "share"),
    [
        (Told(0.3), 0.3),
        (Resumed(Told(0.3), 7), 0.3),
        (AnyOf((Told(0.3), MaxEvaluations(5), Resumed(Told(0.6), 1))), 0.6),
        (AnyOf((Told(None), MaxEvaluations(5))), None),
        (MaxEvaluations(5), None),
        (str, None),  # anything that can be called may be a rule
        (MaxSeconds(0.0), 1.0),
    ],
)
def test_any_rule_may_tell_how_much_of_the_time_is_over(rule: object, share: float | None) -> None:
    assert share_spent(rule) == share  # pyright: ignore[reportArgumentType]


def test_one_rule_of_several_is_enough_and_spent_evaluations_count() -> None:
    rule = Resumed(AnyOf((MaxEvaluations(10), MaxEvaluations(20))), 6)
    assert not rule(3)
    assert rule(4)
