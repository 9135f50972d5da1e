#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Age a volume: fill it with files of 16 to 256 KiB, then delete some of them at random.

usage: age.py FOLDER FILL DELETE SEED

FILL is the share of the volume that is filled (0.92), DELETE the share of the files that are deleted then (0.6). The same
seed makes the same files. They hold zeroes: on the host, an image of such a volume takes nearly no room.
"""

from __future__ import annotations

import os
import random
import sys

BLOCK = 4096
FILES_IN_FOLDER = 256


def fill(folder: str, share: float, rng: random.Random) -> list[str]:
    """Create files until this share of the volume is in use; return their paths."""
    made: list[str] = []
    zeroes = bytes(64 * BLOCK)
    while True:
        state = os.statvfs(folder)
        if 1 - state.f_bavail / state.f_blocks >= share:
            return made
        if len(made) % FILES_IN_FOLDER == 0:
            os.mkdir(f"{folder}/{len(made) // FILES_IN_FOLDER}")
        path = f"{folder}/{len(made) // FILES_IN_FOLDER}/{len(made)}"
        with open(path, "wb", buffering=0) as file:
            file.write(zeroes[: rng.randint(4, 64) * BLOCK])
        made.append(path)
        # f_bavail counts blocks when they are allocated
        if len(made) % 64 == 0:
            os.sync()


def main() -> None:
    folder, filled, deleted, seed = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    rng = random.Random(seed)
    made = fill(folder, filled, rng)
    gone = rng.sample(made, int(len(made) * deleted))
    for path in gone:
        os.unlink(path)
    os.sync()
    state = os.statvfs(folder)
    print(f"{len(made)} files, {len(gone)} of them deleted, {1 - state.f_bavail / state.f_blocks:.0%} in use")


main()
