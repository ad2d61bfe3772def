"""What speaks for an assembly of rough pieces, and which pieces may lie elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.bench.cell import Input
from sherd.bench.trial import make_trial
from sherd.core.assembly import Assembly
from sherd.core.geometry import FIXED, Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.symmetry import are_same
from sherd.core.tolerance import WIDEST_SEAMS, Tolerance
from sherd.generation.dataset import PuzzleKind, make_samples, target_shape
from sherd.generation.degradation import jitter
from sherd.generation.shapes import named_shape
from sherd.layout.holding import moved_pieces
from sherd.solvers import MaxEvaluations, make_solver, run
from sherd.solvers.search.arrangement import arrangement_of
from sherd.solvers.search.attempt import Attempt, Evidence, Found
from sherd.solvers.search.beliefs.assemble_rough import assemble_rough
from sherd.solvers.search.beliefs.elsewhere import pieces_elsewhere
from sherd.solvers.search.beliefs.evidence import needs_evidence, settled, weigh, weigh_anew
from sherd.solvers.search.beliefs.glue_roughly import glue_roughly
from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.case import Case
from sherd.solvers.search.climb import climb
from sherd.solvers.search.corner_outline import ring_of
from sherd.solvers.stop import MaxQuestions, Stop

NOISE = 0.012


def _sample(outlines: list[Polygon], rotations: Rotations = FIXED) -> Sample:
    """Pieces that fill the unit square, each with its centroid at its origin."""
    fragments, truth = [], Assembly()
    for number, outline in enumerate(outlines):
        place = Pose(outline.centroid.x, outline.centroid.y)
        fragments.append(Fragment(f"f{number}", place.inverse().apply(outline)))
        truth = truth.place(f"f{number}", place)
    return Sample(Puzzle(shapely.box(0, 0, 1, 1), tuple(fragments), rotations=rotations), truth)


def _noisy(outlines: list[Polygon], seed: int) -> Sample:
    return jitter(_sample(outlines), NOISE, np.random.default_rng(seed))


# Cuts that lean by much more than noise turns them: one arrangement alone is likely.
LEANING = [
    Polygon([(0, 0), (0.7, 0), (0.3, 1), (0, 1)]),
    Polygon([(0.7, 0), (1, 0), (1, 0.35), (0.5, 0.5)]),
    Polygon([(1, 0.35), (1, 1), (0.3, 1), (0.5, 0.5)]),
]
# Strips whose order nothing tells.
STRIPS = [shapely.box(0, 0, 0.35, 1), shapely.box(0.35, 0, 1, 1)]


def test_strips_may_lie_in_either_order() -> None:
    sample = _noisy(STRIPS, 1)
    result = run(
        make_solver("search"), sample.puzzle, stop=MaxEvaluations(3000), rng=np.random.default_rng(0)
    )
    assert result.verdict.state == "partly"
    assert result.verdict.why.startswith("ambiguous")
    assert len(result.assembly) == 2
    assert set(result.elsewhere) == {"f0", "f1"}
    assert result.alternatives
    every = (result.assembly, *result.alternatives)
    assert any(are_same(one, sample.truth, sample.puzzle, 0.05) for one in every)
    assert not any(are_same(one, result.assembly, sample.puzzle, 0.05) for one in result.alternatives)


# A row of strips above one that is as wide as all of them: at 1 % their order is anybody's guess.
ROWS = [shapely.box(0, 0, 1, 0.4), *(shapely.box(k / 3, 0.4, (k + 1) / 3, 1) for k in range(3))]


def _traced(puzzle: Puzzle, size: float = 0.018) -> Found:
    roughness = Roughness(size=size, traced=True)
    return glue_roughly(Case(puzzle), roughness, MaxEvaluations(3000), patience=Patience(joints=1000))


def test_guesses_at_tracing_are_weighed_too() -> None:
    puzzle = jitter(_sample(ROWS), 0.004, np.random.default_rng(2)).puzzle
    found = _traced(puzzle)
    answer = arrangement_of(puzzle, found.poses)
    assert answer.fits(puzzle, Roughness(size=0.018, traced=True).tolerance)
    assert found.evidence is not None
    assert {1, 2, 3} <= found.evidence.elsewhere
    assert found.evidence.rivals
    # So are those of outlines that are known to be traced, for another arrangement may fit them as well.
    told = _traced(replace(puzzle, pixel=1 / 128)).evidence
    assert told is not None
    assert {1, 2, 3} <= told.elsewhere


def test_what_lies_exactly_needs_no_evidence() -> None:
    puzzle = jitter(_sample(ROWS), 1e-4, np.random.default_rng(1)).puzzle
    found = _traced(puzzle)
    assert len(found.poses) == 4
    assert found.evidence is None


def test_looser_tiling_is_weighed_too() -> None:
    """Tiles with the tolerance of the puzzle; a climb asks for evidence where an attempt tells none."""
    sample = jitter(_sample(ROWS), 0.003, np.random.default_rng(1))
    case, numbers = Case(sample.puzzle), {one.id: k for k, one in enumerate(sample.puzzle.fragments)}
    poses = {numbers[one.id]: one.pose for one in sample.truth}
    attempt = Attempt(
        name="tiles",
        space=("tiles", "exact", 4e-3),
        applies=lambda case: True,
        run=lambda case, stop: Found(poses, 10),
        tolerance=Tolerance.of_corners(4e-3),
        needs_evidence=needs_evidence,
    )
    climbed = climb([attempt], case, MaxEvaluations(3000))
    assert climbed.fits
    assert climbed.evidence is not None
    assert {1, 2, 3} <= climbed.evidence.elsewhere
    exact = climb([replace(attempt, needs_evidence=lambda case, answer: False)], case, MaxEvaluations(3000))
    assert exact.evidence is None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_leaning_cuts_leave_no_doubt(seed: int) -> None:
    sample = _noisy(LEANING, seed)
    result = run(
        make_solver("search"), sample.puzzle, stop=MaxEvaluations(3000), rng=np.random.default_rng(0)
    )
    assert result.solved
    assert result.elsewhere == ()
    assert result.alternatives == ()
    assert are_same(result.assembly, sample.truth, sample.puzzle, 0.05)


@pytest.mark.parametrize("guess", [0.006, 0.012, 0.02])
def test_noise_is_told_by_the_assembly_whatever_was_guessed(guess: float) -> None:
    found = [
        glue_roughly(
            Case(_noisy(LEANING, seed).puzzle),
            Roughness(size=guess, traced=False),
            MaxEvaluations(3000),
            patience=Patience(joints=1000),
        ).evidence
        for seed in range(8)
    ]
    noise = [one.noise for one in found if one is not None]
    # Each vertex moved by NOISE, which is that over the root of 2 in one direction.
    assert np.mean(noise) == pytest.approx(NOISE / np.sqrt(2.0), rel=0.25)


def test_no_piece_is_sure_where_no_joint_speaks() -> None:
    case = Case(_noisy(LEANING, 1).puzzle)
    evidence, _ = weigh(case, {0: Pose(), 1: Pose(), 2: Pose()}, [], MaxEvaluations(100))
    assert evidence.elsewhere == {0, 1, 2}
    assert evidence.rivals == ()


class _Asked(MaxQuestions):
    """Counts how often it is asked whether to stop."""

    times = 0

    def __call__(self, evaluations: int) -> bool:
        self.times += 1
        return super().__call__(evaluations)


@pytest.mark.parametrize("outlines", [ROWS, LEANING])
@pytest.mark.parametrize("anew", [False, True])
def test_weighing_that_is_told_to_stop_leaves_no_piece_sure(outlines: list[Polygon], anew: bool) -> None:
    """And it ends by itself: other ways that a chart knows are asked for one by one."""
    case, roughness = Case(_noisy(outlines, 1).puzzle), Roughness(size=0.01, traced=False)
    chart = assemble_rough(case, roughness, Patience(joints=500), MaxEvaluations(500))
    chosen, every = chart.wholes[0].poses, frozenset(range(case.pieces))

    def weighed(stop: Stop) -> Evidence:
        if anew:
            return weigh_anew(case, chosen, stop)[0].evidence
        return weigh(case, chosen, [(roughness, chart)], stop).evidence

    in_full = _Asked(10**6)
    assert weighed(in_full).is_whole
    assert in_full.times > 2
    for questions in range(0, in_full.times - 1, max(1, in_full.times // 40)):
        stop = _Asked(questions)
        assert weighed(stop).elsewhere == every
        assert stop.times < questions + 20


def test_a_hasty_answer_is_weighed_by_a_longer_chart() -> None:
    puzzle = jitter(_sample(ROWS), 0.004, np.random.default_rng(2)).puzzle
    roughness, hasty = Roughness(size=0.005, traced=False), Patience(joints=50)
    alone = assemble_rough(Case(puzzle), roughness, hasty, MaxEvaluations(5000))
    found = glue_roughly(Case(puzzle), roughness, MaxEvaluations(5000), patience=hasty)
    assert arrangement_of(puzzle, found.poses).fits(puzzle, roughness.tolerance)
    assert found.tries >= 2 * alone.joints
    assert found.evidence is not None
    assert {1, 2, 3} <= found.evidence.elsewhere


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_where_area_alone_speaks_all_pieces_are_named(seed: int) -> None:
    (sample,) = make_samples(PuzzleKind(pieces=8, rotations=Rotations(None), noise=0.03), seed=seed, stop=1)
    result = run(make_solver("search"), sample.puzzle, stop=MaxEvaluations(20), rng=np.random.default_rng(0))
    assert not result.solved
    assert len(result.assembly) > 0
    assert set(result.elsewhere) == {one.id for one in result.assembly}
    assert result.alternatives == ()


def test_exact_pieces_of_an_unsolved_answer_are_not_named() -> None:
    (sample,) = make_samples(PuzzleKind(pieces=8, rotations=Rotations(None)), seed=1, stop=1)
    foreign = Fragment("foreign", shapely.box(-0.2, -0.1, 0.2, 0.1))
    puzzle = replace(sample.puzzle, fragments=(*sample.puzzle.fragments, foreign))
    result = run(make_solver("search"), puzzle, stop=MaxEvaluations(40), rng=np.random.default_rng(0))
    assert not result.solved
    assert len(result.assembly) >= 8
    assert not {one.id for one in sample.puzzle.fragments} <= set(result.elsewhere)


def test_a_whole_that_is_turned_in_a_traced_target_is_no_rival() -> None:
    """Traced from pixels, a square has no symmetry to the bit; half a turn of all pieces changes nothing."""
    puzzle = replace(_sample(LEANING, Rotations(None)).puzzle, pixel=1 / 128)
    nearly = Polygon([(0, 0), (1.001, 0.001), (1, 1.002), (0.001, 0.999)])
    case = Case(replace(puzzle, target=nearly))
    truth = _sample(LEANING).truth
    own = {number: placement.pose for number, placement in enumerate(truth)}
    half = Pose(1.0, 1.0, np.pi)
    outlines = [ring_of(outline) for outline in case.outlines]
    turned = {number: half @ pose for number, pose in own.items()}
    assert pieces_elsewhere(case, outlines, own, 0.002, turned) == frozenset()
    assert pieces_elsewhere(case, outlines, own, 0.002, {**own, 1: half @ own[1]}) == {1}


def test_rivals_that_cover_clearly_less_or_lie_alike_do_not_count() -> None:
    sample = _noisy(LEANING, 1)
    case, truth = Case(sample.puzzle), {k: at.pose for k, at in enumerate(sample.truth)}
    answer = arrangement_of(sample.puzzle, truth)
    alike = {**truth, 0: replace(truth[0], x=truth[0].x + 0.01)}
    worse = {**truth, 1: replace(truth[1], x=truth[1].x - 0.3)}
    doubted = Evidence(NOISE, frozenset({0, 1}), (alike, worse))
    assert settled(case, answer, doubted, MaxEvaluations(100)).elsewhere == frozenset()
    # What there is no time for stands, and so does all where some rivals were not looked at.
    assert settled(case, answer, doubted, MaxEvaluations(0)).elsewhere == {1}
    some = replace(doubted, is_whole=False)
    assert settled(case, answer, some, MaxEvaluations(100)) is some


def test_two_pieces_exchanged_that_no_chart_shows_are_named() -> None:
    """A wrong answer of this puzzle was called solved, for no chart had the truth."""
    kind = PuzzleKind(shape=named_shape("pentagon"), pieces=8, rotations=Rotations(None), noise=0.02)
    (sample,) = make_samples(kind, seed=712, start=1, stop=2)
    result = run(
        make_solver("search"), sample.puzzle, stop=MaxEvaluations(20_000), rng=np.random.default_rng(0)
    )
    wrong = moved_pieces(sample.puzzle, result.assembly, [sample.truth], 0.06 * sample.puzzle.size)
    assert wrong <= set(result.elsewhere)
    assert result.solved == (not wrong)


@pytest.mark.parametrize("kind", ["masks", "binary"])
def test_rectangles_from_masks_may_lie_in_another_order(kind: Input) -> None:
    (sample,) = make_samples(PuzzleKind(shape=named_shape("mondrian"), pieces=8), seed=603, stop=1)
    trial = make_trial(sample, kind, seed=603, number=0)
    result = run(make_solver("search"), trial.observation.puzzle, stop=MaxEvaluations(20_000), rng=trial.rng)
    assert not result.solved
    assert result.verdict.why.startswith("ambiguous")
    assert result.alternatives


def test_cuts_that_lean_leave_no_doubt_in_masks() -> None:
    (sample,) = make_samples(PuzzleKind(shape=named_shape("hexagon"), pieces=8), seed=710, stop=1)
    trial = make_trial(sample, "binary", seed=710, number=0)
    result = run(make_solver("search"), trial.observation.puzzle, stop=MaxEvaluations(20_000), rng=trial.rng)
    assert result.solved
    answer = trial.observation.meant(result.assembly)
    assert not moved_pieces(sample.puzzle, answer, [sample.truth], 0.02 * sample.puzzle.size)


def test_the_noise_says_how_deep_and_wide_overlaps_of_an_evident_answer_may_be() -> None:
    """Pieces whose areas happen to add up to 10 % too much cannot but overlap."""
    kind = PuzzleKind(shape=named_shape("pentagon"), pieces=8, rotations=Rotations(None), noise=0.02)
    (sample,) = make_samples(kind, seed=603, stop=1)
    excess = sum(one.polygon.area for one in sample.puzzle.fragments) / sample.puzzle.target.area - 1.0
    assert excess > WIDEST_SEAMS
    result = run(
        make_solver("search"), sample.puzzle, stop=MaxEvaluations(20_000), rng=np.random.default_rng(0)
    )
    assert result.verdict.state == "partly"
    assert result.verdict.why.startswith("ambiguous")
    assert result.tolerance.widest > excess


@pytest.mark.parametrize("most", [10_000, 20_000])
def test_parts_that_were_laid_without_joints_are_weighed_by_the_cuts_that_are_seen(most: int) -> None:
    """Distorted, six of 16 in other places: no chart knew its cuts, so that nothing was held against it.

    The first limit ends in the midst of weighing; with the second the truth is found.
    """
    kind = PuzzleKind(
        shape=named_shape("hexagon"), pieces=16, rotations=Rotations(4), degradation="distorted"
    )
    (sample,) = make_samples(kind, seed=9150, start=4001, stop=4002)
    result = run(
        make_solver("search"), sample.puzzle, stop=MaxEvaluations(most), rng=np.random.default_rng(0)
    )
    is_true = are_same(result.assembly, sample.truth, sample.puzzle, 0.05)
    assert is_true == (most == 20_000)
    assert not result.solved
    assert len(result.elsewhere) >= (1 if is_true else 6)


def test_rough_pieces_that_may_be_turned_over_are_never_sure_by_a_chart() -> None:
    """No chart turns a piece over: four of these nine are, and yet an answer without them fits."""
    frame = target_shape("frame:40x30+convex", "lattice")
    kind = PuzzleKind(
        shape=frame, pieces=9, rotations=Rotations(4), dissection="lattice", mirror=True, noise=0.005
    )
    (sample,) = make_samples(kind, seed=57342, stop=1)
    result = run(
        make_solver("search"), sample.puzzle, stop=MaxEvaluations(3000), rng=np.random.default_rng(0)
    )
    assert any(placement.pose.mirrored for placement in sample.truth)
    assert not any(placement.pose.mirrored for placement in result.assembly)
    assert not result.solved
    assert set(result.elsewhere) == {fragment.id for fragment in sample.puzzle.fragments}
