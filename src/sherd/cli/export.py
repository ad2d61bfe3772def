"""``sherd export``: write a network as ONNX files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sherd.cli.console import say
from sherd.cli.one_writer import alone_in
from sherd.cli.train import Network
from sherd.core.errors import ArgumentError


def export(
    network: Annotated[Network, typer.Argument(help="Which network.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for the files.")],
    weights: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Weights that sherd train wrote.", show_default="those of the package"
        ),
    ] = None,
) -> None:
    """Write a network as ONNX files, to be run without torch.

    The folder receives one file for each thing that is computed at another time, and network.json, which
    says what goes in and comes out.

    \b
    Example:
      sherd export fan --out fan-onnx
      sherd export matcher --weights runs/matcher/weights.safetensors --out matcher-onnx
    """
    if out.exists() and not out.is_dir():
        raise ArgumentError(f"{out}: there is a file in the way of this folder")

    from sherd.learn import export as exporting
    from sherd.solvers import make_solver
    from sherd.solvers.learned.fan import FanSolver
    from sherd.solvers.learned.matcher import MatcherSolver
    from sherd.solvers.registry import load_solver

    solver = make_solver(network.value) if weights is None else load_solver(network.value, weights)
    assert isinstance(solver, (FanSolver, MatcherSolver))
    with alone_in(out):
        for path in exporting.export(solver.learner.model, out):
            say(f"{path}: {path.stat().st_size:,} bytes")
