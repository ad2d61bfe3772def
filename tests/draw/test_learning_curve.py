"""The learning curve of a run."""

from __future__ import annotations

from sherd.draw.learning_curve import draw_learning
from sherd.draw.scene import Area, Text
from sherd.draw.svg import to_svg

METRICS = [
    {"step": 10, "seconds": 1.0, "select": 1.0, "loss": 4.0},
    {"step": 20, "seconds": 2.0, "select": 0.5, "loss": 2.0},
    {"step": 20, "seconds": 2.5, "validation": {"cov95": 0.1, "cov": 0.8}, "best": True},
    {"step": 30, "seconds": 3.0, "select": float("nan"), "loss": 1.0},
]


def test_losses_fall_from_left_to_right_and_a_single_validation_is_a_dot() -> None:
    picture = draw_learning(METRICS)
    assert picture is not None
    losses, validation = picture.layers
    lines = [item for item in losses.items if isinstance(item, Area) and item.paint.width == 1.5]
    assert [len(line.geometry.coords) for line in lines] == [2, 3]  # what is not a number is left out
    heights = [y for _, y in lines[1].geometry.coords]
    assert heights == sorted(heights, reverse=True)
    said = {item.text for item in validation.items if isinstance(item, Text)}
    assert {"cov95", "cov", "0.5", "30", "steps"} <= said
    dots = [item for item in validation.items if isinstance(item, Area) and item.paint.fill]
    assert len(dots) == 2
    assert ">cov95<" in to_svg(picture)


def test_without_metrics_there_is_no_picture() -> None:
    assert draw_learning([]) is None


def test_names_lie_in_the_order_of_their_lines_on_a_round_scale() -> None:
    lines = [{"step": step, "near": 21.0 - step, "above": 21.4 - step, "far": 0.1} for step in (1, 2)]
    picture = draw_learning([line | {"loss": line["above"]} for line in lines])
    assert picture is not None
    texts = [item for item in picture.layers[0].items if isinstance(item, Text)]
    heights = {item.text: item.y for item in texts}
    assert heights["above"] - heights["near"] >= 14.0
    assert heights["near"] > heights["far"]
    assert {"0", "6", "12", "18", "24"} <= heights.keys()
