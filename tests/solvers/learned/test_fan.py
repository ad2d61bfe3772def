"""FAN as a solver: what must hold whatever it has learnt, and what the weights that ship have learnt."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import shapely
import torch

from sherd.core.errors import UnsupportedError
from sherd.core.geometry import TAU, Pose, Rotations
from sherd.core.grid import Grid
from sherd.core.metrics import score
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.verdict import judge
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.learn.data.sets import puzzle_images
from sherd.learn.fan.learner import PEAK_REACH, FanLearner
from sherd.learn.fan.network import Fan, FanConfig
from sherd.solvers import Progress, Result, refine_result
from sherd.solvers.learned.fan import SHIPPED, FanSolver
from sherd.solvers.run import run
from sherd.solvers.stop import MaxEvaluations

NEVER = MaxEvaluations(1000)


def make_solver(*, rotates: bool = False, channels: int = 1, pose_sees_others: bool = True) -> FanSolver:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    config = FanConfig(
        size_px=32,
        features=16,
        hidden=32,
        heads=2,
        code_channels=4,
        map_channels=4,
        rotates=rotates,
        channels=channels,
        pose_sees_others=pose_sees_others,
    )
    model = Fan(config)
    torch.nn.init.normal_(model.decoder.logits.weight)  # or every pixel would be as likely
    return FanSolver(FanLearner(model))


def make_puzzle(pieces: int = 4, bins: int | None = 1, **kind: str) -> Puzzle:
    shape = named_shape(kind.pop("shape", "square"))
    described = PuzzleKind(shape=shape, pieces=pieces, rotations=Rotations(bins), texture=kind.get("texture"))
    return next(make_samples(described, seed=2, stop=1)).puzzle


def solve(solver: FanSolver, puzzle: Puzzle, evaluations: int = 1000) -> Result:
    return run(solver, puzzle, stop=MaxEvaluations(evaluations), rng=np.random.default_rng(0))


@pytest.mark.parametrize("bins", [1, 4, 5])
def test_every_piece_is_placed_once_where_the_puzzle_allows(bins: int) -> None:
    puzzle = make_puzzle(bins=bins, shape="hexagon")
    result = solve(make_solver(rotates=bins > 1), puzzle)
    assert sorted(p.id for p in result.assembly) == sorted(f.id for f in puzzle.fragments)
    for placement in result.assembly:
        assert puzzle.rotations.allows(placement.pose.theta)
    assert result.evaluations == len(result.trace) == len(result.certainty) == 4
    assert [len(step) for step in result.trace] == [1, 2, 3, 4]
    assert result.trace[-1] == result.assembly
    assert all(0.0 < certainty <= 1.0 for certainty in result.certainty)
    assert 0.0 <= result.objective <= 1.0
    assert result.solved or "of the target" in result.reason


def test_poses_put_the_middles_of_pieces_where_the_map_says() -> None:
    puzzle, solver = make_puzzle(), make_solver()
    result = solve(solver, puzzle)
    names = [fragment.id for fragment in puzzle.fragments]
    images, target, _ = puzzle_images([puzzle], [names], 32)
    answer = solver.learner.assemble(torch.from_numpy(images), torch.from_numpy(target))
    places = (answer.cells + answer.offsets)[0].numpy() + 0.5  # (column, row)
    for placement, (column, row) in zip(result.assembly, places, strict=True):
        placed = placement.pose.apply(puzzle[placement.id].polygon)
        x, y = (np.array(placed.bounds[:2]) + placed.bounds[2:]) / 2.0
        assert (32.0 * x, 32.0 * (1.0 - y)) == pytest.approx((column, row))


@pytest.mark.parametrize("bins", [1, 4])
def test_answers_refer_to_the_frames_of_the_file(bins: int) -> None:
    """Fragments drawn anywhere in their own frames end up in the same places."""
    puzzle = make_puzzle(bins=bins)
    solver = make_solver(rotates=bins > 1)
    moved = Puzzle(
        puzzle.target,
        tuple(
            Fragment(f.id, Pose(3.0 * k - 4.0, 7.0 - 2.0 * k).apply(f.polygon))
            for k, f in enumerate(puzzle.fragments)
        ),
        puzzle.rotations,
    )
    for one, other in zip(solve(solver, puzzle).assembly, solve(solver, moved).assembly, strict=True):
        assert one.id == other.id
        assert one.pose.theta == pytest.approx(other.pose.theta)
        here, there = one.pose.apply(puzzle[one.id].polygon), other.pose.apply(moved[one.id].polygon)
        assert shapely.hausdorff_distance(here, there) < 1e-9


def test_a_target_of_any_size_and_place() -> None:
    puzzle = make_puzzle()
    far = Puzzle(
        shapely.transform(puzzle.target, lambda points: 250.0 * points + [1000.0, -300.0]),
        tuple(
            Fragment(f.id, shapely.transform(f.polygon, lambda points: 250.0 * points))
            for f in puzzle.fragments
        ),
    )
    solver = make_solver()
    for one, other in zip(solve(solver, puzzle).assembly, solve(solver, far).assembly, strict=True):
        assert one.id == other.id
        assert other.pose.x == pytest.approx(250.0 * one.pose.x + 1000.0)
        assert other.pose.y == pytest.approx(250.0 * one.pose.y - 300.0)


@pytest.mark.parametrize("evaluations", [0, 1, 3])
def test_stopping_early_keeps_what_is_placed(evaluations: int) -> None:
    result = solve(make_solver(), make_puzzle(), evaluations)
    assert len(result.assembly) == len(result.trace) == evaluations
    assert not result.solved
    assert result.reason == "stopped before all were placed"


class After:
    """Says stop from a question on, and remembers which steps it was asked after."""

    def __init__(self, questions: int) -> None:
        self.questions = questions
        self.asked: list[int] = []

    def __call__(self, evaluations: int) -> bool:
        self.asked.append(evaluations)
        return len(self.asked) > self.questions


@pytest.mark.parametrize("questions", [0, 1, 2])
def test_a_limit_is_kept_while_pieces_are_encoded(questions: int) -> None:
    """24 pieces are encoded 8 at a time: as soon as the time is over, no more of them are."""
    solver, stop = make_solver(), After(questions)
    encoded: list[int] = []
    encoder = solver.learner.model.select_encoder
    encoder.register_forward_hook(lambda module, given, made: encoded.append(len(given[0])))
    result = run(solver, make_puzzle(pieces=24), stop=stop, rng=np.random.default_rng(0))
    assert encoded == [8] * questions
    assert set(stop.asked) == {0}
    assert (len(result.assembly), result.solved) == (0, False)
    assert result.reason == "stopped before all were placed"
    assert result.objective == 0.0


def test_a_limit_is_kept_while_turned_copies_are_encoded() -> None:
    """Of a piece at 20 angles, 8 are encoded at a time, and all only once the piece is chosen."""
    solver, puzzle = make_solver(rotates=True), make_puzzle(bins=20)
    encoded: list[int] = []
    encoder = solver.learner.model.pose_encoder
    encoder.register_forward_hook(lambda module, given, made: encoded.append(len(given[0])))
    whole = run(solver, puzzle, stop=NEVER, rng=np.random.default_rng(0))
    assert encoded == [4, *[1, 8, 8, 4] * 4]  # all as they are; what is left, then the copies of the piece
    encoded.clear()
    # Asked before the 4 pieces are encoded by each encoder, before each piece is chosen, and before each 8 of
    # its copies.
    result = run(solver, puzzle, stop=After(2 + 4 + 2), rng=np.random.default_rng(0))
    assert encoded == [4, 1, 8, 8, 4, 1, 8]
    assert result.trace == whole.trace[:1]
    assert result.certainty == pytest.approx(whole.certainty[:1])


def test_side_by_side_all_stop_at_once() -> None:
    kind = PuzzleKind(pieces=4)
    puzzles = [sample.puzzle for sample in make_samples(kind, seed=0, stop=5)]
    rngs = [np.random.default_rng(0) for _ in puzzles]
    stop = After(2 + 4 + 1)  # the first puzzle, and half of the codes of the second
    results = make_solver().solve_many(puzzles, stop=stop, rngs=rngs)
    assert [len(result.assembly) for result in results] == [4, 0, 0, 0, 0]
    assert len(stop.asked) == 2 + 4 + 1 + 1 + 3


@pytest.mark.parametrize("bins", [1, 4])
def test_it_explains_its_steps(bins: int) -> None:
    """The maps are those that the places and the probabilities of the answer come from."""
    solver, puzzle = make_solver(rotates=bins > 1), make_puzzle(bins=bins)
    result, maps = solve(solver, puzzle), list(solver.explain(puzzle))
    names = {"piece", "pixel"} if bins == 1 else {"piece", "angle", "pixel"}
    for k, (placement, seen) in enumerate(zip(result.assembly, maps, strict=True)):
        assert seen.shape == (32, 32)
        assert np.exp(seen).sum() == pytest.approx(1.0, rel=1e-4)
        assert result.chances[k].keys() == names
        assert np.prod(list(result.chances[k].values())) == pytest.approx(result.certainty[k], rel=1e-4)
        assert np.exp(seen.max()) == pytest.approx(result.chances[k]["pixel"], rel=1e-4)
        placed = placement.pose.apply(puzzle[placement.id].polygon)
        low_x, low_y, high_x, high_y = placed.bounds
        grid = Grid.around(puzzle.target, 32)
        column, row = grid.to_pixels(np.array([[low_x + high_x, low_y + high_y]]) / 2.0)[0]
        peak_row, peak_column = np.unravel_index(seen.argmax(), seen.shape)
        assert abs(column - 0.5 - peak_column) <= PEAK_REACH
        assert abs(row - 0.5 - peak_row) <= PEAK_REACH


def test_what_is_not_drawn_is_not_computed() -> None:
    solver, puzzle = make_solver(), make_puzzle()
    encoded: list[int] = []
    encoder = solver.learner.model.pose_encoder
    encoder.register_forward_hook(lambda module, given, made: encoded.append(len(given[0])))
    assert len(list(islice(solver.explain(puzzle), 2))) == 2
    assert encoded == [4, 1, 1]  # all pieces, and what is left, twice


def test_a_piece_is_encoded_for_its_pose_when_it_is_chosen_if_others_are_not_seen() -> None:
    solver, puzzle = make_solver(pose_sees_others=False), make_puzzle()
    encoded: list[int] = []
    encoder = solver.learner.model.pose_encoder
    encoder.register_forward_hook(lambda module, given, made: encoded.append(len(given[0])))
    assert len(list(islice(solver.explain(puzzle), 2))) == 2
    assert encoded == [1, 1] * 2  # what is left, and the piece


def test_progress_is_reported_step_by_step() -> None:
    heard: list[Progress] = []
    result = make_solver().solve(
        make_puzzle(), stop=NEVER, rng=np.random.default_rng(0), on_progress=heard.append
    )
    assert [progress.assembly for progress in heard] == list(result.trace)


def test_side_by_side_is_one_by_one() -> None:
    kind = PuzzleKind(pieces=4)
    puzzles = [sample.puzzle for sample in make_samples(kind, seed=0, stop=5)]
    solver = make_solver()
    rngs = [np.random.default_rng(0) for _ in puzzles]
    together = solver.solve_many(puzzles, stop=NEVER, rngs=rngs)
    for puzzle, result in zip(puzzles, together, strict=True):
        assert result.assembly == solve(solver, puzzle).assembly


def test_the_order_of_the_pieces_does_not_matter() -> None:
    puzzle, solver = make_puzzle(pieces=8), FanSolver.shipped()
    turned_round = Puzzle(puzzle.target, puzzle.fragments[::-1], puzzle.rotations)
    for one, other in zip(solve(solver, puzzle).assembly, solve(solver, turned_round).assembly, strict=True):
        assert one.id == other.id
        assert (one.pose.x, one.pose.y) == pytest.approx((other.pose.x, other.pose.y), abs=1e-3)


def test_free_rotation_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="cannot turn pieces freely"):
        solve(make_solver(rotates=True), make_puzzle(bins=None))


def test_rotations_that_were_not_learnt_are_refused() -> None:
    with pytest.raises(
        UnsupportedError, match="trained without rotations: choose matcher or search, or train"
    ):
        solve(make_solver(), make_puzzle(bins=4))


def test_weights_for_painted_pieces_need_paint() -> None:
    solver = make_solver(channels=4)
    with pytest.raises(UnsupportedError, match="trained on painted pieces"):
        solve(solver, make_puzzle())
    assert len(solve(solver, make_puzzle(texture="checker")).assembly) == 4


def test_paint_is_ignored_by_weights_for_bare_pieces() -> None:
    bare, painted = make_puzzle(), make_puzzle(texture="checker")
    assert solve(make_solver(), painted).assembly == solve(make_solver(), bare).assembly


def test_a_rotating_network_takes_pieces_that_do_not_turn() -> None:
    result = solve(make_solver(rotates=True), make_puzzle(bins=1))
    assert all(placement.pose.theta % TAU == 0.0 for placement in result.assembly)


def test_it_says_how_large_it_is() -> None:
    solver = make_solver()
    assert solver.parameters == sum(p.numel() for p in solver.learner.model.parameters())


def test_memory_that_does_not_suffice_is_said_clearly(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = make_solver()
    monkeypatch.setattr(solver.learner, "assemble", lambda *arguments: torch.empty(2**62, dtype=torch.uint8))
    with pytest.raises(UnsupportedError, match="memory does not suffice: 4 pieces at 1 angles are too many"):
        solve(solver, make_puzzle())


@pytest.mark.parametrize("during", ["drawing", "steps"])
def test_memory_that_does_not_suffice_to_explain(during: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def steps(*arguments: object) -> Iterator[torch.Tensor]:
        yield torch.zeros(32, 32)
        torch.empty(2**62, dtype=torch.uint8)

    solver, puzzle = make_solver(), make_puzzle()
    if during == "steps":
        monkeypatch.setattr(solver.learner, "explain", steps)
    else:
        monkeypatch.setattr(solver, "draw", lambda puzzles: torch.empty(2**62, dtype=torch.uint8))
    with pytest.raises(UnsupportedError, match="memory does not suffice: 4 pieces at 1 angles are too many"):
        list(solver.explain(puzzle))


@pytest.mark.parametrize(
    "shape",
    [
        "square",
        *(pytest.param(one, marks=pytest.mark.nightly) for one in ("pentagon", "hexagon", "mondrian")),
    ],
)
def test_the_weights_that_ship_have_learnt_to_assemble(shape: str) -> None:
    samples = list(make_samples(PuzzleKind(shape=named_shape(shape), pieces=8), seed=11, stop=4))
    solver = FanSolver.shipped()
    rngs = [np.random.default_rng(0)] * len(samples)
    results = solver.solve_many([sample.puzzle for sample in samples], stop=NEVER, rngs=rngs)
    coverage = [score(r.assembly, sample).coverage for r, sample in zip(results, samples, strict=True)]
    assert np.mean(coverage) > 0.9  # random placement covers half
    assert solver.train_minutes > 0.0


def test_the_weights_that_ship_are_small() -> None:
    weights = Path(str(files("sherd"))) / "weights" / SHIPPED
    assert weights.stat().st_size <= 8 * 2**20


def test_refining_judges_what_is_refined() -> None:
    samples = list(make_samples(PuzzleKind(shape=named_shape("pentagon"), pieces=8), seed=11, stop=6))
    solver = FanSolver.shipped()
    for sample in samples:
        result = run(solver, sample.puzzle, stop=NEVER, rng=np.random.default_rng(0))
        refined = refine_result(sample.puzzle, result, stop=MaxEvaluations(2000))
        coverage = score(refined.assembly, sample).coverage
        assert refined.objective == pytest.approx(coverage, abs=1e-9)
        verdict = judge(sample.puzzle, refined.assembly, refined.tolerance, doubt=refined.doubt)
        assert refined.solved == verdict.is_solved
        assert refined.solved == (not refined.reason)
        assert coverage >= 0.94 or not refined.solved
        assert refined.objective >= result.objective - 0.01
