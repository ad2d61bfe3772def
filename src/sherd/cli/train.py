"""``sherd train``: train a network and keep it in a run folder."""

from __future__ import annotations

import os
import shlex
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sherd.cli import options
from sherd.cli.console import BAD_INPUT, INTERRUPTED, Terminals, say, say_error
from sherd.cli.while_training import display, in_words, interruptions
from sherd.core.errors import ArgumentError, LostDeviceError, SherdError

if TYPE_CHECKING:
    from sherd.learn.training.train import Outcome

CURVE = "curve.svg"
NO_ACCELERATOR = "no accelerator here: a small network, unless --config names another"
ADVICE = "lower batch_puzzles in [training], or train a smaller network or on fewer pieces or rotations"


class Network(StrEnum):
    """What can be trained."""

    FAN = "fan"
    MATCHER = "matcher"


def train(
    network: Annotated[Network, typer.Argument(help="Which network.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The run's folder, new unless it is resumed.")],
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml",
            help="Settings.",
            show_default="8 pieces of the square, small without an accelerator",
        ),
    ] = None,
    minutes: Annotated[float | None, typer.Option(help="How long to train.")] = None,
    steps: Annotated[int | None, typer.Option(help="How long to train, counted in steps.")] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR", help="Begin with the weights of this earlier run, not with fresh ones."
        ),
    ] = None,
    device: options.DeviceOption = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the folder's run was left.")] = False,
) -> None:
    """Train a network on puzzles that sherd makes.

    The folder receives the settings, metrics (also for TensorBoard), the state to resume from and the
    weights that validated best, and a picture of how it learned. Ctrl-C leaves the step at hand, saves the
    state and says how to go on; before a first step is taken it ends at once. Several accelerators or
    machines train together under torchrun.

    \b
    Examples:
      sherd train fan --minutes 4 --out runs/square
      sherd train fan --config experiments/fan-compact.toml --minutes 20 --out runs/compact
      sherd train matcher --config experiments/matcher.toml --minutes 20 --out runs/matcher
      torchrun --nproc-per-node 2 -m sherd train fan --minutes 4 --out runs/two
    """
    if minutes is not None and steps is not None:
        raise ArgumentError("--minutes and --steps: choose one")
    if resume and start is not None:
        raise ArgumentError("--start and --resume: choose one")
    if config is None and minutes is None and steps is None and not resume:
        raise ArgumentError("say how long to train: --minutes or --steps")

    # Threads that wait for each other should not keep the cores from others meanwhile; read by torch.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from sherd.bench.provenance import commit, machine, versions
    from sherd.learn.training.device import choose_device, clear_memory_errors
    from sherd.learn.training.experiment import Experiment
    from sherd.learn.training.processes import joined, rank_in_group
    from sherd.learn.training.runlog import saved_settings
    from sherd.learn.training.settings import lasting, read_settings
    from sherd.learn.training.threads import limit_threads

    try:
        begun = saved_settings(out) if resume else None
        if begun is not None and begun.name != network.value:
            raise ArgumentError(f"{out}: holds a run of {begun.name}, not of {network.value}")
        if begun is not None and config is None:
            settings = lasting(begun, minutes=minutes, steps=steps)
        else:
            small = config is None and choose_device(device).type == "cpu"
            settings = read_settings(config, network=network.value, minutes=minutes, steps=steps, small=small)
            if small and rank_in_group() == 0:
                say_error(NO_ACCELERATOR)
        limit_threads(settings.size_px)
        about: dict[str, Any] = {
            "machine": machine(),
            "versions": versions(),
            "commit": commit(),
            "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        experiment = Experiment(
            settings=settings,
            folder=out,
            resume=resume,
            start=start,
            command=shlex.join(["sherd", "train", *_words(network, config, minutes, steps, start)]),
            about=about,
        )
        terminals = Terminals()
        with (
            interruptions(terminals, speaks=rank_in_group() == 0) as interrupted,
            clear_memory_errors(ADVICE),
            joined(device) as process,
            display(process.is_first, terminals) as show,
        ):
            outcome = experiment.run(process, on_report=show, on_work=show, interrupted=interrupted)
    except (SherdError, ValueError, OSError) as error:
        if isinstance(error, LostDeviceError) and rank_in_group() == 0:
            raise LostDeviceError(f"{error}; {_kept(network, out)}") from None
        if rank_in_group() == 0:
            raise
        raise typer.Exit(BAD_INPUT) from None  # the first process says it for all
    if process.is_first:
        draw_curve(out)
        _say_outcome(outcome, network, out)
    if not outcome.finished:
        raise typer.Exit(INTERRUPTED)


def _words(
    network: Network, config: Path | None, minutes: float | None, steps: int | None, start: Path | None
) -> list[str]:
    """The command line, but for the machine's device and folders."""
    options = {"--config": config, "--minutes": minutes, "--steps": steps, "--start": start}
    given = [[name, f"{value}"] for name, value in options.items() if value is not None]
    return [network.value, *(word for pair in given for word in pair)]


def draw_curve(folder: Path) -> None:
    """Write the learning curve of the run in a folder beside its metrics, if it has any yet."""
    from sherd import draw
    from sherd.draw.learning_curve import draw_learning
    from sherd.learn.training.runlog import read_metrics

    picture = draw_learning(read_metrics(folder))
    if picture is not None:
        draw.write(picture, folder / CURVE)


def _say_outcome(outcome: Outcome, network: Network, out: Path) -> None:
    done = f"{outcome.steps:,} steps, {outcome.puzzles:,} puzzles, {outcome.minutes:.1f} minutes"
    if outcome.finished:
        say(f"{out}: {done}; best validation {in_words(outcome.best)}; {out / CURVE} shows how it learned")
    else:
        unseen = "" if outcome.best else "; it has no weights to assemble with before its first validation"
        say_error(f"interrupted after {done}{unseen}; {_again(network, out)}")


def _again(network: Network, out: Path) -> str:
    return f"go on with: {shlex.join(['sherd', 'train', network.value, '--out', str(out), '--resume'])}"


def _kept(network: Network, out: Path) -> str:
    """What is left of a run that failed."""
    from sherd.learn.training.checkpoint import STATE

    if not (out / STATE).exists():
        return "nothing had been saved yet"
    return f"what was saved before is kept: {_again(network, out)}"
