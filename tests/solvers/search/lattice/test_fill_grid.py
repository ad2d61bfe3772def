"""The search on a grid: what it finds, what it counts, and that it claims no more."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
import shapely
from shapely import MultiPolygon, Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose, Region, Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.threads import using_threads
from sherd.core.tolerance import Tolerance
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.lattice import LatticeParams, lattice
from sherd.generation.scattering import scattered
from sherd.solvers import MaxEvaluations, Result, run
from sherd.solvers.run import run_thoroughly
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.arrangement import arrangement_of
from sherd.solvers.search.attempt import NOTHING, Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.ladder import DRAWN
from sherd.solvers.search.lattice.all_on_grid import find_all_on_grid
from sherd.solvers.search.lattice.cell_beam import CellBeam
from sherd.solvers.search.lattice.fill_grid import fill_drawn_grid, fill_grid
from sherd.solvers.search.lattice.filling import EXHAUSTED, FILLED, PAUSED
from sherd.solvers.search.lattice.grid import on_grid, seems_on_grid
from sherd.solvers.search.lattice.grid_cells import Cells
from sherd.solvers.search.lattice.tiler import CoverTiler, GridTiler

FREE = Rotations(None)
nightly = pytest.mark.nightly


def puzzle_of(name: str, pieces: int, seed: int, *, mirror: bool = True) -> Puzzle:
    return lattice(LatticeParams(name=name, pieces=pieces, mirror=mirror), np.random.default_rng(seed)).puzzle


def solve(puzzle: Puzzle, evaluations: int) -> Result:
    return run(SearchSolver(), puzzle, stop=MaxEvaluations(evaluations), rng=np.random.default_rng(0))


def count_all(puzzle: Puzzle, evaluations: int = 100_000_000) -> tuple[int, bool]:
    result = run_thoroughly(
        SearchSolver(),
        puzzle,
        most=10_000,
        stop=MaxEvaluations(evaluations),
        rng=np.random.default_rng(0),
    )
    return 1 + len(result.alternatives), result.all_found


@pytest.mark.parametrize(("name", "pieces"), [("frame", 20), ("frame", 64), ("equal", 20), ("polyomino", 12)])
@pytest.mark.parametrize("mirror", [False, True])
def test_puzzles_on_a_grid_are_solved_in_few_tries(name: str, pieces: int, mirror: bool) -> None:
    result = solve(puzzle_of(name, pieces, 5, mirror=mirror), 20_000)
    assert result.solved
    assert result.attempts[-1].name == "fill the grid, 1e-8"


@pytest.mark.parametrize(("name", "pieces", "seed"), [("rectilinear", 20, 5), ("polyomino", 60, 5)])
def test_right_angles_are_laid_by_beams_of_cells(name: str, pieces: int, seed: int) -> None:
    result = solve(puzzle_of(name, pieces, seed), 400_000)
    assert result.solved
    assert result.attempts[-1].name == "fill the grid, 1e-8"


@pytest.mark.parametrize("name", ["equal", "rectilinear"])
def test_threads_change_nothing_in_what_beams_find(name: str) -> None:
    case = Case(puzzle_of(name, 30, 3))
    found: list[Found] = []
    for threads in (1, 2):
        with using_threads(threads):
            found.append(fill_grid(case, 1e-8, MaxEvaluations(60_000)))
    assert found[0] == found[1]
    assert len(found[0].poses) > 20


@pytest.mark.parametrize("name", ["equal", "rectilinear"])
def test_beams_that_lean_elsewhere_fill_the_target_as_well(name: str) -> None:
    grid = on_grid(puzzle_of(name, 12, 2), 1e-8 * 100, [True] * 12)
    assert grid is not None
    tiler, ways = GridTiler(grid), set[tuple[int, ...]]()
    for lean in ((0.0, 0.0), (3.0, 0.0), (-3.0, 0.0), (0.0, 3.0), (0.0, -3.0)):
        beam = (
            CellBeam(tiler.cells(), width=64, weights=(0.0, 1.0, 0.0, 0.0), lean=lean)
            if grid.is_rectilinear
            else tiler.beam(64, by_corners=1.0, lean=lean)
        )
        end = beam.go_on()
        while end == PAUSED:
            end = beam.go_on()
        assert end == FILLED
        assert sorted(tiler.poses(beam.placed)) == list(range(12))
        ways.add(tuple(beam.placed[:, 0].tolist()))
    assert len(ways) > 1


def test_all_corners_of_frame_and_pieces_are_gone_when_a_beam_has_filled_the_target() -> None:
    grid = on_grid(puzzle_of("rectilinear", 10, 2), 1e-8 * 100, [True] * 10)
    assert grid is not None
    cells = GridTiler(grid).cells()
    beam = CellBeam(cells, width=64, weights=(0.0, 1.0, 0.0, 0.0))
    end = beam.go_on()
    while end == PAUSED:
        end = beam.go_on()
    assert end == FILLED
    assert len(beam.placed) == 10
    assert beam.score == sum(map(len, grid.target)) + (cells.corners * cells.left).sum()


def test_a_beam_of_cells_ends_where_a_bay_takes_no_piece() -> None:
    """Eleven tees and a bar have the area of this box, but leave a cell between them."""
    tee = Polygon([(0, 0), (3, 0), (3, 1), (2, 1), (2, 2), (1, 2), (1, 1), (0, 1)])
    outlines = [np.asarray(one.exterior.coords)[:-1] for one in (*[tee] * 11, shapely.box(0, 0, 4, 1))]
    puzzle = scattered(shapely.box(0, 0, 24, 2), outlines, np.random.default_rng(0)).puzzle
    grid = on_grid(puzzle, 1e-8 * 24, [False] * 12)
    assert grid is not None
    beam = CellBeam(GridTiler(grid).cells(), width=64, weights=(0.0, 1.0, 0.0, 0.0))
    assert {beam.go_on() for _ in range(3)} >= {EXHAUSTED}


def laid_strips(weights: tuple[float, float, float, float], width: int) -> tuple[CellBeam, Cells]:
    """Three strips side by side in a box that is longer than a word."""
    box = shapely.box(0, 0, 70, 3)
    outlines = [np.asarray(shapely.box(0, 0, w, 3).exterior.coords)[:-1] for w in (10, 25, 35)]
    puzzle = scattered(box, outlines, np.random.default_rng(0)).puzzle
    grid = on_grid(puzzle, 1e-8 * 70, [False] * 3)
    assert grid is not None
    cells = GridTiler(grid).cells()
    beam = CellBeam(cells, width=width, weights=weights)
    end = beam.go_on()
    while end == PAUSED:
        end = beam.go_on()
    assert end == FILLED
    return beam, cells


@pytest.mark.parametrize(("by_length", "lengths"), [(1.0, [35, 25, 10]), (-1.0, [10, 25, 35])])
def test_a_beam_that_ranks_by_length_lays_the_longest_first(by_length: float, lengths: list[int]) -> None:
    beam, cells = laid_strips((0.0, 1.0, by_length, 0.0), 1)
    assert cells.extent[beam.placed[:, 0]].max(axis=1).tolist() == lengths


def test_bays_are_found_across_words_of_bits() -> None:
    beam, _ = laid_strips((0.0, 1.0, 0.0, 0.0), 8)
    covered = sorted(x for _, x, _ in beam.placed.tolist())
    assert covered[0] == 0
    assert len(set(covered)) == 3


def test_the_grid_is_found_however_large_its_squares_are() -> None:
    puzzle = puzzle_of("frame", 12, 1)
    for unit in (1.0, 0.37, 25.4):
        scaled = Puzzle(
            shapely.affinity.scale(puzzle.target, unit, unit, origin=(0, 0)),
            tuple(
                Fragment(one.id, shapely.affinity.scale(one.polygon, unit, unit, origin=(0, 0)))
                for one in puzzle.fragments
            ),
            FREE,
            mirror=True,
        )
        grid = on_grid(scaled, 1e-8 * 100 * unit, [True] * 12)
        assert grid is not None
        assert grid.unit == pytest.approx(unit)
        assert (grid.width, grid.height) == puzzle.target.bounds[2:]


def test_pieces_cut_anywhere_lie_on_no_grid() -> None:
    for sample in make_samples(PuzzleKind(pieces=16, rotations=FREE), seed=1, stop=3):
        assert not seems_on_grid(sample.puzzle, 1e-8)


def test_rotations_that_are_not_allowed_are_not_used() -> None:
    sample = lattice(LatticeParams(name="frame", pieces=12, rotations=Rotations(4)), np.random.default_rng(3))
    result = solve(sample.puzzle, 20_000)
    assert result.solved
    assert all(Rotations(4).allows(placement.pose.theta, 1e-9) for placement in result.assembly)
    assert not any(placement.pose.mirrored for placement in result.assembly)


def test_a_box_that_cannot_be_filled_is_proven_so() -> None:
    """Twelve pieces of right area: a box of 5 x 12 coloured like a chessboard has no room for this T."""
    tee = Polygon([(0, 0), (3, 0), (3, 1), (2, 1), (2, 2), (1, 2), (1, 1), (0, 1)])
    tees = [Pose(k * 4.0, 0.0).apply(tee) for k in range(11)]
    bar = shapely.box(0, 5, 4, 6)
    outlines = [np.asarray(one.exterior.coords)[:-1] for one in (*tees, bar)]
    puzzle = scattered(shapely.box(0, 0, 8, 6), outlines, np.random.default_rng(0)).puzzle
    found = find_all_on_grid(Case(puzzle), 1e-8, most=1, stop=MaxEvaluations(10_000_000))
    assert found is not None
    assert found.assemblies == ()
    assert found.all_found


@cache
def domino_tilings(width: int, height: int) -> frozenset[frozenset[frozenset[tuple[int, int]]]]:
    """All tilings of a box with dominoes, by plain recursion."""

    def tile(left: frozenset[tuple[int, int]]) -> list[frozenset[frozenset[tuple[int, int]]]]:
        if not left:
            return [frozenset()]
        x, y = min(left)
        found: list[frozenset[frozenset[tuple[int, int]]]] = []
        for other in ((x + 1, y), (x, y + 1)):
            if other in left:
                domino = frozenset({(x, y), other})
                found += [rest | {domino} for rest in tile(left - domino)]
        return found

    return frozenset(tile(frozenset(product(range(width), range(height)))))


@pytest.mark.parametrize("mirror", [False, True])
def test_dominoes_are_counted_up_to_symmetry(mirror: bool) -> None:
    tilings = domino_tilings(6, 4)
    assert len(tilings) == 281
    flips = [(False, False), (True, True)] + ([(True, False), (False, True)] if mirror else [])
    orbits = {
        frozenset(
            frozenset(
                frozenset((5 - x if left else x, 3 - y if up else y) for x, y in domino) for domino in tiling
            )
            for left, up in flips
        )
        for tiling in tilings
    }
    half = shapely.box(-1.0, -0.5, 1.0, 0.5)
    dominoes = tuple(Fragment(f"d{k}", half) for k in range(12))
    assert count_all(Puzzle(shapely.box(0, 0, 6, 4), dominoes, FREE, mirror)) == (len(orbits), True)


@pytest.mark.parametrize(("box", "count"), [("3x20", 2), ("4x15", 368)])
def test_pentominoes_fill_their_boxes_in_so_many_ways(box: str, count: int) -> None:
    assert count_all(puzzle_of(box, 12, 1)) == (count, True)


@nightly
@pytest.mark.parametrize(("box", "count"), [("5x12", 1010), ("6x10", 2339)])
def test_pentominoes_fill_larger_boxes_in_so_many_ways(box: str, count: int) -> None:
    assert count_all(puzzle_of(box, 12, 1)) == (count, True)


def fifths(pieces: Puzzle, target: Region) -> Puzzle:
    """The twelve pentominoes, with another target."""
    return replace(pieces, target=target)


# Up to the turns and reflections of the whole target: two equal boxes side by side have four.
TWO_BOXES = MultiPolygon([shapely.box(0, 0, 5, 6), shapely.box(7.3, 0, 12.3, 6)])
AROUND_THE_MIDDLE = shapely.box(0, 0, 8, 8).difference(shapely.box(3, 3, 5, 5))


@pytest.mark.parametrize(("target", "count"), [(AROUND_THE_MIDDLE, 65), (TWO_BOXES, 16)])
def test_pentominoes_fill_targets_with_holes_and_in_parts_in_so_many_ways(target: Region, count: int) -> None:
    """Around the middle of a chessboard in 65 ways (D. S. Scott, 1958)."""
    assert count_all(fifths(puzzle_of("6x10", 12, 1), target)) == (count, True)


def test_both_searches_on_a_grid_count_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boxes of few cells are covered by bits; without that, the search along the border finds as many."""
    case = Case(puzzle_of("polyomino", 7, 1))
    covered = find_all_on_grid(case, 1e-8, most=1000, stop=MaxEvaluations(1_000_000))
    monkeypatch.setattr(CoverTiler, "of", {}.get)
    searched = find_all_on_grid(case, 1e-8, most=1000, stop=MaxEvaluations(1_000_000))
    assert covered is not None
    assert searched is not None
    assert covered.all_found
    assert searched.all_found
    assert len(covered.assemblies) == len(searched.assemblies) > 1


