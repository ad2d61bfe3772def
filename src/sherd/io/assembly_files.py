"""Answers as JSON: ``sherd.assembly``, version 1, or 2 where there is no target or joints are told."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, cast, get_args

import numpy as np
from shapely import Polygon

from sherd.core.assembly import Assembly, Group, Joint, Placement
from sherd.core.hold import Band, Hold
from sherd.core.verdict import State, Verdict
from sherd.io.atomic import write_atomically
from sherd.io.document import Node, check_format, only_document
from sherd.io.puzzle_files import outline_from_json, outline_to_json, pose_from_json, rotation_deg

FORMAT = "sherd.assembly"
VERSION = 2
# What is written wherever it can say all, so that an older sherd reads it.
FIRST_VERSION = 1
# A matrix may differ from its pose by this much for each unit of its largest entry.
MATRIX_TOLERANCE = 1e-6
# Entries of the matrix that turn are written with this many decimals, so that a quarter turn holds zeros.
MATRIX_DECIMALS = 15
# Nobody has counted further than this.
MOST_ASSEMBLIES = 10**9


@dataclass(frozen=True, kw_only=True)
class SavedAssembly:
    """An assembly as files hold it: who found it, how long it took and how well it fits the target.

    ``reason`` says why it is not solved, and ``set_aside`` which pieces have no place and why. Where several
    were looked for, ``assemblies`` is how many there are, this one included, and ``all_found`` says that
    there are no others; ``all_on_grid`` is how many are proven to be all on the puzzle's grid. Answers for
    drawings also have their unit of length, how each placed piece is held, and the outlines of what stays
    open. Older files hold no ``verdict``, and none holds what it excuses. Without a target ``groups`` are the
    pieces that belong together, the first of which is the assembly, and coverage and IoU, which nothing can
    be said of, are 0 and not written. ``joints`` are further pairs that may lie together.
    """

    assembly: Assembly
    solver: str
    seconds: float
    solved: bool
    coverage: float
    iou: float
    overlap: float
    reason: str = ""
    assemblies: int | None = None
    all_found: bool = False
    units: str = ""
    set_aside: Mapping[str, str] = field(default_factory=dict[str, str])
    holds: Mapping[str, Hold] = field(default_factory=dict[str, Hold])
    gaps: tuple[Polygon, ...] = ()
    verdict: Verdict | None = None
    has_target: bool = True
    groups: tuple[Group, ...] = ()
    joints: tuple[Joint, ...] = ()
    all_on_grid: int = 0


def write_assembly(path: str | os.PathLike[str], saved: SavedAssembly) -> None:
    """Write one answer as a JSON file."""
    write_atomically(path, assembly_to_text(saved))


def assembly_to_text(saved: SavedAssembly) -> str:
    """What the file holds, one placement, one joint and one gap a line."""
    document = assembly_to_json(saved)
    lists = {key: document.pop(key) for key in ("placements", "joints", "gaps") if key in document}
    about = json.dumps(document, allow_nan=False, indent=1).removesuffix("\n}")
    for key, items in lists.items():
        rows = "".join(f"\n  {json.dumps(item, allow_nan=False)}," for item in items).removesuffix(",")
        about += f',\n "{key}": [{rows}\n ]'
    return f"{about}\n}}\n"


def read_assembly(path: str | os.PathLike[str]) -> SavedAssembly:
    """The one answer in a JSON file."""
    return only_document(path).read(assembly_from_json)


def assembly_to_json(saved: SavedAssembly) -> dict[str, Any]:
    """The object that files hold; what is not known is left out."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": FIRST_VERSION if saved.has_target and not saved.joints else VERSION,
        "solver": saved.solver,
        "seconds": saved.seconds,
        "solved": saved.solved,
        "coverage": saved.coverage,
        "iou": saved.iou,
        "overlap": saved.overlap,
        "reason": saved.reason or None,
    }
    if not saved.has_target:
        del document["coverage"], document["iou"]
    if saved.verdict is not None:
        document["verdict"] = {
            "state": saved.verdict.state,
            "against": list(saved.verdict.against),
            "left_over": list(saved.verdict.left_over),
            **({"within": saved.verdict.within} if saved.verdict.within else {}),
        }
    if saved.assemblies is not None:
        document |= {"assemblies": saved.assemblies, "all_found": saved.all_found}
    if saved.all_on_grid:
        document["all_on_grid"] = saved.all_on_grid
    if saved.units:
        document["units"] = saved.units
    if saved.set_aside:
        document["set_aside"] = dict(saved.set_aside)
    if saved.has_target:
        document["placements"] = [
            _placement_to_json(placement, saved.holds.get(placement.id)) for placement in saved.assembly
        ]
    else:
        document["placements"] = [
            {**_placement_to_json(placement, saved.holds.get(placement.id)), "group": number}
            for number, group in enumerate(saved.groups, start=1)
            for placement in group.assembly
        ]
    joints = [
        *(
            {**_joint_to_json(joint), "group": number}
            for number, group in enumerate(saved.groups, start=1)
            for joint in group.joints
        ),
        *map(_joint_to_json, saved.joints),
    ]
    if joints:
        document["joints"] = joints
    if saved.gaps:
        document["gaps"] = [{"area": gap.area, **outline_to_json(gap)} for gap in saved.gaps]
    return document


