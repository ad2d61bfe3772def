"""Sentences of README and of the pages on training and weights that are made anew from their sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256

from known_figures import pooled
from known_sources import (
    STEPS,
    TRAINED,
    TRAINING_PUZZLES,
    WEIGHTS,
    benchmark,
    constant,
    listed,
    log_text,
    logged,
    millions,
    parameters,
    pool,
    runs,
    said,
    trained_at,
    training,
    weights,
)

from sherd.bench.cell import Cell
from sherd.bench.pooled import PUBLISHED_PUZZLES
from sherd.core.geometry import Rotations


def readme() -> Iterator[str]:
    fan, matcher, search = (_column(solver) for solver in ("fan", "matcher", "search"))
    told = [
        f"{seed} for {name} (`{commit}`)"
        for name, (seed, commit) in (("FAN", fan), ("the matcher", matcher), ("the search", search))
    ]
    yield f"on the {PUBLISHED_PUZZLES:,} test puzzles of each set, of seed {listed(told)}:"
    seeds = [entry.train_seed for entry in pool(f"fan/paper/{TRAINED}-03-seed8000-train1").entries]
    yield (
        f"is trained anew for each row on as many puzzles as the paper's, {TRAINING_PUZZLES:,}: mean ± "
        f"standard deviation of training seeds {listed(map(str, seeds))}"
    )
    yield (
        f"sherd bench --suite paper --seed {fan[0]} --rows 3:4 --train --steps {STEPS} "
        f"--train-seed {seeds[0]} sherd bench --suite paper --seed {matcher[0]} --rows 3:35 --solver matcher "
        f"sherd bench --suite paper --seed {search[0]} --rows 3:35 --solver search"
    )
    yield f"The test puzzles of seed {search[0]} were looked at more than once"
    yield from ("Python 3.11 or newer", "at least 95 % is covered (cov95)")


def _column(solver: str) -> tuple[int, str]:
    """The seed and the commit of a column of README's table, of which there is one each."""
    rows = [(shape, 8, 1) for shape in ("square", "pentagon", "hexagon", "mondrian")]
    cells = (
        Cell(solver="", shape=shape, pieces=pieces, rotations=Rotations(bins))
        for shape, pieces, bins in (*rows, ("square", 16, 1), ("square", 8, 20))
    )
    ours = [pooled()[cell.with_solver(solver)] for cell in cells]
    [(seed, commit)] = {(seed, one.commit[:7]) for one in ours for seed in one.seeds}
    return seed, commit


