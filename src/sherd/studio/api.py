"""What requests and answers look like, for checking the ones and documenting the others."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sherd.generation.dataset import Dissection
from sherd.generation.degradation import Kind

# Beyond this, products of coordinates lose their meaning.
LARGEST = 1e12
MOST_SEED = 2**62
JobId = Annotated[str, StringConstraints(pattern="^[a-z2-7]{16}$")]
Finite = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]
Id = Annotated[str, Field(min_length=1, max_length=100)]
Ids = Annotated[list[Id], Field(max_length=100_000)]
Role = Literal["piece", "target", "aside"]
StateName = Literal["reading", "read", "queued", "solving", "done", "stopped", "failed", "interrupted"]
Params = Annotated[
    dict[str, Any],
    Field(
        description="As in a settings file: unit, mm_per_px, target, no_target, outline, rotations, mirror, "
        "kerf, offset, scale, play, tolerance, background, threshold ... A null takes one back."
    ),
]


class Strict(BaseModel):
    """No other members than these."""

    model_config = ConfigDict(extra="forbid")


class Pose(Strict):
    """Turn over left to right if flipped, turn counter-clockwise about the origin, then shift; y is up."""

    x: Finite
    y: Finite
    angle_deg: Finite = 0.0
    flipped: bool = False


class Placed(Strict):
    """A piece and where it lies, in the drawing's frame."""

    id: Id
    pose: Pose


Placements = Annotated[list[Placed], Field(max_length=100_000)]


class Board(Strict):
    """Where hands have laid pieces, and what they said of them."""

    placements: Placements = []
    pinned: Ids = []
    aside: Ids = []
    forbidden: Ids = []


class Solve(Strict):
    """How a job is to be solved."""

    seconds: Annotated[float, Field(gt=0.0, le=86_400.0, allow_inf_nan=False)] = 10.0
    solver: Annotated[str, Field(min_length=1, max_length=50)] = "auto"
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)] = 0
    all: Annotated[int | None, Field(ge=1, le=100, description="Look for up to so many answers.")] = None
    pins: Annotated[Placements, Field(description="Pieces that stay where they are put.")] = []
    forbid: Annotated[Ids, Field(description="Pieces that are not used.")] = []
    start: Annotated[
        Literal["board", "answer"] | None,
        Field(description="Keep what that has placed, and try the rest."),
    ] = None


class Generate(Strict):
    """A puzzle to be made."""

    shape: Annotated[str, Field(min_length=1, max_length=50)] = "square"
    pieces: Annotated[int, Field(ge=1, le=1000)] = 8
    rotations: Annotated[str | int, Field(description="free, or a number of angles")] = "free"
    degradation: Kind = "none"
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)] = 0
    index: Annotated[int, Field(ge=0, le=10**6, description="Which puzzle of that seed's set.")] = 0
    mirror: bool = False
    strength: Annotated[float, Field(gt=0.0, le=5.0, allow_inf_nan=False)] = 1.0
    noise: Annotated[float, Field(ge=0.0, le=0.1, allow_inf_nan=False)] = 0.0
    input: Annotated[
        str, Field(max_length=60, description="How pieces are seen, in the words of sherd generate.")
    ] = "exact"
    dissection: Dissection = "cuts"


class Measured(Strict):
    """A puzzle that was measured, as its solver was shown it."""

    row: Annotated[str, Field(max_length=50, description="The id of a row in /bench/records.json.")]
    number: Annotated[int, Field(ge=1, le=10**6, description="Which of the row's puzzles, from 1 on.")] = 1


class Create(Strict):
    """A job from JSON: one of a puzzle, a puzzle to be made, one that was measured, and an example."""

    puzzle: Annotated[dict[str, Any] | None, Field(description="A sherd.puzzle as files hold it.")] = None
    generate: Generate | None = None
    measured: Measured | None = None
    example: Annotated[str | None, Field(max_length=50)] = None
    name: Annotated[str | None, Field(max_length=200)] = None
    params: Params = {}
    solve: bool | Solve = False


class Patch(Strict):
    """What is to be said otherwise about a drawing, which is then read again."""

    params: Params = {}
    roles: Annotated[dict[str, Role], Field(description="What outlines are, by id.")] = {}
    name: Annotated[str | None, Field(min_length=1, max_length=200)] = None


class Verdict(BaseModel):
    """Whether an answer solves its job, and what stands against it."""

    word: Literal["solved", "partly", "not solved"]
    why: list[str]
    certain: Annotated[bool, Field(description="There is no other assembly.")]


class Held(BaseModel):
    """A placed piece, and how it is held."""

    id: str
    pose: Pose
    pinned: bool
    sure: Annotated[float | None, Field(description="The share of its outline that is held.")]
    band: Literal["certain", "likely", "loose"] | None
    slides: bool
    held: str
    gap: float | None
    overlap: float | None
    elsewhere: bool = False


class Answer(BaseModel):
    """Where pieces lie, the verdict, and what is left."""

    number: int
    of: int
    alternatives: int
    solver: str
    seconds: float
    coverage: float | None
    verdict: Verdict
    said: str
    placements: list[Held]
    groups: list[dict[str, list[str]]]
    left: list[dict[str, str]]
    gaps: list[dict[str, Any]]
    target: dict[str, Any] | None


class Progress(BaseModel):
    """How far a search has come."""

    placements: list[Placed]
    coverage: float | None
    placed: int
    of: int
    seconds: float
    limit: float
    method: str
    trying: str


class Job(BaseModel):
    """A job; see docs/studio.md for its parts."""

    id: str
    name: str
    state: StateName
    error: str | None
    created: str
    params: dict[str, Any]
    roles: dict[str, Role]
    solve: dict[str, Any]
    place_in_queue: int | None
    progress: Progress | None
    reading: dict[str, Any] | None
    puzzle: dict[str, Any] | None
    answer: Answer | None
    board: Board | None


class JobLine(BaseModel):
    """A job in a list."""

    id: str
    name: str
    state: StateName
    created: str
    pieces: int | None
    verdict: str | None


class Refused(BaseModel):
    """Why a request was refused, in one sentence."""

    detail: str


class Health(BaseModel):
    """That the server is there."""

    status: Literal["ok"]
    version: str
    waiting: int
    queue: int
