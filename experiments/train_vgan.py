"""Trains the two generators of V-GAN that come with the package, on one core.

python experiments/train_vgan.py [--minutes 6] [--out src/sherd/weights] square mondrian
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from sherd.learn.vgan import VganConfig, VganParams, save_generator, train


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("shapes", nargs="+")
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--out", type=Path, default=Path("src/sherd/weights"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for shape in arguments.shapes:
        params = VganParams(minutes=arguments.minutes)
        steps = 0

        def on_report(step: int, generator: float, discriminator: float) -> None:
            nonlocal steps
            steps = step
            sys.stderr.write(f"step {step:,}: losses {generator:.3f} and {discriminator:.3f}\n")

        generator = train(VganConfig(shape=shape), params, on_report=on_report)
        training = {"train_puzzles": params.puzzles, "train_minutes": params.minutes, "steps": steps}
        save_generator(arguments.out / f"vgan-{shape}.safetensors", generator, training)


if __name__ == "__main__":
    main()
