"""Bits of words of 64, counted and found (compiled)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled

Words = NDArray[np.uint64]

WORD = 64
ONE = np.uint64(1)
# Every second bit, every second pair and every second four, and one in each byte.
BY_ONE, BY_TWO, BY_FOUR = (
    np.uint64(mask) for mask in (0x5555_5555_5555_5555, 0x3333_3333_3333_3333, 0x0F0F_0F0F_0F0F_0F0F)
)
BYTES, TOP_BYTE = np.uint64(0x0101_0101_0101_0101), np.uint64(56)


@compiled
def lowest(bits: Any) -> int:
    """The number of the lowest bit that is set; 0 if none is."""
    number = 0
    lone = bits & (~bits + ONE)
    for shift in (32, 16, 8, 4, 2, 1):
        if lone >> np.uint64(shift):
            lone >>= np.uint64(shift)
            number += shift
    return number


@compiled
def count_bits(bits: Any) -> int:
    """How many bits are set."""
    pairs = bits - ((bits >> ONE) & BY_ONE)
    fours = (pairs & BY_TWO) + ((pairs >> np.uint64(2)) & BY_TWO)
    eights = (fours + (fours >> np.uint64(4))) & BY_FOUR
    number: Any = np.int64((eights * BYTES) >> TOP_BYTE)
    return number


@compiled
def run_length(bits: Any) -> int:
    """How many bits are set in turn from the lowest on."""
    return WORD if ~bits == np.uint64(0) else lowest(~bits)