TEE = Polygon([(0, 0), (3, 0), (3, 1), (2, 1), (2, 2), (1, 2), (1, 1), (0, 1)])
BAR = shapely.box(0, 0, 4, 1)


def right_angles(box: tuple[int, int], *outlines: Polygon) -> Puzzle:
    rings = [np.asarray(one.exterior.coords)[:-1] for one in outlines]
    return scattered(shapely.box(0, 0, *box), rings, np.random.default_rng(0)).puzzle


@pytest.mark.parametrize(
    "puzzle",
    [right_angles((8, 6), *[TEE] * 11, BAR), right_angles((5, 4), *[TEE] * 3, BAR, BAR)],
    ids=["12 pieces", "5 pieces"],
)
def test_that_right_angles_have_no_assembly_is_proven_and_told(puzzle: Puzzle) -> None:
    result = solve(puzzle, 20_000)
    assert not result.solved
    assert result.reason.startswith("no assembly fits, which is proven")
    assert len(result.assembly) > 0
    assert result.evaluations < 20_000
    # Without the time to try all, nothing is claimed.
    assert solve(puzzle, 0).reason.startswith("stopped after")


def test_what_can_be_assembled_is_never_said_to_be_impossible() -> None:
    for seed in range(6):
        for name, pieces in (("polyomino", 8), ("rectilinear", 8), ("polyomino", 12)):
            found = fill_grid(Case(puzzle_of(name, pieces, seed)), 1e-8, MaxEvaluations(2_000_000))
            assert found.none_within == 0.0


