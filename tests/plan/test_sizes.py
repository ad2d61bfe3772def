"""How large a piece is in the hand."""

from __future__ import annotations

import pytest
import shapely

from sherd.core.geometry import Pose
from sherd.plan.sizes import sides


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2])
def test_length_and_width_do_not_depend_on_how_it_is_turned(angle: float) -> None:
    assert sides(Pose(3.0, 4.0, angle).apply(shapely.box(0, 0, 1, 5))) == pytest.approx((5.0, 1.0))
