"""Lines of edges that are followed through gluing."""

from __future__ import annotations

from sherd.solvers.search.beliefs.assemble_rough import assemble_rough
from sherd.solvers.search.beliefs.edge_lines import glued, laid_instead, lines_of, lone
from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.case import Case
from sherd.solvers.stop import MaxEvaluations
from true_lines import noisy_and_lines, numbered


def test_a_chart_tells_the_lines_of_what_it_glued() -> None:
    sample, lines = noisy_and_lines("hexagon", 6, 0.002, 4)
    found = assemble_rough(
        Case(sample.puzzle),
        Roughness(size=0.002, traced=False),
        Patience(joints=500),
        MaxEvaluations(1000),
    )
    told = {numbered(whole.lines, 6) for whole in found.wholes if whole.lines is not None}
    turned = {
        numbered(
            tuple(tuple((line + turn) % 6 if line < 6 else line for line in edges) for edges in lines), 6
        )
        for turn in range(6)
    }
    assert told & turned
    assert all(len(whole.outlines) == 6 for whole in found.wholes)


def test_three_strips_have_two_cuts() -> None:
    """Edges, counter-clockwise from below: each strip has sides below and above, and a cut between two."""
    two = glued(lone(0, 4), 1, lone(1, 4), 3)
    three = glued(two, two.outer.index(((1, 1),)), lone(2, 4), 3)
    lines = lines_of(three, 3)
    assert lines[0][1] == lines[1][3] >= 4
    assert lines[1][1] == lines[2][3] >= 4
    assert len({strip[0] for strip in lines}) == len({strip[2] for strip in lines}) == 1


def test_a_part_glued_otherwise_keeps_the_lines_around_it() -> None:
    two, other_order = glued(lone(0, 4), 1, lone(1, 4), 3), glued(lone(1, 4), 1, lone(0, 4), 3)
    lines = lines_of(two, 2)
    as_before = other_order.begun_at(0)
    after = laid_instead(lines, two, as_before)
    assert sorted(after[0] + after[1]) == sorted(lines[0] + lines[1])
    assert after != lines