def assembly_from_json(root: Node) -> SavedAssembly:
    """The answer with all it says about itself."""
    check_format(root, FORMAT, VERSION)
    members = root.object(
        ["format", "version", "solver", "seconds", "solved", "overlap", "placements"],
        [
            *("coverage", "iou", "reason", "assemblies", "all_found", "all_on_grid"),
            *("units", "set_aside", "gaps", "verdict", "joints"),
        ],
    )
    has_target = members["version"].value == FIRST_VERSION or "coverage" in members
    if has_target:
        root.object([*members, "coverage", "iou"])
    placements: dict[str, Placement] = {}
    holds: dict[str, Hold] = {}
    grouped: dict[int, list[Placement]] = {}
    for node in members["placements"].list():
        placement, hold, group = _placement_from_json(node)
        if placement.id in placements:
            node.fail(f"the fragment {placement.id!r} is placed twice")
        placements[placement.id] = placement
        if hold is not None:
            holds[placement.id] = hold
        if (group is None) != has_target:
            node.fail("placements have a group where there is no target, and only there")
        if group is not None:
            grouped.setdefault(group, []).append(placement)
    held_by: dict[int | None, list[Joint]] = {}
    for node in members["joints"].list() if "joints" in members else []:
        joint, group = _joint_from_json(node)
        if group is not None and group not in grouped:
            node.fail(f"there is no group {group}")
        held_by.setdefault(group, []).append(joint)
    groups = tuple(
        Group(Assembly(tuple(pieces)), tuple(held_by.get(number, ())))
        for number, pieces in sorted(grouped.items())
    )
    if has_target:
        assembly = Assembly(tuple(placements.values()))
    else:
        assembly = groups[0].assembly if groups else Assembly()
    aside = members["set_aside"].members() if "set_aside" in members else {}
    gaps = members["gaps"].list() if "gaps" in members else []
    return SavedAssembly(
        assembly=assembly,
        solver=members["solver"].text(),
        seconds=members["seconds"].number(),
        solved=members["solved"].flag(),
        coverage=members["coverage"].number() if has_target else 0.0,
        iou=members["iou"].number() if has_target else 0.0,
        overlap=members["overlap"].number(),
        reason="" if "reason" not in members or members["reason"].value is None else members["reason"].text(),
        assemblies=members["assemblies"].whole(1, MOST_ASSEMBLIES) if "assemblies" in members else None,
        all_found=members["all_found"].flag() if "all_found" in members else False,
        all_on_grid=members["all_on_grid"].whole(1, MOST_ASSEMBLIES) if "all_on_grid" in members else 0,
        units=members["units"].text() if "units" in members else "",
        set_aside={name: reason.text() for name, reason in aside.items()},
        holds=holds,
        gaps=tuple(outline_from_json(gap.object(["exterior"], ["holes", "area"]), gap) for gap in gaps),
        verdict=_verdict_from_json(members["verdict"]) if "verdict" in members else None,
        has_target=has_target,
        groups=groups,
        joints=tuple(held_by.get(None, ())),
    )


