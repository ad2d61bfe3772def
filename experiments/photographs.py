"""Square cut-outs of the photographs that scikit-image ships, as a folder for `--texture`.

    python experiments/photographs.py OUT [--count 1000] [--seed 0]

Each is a random part of a random photograph, at random turned by quarter turns and mirrored, so that where a
colour lies in one cut-out says nothing about where it lies in another. Its name begins with the photograph's:
those that are kept for testing are cut from photographs that none to train on is cut from.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import skimage.data
from PIL import Image

PHOTOGRAPHS = ("astronaut", "chelsea", "coffee", "rocket", "hubble_deep_field", "immunohistochemistry")
SIZE_PX = 128
# The side of a cut-out, as a share of the photograph's shorter one.
SMALLEST, LARGEST = 0.3, 0.9


def cut_out(photograph: np.ndarray, rng: np.random.Generator) -> Image.Image:
    height, width = photograph.shape[:2]
    side = int(min(height, width) * rng.uniform(SMALLEST, LARGEST))
    top, left = rng.integers(height - side + 1), rng.integers(width - side + 1)
    part = np.rot90(photograph[top : top + side, left : left + side], rng.integers(4))
    part = part[:, ::-1] if rng.random() < 0.5 else part
    return Image.fromarray(np.ascontiguousarray(part)).resize((SIZE_PX, SIZE_PX), Image.Resampling.LANCZOS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    photographs = [getattr(skimage.data, name)() for name in PHOTOGRAPHS]
    rng = np.random.default_rng(options.seed)
    options.out.mkdir(parents=True)
    for number in range(options.count):
        which = int(rng.integers(len(photographs)))
        cut_out(photographs[which], rng).save(options.out / f"{PHOTOGRAPHS[which]}-{number:05d}.png")


if __name__ == "__main__":
    main()
