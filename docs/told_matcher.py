"""Sentences of the matcher's page that are made anew from their sources."""

from __future__ import annotations

from collections.abc import Iterator

from known_figures import records
from known_sources import constant, logged, mebibytes, millions, percent, result, runs, said, weights

from sherd.bench.published import published_for

MISSING = "–"
# Where records of the beam were made, the latest first; others are of another beam.
BEAM = ("b7bb7c6", "c5cd218", "61e1084", "eb04811")
RUNS = (
    "`experiments/matcher.toml` | {}, 6 of them beside another run",
    "the same, other weights of the shares | {}",
    "`experiments/matcher-on.toml`, with the judge and its own states (commit `eac7fbe`) | {}",
    "`experiments/matcher-many.toml`, a quarter of the steps with 32 pieces, of which it had seen few "
    "(commit "
    "`13a025b`) | {}",
)


def matcher() -> Iterator[str]:
    yield (
        f"{millions(weights('matcher'), 2)} parameters in all, {millions(weights('matcher', 'judge'), 2)} "
        "of them the "
        f"judge's, {mebibytes('matcher')} in fp16."
    )
    yield f"less {constant('learn/matcher/look', 'OVERLAP_WEIGHT'):g} for each pixel that overlaps"
    yield f"more than {percent(constant('learn/matcher/look', 'CONFLICT'))} of the smaller one's area"
    yield (
        f"by more than {percent(constant('learn/matcher/again', 'OVERLAPS_MUCH'))} of the target, which it "
        "sees"
    )
    good, sure, near = (constant("learn/matcher/beam", name) for name in ("good", "sure", "near"))
    yield f"by more than {percent(good)} of the target, or where the certainties"
    yield f"multiply to less than {sure:g}."
    yield f"until it overlaps by {percent(near)} of the target more than the best one so far"
    yield from _times_of_the_matcher()
    yield from _rows_of_the_matcher()
    yield from _tried_again()
    yield _with_many_pieces()
    yield from _rows_of_the_beam()
    yield from _runs_of_the_matcher()
    yield from (  # settings, goals, and what nothing but the page has
        "padded to 1.5 times the size",
        "so the goals of 0.85 distorted and 0.60 with 32 pieces are met",
        "200 puzzles each, seed 7000, `eb04811`",
        "some 75 s in the third run",
        "certainty some 0.03 where pieces are damaged",
    )


def _times_of_the_matcher() -> Iterator[str]:
    shared, single = logged(r"compact FAN \| 11\.3 / 3\.5 s; ([\d.]+) / ([\d.]+) s \|")
    (threads,) = logged(r"threads that take whole images or puzzles, FAN \| ([\d.]+) s \|")
    yield f"took {shared} s a puzzle with two threads, {single} s with one, and now {threads} s with two."
    eight, turned, fan = logged(r"`16c92b9` \| 8 pieces (\d+) ms, 20 rotations ([\d,]+), FAN (\d+);")
    (same,) = logged(
        r"\(seed 3; four random networks, a trained one of 48 px; 20 with a beam\) \| (\d+) of 170 \|"
    )
    yield f"gives the same placements ({same} puzzles, four random networks"
    yield "median of 5 squares of seed 3"
    yield f"({eight}, {turned} and {fan} stand in the log, the others here alone)"
    yield f"| 8, 1 | 1.6 | {fan} | {eight} (472) | 500 | 523 |"
    yield "| 8, 4 | 1.7 | | 770 (1,021) | | 4,269 |"
    yield f"| 8, 20 | 1.6 | | {turned} (2,775) | 3,000 | 9,652 |"
    yield "| 16, 1 | 1.9 | 513 | 983 (1,163) | | 6,566 |"
    yield "| 32, 1 | 2.7 | 1,008 | 2,853 (3,553) | | 24,340 |"


# Of the page's tables: what puzzles, the rows of the paper, and the goals of the matcher and of its beam.
ROWS: tuple[tuple[str, tuple[int, ...], float | None, str], ...] = (
    ("4 pieces", (14, 15, 16), None, ""),
    ("8", (3, 6, 9), 0.95, "0.975"),
    ("8, mondrian", (13,), 0.9, "0.95"),
    ("16", (17, 18, 19), 0.8, "0.90"),
    ("8, 4 rotations", (29, 31, 33), 0.92, "0.96"),
    ("8, 20 rotations", (30, 32, 34), 0.9, "0.95"),
    ("8, one missing", (20, 23, 26), 0.85, "0.925"),
    ("8, eroded", (21, 24, 27), 0.9, "0.95"),
    ("8, distorted", (22, 25, 28), 0.85, "0.90"),
)


def _rows_of_the_matcher() -> Iterator[str]:
    yield (
        f"one set for all rows, {result('matcher/paper/24deb80-03-seed9300').count:,} test puzzles each, "
        "greedy"
    )
    for puzzles, rows, goal, _ in ROWS:
        now = [_of_row(f"matcher/paper/{{}}-{row:02}-seed9300", "24deb80", "0acbb0a") for row in rows]
        before = [_of_row(f"matcher/paper/{{}}-{row:02}", "eb04811") for row in rows]
        bold = [f"**{each}**" if goal and each != MISSING and float(each) < goal else each for each in now]
        others = dict.fromkeys(_published(f"matcher/paper/eb04811-{row:02}") for row in rows)
        wanted = "" if goal is None else f" {goal:.2f}"
        yield f"| {puzzles} | {' / '.join(others)} |{wanted} | {' / '.join(bold)} | {' / '.join(before)} |"


