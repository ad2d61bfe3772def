"""Sentences of FAN's page that are made anew from their sources."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, median, variance
from typing import Any

from known_figures import pooled, records
from known_sources import (
    STEPS,
    TRAINED,
    TRAINING_PUZZLES,
    constant,
    four,
    listed,
    logged,
    mebibytes,
    millions,
    parameters,
    percent,
    pool,
    published,
    result,
    said,
    trained_at,
    training,
    weights,
)
from scipy.stats import ttest_ind

from sherd.bench.pooled import PUBLISHED_PUZZLES, Pooled
from sherd.bench.published import published_rows

PAPER = f"fan/paper/{TRAINED}"
COMPACT = "fan/custom/7bdba00-compact"
SHAPES = ("square", "pentagon", "hexagon")


def fan() -> Iterator[str]:
    yield from _size_of_fan()
    yield from _settings()
    yield from _rows_of_fan()
    yield from _compact()
    yield from _damage()
    yield from _departures()
    yield from _closer_look()
    yield from _truth_in_pixels()
    yield _paint()
    yield _painted_before()
    second, first = logged(
        r"\| 2,048 pieces, `--time-limit 20` \(square, seed 3, `d86aa46`\) \| ([\d.]+ s, \d+ placed) \| "
        r"([\d.]+ s, \d+ placed)"
    )
    yield f"2,048 pieces with `--time-limit 20` ended after {first}, and after {second} (`d86aa46`, log)"
    yield from (  # settings, what others say, and what was not measured
        "dense layers of 65,536 x 256 and 256 x 32,768",
        "the 32 steps of a batch are all those of 4 puzzles",
        "with `--checkpoints runs/paper` (2 minutes), then",
        "--degradation distorted` (2 minutes each)",
        "by `--rows 9:10` (4.5 minutes each)",
        "one key is changed (4.5 minutes each)",
        "--train --steps 3000` (2 minutes)",
        "stretched to the unit box, area 0.75",
        "an outline of 1.8 pixels",
        "64, 16 and 20 % | 80 and 20 %",
        "| 1,000 for position and 10 for rotation | not said | 1 and 1 (",
        "1e-3, rising over 3 % and falling along a cosine (`warm_up`, `schedule`); FRAM at 0.3 of it",
    )


def _size_of_fan() -> Iterator[str]:
    square = f"{PAPER}-03-seed8000-train1"
    branch = parameters(f"{PAPER}-29-seed8000") - parameters(square)
    one = parameters("fan/paper/98ead00-03-shared-encoder")
    yield f"That makes {millions(parameters(square))} parameters, or {millions(one)} with one encoder"
    yield f"the rotation branch adds {millions(branch)}."
    yield f"{millions(weights('fan-compact'))} parameters, {mebibytes('fan-compact')} in fp16."


def _settings() -> Iterator[str]:
    heads, hidden = (constant("learn/fan/network", name) for name in ("heads", "hidden"))
    yield f"FRAM with 2 encoder and 2 decoder layers of {heads:.0f} heads and {hidden:,.0f} hidden units,"
    clip, validations = (constant("learn/training/train", name) for name in ("clip", "validations"))
    yield f"gradients to a norm of {clip:g} (`clip`)"
    yield f"the best of {validations:.0f} validations, by mean coverage in pixels"
    seed = records()[f"{PAPER}-03-seed8000-train1.json"].seed
    yield f"sherd bench --suite paper --seed {seed} --rows 3:4 --train --steps {STEPS} --train-seed 1"


def _rows_of_fan() -> Iterator[str]:
    rows = {row.cell: row for row in published_rows() if row.cell.solver == "fan" and row.cell in pooled()}
    margins = [pooled()[cell].margin(row.figures.cov95) for cell, row in rows.items()]
    nearest = f"all {len(margins)} distinct rows of FAN do, the nearest by {min(margins):.1f}"
    commits = sorted({pooled()[cell].commit[:7] for cell in rows})
    yield f"{nearest}. All are of `{'`, `'.join(commits)}`"
    usual = [each.result.training for each in trained_at(TRAINED)]
    minutes = median(each.train_minutes for each in usual if each and each.train_steps == STEPS)
    size = millions(parameters(f"{PAPER}-03-seed8000-train1"))
    yield (
        f"a network of {size} parameters a row, trained on as many puzzles as the paper's, "
        f"{TRAINING_PUZZLES:,}, for {STEPS:,} steps (about {60.0 * minutes:.0f} s of one H200) and measured "
        f"on as many test puzzles, {PUBLISHED_PUZZLES:,}."
    )
    four_, eight, turned, sixteen, twenty = (
        _seen(row) for row in ("14", "03-seed8000-train1", "29", "17", "30")
    )
    images = constant("bench/train", "IMAGES_A_STEP")
    yield (
        f"A step has about {images:,.0f} images whatever the puzzles, so {STEPS:,} steps show each of the "
        f"{TRAINING_PUZZLES:,} puzzles {four_} times with 4 pieces, {eight} with 8, {turned} with 8 at 4 "
        "angles, "
        f"{sixteen} with 16 and {twenty} with 8 at 20 angles."
    )


def _seen(row: str) -> str:
    """How often a row's network saw each of its puzzles."""
    training = result(f"{PAPER}-{row if 'seed' in row else f'{row}-seed8000'}").training
    assert training is not None and training.train_steps and training.batch_puzzles
    assert (training.train_steps, training.train_puzzles) == (STEPS, TRAINING_PUZZLES)
    return f"{training.train_steps * training.batch_puzzles / training.train_puzzles:.0f}"


