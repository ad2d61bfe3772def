"""Options for many puzzles: which engine, how many workers, and where shards are kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from sherd.cli.console import say
from sherd.core.errors import ArgumentError

if TYPE_CHECKING:
    from sherd.many.shards import Keeping

EngineOption = Annotated[
    str,
    typer.Option(
        metavar="local|dask://HOST:PORT|ray://HOST:PORT",
        help="Who shares the puzzles: processes of this machine, or a Dask or Ray cluster.",
    ),
]
ShardsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Keep what is finished there, chunk by chunk; a run that was killed goes on from it.",
    ),
]
ShardOption = Annotated[
    str | None,
    typer.Option(
        metavar="K/N",
        help="With --shards: only the K-th of N parts. Once all are in DIR: sherd report --merge DIR.",
    ),
]
WholeOption = Annotated[bool, typer.Option("--whole", hidden=True)]
EachOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Also write a row for each puzzle there: .jsonl or .parquet."),
]
# What run.json calls the ending of the file that a set's shards are for.
ENDING = "ending of the file"
# What changes nothing in the outcomes, or is said anew when shards are merged.
NOT_OF_THE_RUN = frozenset(
    ("engine", "workers", "shards", "shard", "whole", "each", "json_path", "out", "check")
)


def keeping_of(context: typer.Context, shards: Path | None, shard: str | None, whole: bool) -> Keeping | None:
    """Where shards are kept, None if nowhere; the arguments that call the command again are noted."""
    if shards is None:
        if shard is not None:
            raise ArgumentError("--shard goes with --shards, the folder that the parts are kept in")
        return None
    if any(part.exists() and not part.is_dir() for part in (shards, *shards.parents)):
        raise ArgumentError(f"{shards}: there is a file in the way of this folder")
    for name in ("json_path", "each"):
        if shard is not None and context.params.get(name) is not None:
            raise ArgumentError(
                f"--{name.removesuffix('_path')} goes with sherd report --merge, not with --shard"
            )
    from sherd.many.shards import Keeping, parse_shard

    numbers = (1, 1) if shard is None else parse_shard(shard)
    words = (context.info_name or "", *given_words(context, NOT_OF_THE_RUN))
    return Keeping(folder=shards, shard=numbers, whole=whole, arguments=words)


def given_words(context: typer.Context, without: frozenset[str]) -> list[str]:
    """What stands on the command line, but for some options, by their long names."""
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if source is None or source.name != "COMMANDLINE" or name in without:
            continue
        value: Any = context.params[name]
        several = cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else [value]
        option = parameter.opts[-1] if parameter.param_type_name == "option" else None
        for one in several:
            words += [*([option] if option else []), *([] if one is True else [str(one)])]
    return words


def say_shard(keeping: Keeping) -> None:
    """That a part is done, and what is next."""
    number, parts = keeping.shard
    say(f"shard {number}/{parts} is in {keeping.folder}; when all are: sherd report --merge {keeping.folder}")