def _of_row(source: str, *commits: str) -> str:
    """cov95 at the first of the commits that has a record."""
    found = (source.format(commit) for commit in commits)
    return next((said(one) for one in found if f"{one}.json" in records()), MISSING)


def _published(source: str) -> str:
    row = published_for(result(source).cell.with_solver("fan"))
    assert row is not None
    return f"{row.cov95:.3f}"


def _tried_again() -> Iterator[str]:
    tried = [f"matcher/paper/6856d6e-{row}-seed9310" for row in (22, 25, 28)]
    yield (
        f"`sherd bench --suite paper --seed 9310 --solver matcher --rows R:R+1`, {result(tried[0]).count:,} "
        "puzzles each"
    )
    for figure, words in (
        ("cov95", "cov95 | 0.85"),
        ("posed_right", "posed right |"),
        ("solved", "solved |"),
    ):
        yield f"| {words} | {' | '.join(said(source, figure) for source in tried)} |"
    many, fewer = "matcher/custom/6856d6e-seed9311", "matcher/custom/3fc8ceb-seed9201-square-32"
    yield (
        f"squares have {said(many)}, goal 0.60; before it tried again {said(fewer)} of {result(fewer).count} "
        f"(`3fc8ceb`, seed 9201)."
    )
    before = "matcher/paper/24deb80-22-seed9300"
    right = "posed_right"
    yield (
        f"Distorted squares had, before it tried, a cov95 of {said(before)} with {said(before, right)} of "
        "the pieces in "
        f"their place (`24deb80`, seed 9300), and have {said(tried[0])} with {said(tried[0], right)}; "
        "squares of 32 had "
        f"{said(fewer)} with {said(fewer, right)}, and have {said(many)} with {said(many, right)}, "
        f"{said(many, 'solved')} called solved."
    )
    now, then = (
        [result(source).figures.seconds_median for source in sources]
        for sources in (tried, [f"matcher/paper/24deb80-{row}-seed9300" for row in (22, 25, 28)])
    )
    yield (
        f"a distorted puzzle took {min(now):.2f} to {max(now):.2f} s by the median, {min(then):.2f} to "
        f"{max(then):.2f} "
        f"without tries"
    )
    none, four = logged(
        r"distorted squares of 8, 60 of seed 742 \| none \| [\d.]+ \| [\d.]+ \| ([\d.]+) \|.{0,250}?\| \| 4 "
        r"\| [\d.]+ \| [\d.]+ \| ([\d.]+) "
    )
    assert round(3 * (float(four) / float(none) - 1.0)) == 2
    yield "on one processor two thirds longer (log)"
    yield "two thirds more on a processor for distorted squares (log)"


def _with_many_pieces() -> str:
    """Of the weights before these, squares and hexagons in turn."""
    sources = [f"matcher/custom/eb04811-{shape}-32" for shape in ("square", "hexagon")]
    cov95, cov = (", ".join(said(source, figure) for source in sources) for figure in ("cov95", "cov"))
    options = "`--pieces 32`, `--shape hexagon --pieces 32`"
    return f"| square, hexagon, 32 pieces | {options} | {cov95} | {cov} |"


def _rows_of_the_beam() -> Iterator[str]:
    for puzzles, rows, _, goal in ROWS[1:]:
        shown = [_of_row(f"matcher-beam/paper/{{}}-{row:02}", *BEAM) for row in rows]
        bold = [f"**{each}**" if each != MISSING and float(each) < float(goal) else each for each in shown]
        label = "8 pieces" if puzzles == "8" else puzzles
        yield f"| {label} | {' / '.join(bold)} | {goal} |"


def _runs_of_the_matcher() -> Iterator[str]:
    told = runs("matcher")
    yield f"{told[-1]['train_minutes']:.1f} minutes of steps and validation in four runs on one H200"
    ends = [0.0, *(run["train_minutes"] for run in told)]
    *_, last = (f"{run['validation']['cov95']:.3f}" for run in told[:3])
    (validated,) = logged(r"6,491 steps of 97 ms: validation ([\d., ]+)\. ")
    assert validated.endswith(last)
    for number, (run, words) in enumerate(zip(told, RUNS, strict=True)):
        minutes = run["train_minutes"] - ends[number]
        cov95 = validated if number == 2 else f"{run['validation']['cov95']:.3f}"
        row = f"{words.format(f'{minutes:.1f}')} | {run['steps']:,} | {run['puzzles']:,} | {cov95}"
        yield f"| {row}{'' if number == 3 else ' (log)'} |"
    (without,) = logged(
        r"sherd train matcher --config experiments/matcher-on\.toml --minutes ([\d.]+) --start"
    )
    yield f"Another third run, {without} minutes with the judge but without its own states"
