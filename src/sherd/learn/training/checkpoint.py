"""Weights and training states in files: safetensors with JSON, no pickle."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from sherd.core.errors import ArgumentError, FileFormatError
from sherd.io.atomic import write_atomically
from sherd.learn.training.learner import TrainableNetwork
from sherd.learn.training.toml_tables import Table, difference

Model = TypeVar("Model", bound=torch.nn.Module)

FORMAT, VERSION = "sherd.weights", 1
# The best weights in the folder of a training run, and what it goes on from.
WEIGHTS, STATE = "weights.safetensors", "state.safetensors"
# What is said of weights that do not fit.
OTHER_NETWORK = "these weights belong to a network of another config"
# The largest side of the images that a network sees, and the most of whatever else its config counts.
MOST_PIXELS, MOST_OF_ANY = 1 << 14, 1 << 16
# What a network may raise that is made from a config with members of any type and size.
UNFIT = (TypeError, ValueError, RuntimeError, ArithmeticError, AttributeError, LookupError)


def save_network(
    path: Path,
    network: str,
    model: torch.nn.Module,
    config: Mapping[str, Any],
    training: Mapping[str, Any],
    dtype: torch.dtype | None = None,
) -> None:
    """Weights as ``path`` (.safetensors), with config and training record beside them (.json).

    The config stands in both files, so that it is noticed where one belongs to other weights.
    """
    tensors = {name: value.detach().to("cpu", dtype) for name, value in model.state_dict().items()}
    about = {
        "format": FORMAT,
        "version": VERSION,
        "network": network,
        "config": dict(config),
        "training": dict(training),
    }
    save_tensors(path, tensors, {"config": about["config"]})
    write_atomically(path.with_suffix(".json"), json.dumps(about, indent=2) + "\n")


def sha256_of(model: torch.nn.Module) -> str:
    """The hash of a network's weights as they are saved, without what is said of them beside."""
    tensors = {name: value.detach().cpu().contiguous() for name, value in model.state_dict().items()}
    return hashlib.sha256(save(tensors)).hexdigest()


def load_network(
    path: Path, network: str, make: Callable[[Table], Model], device: torch.device | None = None
) -> tuple[Model, dict[str, Any]]:
    """A network, made from its config by ``make``, ready to assemble, and its training record.

    From the two files that `save_network` wrote; on the CPU unless another device is named.
    """
    path, about = _read_about(path, network)
    beside = path.with_suffix(".json")
    config = Table(about["config"], f"{beside}: not the config of {network!r}: ")
    tensors, own = read_tensors(path)
    try:
        _check_sizes(about["config"])
        with torch.device("meta"):  # a config that is not that of the weights may be of any size
            _check_shapes(make(config).state_dict(), tensors, path, OTHER_NETWORK)
    except UNFIT as error:
        config.fail(str(error).strip().partition("\n")[0])  # torch goes on with its own calls
    _check_config(own, about["config"], path)
    model = make(config)
    fill(model, tensors, path)
    return model.to(device or torch.device("cpu")).eval(), about["training"]


def start_from(path: Path, model: TrainableNetwork) -> dict[str, Any]:
    """Fill a model with weights trained for its very config, what is unbound aside; their record."""
    path, about = _read_about(path, model.name)
    own: dict[str, Any] = json.loads(json.dumps(asdict(model.config)))
    for name, theirs in {**model.unsaid, **about["config"]}.items():
        if name not in model.unbound and name in own and theirs != own[name]:
            raise FileFormatError(f"{path}: {OTHER_NETWORK}: {name} is {theirs} there and {own[name]} here")
    tensors, said = read_tensors(path)
    _check_config(said, about["config"], path)
    fill(model, tensors, path)
    return about["training"]


def check_training(training: object, source: str) -> dict[str, Any]:
    """The record of a run, as read from JSON, if what is computed with, where given, are numbers."""
    if not isinstance(training, dict):
        raise FileFormatError(f"{source}: not the record of a training run")
    puzzles, minutes = training.get("train_puzzles", 0), training.get("train_minutes", 0.0)
    if not isinstance(puzzles, int) or isinstance(puzzles, bool) or puzzles < 0:
        raise FileFormatError(
            f"{source}: train_puzzles must be a whole number of at least 0, not {puzzles!r}"
        )
    is_number = isinstance(minutes, (int, float)) and not isinstance(minutes, bool)
    if not is_number or not 0.0 <= minutes <= sys.float_info.max:
        raise FileFormatError(f"{source}: train_minutes must be a number of at least 0, not {minutes!r}")
    return training


def fill(model: torch.nn.Module, tensors: Mapping[str, Tensor], path: Path) -> None:
    """Copy tensors read from ``path`` into a model of exactly that shape; all numbers must be finite."""
    model.load_state_dict(fitting(model.state_dict(), tensors, path))


