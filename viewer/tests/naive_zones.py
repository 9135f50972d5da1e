#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The zones of a volume, computed block by block; to compare with those of fragtrace.

usage: naive_zones.py make DIR SEED     write a random state of F2FS on zoned devices, and a table beside it: DIR/table
       naive_zones.py many DIR ZONES MIB CAPACITY     write so many zones of so many MiB: two conventional ones, then three full and an
                                        empty one, and so on; a file has blocks in the full ones of the first 3000
       naive_zones.py check DIR JSON    what fragtrace zones --json says is what DIR has
"""
import json
import random
import re
import struct
import sys
from collections import Counter
from pathlib import Path

import naive_space
from naive_space import BLKS, MAIN, TYPES

NAMES = {0: "conventional", 1: "empty", 2: "open", 3: "open", 4: "closed", 13: "read-only", 14: "full", 15: "offline"}
ZONE = "  start: 0x{:09x}, len 0x{:06x}, cap 0x{:06x}, wptr 0x{:06x} reset:0 non-seq:0, zcond:{:2d}(xx) [type: {}(XXXX)]"
LOGS = ("HOT +data", "WARM +data", "COLD +data", "Dir +dnode", "File +dnode", "Indir nodes")


def superblock(size, segments, devices, block_bits=12, main=MAIN, features=2):
    """A superblock with these devices: their segments, by path."""
    block = bytearray(4096)
    for at, value in ((0, 0xf2f52010), (16, block_bits), (20, 9), (24, size), (28, 1), (68, segments), (72, BLKS), (92, main), (2180, features)):
        struct.pack_into("<I", block, 1024 + at, value)
    for i, (path, n) in enumerate(devices):
        struct.pack_into("<64sI", block, 1024 + 2201 + 68 * i, path.encode(), n)
    return bytes(block)


def report(rng, n, blks, conventional):
    """What blkzone says of a device of so many zones, some of them conventional."""
    lines = []
    for i in range(n):
        kind = i >= conventional
        condition = rng.choice((1, 2, 3, 4, 13, 14, 14, 15)) if kind else 0
        capacity = blks - rng.choice((0, 0, 1, 100, 300)) if kind else blks
        pointer = {1: 0, 14: blks}.get(condition, rng.randrange(1, capacity)) if kind else 0
        lines.append(ZONE.format(i * blks * 8, blks * 8, capacity * 8, pointer * 8, condition, 2 if kind else 1))
    return "\n".join(lines) + "\n"


def make(folder, seed):
    """Write the files."""
    rng = random.Random(seed)
    naive_space.make(folder, seed)
    n = len(naive_space.read_bits(folder))
    size = naive_space.read_heads(folder)[1]
    blks = size * BLKS
    if seed % 2 and MAIN % blks == 0:
        devices = []
        zones = (MAIN + n * BLKS) // blks
        (folder / "zones.0").write_text(report(rng, zones + 2, blks, MAIN // blks + 1), encoding="ascii")
        (folder / "max_open_zones.0").write_text(f"{seed % 5 if seed > 6 else 12}\n", encoding="ascii")
    else:
        first = size * rng.randrange(1, 4)  # sections of the main area on the first device
        devices = [("/dev/fake0", MAIN // BLKS - 1 + first), ("/dev/fake1", n - first)]
        (folder / "zones.1").write_text(report(rng, (n - first) // size, blks, 1), encoding="ascii")
        (folder / "max_open_zones.1").write_text("0\n", encoding="ascii")
        (folder / "max_active_zones.1").write_text(f"{seed % 6 if seed > 6 else 14}\n", encoding="ascii")
    (folder / "superblock").write_bytes(superblock(size, n, devices))
    if rng.random() < 0.7:  # from Linux 7 on, the block that a log writes next is there, too
        text = (folder / "status").read_text(encoding="ascii").replace("TYPE            segno", "TYPE            blkoff    segno")
        text = re.sub(r"^(  - (?:HOT|WARM|COLD|Dir|File|Indir) +\w+:)", lambda m: f"{m[1]} {rng.randrange(BLKS)} ", text, flags=re.M)
        (folder / "status").write_text(text, encoding="ascii")


def many(folder, n, mib, capacity):
    """Write the files. A volume ends before block 2^32; what is after it is not in the volume."""
    blks, usable = mib * 256, capacity * 256
    first, end = 2 * blks, min(n, (2**32 - 1) // blks) * blks
    segments = (end - first) // BLKS
    folder.mkdir()
    full = [i % 4 != 1 for i in range(n)]
    lines = [ZONE.format(i * blks * 8, blks * 8, (usable if i > 1 else blks) * 8, full[i] * usable * 8 if i > 1 else 0,
                         (14 if full[i] else 1) if i > 1 else 0, 2 if i > 1 else 1) for i in range(n)]
    (folder / "zones.0").write_text("\n".join(lines) + "\n", encoding="ascii")
    block = bytearray(superblock(blks // BLKS, segments, []))
    struct.pack_into("<I", block, 1024 + 92, first)
    (folder / "superblock").write_bytes(block)
    with open(folder / "segment_info", "w", encoding="ascii") as file:
        print("format: segment_type|valid_blocks", naive_space.LINE, sep="\n", file=file)
        for i in range(0, segments, 10):
            print(f"{i:<10}" + " ".join(["1|0  "] * min(10, segments - i)), file=file)
    with open(folder / "table", "w", encoding="ascii") as file:
        print("# fragtrace table 1", f"# volume 254:0 main_blkaddr={first} blocks={end} segment_blocks={BLKS} path=/m", sep="\n", file=file)
        for i in range(2, 3000):
            if full[i]:
                print(f"254:0 {i * blks} 200 {i * 200} 4 fragmented /m/f", file=file)


def read_logs(folder):
    """Of each log its type, its segment, and the block that it writes next, or None."""
    text = (folder / "status").read_text(encoding="ascii")
    for key, name in zip(TYPES, LOGS):
        numbers = re.search(rf"^  - {name}:(.*)$", text, re.M)[1].split()
        yield (key, int(numbers[1]), int(numbers[0])) if " blkoff " in text else (key, int(numbers[0]), None)


def finding(zone, pointer, valid, logs):
    """How F2FS and the device differ: by the meaning of the words in the manual page."""
    if zone["condition"] in ("read-only", "offline"):
        return "lost", sum(valid)
    offs = [next_blk - pointer for _, next_blk in logs if next_blk is not None and next_blk != pointer]
    if offs:
        worst = max(offs, key=abs)
        return "behind" if worst > 0 else "ahead", abs(worst)
    late = sum(valid[max(0, pointer - zone["lba"]):])
    if late:
        return "unwritten", late
    if logs or zone["condition"] == "empty":
        return None, None
    if not any(valid):
        return "not_reset", pointer - zone["lba"]
    return ("left", zone["lba"] + zone["capacity"] - pointer) if zone["condition"] != "full" else (None, None)


def collecting(raw, inside, n_valid, n_here, size):
    """What collecting a zone with these blocks in the main area gains, and why it would not be collected: likewise."""
    lba, _, capacity, _, condition = raw
    if not inside:
        return None, "outside"
    if {(b - MAIN) // (size * BLKS) for b in inside} != {(inside[0] - MAIN) / (size * BLKS)} or len(inside) != size * BLKS:
        return None, "sections"
    if condition in (13, 15):
        return None, "lost"
    if n_here:
        return None, "log"
    if not n_valid:
        return None, "no_valid"
    usable = sum(b < lba + capacity for b in inside)
    return (usable - n_valid, None) if n_valid < usable else (None, "all_valid")


def age(segments, numbers):
    """By how many seconds valid blocks of these segments are older than the newest segment, by a segment for each block."""
    times = [segments[i][2] for i in numbers]
    if not times or None in times:
        return None
    newest = max(time for _, bits, time in segments if any(bits))
    return sum(newest - time for time in times) // len(times)


def read_devices(folder):
    """By device: path, first block, whether it has zones, zones as (first block, blocks, capacity, pointer, condition)."""
    block = (folder / "superblock").read_bytes()[1024:]
    named = [struct.unpack_from("<64sI", block, 2201 + 68 * i) for i in range(8)]
    named = [(path.rstrip(b"\0").decode(), n) for path, n in named if path[0]]
    segments = struct.unpack_from("<I", block, 68)[0]
    first = 0
    for i, (path, n) in enumerate(named or [("the device", MAIN // BLKS - 1 + segments)]):
        end = first + n * BLKS + (0 if i else BLKS)
        copy = folder / f"zones.{i}"
        zones = [(first, end - first, end - first, 0, 0)]
        if copy.exists():
            found = re.findall(r"0x(\w+), len 0x(\w+), cap 0x(\w+), wptr 0x(\w+) .*zcond: *(\d+)", copy.read_text(encoding="ascii"))
            zones = [(first + int(s, 16) // 8, int(b, 16) // 8, int(c, 16) // 8, int(p, 16) // 8, int(k)) for s, b, c, p, k in found]
        open_zones = sum(zone[4] in (2, 3) for zone in zones)
        yield path, first, copy.exists(), [zone for zone in zones if zone[0] < end], open_zones, open_zones + sum(zone[4] == 4 for zone in zones)
        first = end


def zone_of(raw, state):
    """A zone as fragtrace has to show it."""
    lba, blks, capacity, pointer, condition = raw
    segments, watched, logs, chosen, size = state
    pointer = lba + (capacity if condition == 14 else pointer) if condition in (1, 2, 3, 4, 14) else None
    end = min(lba + blks, MAIN + len(segments) * BLKS)
    inside = range(max(lba, MAIN), end)
    valid = [segments[(b - MAIN) // BLKS][1][(b - MAIN) % BLKS] if b >= MAIN else False for b in range(lba, end)]
    counts = Counter(segments[(b - MAIN) // BLKS][0] for b in inside if valid[b - lba])
    here = [(key, MAIN + s * BLKS + o if o is not None else None) for key, s, o in logs if MAIN + s * BLKS in inside]
    zone = {"lba": lba, "blocks": blks, "capacity": capacity, "condition": NAMES[condition], "write_pointer": pointer,
            "main_area": len(inside) > 0, "valid": {key: counts[i] for i, key in enumerate(TYPES)},
            "logs": [{"type": key, "next": o} for key, o in here],
            "chosen": any(chosen[(b - MAIN) // BLKS // size] for b in inside[::BLKS])}
    zone["gain"], zone["not_collected"] = collecting(raw, inside, sum(counts.values()), len(here), size)
    zone["age_s"] = age(segments, [(b - MAIN) // BLKS for b in inside if valid[b - lba]])
    zone["finding"], by = finding(zone, pointer, valid, here) if inside and condition else (None, None)
    if zone["finding"]:
        zone["by"] = by
    blocks = Counter(path for block, path in watched if block + MAIN in inside)
    zone["files"] = sorted(({"blocks": n, "path": path} for path, n in blocks.items()), key=lambda f: (-f["blocks"], f["path"]))
    return zone


def read_state(folder):
    """What zone_of() takes: segments, blocks of watched files, logs, what is chosen, and segments of a section."""
    text = (folder / "victim_bits").read_text(encoding="ascii").splitlines()[1:]
    chosen = [bit == "1" for line in text for bit in line[10:].split()]
    size = naive_space.read_heads(folder)[1]
    return naive_space.read_bits(folder), list(naive_space.read_table(folder)), list(read_logs(folder)), chosen, size


def check(folder, path):
    """Compare."""
    with open(path, encoding="utf-8") as file:
        volume = json.load(file)["volumes"][0]
    state = read_state(folder)
    size = state[4]
    seen = Counter()
    devices = list(read_devices(folder))
    assert volume["section_blocks"] == size * BLKS and len(volume["devices"]) == len(devices), volume
    for i, (got, (name, first, zoned, zones, opened, active)) in enumerate(zip(volume["devices"], devices)):
        limits = {what: int(limit.read_text(encoding="ascii")) if (limit := folder / f"{what}_zones.{i}").exists() else None
                  for what in ("max_open", "max_active")}
        full = [what for what, n in (("max_active", active), ("max_open", opened)) if limits[what] and n >= limits[what]]
        wanted = {"path": name, "lba": first, "zoned": zoned, "open": opened, "active": active, "reached": full[0] if full else None}
        assert wanted | limits == {k: got[k] for k in (*wanted, *limits)}, got
        assert got.get("text", "").startswith(f"{active if full[0] == 'max_active' else opened} zones are ") if full else "text" not in got
        seen[f"={wanted['reached']}"] += 1
        assert len(got["zones"]) == len(zones), (len(got["zones"]), len(zones))
        for zone, raw in zip(got["zones"], zones):
            wanted = zone_of(raw, state)
            assert (zone.pop("text", None) is None) == (wanted["finding"] is None)
            zone["files"].sort(key=lambda f: (-f["blocks"], f["path"]))
            assert zone == wanted, f"{zone}; expected {wanted}"
            seen[wanted["finding"]] += 1
            seen["+" + str(wanted["not_collected"])] += 1
            seen["+old"] += bool(wanted["age_s"])
    print(*(what for what, n in seen.items() if what and n))


def metrics(folder, path):
    """Compare the metrics of zones with sums over the zones of all zoned devices."""
    got = {(name, label): int(n) for name, label, n in re.findall(
        r'^fragtrace_(zone\w*|open_zones|max_open_zones)\{.*,mountpoint="/m",\w+="([^"]*)"\} (\d+)$', Path(path).read_text(encoding="utf-8"), re.M)}
    state = read_state(folder)
    wanted = Counter({("zones", name): 0 for name in NAMES.values()} | {("zone_bytes", name): 0 for name in ("valid", "invalid", "unwritten")} |
                     {("zone_findings", name): 0 for name in ("changed", "lost", "behind", "ahead", "unwritten", "not_reset", "left")})
    any_zoned = False
    for i, (name, _, zoned, zones, opened, _) in enumerate(read_devices(folder)):
        if not zoned:
            continue
        any_zoned = True
        wanted["open_zones", name] = opened
        limit = folder / f"max_open_zones.{i}"
        if limit.exists() and int(limit.read_text(encoding="ascii")):
            wanted["max_open_zones", name] = int(limit.read_text(encoding="ascii"))
        for raw in zones:
            zone = zone_of(raw, state)
            wanted["zones", zone["condition"]] += 1
            wanted["zone_findings", zone["finding"]] += zone["finding"] is not None
            pointer = zone["write_pointer"]
            if pointer is None or not zone["main_area"]:
                continue
            segments = state[0]
            valid = sum(segments[(b - MAIN) // BLKS][1][(b - MAIN) % BLKS] for b in range(max(zone["lba"], MAIN), min(pointer, MAIN + len(segments) * BLKS)))
            wanted["zone_bytes", "valid"] += valid * 4096
            wanted["zone_bytes", "invalid"] += (pointer - zone["lba"] - valid) * 4096
            wanted["zone_bytes", "unwritten"] += (zone["lba"] + zone["capacity"] - pointer) * 4096
    del wanted["zone_findings", None]
    assert got == (dict(wanted) if any_zoned else {}), f"{got}; expected {dict(wanted)}"
    print(*(name if name.endswith("open_zones") else f"{name}:{label}" for (name, label), n in got.items() if n))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1] == "many":
        many(Path(sys.argv[2]), *map(int, sys.argv[3:]))
    elif sys.argv[1] == "metrics":
        metrics(Path(sys.argv[2]), sys.argv[3])
    else:
        check(Path(sys.argv[2]), sys.argv[3])
