#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares synthetic runs of a known distribution, again and again: compare_trials.py PROGRAM SEED TRIALS.

In an empty folder. A run has 40 files; how often they are broken is log-normal, as is its share by extension, and collections are
of a Poisson distribution. Of A against A, each part of the answer may see a difference in 1 of 20 trials. Of A against runs with
12 % more fragments, the sign must be right and the interval must have the 12 %, in 19 of 20. Chance may add to that what it adds in
1 of 1000 such tests.
"""
import json
import math
import random
import shutil
import subprocess
import sys
from pathlib import Path

FILES, EXTENSIONS, MEAN, SPREAD, MORE = 40, (".sst", ".log", ".db", ""), 200, 0.03, 0.12
HEAD = "# fragtrace table 1\n# volume 8:0 main_blkaddr=0 blocks=1000000 segment_blocks=512 path=/m\n"


def write_run(folder: Path, rng: random.Random, factor: float) -> None:
    """Write the files table and gc of one run."""
    fragments = [1] * FILES
    shares = [rng.lognormvariate(0, 0.2) for _ in EXTENSIONS]
    for i in rng.choices(range(FILES), [shares[i % len(shares)] for i in range(FILES)],
                         k=max(round(factor * rng.lognormvariate(math.log(MEAN), SPREAD)) - FILES, 0)):
        fragments[i] += 1
    lines, lba = [], 0
    for i, n in enumerate(fragments):
        for k in range(n):
            lines.append(f"8:0 {lba} 1 {k} {4 + i} {'fragmented' if n > 1 else 'contiguous'} /m/{i}{EXTENSIONS[i % len(EXTENSIONS)]}\n")
            lba += 2
    folder.mkdir(parents=True)
    (folder / "table").write_text(HEAD + "".join(lines))
    collections, left = 0, rng.random() * math.exp(1.5)
    term = 1.0
    while left > term:
        left -= term
        collections += 1
        term *= 1.5 / collections
    (folder / "gc").write_text(f"# fragtrace gc 2\nvolume 8:0 0 {collections} 0 0 0 {100 * collections} 0 0\n")


def compare(program: str, rng: random.Random, runs: tuple[int, int], factor: float) -> tuple[int, dict[str, list[dict]]]:
    """The exit status, and the answer."""
    for name, n, by in ("A", runs[0], 1.0), ("B", runs[1], factor):
        shutil.rmtree(name, ignore_errors=True)
        for i in range(n):
            write_run(Path(name, str(i)), rng, by)
    done = subprocess.run([program, "compare", "--json", "A", "B"], stdout=subprocess.PIPE, check=False)
    return done.returncode, json.loads(done.stdout)


def most(trials: int) -> int:
    """How often what happens in 1 of 20 may happen."""
    left, n = 1.0, -1
    while left > 0.001:
        n += 1
        left -= math.comb(trials, n) * 0.05 ** n * 0.95 ** (trials - n)
    return n


def main() -> None:
    program, seed, trials = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    print(f"seed {seed}")
    for runs in (5, 5), (3, 3), (2, 6):
        wrong = {"figures": 0, "extensions": 0}
        for _ in range(trials):
            status, answer = compare(program, rng, runs, 1.0)
            for part in wrong:
                wrong[part] += any(row["verdict"] in ("more", "less") for row in answer[part])
            assert (status == 3) == any(row["verdict"] == "more" for row in answer["figures"] if row["name"] != "blocks"), answer
        print(f"A against A, {runs[0]} and {runs[1]} runs: a difference in {wrong} of {trials}")
        assert max(wrong.values()) <= most(trials), wrong
    signs = covered = 0
    for _ in range(trials):
        # the data is more as well: each fragment is a block
        _, answer = compare(program, rng, (5, 5), 1 + MORE)
        row = next(row for row in answer["figures"] if row["name"] == "fragments")
        signs += row["verdict"] == "more"
        covered += row["low"] <= MORE <= row["high"]
    print(f"12 % more: seen in {signs}, within the interval in {covered} of {trials}")
    assert trials - min(signs, covered) <= most(trials), (signs, covered)


main()
