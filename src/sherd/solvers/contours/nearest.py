"""The likest stretches of very many outlines, looked up in a tree: comparing all with all takes too long.

A stretch that is turned until it runs to the right, and run through the other way for one side of a break,
is a point; two stretches that may lie together are near points, whatever pieces they belong to.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from sherd.core.threads import in_parts
from sherd.solvers.contours.screen import Candidates, Windows, together
from sherd.solvers.stop import Stop

DEGREES = 6  # of the polynomials that are looked up by; all are compared afterwards
AT_ONCE = 2000  # stretches between two questions whether to stop


def nearest_stretches(
    windows: Windows, *, outer: int, softening: float, least: float, most: int, step: int, stop: Stop
) -> Candidates:
    """For every ``step``-th stretch the ``most`` that are likest to it, of all other pieces.

    The piece of the number ``outer`` is the first of a pair, as a target is; else the lower number is.
    """
    pieces = np.searchsorted(windows.starts, np.arange(len(windows.point)), side="right") - 1
    # A straight stretch is like any other straight one.
    telling = np.flatnonzero(windows.bend > least * softening**2)
    if len(telling) <= most:
        return together([])
    tree = KDTree(_turned(windows.backward.T[telling].conj(), windows.samples))
    asked = telling[np.flatnonzero(np.diff(telling // step, prepend=-1))]
    places = _turned(windows.forward[asked], windows.samples)
    found: list[Candidates] = []

    def look_up(part: slice) -> NDArray[np.int64]:
        return cast("NDArray[np.int64]", tree.query(places[part], k=most)[1])

    for low in range(0, len(asked), AT_ONCE):
        if stop(0):
            break
        some = range(low, min(low + AT_ONCE, len(asked)))
        here = np.repeat(asked[some.start : some.stop], most)
        there = telling[np.concatenate(in_parts(some, look_up)).ravel()]
        other = pieces[here] != pieces[there]
        found.append(_compared(windows, here[other], there[other], pieces, outer, softening, least))
    return together(found)


def _turned(coefficients: NDArray[np.complex64], samples: int) -> NDArray[np.float64]:
    """Stretches turned until they run to the right, as points (W, 2 DEGREES - 1)."""
    ahead = coefficients[:, :1]
    turned = coefficients[:, :DEGREES] * (ahead.conj() / np.maximum(np.abs(ahead), 1e-9)) / np.sqrt(samples)
    return np.concatenate([turned.real, turned.imag[:, 1:]], axis=1).astype(np.float64)


def _compared(
    windows: Windows,
    here: NDArray[np.int64],
    there: NDArray[np.int64],
    pieces: NDArray[np.int64],
    outer: int,
    softening: float,
    least: float,
) -> Candidates:
    """Pairs of stretches compared as a whole; those that are alike enough, with their poses."""
    product = (windows.forward[here] * windows.backward.T[there]).sum(axis=1).astype(np.complex128)
    size = np.abs(product)
    square = windows.energy[here] + windows.energy[there] - 2.0 * size / windows.samples
    bend = 0.5 * (windows.bend[here] + windows.bend[there])
    likeness = bend / (np.maximum(square, 0.0) + softening**2)
    alike = likeness > least
    here, there, likeness = here[alike], there[alike], likeness[alike]
    turns: NDArray[np.complex128] = product[alike] / np.maximum(size[alike], np.finfo(np.float64).tiny)
    shifts = windows.means[here] - turns * windows.means[there]
    first, second = pieces[here], pieces[there]
    back = (second == outer) | ((first != outer) & (first > second))
    turned = turns.copy()
    turned[back] = turns[back].conj()
    return Candidates(
        np.where(back, second, first),
        np.where(back, first, second),
        windows.point[np.where(back, there, here)],
        windows.point[np.where(back, here, there)],
        turned,
        np.where(back, -turned * shifts, shifts),
        likeness.astype(np.float64),
    )
