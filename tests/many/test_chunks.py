"""Jobs in chunks."""

from __future__ import annotations

import pytest

from sherd.many.chunks import Chunks, chunk_seconds


def numbers(chunks: Chunks) -> list[tuple[int, ...]]:
    return [chunk.jobs for chunk in chunks]


def test_chunks_grow_until_they_take_half_a_second() -> None:
    chunks = Chunks(range(100))
    sizes: list[int] = []
    for chunk in chunks:
        assert chunk.jobs == tuple(range(chunk.first, chunk.first + len(chunk.jobs)))
        sizes.append(len(chunk.jobs))
        chunks.learn(len(chunk.jobs), 0.05 * len(chunk.jobs))
    assert sizes == [1, 2, 4, 8, *[10] * 8, 5]


def test_chunks_shrink_where_jobs_take_longer() -> None:
    chunks = Chunks(range(40))
    chunks.learn(8, 0.1)
    walk = iter(chunks)
    assert len(next(walk).jobs) == 16
    chunks.learn(16, 16.0)
    assert [len(chunk.jobs) for chunk in walk] == [1] * 24


@pytest.mark.parametrize(
    ("done", "left"),
    [
        ([range(5)], []),
        ([range(2), range(4, 5)], [2, 3]),
        ([range(3, 9), range(1, 4)], [0]),
        ([range(1, 2), range(1, 2)], [0, 2, 3, 4]),
    ],
)
def test_what_is_done_is_passed_over(done: list[range], left: list[int]) -> None:
    assert numbers(Chunks(range(5), done)) == [(number,) for number in left]


def test_more_workers_have_longer_chunks() -> None:
    assert chunk_seconds(1) == chunk_seconds(100) == 0.5
    assert chunk_seconds(400) == 2.0
