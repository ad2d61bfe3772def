"""What ``sherd assemble`` says of any answer, be it to a puzzle or to a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sherd.core.puzzle import Puzzle
    from sherd.solvers import Result

# A solution whose pieces differ in area from the target by more than this share of it gets a remark.
REMARKABLE_DIFFERENCE = 0.01

# What is said where outlines leave a choice, and pieces are painted.
PAINT_IN_WORDS = {
    "decided": "ambiguous by shape; the colours decide",
    "undecided": "ambiguous: neither shape nor colours decide between several arrangements",
}


def assemblies_in_words(result: Result, most: int) -> str:
    """How many assemblies of up to ``most`` were found, and whether there are others."""
    count = 1 + len(result.alternatives)
    these = f"{count:,} {'assembly' if count == 1 else 'assemblies'}"
    if result.all_found:
        return "there is no other assembly" if count == 1 else f"there are {these}, and no others"
    if result.all_on_grid:
        those = "the only one" if result.all_on_grid == 1 else f"all {result.all_on_grid:,}"
        are = "is" if count == 1 else "are"
        return f"there {are} {these}, {those} on the grid of the corners; off it there may be more"
    if count >= most > 1:
        return f"there are at least {these}"
    return "there may be other assemblies" if count == 1 else f"there are {these}, and there may be more"


def attempts_in_words(result: Result) -> list[str]:
    """What the solver tried in turn, what each cost and what came of it, a line each; the answer's is last.

    Of solvers that try one way only, what that cost.
    """
    if not result.attempts:
        return [f"tried in all: {result.evaluations:,} {'try' if result.evaluations == 1 else 'tries'}"]
    return [
        f"tried {one.name}: {one.tries:,} {'try' if one.tries == 1 else 'tries'}, {one.outcome}"
        for one in result.attempts
    ]


def remarks_on(puzzle: Puzzle, result: Result, most: int | None) -> tuple[str, ...]:
    """What there is to say of a puzzle's result beside its figures, a line each.

    Why it was not solved, or that it was although areas differ; at which tolerance it fits; which pieces have
    hardly any area; and how many assemblies there are, of up to ``most`` if they were asked for.
    """
    from sherd.core.area_in_words import area_in_words

    said: list[str] = []
    if not result.solved:
        said.append(f"{result.verdict.in_words}: {result.reason}")
    elif puzzle.has_target and (differs := area_in_words(puzzle, REMARKABLE_DIFFERENCE)):
        said.append(f"solved, though {differs}")
    if result.verdict.within:
        said.append(f"solved: {result.verdict.within_in_words}")
    if aside := dict.fromkeys((*puzzle.set_aside, *result.set_aside)):
        said.append(f"set aside (hardly any area): {', '.join(aside)}")
    if result.by_paint:
        said.append(PAINT_IN_WORDS[result.by_paint])
    if most is not None and result.solved:
        said.append(assemblies_in_words(result, most))
    return tuple(said)