def drawn(puzzle: Puzzle, off: float, seed: int) -> Puzzle:
    """The puzzle with corners of the target moved by up to this share of its size."""
    rng, far = np.random.default_rng(seed), off * max(puzzle.target.bounds)

    def move(points: Floats) -> Floats:
        corners, which = np.unique(points, axis=0, return_inverse=True)  # the first is the last as well
        return points + rng.uniform(-far / 2, far / 2, corners.shape)[which.ravel()]

    return replace(puzzle, target=shapely.transform(puzzle.target, move))


@pytest.mark.parametrize("off", [3e-4, 2e-3])
@pytest.mark.parametrize("name", ["6x10", "hole", "parts", "polyomino", "equal"])
def test_pieces_on_a_grid_fill_a_target_that_is_drawn_by_hand(name: str, off: float) -> None:
    pieces = puzzle_of("6x10", 12, 1)
    exact = {
        "hole": lambda: fifths(pieces, AROUND_THE_MIDDLE),
        "parts": lambda: fifths(pieces, TWO_BOXES),
        "6x10": lambda: pieces,
        "polyomino": lambda: puzzle_of("polyomino", 7, 3),
        "equal": lambda: puzzle_of("equal", 20, 3),
    }[name]()
    puzzle, found = drawn(exact, off, 1), Found({}, 0)
    assert not puzzle.target.equals_exact(exact.target, off / 8)
    for size in DRAWN:
        found = fill_drawn_grid(Case(puzzle), size, MaxEvaluations(2_000_000))
        if arrangement_of(puzzle, found.poses).fits(puzzle, Tolerance.of_corners(size)):
            break
    assert sorted(found.poses) == list(range(len(puzzle.fragments)))
    # A target that lies on the grid was filled before.
    assert fill_drawn_grid(Case(exact), 2e-3, MaxEvaluations(100)) == NOTHING


