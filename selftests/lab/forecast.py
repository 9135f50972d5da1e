# SPDX-License-Identifier: GPL-2.0-only
"""Part (c): requests that the plan foresees, beside those that the disk counted."""
from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from devices import MIB, NullDisk
from treatments import Module, defrag
from volume import BLOCK, MNT, Volume, Writer, forget, half_broken, sync
from workloads import read_buffered, read_direct

KIB = 1024
# How a reader reads: the way, bytes at once, read_ahead_kb.
READERS = (("direct", 128 * KIB, 128), ("direct", 512 * KIB, 128), ("direct", 64 * KIB, 128),
           ("direct", 2048 * KIB, 128), ("buffered", 128 * KIB, 128), ("buffered", 4 * KIB, 128), ("buffered", 12 * KIB, 128),
           ("buffered", 128 * KIB, 512), ("buffered", 128 * KIB, 32), ("buffered", 1024 * KIB, 128), ("buffered", 4 * KIB, 0),
           ("buffered", 64 * KIB, 4096))


def at_random(path: Path, blocks: int, longest: int, seed: int) -> None:
    """A file of pieces of 1 to `longest` blocks."""
    chance = random.Random(seed)
    target, dummy = Writer(path), Writer(path.with_suffix(".dummy"))
    while blocks > 0:
        piece = min(chance.randint(1, longest), blocks)
        target.append(piece * BLOCK)
        dummy.append(BLOCK)
        blocks -= piece
    target.close()
    dummy.close()
    sync()


def forecast(quick: bool, request_ns: int, seed: int) -> dict[str, Any]:
    disk = NullDisk(512, request_ns)
    volume = Volume(disk)
    volume.make()
    # A scheduler may join requests of two reads, if the disk is busy enough.
    disk.queue("scheduler", "none")
    blocks = 1024 if quick else 8192
    layouts = {"whole": blocks, "pieces of 1 to 64 blocks": 64, "pieces of 1 to 8 blocks": 8, "single blocks": 1}
    files: dict[str, Path] = {}
    for name, longest in layouts.items():
        files[name] = MNT / f"file{len(files)}"
        at_random(files[name], blocks, longest, seed)
    files["half broken"] = MNT / "half"
    half_broken(files["half broken"], blocks // 64)
    rows = []
    with Module():
        for name, path in files.items():
            for way, size, ahead in READERS:
                disk.queue("read_ahead_kb", str(ahead))
                plan = defrag("--all", "--reader", f"{way},{size}", path)
                most, least = (sum(v["reader"][key] for v in plan["volumes"]) for key in ("requests", "requests_least"))
                forget(path)
                before = disk.counts()
                (read_direct if way == "direct" else read_buffered)(path, size, size)
                counted = (disk.counts() - before).reads
                rows.append({"layout": name, "way": way, "size": size, "read_ahead_kb": ahead, "foreseen": most, "least": least, "counted": counted,
                             "percent": 100 * (min(max(counted, least), most) / counted - 1)})
                print(f"  {name}, {way}, {size // KIB} KiB, read ahead {ahead} KiB: {least} to {most} foreseen, {counted} counted", flush=True)
    volume.unmount()
    disk.remove()
    return {"rows": rows, "mib": blocks * BLOCK / MIB}
