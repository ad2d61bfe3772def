from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from sherd.core.assembly import Assembly
from sherd.core.puzzle import Sample
from sherd.draw import draw_frames, write_gif
from sherd.draw.steps import MOST_FRAMES


def steps_of(sample: Sample) -> list[Assembly]:
    return [Assembly(sample.truth.placements[: k + 1]) for k in range(len(sample.truth))]


def test_one_frame_a_step_after_the_loose_pieces(square_of_four: Sample, tmp_path: Path) -> None:
    path = tmp_path / "steps.gif"
    write_gif(square_of_four.puzzle, steps_of(square_of_four), path, seconds=0.5)
    with Image.open(path) as gif:
        assert gif.n_frames == 5  # type: ignore[attr-defined]
        durations: list[int] = []
        for k in range(5):
            gif.seek(k)
            durations.append(gif.info["duration"])
            assert gif.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
        assert durations == [500, 500, 500, 500, 2000]
        assert gif.info["loop"] == 0


def test_an_empty_first_step_is_not_shown_twice(square_of_four: Sample, tmp_path: Path) -> None:
    write_gif(square_of_four.puzzle, [Assembly(), *steps_of(square_of_four)], tmp_path / "a.gif")
    write_gif(square_of_four.puzzle, steps_of(square_of_four), tmp_path / "b.gif")
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()


def test_many_steps_are_thinned_out(square_of_four: Sample) -> None:
    frames = draw_frames(square_of_four.puzzle, steps_of(square_of_four) * 50)
    assert len(frames) == MOST_FRAMES + 1
    assert len({(frame.width, frame.height) for frame in frames}) == 1
    assert (frames[0].title, frames[-1].title) == ("0 of 4 placed", "4 of 4 placed")


def test_bad_arguments_write_nothing(square_of_four: Sample, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one step"):
        write_gif(square_of_four.puzzle, [], tmp_path / "a.gif")
    with pytest.raises(ValueError, match="not 0"):
        write_gif(square_of_four.puzzle, [square_of_four.truth], tmp_path / "a.gif", seconds=0)
    assert list(tmp_path.iterdir()) == []