def _compact() -> Iterator[str]:
    trained = training("fan-compact")
    count = result("fan/table1/3e4e5cf-compact", "square").count
    yield f"On {count:,} test puzzles of each shape of a seed that it was not chosen by"
    yield (
        f"it saw {trained['puzzles']:,} fresh puzzles instead of {TRAINING_PUZZLES:,}, in "
        f"{trained['train_minutes']:g} minutes. One training: its spread is not known. "
        f"{result(f'{COMPACT}-none').count} more squares (seed 8801, `7bdba00`) gave the compact network a "
        "cov95 of "
        f"{said(f'{COMPACT}-none')}."
    )
    yield (
        f"the compact FAN {said(f'{COMPACT}-none')}, on whole pixels {said(f'{COMPACT}-whole-pixels')} "
        "(`7bdba00`, "
        f"{result(f'{COMPACT}-whole-pixels').count} squares, seed 8801)"
    )


def _damage() -> Iterator[str]:
    """The rows of squares: the paper's, a network trained on their like, and one that saw no damage."""
    yield (
        f"| squares | published | trained on it (`{TRAINED}`) | compact (`7bdba00`) | at half, twice the "
        "damage |"
    )
    for row, damage in (("20", "missing"), ("21", "eroded"), ("22", "distorted")):
        ours, compact = pool(f"{PAPER}-{row}-seed8000"), f"{COMPACT}-{damage}"
        strengths = "–" if damage == "missing" else f"{said(f'{compact}-half')}, {said(f'{compact}-twice')}"
        yield (
            f"| {damage} | {published(ours):.3f} | {ours.shown('cov95')} | {said(compact)} | {strengths} |"
        )
    yield (
        f"The compact one's are {result(f'{COMPACT}-missing').count} puzzles each of seed 8801, of which it "
        f"covers {said(f'{COMPACT}-none')} when whole."
    )


