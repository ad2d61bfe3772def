"""Answers as JSON: ``sherd.assembly``, version 1."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from sherd.assembly import Assembly, Placement
from sherd.io.atomic import write_atomically
from sherd.io.document import Node, check_format, only_document
from sherd.io.puzzles import pose_from_json, rotation_deg

FORMAT = "sherd.assembly"
VERSION = 1
# A matrix may differ from its pose by this much for each unit of its largest entry.
MATRIX_TOLERANCE = 1e-6
# Entries of the matrix that turn are written with this many decimals, so that a quarter turn holds zeros.
MATRIX_DECIMALS = 15


@dataclass(frozen=True, kw_only=True)
class SavedAssembly:
    """An assembly as files hold it: who found it, how long it took and how well it fits the target."""

    assembly: Assembly
    solver: str
    seconds: float
    solved: bool
    coverage: float
    iou: float
    overlap: float


def write_assembly(path: str | os.PathLike[str], saved: SavedAssembly) -> None:
    """Write one answer as a JSON file."""
    document = assembly_to_json(saved)
    placements = [json.dumps(placement, allow_nan=False) for placement in document.pop("placements")]
    about = json.dumps(document, allow_nan=False, indent=1).removesuffix("\n}")
    rows = "".join(f"\n  {row}," for row in placements).removesuffix(",")
    write_atomically(path, f'{about},\n "placements": [{rows}\n ]\n}}\n')  # one placement a line


def read_assembly(path: str | os.PathLike[str]) -> SavedAssembly:
    """The one answer in a JSON file."""
    return only_document(path).read(assembly_from_json)


def assembly_to_json(saved: SavedAssembly) -> dict[str, Any]:
    """The object that files hold."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "solver": saved.solver,
        "seconds": saved.seconds,
        "solved": saved.solved,
        "coverage": saved.coverage,
        "iou": saved.iou,
        "overlap": saved.overlap,
        "placements": [_placement_to_json(placement) for placement in saved.assembly],
    }


def assembly_from_json(root: Node) -> SavedAssembly:
    """The answer with all it says about itself."""
    check_format(root, FORMAT, VERSION)
    members = root.object(
        ["format", "version", "solver", "seconds", "solved", "coverage", "iou", "overlap", "placements"]
    )
    placements: dict[str, Placement] = {}
    for node in members["placements"].list():
        placement = _placement_from_json(node)
        if placement.id in placements:
            node.fail(f"the fragment {placement.id!r} is placed twice")
        placements[placement.id] = placement
    return SavedAssembly(
        assembly=Assembly(tuple(placements.values())),
        solver=members["solver"].text(),
        seconds=members["seconds"].number(),
        solved=members["solved"].flag(),
        coverage=members["coverage"].number(),
        iou=members["iou"].number(),
        overlap=members["overlap"].number(),
    )


def _placement_to_json(placement: Placement) -> dict[str, Any]:
    pose = placement.pose
    turn = [round(value, MATRIX_DECIMALS) + 0.0 for value in pose.matrix[:4]]
    return {
        "id": placement.id,
        "x": pose.x,
        "y": pose.y,
        "rotation_deg": rotation_deg(pose),
        "mirrored": pose.mirrored,
        "matrix": [*turn, pose.x, pose.y],
    }


def _placement_from_json(node: Node) -> Placement:
    members = node.object(["id", "x", "y", "rotation_deg"], ["mirrored", "matrix"])
    pose = pose_from_json(members)
    if "matrix" in members:
        matrix = [entry.number() for entry in members["matrix"].list()]
        scale = max(1.0, abs(pose.x), abs(pose.y))
        if len(matrix) != 6 or not np.allclose(matrix, pose.matrix, rtol=0.0, atol=MATRIX_TOLERANCE * scale):
            members["matrix"].fail("the matrix is not that of x, y, rotation_deg and mirrored")
    return Placement(members["id"].text(), pose)
