"""Paint decides between arrangements that outlines allow, and says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely

from sherd import Puzzle, Rotations, assemble, score
from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose
from sherd.core.grid import Grid
from sherd.core.puzzle import Fragment, Sample
from sherd.core.texture import Texture
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.painting import paint
from sherd.generation.patterns import PROCEDURAL
from sherd.generation.shapes import named_shape
from sherd.solvers.paint.decide import is_painted
from sherd.solvers.paint.exchange import exchange
from sherd.solvers.paint.seams import Seams
from sherd.solvers.stop import MaxEvaluations


def grid_of(side: int, texture: str, rotations: Rotations, seed: int = 3) -> Sample:
    """A square cut into equal squares, painted, its own picture not known."""
    rng = np.random.default_rng(seed)
    step = 1.0 / side
    tile = shapely.box(-step / 2, -step / 2, step / 2, step / 2)
    places = [((k % side + 0.5) * step, (k // side + 0.5) * step) for k in range(side * side)]
    truth = Assembly()
    fragments: list[Fragment] = []
    for name, k in enumerate(rng.permutation(len(places)).tolist()):
        fragments.append(Fragment(f"f{name}", tile))
        turn = 0.0 if rotations.bins == 1 else float(rng.integers(4)) * np.pi / 2
        truth = truth.place(f"f{name}", Pose(places[k][0], places[k][1], turn))
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), tuple(fragments), rotations)
    sample = paint(Sample(puzzle, truth), PROCEDURAL[texture](128, rng), size_px=128)
    return replace(sample, puzzle=replace(sample.puzzle, texture=None))


def is_right(found: Assembly, sample: Sample) -> bool:
    """Whether each piece, by its name, lies where it should, but for one turn of the whole."""
    middle = np.array([0.5, 0.5])
    for quarter in range(4):
        turn = Pose(theta=quarter * np.pi / 2)
        x, y = (middle - turn.points(middle)).tolist()
        about = Pose(x, y, turn.theta)
        if all((about @ sample.truth[one.id]).is_close(one.pose, 1e-6) for one in found):
            return len(found) == len(sample.puzzle.fragments)
    return False


def test_plain_pieces_are_not_painted():
    """One colour with some grain, which at rims mixes with what lies behind, tells nothing."""
    rng = np.random.default_rng(5)
    grid = Grid(64, left=-0.5, top=0.5, pixel=1 / 64)
    image = np.clip(rng.normal(220.0, 2.0, (64, 64, 3)), 0, 255)
    pieces = [shapely.box(-0.3, -0.3, 0.3, 0.3), shapely.box(-0.2, -0.4, 0.2, 0.4)]

    def puzzle(*levels: float) -> Puzzle:
        images = [(image - level).astype(np.uint8) for level in levels]
        for one in images:
            one[:6] = one[:, :6] = 50  # the table
        return Puzzle.of_pieces(
            tuple(
                Fragment(f"f{k}", piece, Texture(one, grid))
                for k, (piece, one) in enumerate(zip(pieces, images, strict=True))
            )
        )

    assert not is_painted(puzzle(0.0, 0.0))
    assert is_painted(puzzle(0.0, 40.0))
    assert not is_painted(replace(puzzle(0.0, 40.0), mirror=True))


@pytest.mark.parametrize("texture", ["marble", "noise", "gradient", "terrazzo"])
def test_equal_pieces_are_told_apart_by_their_prints(texture: str):
    sample = grid_of(3, texture, Rotations(1))
    found = assemble(sample.puzzle, "search", seconds=60.0)
    assert found.solved
    assert is_right(found.assembly, sample)
    assert found.by_paint == "decided"


def test_equal_pieces_that_may_be_turned_are_told_apart_too():
    sample = grid_of(3, "marble", Rotations(4))
    found = assemble(sample.puzzle, "search", seconds=60.0)
    assert is_right(found.assembly, sample)


def test_where_colours_break_off_another_piece_is_laid_first(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sherd.solvers.paint.exchange.PATIENCE", 0)  # what is laid is not mended
    sample = grid_of(3, "noise", Rotations(4))
    seams = Seams.of(sample.puzzle)
    names = [one.id for one in sample.puzzle.fragments]
    wrong = {k: sample.truth[names[(k + 1) % len(names)]] for k in range(len(names))}
    found, rounds = exchange(seams, wrong, MaxEvaluations(1000))
    assert rounds > 1
    assert seams.is_content(found[0])
    assert is_right(Assembly(tuple(Placement(names[k], pose) for k, pose in found[0].items())), sample)


def test_without_colour_equal_pieces_are_not_told_apart():
    sample = grid_of(3, "marble", Rotations(1))
    found = assemble(sample.puzzle, "search", seconds=60.0, ignore_colour=True)
    assert found.solved
    assert not is_right(found.assembly, sample)
    assert found.by_paint == ""


def framed(one: Fragment, colour: int) -> Fragment:
    """A piece that is grey but for a spot of some colour in its middle."""
    assert one.texture is not None
    image = np.full_like(one.texture.image, 128)
    half = len(image) // 2
    image[half - 6 : half + 6, half - 6 : half + 6] = colour
    return replace(one, texture=replace(one.texture, image=image))


def test_other_prints_with_equal_rims_stay_ambiguous():
    puzzle = grid_of(2, "marble", Rotations(1)).puzzle
    spots = tuple(framed(one, 60 * k) for k, one in enumerate(puzzle.fragments))
    found = assemble(replace(puzzle, fragments=spots), "search", seconds=60.0)
    assert found.solved
    assert found.by_paint == "undecided"
    assert len(found.elsewhere) >= 2  # the plan marks them


def test_equal_prints_are_no_choice():
    puzzle = grid_of(2, "marble", Rotations(1)).puzzle
    grey = tuple(framed(one, 128) for one in puzzle.fragments)
    found = assemble(replace(puzzle, fragments=grey), "search", seconds=60.0)
    assert found.solved
    assert found.by_paint == ""


def test_a_lost_piece_of_a_mondrian_leaves_the_others_where_their_paint_goes_on():
    kind = PuzzleKind(shape=named_shape("mondrian"), pieces=6, degradation="missing", texture="marble")
    bare = 0
    for sample in make_samples(kind, seed=5, stop=4):
        found = assemble(sample.puzzle, "search", seconds=60.0)
        assert score(found.assembly, sample).coverage > 0.999
        by_shape = assemble(sample.puzzle, "search", seconds=60.0, ignore_colour=True)
        bare += score(by_shape.assembly, sample).coverage > 0.95
    assert bare < 4  # or paint would have nothing to tell


def test_a_puzzle_without_paint_is_the_same():
    kind = PuzzleKind(shape=named_shape("mondrian"), pieces=8, texture="marble")
    (sample,) = make_samples(kind, seed=5, stop=1)
    bare = sample.puzzle.without_paint()
    assert bare == sample.puzzle  # paint does not count
    assert bare.texture is None
    assert all(one.texture is None for one in bare.fragments)