def _departures() -> Iterator[str]:
    square, hexagon = (pool(f"{PAPER}-{row}-seed8000-train1") for row in ("03", "09"))
    theirs = f"fan/custom/{TRAINED}-seed8000-train1-released"
    aim = f"{published(hexagon):.3f}"
    yield (
        f"the hexagon comes to {four(theirs)} (`{TRAINED}`, seed 8000, one training), by ours to "
        f"{_spread(hexagon)}:"
    )
    yield f"It is above the published {aim}; how far such trainings lie apart,"
    puzzles, squares = logged(
        r"`released` in (1,000) of pentagons and of the authors' hexagons, 960 of our hexagons and (\d+) of "
        r"squares"
    )
    yield f"(it stays in {squares} of {puzzles} squares; log)"
    yield (
        f"The square by released-random, their other order, comes to a cov95 of "
        f"{said(f'fan/custom/{TRAINED}-seed8000-released-random')} (`{TRAINED}`, seed 8000; one training, "
        "no mirrors). "
        f"The square in our random order has {_spread(pool(f'{PAPER}-38-seed8000-train1'))} (`{TRAINED}`)."
    )
    seeds = [four(entry.source.removesuffix(".json")) for entry in square.entries]
    own = f"{PAPER}-03-seed8000-strict"
    yield (
        f"the square of seed 8000 comes to {four(own)} (`{TRAINED}`, STRICT but for the order, which was "
        "ours; "
        f"{result(own).count:,} puzzles), where our recipe, with as many puzzles seen, has {listed(seeds)} "
        "from three "
        f"training seeds."
    )
    yield (
        f"the hexagon comes to {four(f'{PAPER}-09-seed8000-strict')} (`{TRAINED}`, one training), where "
        f"{aim} is published and ours has {_spread(hexagon)}."
    )
    validations = logged(
        r"\| square, strict, 24,000 steps of 4 puzzles \| \d+ \| ([\d.]+), ([\d.]+), ([\d.]+), ([\d.]+) \|"
    )
    yield f"a quarter of the steps apart, had a cov95 of {listed(validations)} (log)."
    yield (
        f"theirs, and no mirrors, {said(theirs)}, one training (`{TRAINED}`); our hexagon "
        f"{_spread(hexagon)} |"
    )
    shared, ours, paper = (f"fan/paper/98ead00-03{what}" for what in ("-shared-encoder", "", "-paper-losses"))
    yield f"| shared {said(shared)}, own {said(ours)}, one run each (`98ead00`; log) |"
    yield f"| {said(paper)} with the paper's, {said(ours)} with ours, one run each (`98ead00`)"
    of, lost = logged(
        r"at 8 fragments this concerns (\d+ %) of the square's puzzles, which lose ([\d.]+ %) of their"
    )
    yield f"about the centroid {of} of the puzzles lose area, {lost} on average (log)"
    losses = [float(loss) for loss in logged(_SETTLED)]
    fell = [before - after for before, after in zip(losses[::2], losses[1::2], strict=True)]
    yield f"the validation loss fell by {min(fell):.2f} to {max(fell):.2f} (log)"
    yield (
        "| 32 | 32 steps | all steps of as many puzzles as make some "
        f"{round(constant('bench/train', 'IMAGES_A_STEP'), -3):,.0f} images, mostly 32"
    )


_SETTLED = r"64 others\) \| ([\d.]+) and ([\d.]+), ([\d.]+) and ([\d.]+), ([\d.]+) and ([\d.]+) \|"


def _spread(ours: Pooled) -> str:
    return f"{ours.mean('cov95'):.3f} ± {ours.deviation('cov95'):.3f}"


