# SPDX-License-Identifier: GPL-2.0-only
"""Part (a): what pieces of a file cost, by their size and by the distance between them."""
from __future__ import annotations

from pathlib import Path
from typing import Any

from devices import MIB, Disk, DistanceDisk, NullDisk
from volume import MNT, Volume, extents, in_pieces
from workloads import read_direct

KIB = 1024
READ = 128 * KIB
SIZES = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]


# FragPicker takes the mean of five runs; here all runs are alike but for the first, on cold caches.
RUNS = 2


def measured(disk: Disk, pieces: int, size: int, distance: int) -> dict[str, Any]:
    """Make a file on a new volume, read it; the figures of that."""
    volume, path = Volume(disk), MNT / "target"
    if isinstance(disk, DistanceDisk):
        disk.is_slow = False
    volume.make()
    in_pieces(path, pieces, size, distance)
    found = extents(path)
    gaps = sorted(abs(b.place - a.place - a.length) for a, b in zip(found, found[1:]))
    if isinstance(disk, DistanceDisk):
        disk.is_slow = True
    for _ in range(RUNS):
        before = disk.counts()
        length, ns = read_direct(path, READ, READ)
        done = disk.counts() - before
    volume.unmount()
    disk.blank()
    print(f"  {size // KIB:5d} KiB, {distance // KIB:8d} KiB away: {done.reads} requests, {length / ns * 1e3:.1f} MB/s", flush=True)
    return {"size": size, "distance": distance, "distance_found": gaps[len(gaps) // 2] if gaps else 0, "extents": len(found),
            "bytes": length, "requests": done.reads, "ns": ns, "mb_per_s": length / ns * 1e3}


def cases_of_size(quick: bool) -> list[tuple[int, int, int]]:
    least = MIB // 4 if quick else MIB
    return [(max(least // (size * KIB), 4), size * KIB, MIB) for size in SIZES[:9 if quick else None]]


def cases_of_distance(quick: bool) -> list[tuple[int, int, int]]:
    distances = [0, 4, 16, 64, 256, 1024, 4096, 16384] + ([] if quick else [65536, 262144, 1048576])
    return [(32 if distance * KIB <= 64 * MIB else 8, 4 * KIB, distance * KIB) for distance in distances]


def motivation(quick: bool, request_ns: int) -> dict[str, Any]:
    results: dict[str, Any] = {"size": {}, "distance": {}}
    for sweep, cases in (("size", cases_of_size(quick)), ("distance", cases_of_distance(quick))):
        mib = max(2 * max(pieces * (size + distance) for pieces, size, distance in cases) // MIB + 256, 512)
        for cost in ("request", "distance"):
            disk = NullDisk(mib, request_ns) if cost == "request" else DistanceDisk(mib, Path("/tmp/disk"))
            print(f"pieces by {sweep}: a disk of {mib} MiB with a cost for each {cost}", flush=True)
            results[sweep][cost] = [measured(disk, *case) for case in cases]
            disk.remove()
    return results