def test_at_which_tolerance_a_drawn_target_is_filled_is_told() -> None:
    result = solve(drawn(puzzle_of("6x10", 12, 1), 1e-3, 1), 1_000_000)
    assert result.solved
    assert result.attempts[-1].name.startswith("fill the drawn grid")
    assert 2e-4 <= result.tolerance.seam <= 4e-3


def test_a_stopped_count_does_not_claim_to_have_all() -> None:
    assert not count_all(puzzle_of("6x10", 12, 1), evaluations=200_000)[1]


# The dissection of the square of twelve that Archimedes wrote about, in the usual drawing of it.
STOMACHION = (
    "0,12 2,10 12,12",
    "2,10 4,8 12,12",
    "0,12 0,6 4,8",
    "0,6 6,6 4,8",
    "0,6 6,3 8,4 6,6",
    "0,6 0,0 4,0 6,3",
    "4,0 6,0 6,3",
    "6,3 6,0 12,0",
    "6,3 12,0 8,4",
    "8,4 12,0 12,6",
    "6,6 8,4 12,6",
    "12,9 6,9 4,8 6,6 12,6",
    "6,9 12,9 8,10",
    "8,10 12,9 12,12",
)


@nightly
def test_the_stomachion_has_536_assemblies_on_its_grid() -> None:
    outlines = [np.array([corner.split(",") for corner in one.split()], float) for one in STOMACHION]
    square = shapely.box(0, 0, 12, 12)
    puzzle = scattered(square, outlines, np.random.default_rng(0), mirror=True).puzzle
    found = find_all_on_grid(Case(puzzle), 1e-8, most=10_000, stop=MaxEvaluations(100_000_000))
    assert found is not None
    assert len(found.assemblies) == 536
    assert found.number_on_grid == 536
    assert not found.all_found  # what may lie off the grid was not looked for