def fitting(
    wanted: Mapping[str, Tensor],
    tensors: Mapping[str, Tensor],
    path: Path,
    otherwise: str = OTHER_NETWORK,
) -> dict[str, Tensor]:
    """Tensors read from ``path``, if they may take the place of those ``wanted``, as what these are."""
    _check_shapes(wanted, tensors, path, otherwise)
    for name, value in wanted.items():
        if value.is_floating_point() and not tensors[name].is_floating_point():
            dtype = str(tensors[name].dtype).removeprefix("torch.")
            raise FileFormatError(f"{path}: {name} must hold floating-point numbers, not {dtype}")
    found = {name: tensors[name].to(value.dtype) for name, value in wanted.items()}
    if not all(bool(value.isfinite().all()) for value in found.values()):
        raise FileFormatError(f"{path}: holds numbers that are not finite")
    return found


def _check_sizes(config: Mapping[str, Any]) -> None:
    """Whole numbers of a config, which the shapes of the weights may not tell and memory depends on."""
    for name, value in config.items():
        most = MOST_PIXELS if name == "size_px" else MOST_OF_ANY
        for size in value if isinstance(value, list) else (value,):
            if isinstance(size, int) and not isinstance(size, bool) and not 1 <= size <= most:
                raise ArgumentError(f"{name} must be a whole number from 1 to {most:,}, not {size!r}")


def _check_config(own: Mapping[str, Any], config: Mapping[str, Any], path: Path) -> None:
    """What the file of the weights itself says, if anything, must be what is said beside it."""
    if own.get("config", config) != config:
        raise FileFormatError(f"{path}: {OTHER_NETWORK}")


def _check_shapes(
    wanted: Mapping[str, Tensor], tensors: Mapping[str, Tensor], path: Path, otherwise: str
) -> None:
    there, here = ({name: [*value.shape] for name, value in each.items()} for each in (tensors, wanted))
    if there != here:
        raise FileFormatError(f"{path}: {otherwise}: {difference(there, here)}")


def save_tensors(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Tensors and a JSON object as one file."""
    own = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    write_atomically(path, save(own, metadata={"about": json.dumps(about)}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `save_tensors` wrote; the JSON object is empty if the file has none."""
    with _opening(path) as file:
        return {name: file.get_tensor(name) for name in file.keys()}, _about(file)  # noqa: SIM118


def read_metadata(path: Path) -> dict[str, Any]:
    """The JSON object of such a file alone."""
    with _opening(path) as file:
        return _about(file)


def _about(file: safe_open) -> dict[str, Any]:
    about = json.loads((file.metadata() or {}).get("about", "{}"))
    return about if isinstance(about, dict) else {}


@contextmanager
def _opening(path: Path) -> Generator[safe_open, None, None]:
    try:
        with safe_open(path, framework="pt") as file:
            yield file
    except FileNotFoundError:
        raise FileFormatError(f"{path}: there is no such file") from None
    except (SafetensorError, ValueError, RecursionError, OSError) as error:
        raise FileFormatError(f"{path}: truncated or not a safetensors file ({error})") from None


def _read_about(weights: Path, network: str) -> tuple[Path, dict[str, Any]]:
    """The file of the weights, which may be given by a run's folder, and what is said beside them."""
    if weights.is_dir():
        weights = weights / WEIGHTS
    if not weights.exists():
        if weights.name == WEIGHTS and weights.with_name(STATE).exists():
            raise FileFormatError(
                f"{weights.parent}: the run in it was stopped and has kept no weights yet: resume it"
            )
        raise FileFormatError(f"{weights}: there is no such file")
    if weights.suffix != ".safetensors":
        raise FileFormatError(f"{weights}: weights are a .safetensors file, or the folder of a run")
    path = weights.with_suffix(".json")
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileFormatError(
            f"{path}: there is no such file, and it says what {weights.name} holds"
        ) from None
    except OSError as error:
        raise FileFormatError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise FileFormatError(f"{path}: not JSON, or cut off") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise FileFormatError(f"{path}: not a description of sherd weights")
    if about.get("version") != VERSION:
        raise FileFormatError(f"{path}: version {about.get('version')!r}, but this sherd reads {VERSION}")
    if about.get("network") != network:
        raise FileFormatError(f"{path}: weights of the network {about.get('network')!r}, not of {network!r}")
    if not isinstance(about.get("config"), dict):
        raise FileFormatError(f"{path}: not the config of {network!r}: {about.get('config')!r}")
    return weights, about | {"training": check_training(about.get("training", {}), f"{path}: training")}