def _joint_to_json(joint: Joint) -> dict[str, Any]:
    return {
        "first": joint.first,
        "second": joint.second,
        "x": joint.pose.x,
        "y": joint.pose.y,
        "rotation_deg": rotation_deg(joint.pose),
        "length": joint.length,
        "residual": joint.residual,
        "likelihood": joint.likelihood,
    }


def _joint_from_json(node: Node) -> tuple[Joint, int | None]:
    """The joint, and the number of the group that it is in."""
    numbers = ("x", "y", "rotation_deg", "length", "residual", "likelihood")
    members = node.object(["first", "second", *numbers], ["group"])
    joint = Joint(
        first=None if members["first"].value is None else members["first"].text(),
        second=members["second"].text(),
        pose=pose_from_json(members),
        length=members["length"].number(),
        residual=members["residual"].number(),
        likelihood=members["likelihood"].number(),
    )
    return joint, _group_number(members)


def _group_number(members: dict[str, Node]) -> int | None:
    return members["group"].whole(1, MOST_ASSEMBLIES) if "group" in members else None


def _verdict_from_json(node: Node) -> Verdict:
    members = node.object(["state", "against", "left_over"], ["within"])
    state = members["state"].text()
    if state not in get_args(State):
        members["state"].fail(f"expected one of {', '.join(get_args(State))}, not {state!r}")
    return Verdict(
        state=cast(State, state),
        against=tuple(each.text() for each in members["against"].list()),
        left_over=tuple(each.text() for each in members["left_over"].list()),
        within=members["within"].number() if "within" in members else 0.0,
    )


def _placement_to_json(placement: Placement, hold: Hold | None) -> dict[str, Any]:
    pose = placement.pose
    turn = [round(value, MATRIX_DECIMALS) + 0.0 for value in pose.matrix[:4]]
    document: dict[str, Any] = {
        "id": placement.id,
        "x": pose.x,
        "y": pose.y,
        "rotation_deg": rotation_deg(pose),
        "mirrored": pose.mirrored,
        "matrix": [*turn, pose.x, pose.y],
    }
    if hold is not None:
        document["held"] = {key: value for key, value in asdict(hold).items() if value is not None}
    return document


def _placement_from_json(node: Node) -> tuple[Placement, Hold | None, int | None]:
    """The placement, how it is held, and the number of its group, where these are told."""
    members = node.object(["id", "x", "y", "rotation_deg"], ["mirrored", "matrix", "held", "group"])
    pose = pose_from_json(members)
    if "matrix" in members:
        matrix = [entry.number() for entry in members["matrix"].list()]
        scale = max(1.0, abs(pose.x), abs(pose.y))
        if len(matrix) != 6 or not np.allclose(matrix, pose.matrix, rtol=0.0, atol=MATRIX_TOLERANCE * scale):
            members["matrix"].fail("the matrix is not that of x, y, rotation_deg and mirrored")
    hold = _hold_from_json(members["held"]) if "held" in members else None
    return Placement(members["id"].text(), pose), hold, _group_number(members)


def _hold_from_json(node: Node) -> Hold:
    lengths = ("outline", "contact", "edge", "gap", "overlap")
    members = node.object([*lengths, "slides", "band"], ["elsewhere"])
    band = members["band"].text()
    if band not in get_args(Band):
        members["band"].fail(f"expected one of {', '.join(get_args(Band))}, not {band!r}")
    return Hold(
        **{name: members[name].number() for name in lengths},
        slides=members["slides"].flag(),
        elsewhere=members["elsewhere"].flag() if "elsewhere" in members else None,
        band=cast(Band, band),
    )
