"""Strokes as a pen draws them, joined end to end into closed rings where they meet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
from numpy.typing import NDArray
from scipy.spatial import KDTree

from sherd.io.drawings.curves import Floats, Path

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Stroke:
    """A path as drawn; the paths of one ``element`` belong together, so that inner rings are holes."""

    path: Path
    name: str = ""
    groups: tuple[str, ...] = ()
    element: int = 0


@dataclass(frozen=True)
class Chain:
    """Points (K, 2) of a flattened stroke, or of several joined; a closed one does not repeat the first."""

    points: Floats
    name: str
    closed: bool = False


def join(chains: Sequence[Chain], gap: float) -> tuple[list[Chain], list[Chain]]:
    """Closed chains made of open ones whose ends lie within the gap, and the open ones left over.

    Ends that lie together are moved into one place, whether lines branch there or not.

    >>> sides = [[[0, 0], [1, 0]], [[0, 1], [1, 0]], [[0, 1], [0, 0]]]
    >>> closed, left = join([Chain(np.array(side, dtype=float), "a") for side in sides], gap=0.0)
    >>> closed[0].points.tolist(), left
    ([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [])
    """
    if not chains:
        return [], []
    nodes = _clusters(np.concatenate([chain.points[[0, -1]] for chain in chains]), gap).reshape(-1, 2)
    places: dict[int, Floats] = {}
    for chain, (first, last) in zip(chains, nodes.tolist(), strict=True):
        places.setdefault(first, chain.points[0])
        places.setdefault(last, chain.points[-1])
    snapped = [
        Chain(np.concatenate([places[first][None], chain.points[1:-1], places[last][None]]), chain.name)
        for chain, (first, last) in zip(chains, nodes.tolist(), strict=True)
    ]
    loops: list[Chain] = []
    left: list[Chain] = []
    for members in _components(nodes):
        strokes: list[Chain] = [snapped[k] for k in members.tolist()]
        _, degrees = np.unique(nodes[members], return_counts=True)
        if (degrees == 2).all():
            loops.append(_ring(strokes, nodes[members]))
        else:
            left += strokes
    return loops, left


def _clusters(points: Floats, gap: float) -> Ints:
    """The number of each point's cluster; points within the gap of each other are in one."""
    if gap <= 0.0:
        return np.unique(points, axis=0, return_inverse=True)[1].reshape(-1)
    # Cells first, so that many points in one place do not make quadratically many pairs.
    cells, owner = np.unique(np.round(points / (gap / 4.0)), axis=0, return_inverse=True)
    pairs = cast(Ints, KDTree(cells).query_pairs(4.0, output_type="ndarray"))
    return _connected(pairs, len(cells))[owner.reshape(-1)]


def _connected(pairs: Ints, count: int) -> Ints:
    """The number (count,) of the connected part in which each thing is, pairs (P, 2) being linked."""
    links = scipy.sparse.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    return np.asarray(scipy.sparse.csgraph.connected_components(links, directed=False)[1], dtype=np.int64)


def _components(nodes: Ints) -> Iterable[Ints]:
    """The strokes, by number, of each connected part; ``nodes`` (S, 2) are their ends."""
    part = _connected(nodes, int(nodes.max()) + 1)[nodes[:, 0]]
    order = np.argsort(part, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(part[order])) + 1)


def _ring(chains: Sequence[Chain], nodes: Ints) -> Chain:
    """The chains of one loop one after another; every node has two ends."""
    at_node: defaultdict[int, list[int]] = defaultdict(list)
    for k, (first, last) in enumerate(nodes.tolist()):
        at_node[first].append(k)
        at_node[last].append(k)
    points: list[Floats] = []
    k, node = 0, int(nodes[0, 0])
    for _ in chains:
        forward = nodes[k, 0] == node
        points.append((chains[k].points if forward else chains[k].points[::-1])[:-1])
        node = int(nodes[k, 1] if forward else nodes[k, 0])
        k = next((other for other in at_node[node] if other != k), k)
    return Chain(np.concatenate(points), next((chain.name for chain in chains if chain.name), ""), True)