def weights_page() -> Iterator[str]:
    seeds = f"{constant('learn/data/sets', 'ENDLESS_SEED_OFFSET'):,.0f}"
    yield f"drawn-at-will training puzzles have seeds from {seeds}."
    fan = training("fan-compact")
    yield (
        f"{_file('fan-compact')} | [compact FAN](fan.md) | {millions(weights('fan-compact'))}, fp16 | "
        f"{fan['puzzles']:,} fresh squares, pentagons, hexagons and Mondrians of "
        f"{fan['settings']['puzzles']['pieces']} "
        f"pieces, seed {seeds} | {fan['train_minutes']:g} minutes of an H200 | `{fan['commit']}` | "
        f"{_hash('fan-compact')} |"
    )
    told = runs("matcher")
    first, *_, last = (run["train_puzzles"] // _shares(run) for run in told)
    fewest, *_, most = sorted({_shares(run) for run in told})
    yield (
        f"{_file('matcher')} | [matcher](matcher.md) | {millions(weights('matcher'))}, fp16 | mixtures of "
        f"{fewest} and "
        f"{most} shares, {first:,} puzzles each, {last:,} in the last run | four runs, "
        f"{told[-1]['train_minutes']:.1f} minutes of an H200 | the last two at `{told[2]['commit']}` and "
        f"`{told[3]['commit']}` | {_hash('matcher')} |"
    )
    for shape, network in (("square", "[V-GAN](baselines.md)"), ("mondrian", "V-GAN")):
        name, run = f"vgan-{shape}", training(f"vgan-{shape}")
        puzzles = "squares" if shape == "square" else "Mondrians"
        yield (
            f"{_file(name)} | {network} | {millions(weights(name), 2)} | {run['train_puzzles']:,} {puzzles} "
            "| "
            f"{run['train_minutes']:g} minutes of a CPU | not kept | {_hash(name)} |"
        )
    size = parameters(f"fan/paper/{TRAINED}-03-seed8000-train1")
    yield f"{millions(size)} parameters each, {4 * size / 1e6:.0f} MB, not kept."
    networks, kept = len(trained_at(TRAINED)), len(_hashes())
    yield (
        f"Of the {networks} networks trained at `{TRAINED}`, from which all of REPORT's rows are, {kept} "
        "have theirs in [the log](../experiments/LOG.md): the Mondrian's second and third seeds, rows 17, 29 "
        "(twice) and 32, rows 38 to 40 (three seeds each) and the authors' hexagon."
    )
    yield f"The other {networks - kept} have none"


def _file(network: str) -> str:
    return f"| `{network}.safetensors`"


def _hash(network: str) -> str:
    return f"`{sha256((WEIGHTS / f'{network}.safetensors').read_bytes()).hexdigest()[:12]}`"


def _shares(run: dict[str, object]) -> int:
    """Of how many kinds of puzzles a run of the matcher was: each has a validation of its own."""
    validation = run["validation"]
    assert isinstance(validation, dict)
    return sum(name[0].isdigit() for name in validation)


def _hashes() -> list[str]:
    """The hashes of networks of FAN's rows in the log's tables."""
    rows = re.findall(r"^\| [^\n]*`[0-9a-f]{12}`[^\n]*$", log_text(), re.MULTILINE)
    return re.findall(r"`([0-9a-f]{12})`", "".join(rows))


def training_page() -> Iterator[str]:
    steps, coverage, cov95, random = logged(
        r"6 on two cores: 203 s, 88 of the processor, (\d+) steps; mean coverage ([\d.]+), cov90 [\d.]+ and "
        r"cov95 ([\d.]+) "
        r"of 100 puzzles, random placement ([\d.]+) and none\."
    )
    yield "and scores it and the random baseline on 100 puzzles."
    yield (
        f"On two busy cores that was {steps} steps: a mean coverage of {coverage} and a cov95 of {cov95}, "
        "where random has "
        f"{random} and none (log)."
    )
    steps, cov95, coverage, random = logged(
        r"The demo's network after (\d+) steps .{0,80}? cov95 ([\d.]+), cov90 [\d.]+, cov ([\d.]+); "
        r".{0,80}random, on the 60, "
        r"0\.000, 0\.000, ([\d.]+)\."
    )
    yield (
        f"After {steps} steps, on quiet ones, it had a cov95 of {cov95} and a mean coverage of {coverage}, "
        "where random "
        f"placement has none and {random} (log)."
    )
    (seconds,) = logged(
        r"SIGTERM and Ctrl-C in training, .{0,60}the state was written ([\d.]+ s) later in both"
    )
    yield f"says how to go on: {seconds} later for the small settings"
    yield from _trained_twice()
    seconds, size = logged(
        r"within a second of being told to, but after ([\d.]+ s), with (\d+ MB) of state to write"
    )
    yield f"The full network's ended {seconds} after SIGTERM, with {size} of state to write (one run"
    size = parameters(f"fan/paper/{TRAINED}-03-seed8000-train1")
    # Weights, the best of them and two moments of each.
    yield f"Saving the full network's writes some {4 * 4 * size / 1e9:.1f} GB."
    speed = benchmark("training/98ead00-128-no-dropout")
    yield (
        f"`98ead00`): {speed['puzzles_a_second']:,.0f} puzzles/s, {speed['ratio']:.0f} times a loop of "
        "single steps"
    )
    one, two, paper = logged(
        r"by torch's `FlopCounterMode`: ([\d.]+) with one encoder, ([\d.]+) with two; the paper's network "
        r"([\d.]+)\."
    )
    yield (
        f"A step needs {paper} GFLOP a puzzle of 8 fragments, with one encoder {one} in the compact network "
        f"and {two} with "
        f"two."
    )
    lines = f"{constant('learn/training/runlog', 'STEPS_A_LINE'):.0f}"
    yield f"written down after {lines} steps)"
    yield f"a line every {lines} steps"


def _trained_twice() -> Iterator[str]:
    """What one command gave twice: the first of rows 20 to 24 is in the log alone."""
    turned = [said(f"fan/paper/{TRAINED}-29-seed8000{which}") for which in ("", "-train8000")]
    first = logged(
        r"Rows 20 to 24 .{,200}? cov95 ([\d.]+), ([\d.]+), ([\d.]+), ([\d.]+), ([\d.]+) of 1,000 each, as "
        r"printed"
    )
    again = [said(f"fan/paper/{TRAINED}-{row}-seed8000") for row in range(20, 25)]
    pairs = [turned, *zip(first, again, strict=True)]
    apart = sorted(abs(float(one) - float(other)) for one, other in pairs)
    yield (
        f"Of six rows that were trained twice by one command (`{TRAINED}`, seed 8000) cov95 lay "
        f"{apart[0]:.3f} to {apart[-1]:.3f} apart:"
    )
    angles, *squares, missing, eroded = (" and ".join(pair) for pair in pairs)
    yield (
        f"squares at 4 angles {angles}, with other hashes; squares missing a piece {squares[0]}, eroded "
        f"{squares[1]}, distorted {squares[2]}; pentagons missing a piece {missing}, eroded {eroded}."
    )
