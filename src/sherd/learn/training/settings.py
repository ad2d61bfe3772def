"""All settings of a training run: read from TOML, kept as JSON, turned into data and a learner.

There are two networks, each with a config, losses and puzzles of its own kind: FAN learns one kind of puzzle,
the matcher a mixture.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import torch

from sherd.core.errors import FileFormatError
from sherd.core.geometry import Rotations
from sherd.generation.dataset import PuzzleKind
from sherd.generation.degradation import Kind
from sherd.generation.fragmentation import Order
from sherd.generation.shapes import named_shape
from sherd.generation.textures import PROCEDURAL
from sherd.learn.data.batch import PuzzleBatch, concatenate
from sherd.learn.data.mixture import Share, usable_processes
from sherd.learn.data.pool import Mixture, Pool, Teaching, draw_all, make_pools
from sherd.learn.data.sets import EndlessSet, FixedSet, draw_set, kept_puzzles
from sherd.learn.fan.learner import FanLearner, FanLossParams
from sherd.learn.fan.network import COMPACT, Fan, FanConfig
from sherd.learn.matcher.learner import MatcherLearner, MatcherLossParams
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.training.device import require_room
from sherd.learn.training.train import Data, Learner, TrainParams, Validation

# Fresh puzzles come from a seed of their own, so that none of them is met in validation or testing.
ENDLESS_SEED_OFFSET = 500_000
NETWORKS = ("fan", "matcher")
PRESETS = {"paper": FanConfig(), "compact": COMPACT}
# What the network must be able to do follows from the puzzles.
DERIVED = ("channels", "rotates")

# So few puzzles are made faster than processes are started.
FEW_PUZZLES = 5_000

Settings = TypeVar("Settings")


@dataclass(frozen=True, kw_only=True)
class PuzzleSettings:
    """What to train on: puzzles of every shape alike.

    ``train_puzzles`` of each shape are drawn once, and the ``validation_puzzles`` after them in the same
    set are for validation (with 3,200 and 800 the paper's split); 0 draws fresh ones at every step.
    """

    shapes: tuple[str, ...] = ("square",)
    pieces: int = 8
    rotations: int = 1
    order: Order = "bottom-left"
    degradation: Kind = "none"
    texture: str | None = None
    train_puzzles: int = 3200
    validation_puzzles: int = 800
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.shapes:
            raise ValueError("shapes must name at least one shape")
        for name in self.shapes:
            if self.shapes.count(name) > 1:
                raise ValueError(f"shapes must name every shape once, not {name} twice")
        if self.train_puzzles < 0:
            raise ValueError(f"train_puzzles must be at least 0 (for endless), not {self.train_puzzles}")
        if self.validation_puzzles < 1:
            raise ValueError(f"validation_puzzles must be at least 1, not {self.validation_puzzles}")
        if self.seed < 0:
            raise ValueError(f"seed must be at least 0, not {self.seed}")
        if self.texture not in (None, *PROCEDURAL) and not Path(self.texture or "").is_dir():
            known = ", ".join(PROCEDURAL)
            raise ValueError(f"{self.texture!r} is neither a built-in texture ({known}) nor a folder")
        self.kinds  # noqa: B018  (checks the rest)

    @property
    def kinds(self) -> tuple[PuzzleKind, ...]:
        """A kind of puzzle for each shape."""
        return tuple(
            PuzzleKind(
                shape=named_shape(name),
                pieces=self.pieces,
                rotations=Rotations(self.rotations),
                order=self.order,
                degradation=self.degradation,
                texture=self.texture,
            )
            for name in self.shapes
        )

    @property
    def drawn(self) -> int:
        """How many puzzles are drawn beforehand; 0 for endless."""
        return self.train_puzzles * len(self.shapes)


@dataclass(frozen=True, kw_only=True)
class MixtureSettings:
    """What to train on: puzzles of several shares, one share at a step.

    ``pool_puzzles`` of each share are made once and seen in all 8 symmetries of their box; others, as many
    as ``validation_puzzles``, are for validation. ``teaching`` is the order in which earlier fragments were
    placed, ``images_a_step`` the most images of fragments in a batch.
    """

    shares: tuple[Share, ...] = (Share(),)
    pool_puzzles: int = 20_000
    validation_puzzles: int = 100
    teaching: Teaching = "sweep"
    images_a_step: int = 1024
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.shares:
            raise ValueError("there must be at least one of shares")
        if min(self.pool_puzzles, self.validation_puzzles, self.images_a_step) < 1:
            raise ValueError("pool_puzzles, validation_puzzles and images_a_step must be at least 1")
        if self.seed < 0:
            raise ValueError(f"seed must be at least 0, not {self.seed}")

    @property
    def drawn(self) -> int:
        """How many puzzles are drawn beforehand."""
        return self.pool_puzzles * len(self.shares)


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """Everything that decides what a training run gives."""

    puzzles: PuzzleSettings | MixtureSettings
    network: FanConfig | MatcherConfig
    training: TrainParams
    losses: FanLossParams | MatcherLossParams

    @property
    def name(self) -> str:
        """Which network is trained."""
        return "fan" if isinstance(self.network, FanConfig) else "matcher"

    def to_json(self) -> dict[str, Any]:
        """As JSON has it, for `settings_from`."""
        return json.loads(json.dumps(asdict(self)))


def read_settings(
    path: Path | None, *, network: str = "fan", minutes: float | None = None, steps: int | None = None
) -> TrainingSettings:
    """Settings from a TOML file, or the network's own; a duration given here goes before the file's."""
    try:
        document = {} if path is None else tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: not TOML: {error}") from None
    if minutes is not None or steps is not None:
        given = document.get("training", {})
        if isinstance(given, dict):
            rest = {key: value for key, value in given.items() if key not in ("minutes", "steps")}
            document["training"] = rest | {"minutes": minutes, "steps": steps}
    return settings_from(document, network=network, source="" if path is None else f"{path}: ")


def settings_from(document: Mapping[str, Any], *, network: str = "fan", source: str = "") -> TrainingSettings:
    """Settings from tables by section; ``source`` begins every message about what is wrong with them."""
    known = [field.name for field in fields(TrainingSettings)]
    for section, table in document.items():
        if section not in known:
            raise FileFormatError(f"{source}unknown section [{section}]: there are {', '.join(known)}")
        if not isinstance(table, dict):
            raise FileFormatError(f"{source}{section} must be a section of keys")
    own = {section: document.get(section, {}) for section in known}
    if network == "matcher":
        return TrainingSettings(
            puzzles=_mixture(own["puzzles"], f"{source}[puzzles] "),
            network=_filled(MatcherConfig(), own["network"], f"{source}[network] "),
            losses=_filled(MatcherLossParams(), own["losses"], f"{source}[losses] "),
            training=_training(own["training"], f"{source}[training] "),
        )
    puzzles = _filled(PuzzleSettings(), own["puzzles"], f"{source}[puzzles] ")
    return TrainingSettings(
        puzzles=puzzles,
        network=_network(own["network"], puzzles, f"{source}[network] "),
        losses=_filled(FanLossParams(), own["losses"], f"{source}[losses] "),
        training=_training(own["training"], f"{source}[training] "),
    )


def check_room(settings: TrainingSettings, device: torch.device, *, world: int = 1) -> None:
    """`UnsupportedError` if what a run keeps, and a step of it on each of ``world`` devices, has no room."""
    puzzles, network = settings.puzzles, settings.network
    if isinstance(puzzles, MixtureSettings):  # training puzzles are kept as vertices
        kept = puzzles.validation_puzzles * sum(share.pieces * share.rotations for share in puzzles.shares)
        require_room(device, network.size_px, kept=kept, taught=0)
        return
    assert isinstance(network, FanConfig)
    a_puzzle = puzzles.pieces * puzzles.rotations * network.channels
    require_room(
        device,
        network.size_px,
        kept=a_puzzle
        * sum(
            kept_puzzles(kind, puzzles.train_puzzles, device) + puzzles.validation_puzzles
            for kind in puzzles.kinds
        ),
        taught=settings.training.batch_puzzles * puzzles.pieces * network.encoded(puzzles.rotations) // world,
    )


def make_data(settings: TrainingSettings, device: torch.device) -> tuple[Data, Validation]:
    """What a run trains on, and what it is validated on."""
    puzzles, size_px = settings.puzzles, settings.network.size_px
    if isinstance(puzzles, MixtureSettings):
        return _mixture_data(puzzles, size_px, device)
    train = range(puzzles.train_puzzles)
    validation = range(train.stop, train.stop + puzzles.validation_puzzles)
    drawn = [draw_set(kind, puzzles.seed, validation, device, size_px) for kind in puzzles.kinds]
    if not train:
        seed = puzzles.seed + ENDLESS_SEED_OFFSET
        return EndlessSet(puzzles.kinds, seed, device, size_px), concatenate(drawn)
    data = FixedSet.of(puzzles.kinds, seed=puzzles.seed, part=train, device=device, size_px=size_px)
    return data, concatenate(drawn)


def _mixture_data(
    puzzles: MixtureSettings, size_px: int, device: torch.device
) -> tuple[Data, Mapping[str, PuzzleBatch]]:
    def make(seed: int, count: int) -> tuple[Pool, ...]:
        workers = usable_processes() if count * len(puzzles.shares) >= FEW_PUZZLES else 1
        return make_pools(puzzles.shares, seed=seed, count=count, workers=workers, device=device)

    pools = make(puzzles.seed + ENDLESS_SEED_OFFSET, puzzles.pool_puzzles)
    validation = {
        f"{number} {pool.share.label}": draw_all(pool, size_px)
        for number, pool in enumerate(make(puzzles.seed, puzzles.validation_puzzles))
    }
    data = Mixture(
        pools,
        seed=puzzles.seed,
        teaching=puzzles.teaching,
        images_a_step=puzzles.images_a_step,
        size_px=size_px,
    )
    return data, validation


def make_learner(settings: TrainingSettings, device: torch.device) -> Learner:
    """A network with fresh weights, the same for the same seed."""
    return fresh_learner(settings.network, settings.losses, seed=settings.training.seed, device=device)


def fresh_learner(
    network: FanConfig | MatcherConfig,
    losses: FanLossParams | MatcherLossParams,
    *,
    seed: int,
    device: torch.device,
) -> Learner:
    """The same for any network and losses, whatever they are trained on."""
    torch.manual_seed(seed)
    if isinstance(network, FanConfig):
        assert isinstance(losses, FanLossParams)
        learner: Learner = FanLearner(Fan(network).to(device), losses)
    else:
        assert isinstance(losses, MatcherLossParams)
        learner = MatcherLearner(Matcher(network).to(device), losses)
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")  # of the matcher's spectra; the rest is coarser still
        learner.model.speed_up()
    return learner


def _network(table: Mapping[str, Any], puzzles: PuzzleSettings, source: str) -> FanConfig:
    preset = table.get("preset", "paper")
    if preset not in PRESETS:
        raise FileFormatError(f"{source}preset must be {' or '.join(PRESETS)}, not {preset!r}")
    derived = {"channels": 1 if puzzles.texture is None else 4, "rotates": puzzles.rotations > 1}
    for key in DERIVED:
        if table.get(key, derived[key]) != derived[key]:
            raise FileFormatError(f"{source}{key} must be {derived[key]} for these puzzles, not {table[key]}")
    own = {key: value for key, value in table.items() if key != "preset"}
    return _filled(replace(PRESETS[preset], **derived), own, source)


def _mixture(table: Mapping[str, Any], source: str) -> MixtureSettings:
    shares = table.get("shares", [])
    if not isinstance(shares, list) or not all(isinstance(share, dict) for share in shares):
        raise FileFormatError(f"{source}shares must be sections of their own: [[puzzles.shares]]")
    found = tuple(
        _filled(Share(), share, f"{source}shares {number}: ") for number, share in enumerate(shares, start=1)
    )
    rest = {key: value for key, value in table.items() if key != "shares"}
    settings = _filled(MixtureSettings(), rest, source)
    return replace(settings, shares=found) if found else settings


def _training(table: Mapping[str, Any], source: str) -> TrainParams:
    durations = {key: table.get(key) for key in ("minutes", "steps")}
    rest = _filled(TrainParams(steps=1), {key: table[key] for key in table if key not in durations}, source)
    if durations["minutes"] is None and durations["steps"] is None:
        raise FileFormatError(f"{source}gives neither minutes nor steps: how long should it train?")
    return _filled(rest, durations, source)


def _filled(defaults: Settings, table: Mapping[str, Any], source: str) -> Settings:
    """The defaults with what the table says instead, every key and type checked."""
    hints = get_type_hints(type(defaults))
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in hints:
            raise FileFormatError(f"{source}unknown key {key!r}: there are {', '.join(hints)}")
        if not _fits(value, hints[key]):
            raise FileFormatError(f"{source}{key} must be {_named(hints[key])}, not {value!r}")
        values[key] = tuple(value) if isinstance(value, list) else value
    try:
        return replace(defaults, **values)  # pyright: ignore[reportArgumentType, reportUnknownVariableType]
    except (ValueError, OverflowError) as error:
        raise FileFormatError(f"{source}{error}") from None


def _fits(value: Any, hint: Any) -> bool:
    if get_origin(hint) is UnionType:
        return any(_fits(value, option) for option in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is tuple:
        return isinstance(value, list) and all(_fits(item, get_args(hint)[0]) for item in value)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, hint) and isinstance(value, bool) == (hint is bool)


def _named(hint: Any) -> str:
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    if get_origin(hint) is UnionType:
        return " or ".join(_named(option) for option in get_args(hint) if option is not NoneType)
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    if get_origin(hint) is tuple:
        return "a list of texts" if get_args(hint)[0] is str else "a list of whole numbers"
    return names[hint]