def _closer_look() -> Iterator[str]:
    laid, angles, places, ways = (
        f"{constant('learn/fan/look', name):.0f}" for name in ("fragments", "turns", "places", "ways")
    )
    yield (
        f"of the {laid} likeliest pieces, at the {angles} likeliest angles, it lays each in the {places} "
        "likeliest places,"
    )
    yield f"follows the {ways} best assemblies side by side"
    rows = (
        ("square, 16 pieces", 0.2, "17-seed8000", "ecac010", ", one assembly instead of four"),
        ("square, 8 pieces, 4 angles", 0.3, "29-seed8000-train8000", "3fc8ceb", ""),
        ("pentagon, 8 pieces, 20 angles", 0.15, "32-seed8000", "13a025b", ""),
    )
    looks = [f"fan-look/paper/{commit}-{row[:2]}-seed8000" for _, _, row, commit, _ in rows]
    fewest, *_, most = sorted(result(look).count for look in looks)
    yield f"(seed 8000; the first {fewest} or {most} of the same test puzzles):"
    yield f"| puzzles | goal | FAN, cov95 of {result(f'{PAPER}-17-seed8000').count:,} | with a closer look |"
    for (puzzles, goal, row, commit, how), look in zip(rows, looks, strict=True):
        yield (
            f"| {puzzles} | {goal:.2f} | {said(f'{PAPER}-{row}')} | {said(look)} of "
            f"{result(look).count}{how} (`{commit}`) |"
        )
    of, alone_, *several = logged(
        r"on (\d+) validation puzzles, unrefined: FAN ([\d.]+); 1, 2, 4 and 8 ways ([\d.]+), ([\d.]+), "
        r"([\d.]+), ([\d.]+);"
    )
    yield (
        f"on {of} validation puzzles of the last row FAN itself covers 95 % of {alone_}, and 1, 2, 4 and 8 "
        "ways of "
        f"{listed(several)}, before"
    )
    table = "fan-look/table{}/3fc8ceb-seed9202-compact"
    shares = [*(said(table.format(1), shape=shape) for shape in SHAPES), said(table.format(2))]
    yield (
        f"with a closer look to {listed(shares)} on squares, pentagons, hexagons and Mondrians (`3fc8ceb`, "
        "seed 9202, "
        f"{result(table.format(2)).count} puzzles each)"
    )


def _truth_in_pixels() -> Iterator[str]:
    """The truth's IoU by the authors' scorer, the mean of three shapes, by damage."""
    row = r" \| (\.\d+)" * 4
    found = [*map(float, logged(rf"\| square{row} \| \| pentagon{row} \| \| hexagon{row} \|"))]
    whole, missing, eroded, distorted = (f"{fmean(found[k::4]):.2f}" for k in range(4))
    yield f"of the truth about {whole} where pieces are whole"
    yield (
        f"The truth itself has an IoU of about {whole} in pixels, with a piece missing {missing}, eroded "
        f"{eroded} and distorted {distorted} (log)."
    )


def _paint() -> str:
    """How far paint is below bare pieces, and how often chance does as much (Welch's t test)."""
    bare = pool(f"{PAPER}-03-seed8000-train1")
    sources = [f"fan/custom/{TRAINED}-seed8000-train{seed}-photographs" for seed in (1, 2, 3)]
    runs_of = [
        [result(source).figures.cov95 for source in sources],
        [entry.result.figures.cov95 for entry in bare.entries],
    ]
    below = fmean(runs_of[1]) - fmean(runs_of[0])
    error = math.sqrt(sum(variance(run) / len(run) for run in runs_of))
    count = result(sources[0]).count
    likely: Any = ttest_ind(*runs_of, equal_var=False)
    chance = percent(likely.pvalue)
    *taught, coffee, sky = map(
        int,
        logged(
            r"immunohistochemistry (\d+), chelsea (\d+), astronaut (\d+), rocket (\d+); to test on coffee "
            r"(\d+), hubble_deep_field (\d+),"
        ),
    )
    painted, whole = (listed(f"{cov95:.3f}" for cov95 in run) for run in runs_of)
    return (
        "**No help of paint could be shown**: on photographs that were kept from training the square comes "
        f"from three training seeds to a cov95 of {painted}, and bare to {whole} (`{TRAINED}`, seed 8000, "
        f"the same {count:,} puzzles): lower on average by {below / error:.1f} standard errors of the "
        f"trainings, and chance goes as far in {chance} of cases (t test). That is the spread of trainings, "
        f"not of photographs: the cut-outs (`experiments/photographs.py`) are {sum(taught)} from four "
        f"photographs to train on and {coffee + sky} from two to test on, of which {sky} are mostly "
        "black sky."
    )


def _painted_before() -> str:
    bare, marble, photographs = (
        said(source)
        for source in ("fan/paper/98ead00-03", "fan/custom/98ead00-marble", "fan/custom/98ead00-photographs")
    )
    (seen,) = logged(r"= (\d+ %) are seen; they are split by photograph now")
    return (
        f"Earlier, one training each, {bare} bare, {marble} with marble and {photographs} with cut-outs of "
        "photographs of "
        f"which {seen} had been seen in training (`98ead00`)."
    )
