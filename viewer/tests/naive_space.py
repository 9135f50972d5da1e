#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The free space of a volume, computed block by block; to compare with that of fragtrace.

usage: naive_space.py make DIR SEED     write a random state of F2FS, and a table beside it: DIR/table
       naive_space.py check DIR JSON    the figures in a JSON text of fragtrace are those of DIR
"""
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path

BLKS = 512
MAIN = 4096
TYPES = ("hot_data", "warm_data", "cold_data", "hot_node", "warm_node", "cold_node")
BITS = "format: segment_type|valid_blocks|bitmaps"
LINE = "segment_type(0:HD, 1:WD, 2:CD, 3:HN, 4:WN, 5:CN)"


def random_map(rng):
    """The valid blocks of a segment: none, all, a few, or runs."""
    kind = rng.randrange(5)
    if kind < 2:
        return [kind == 1] * BLKS
    if kind == 2:
        return [rng.random() < 0.5 for _ in range(BLKS)]
    bits, now = [], rng.random() < 0.5
    while len(bits) < BLKS:
        bits += [now] * rng.choice((1, 2, 7, 8, 9, 64, 300))
        now = not now
    return bits[:BLKS]


def as_hex(bits):
    """The bits as segment_bits has them: the first block is the highest bit of the first byte."""
    return " ".join(f"{int(''.join('01'[b] for b in bits[i:i + 8]), 2):02x}" for i in range(0, BLKS, 8))


def usable_bits(segment, size, unusable):
    """Which blocks of a segment can be written: all but the last ones of its section."""
    return [segment % size * BLKS + b < size * BLKS - unusable for b in range(BLKS)]


def make(folder, seed):
    """Write the files. From seed 100 on, the end of each section cannot be written."""
    rng = random.Random(seed)
    per_section = rng.choice((1, 2, 3))
    n = per_section * rng.randrange(8, 24)
    maps = [random_map(rng) for _ in range(n)]
    unusable = random.Random(-seed).randrange(1, per_section * BLKS) if seed >= 100 else 0
    maps = [[bit and usable for bit, usable in zip(bits, usable_bits(i, per_section, unusable))] for i, bits in enumerate(maps)]
    types = [rng.randrange(6) for _ in range(n)]
    mtime = rng.random() < 0.5
    folder.mkdir()
    if unusable:
        (folder / "unusable_blocks_per_sec").write_text(f"{unusable}\n", encoding="ascii")
    with open(folder / "segment_bits", "w", encoding="ascii") as file:
        print(BITS + ("|mtime" if mtime else ""), LINE, sep="\n", file=file)
        for i, bits in enumerate(maps):
            text = f"{i:<10}{types[i]}|{sum(bits):<3}| {as_hex(bits)}"
            # of some volumes all segments are as old
            time = rng.randrange(1000 if seed % 3 else 1) if any(bits) else 2**64 - 1
            print(text + (f"| {time:x}" if mtime else ""), file=file)
    with open(folder / "victim_bits", "w", encoding="ascii") as file:
        sections = n // per_section
        print("format: victim_secmap bitmaps", file=file)
        for i in range(0, sections, 10):
            bits = (rng.random() < 0.1 for _ in range(min(10, sections - i)))
            print(f"{i:<10}" + " ".join(str(int(bit)) for bit in bits), file=file)
    heads = rng.sample(range(n), 6)
    with open(folder / "status", "w", encoding="ascii") as file:
        print("\n=====[ partition info(vda). #0, RW, CP: Good]=====", file=file)
        print(f"[SSA: 1] [MAIN: {n}(OverProv:3 Resv:2)]\n", file=file)
        print(f"Main area: {n} segs, {sections} secs {sections} zones", file=file)
        print("    TYPE            segno    secno   zoneno  dirty_seg   full_seg  valid_blk", file=file)
        names = ("HOT    data", "WARM   data", "COLD   data", "Dir   dnode", "File  dnode", "Indir nodes")
        for name, head in zip(names, heads):
            print(f"  - {name}: {head:8} {head // per_section:8} 0 0 0 0", file=file)
        print("  - Dirty: 1\n  - Prefree: 2\n  - Free: 3 (3)", file=file)
    with open(folder / "table", "w", encoding="ascii") as file:
        print("# fragtrace table 1", file=file)
        print(f"# volume 254:0 main_blkaddr={MAIN} blocks={MAIN + n * BLKS} segment_blocks={BLKS} path=/m", file=file)
        blk = offset = 0
        while (blk := blk + rng.randrange(200)) < n * BLKS:
            length = min(rng.randrange(1, 300), n * BLKS - blk)
            ino = rng.randrange(4, 10)
            print(f"254:0 {MAIN + blk} {length} {offset} {ino} fragmented /m/f{ino}", file=file)
            blk += length
            offset += 2 * length


def read_bits(folder):
    """Type, bits and mtime of each segment."""
    segments = []
    for line in (folder / "segment_bits").read_text(encoding="ascii").splitlines()[2:]:
        found = re.fullmatch(r"\d+ +(\d)\|(\d+) *\|((?: [0-9a-f]{2}){64})(?:\| ([0-9a-f]+))?", line)
        bits = [c == "1" for byte in found[3].split() for c in f"{int(byte, 16):08b}"]
        segments.append((int(found[1]), bits, int(found[4], 16) if found[4] else None))
    return segments


def read_heads(folder):
    """The segments where logs write, and the size of sections."""
    text = (folder / "status").read_text(encoding="ascii")
    column = 1 if " blkoff " in text else 0
    logs = re.findall(r"^  - (?:(?:HOT|WARM|COLD|ATGC) +data|(?:Dir|File) +dnode|Indir nodes|Pinned file):(.*)$", text, re.M)
    size = re.search(r"Main area: (\d+) segs, (\d+) secs", text)
    return {int(log.split()[column]) for log in logs} - {-1}, int(size[1]) // int(size[2])


def head_of_type(folder, name):
    """The segment that the log of a type of segments writes to; None if it has none."""
    text = (folder / "status").read_text(encoding="ascii")
    log = re.search(rf"^  - {name}:(.*)$", text, re.M)
    head = int(log[1].split()[1 if " blkoff " in text else 0])
    return head if head >= 0 else None


def read_table(folder):
    """The watched blocks, from the begin of the main area, and the path of the file of each."""
    lines = (folder / "table").read_text(encoding="ascii").splitlines()
    main = int(re.search(r"main_blkaddr=(\d+)", lines[1])[1])
    for line in lines:
        if not line.startswith("#"):
            lba, length = map(int, line.split()[1:3])
            yield from ((block, line.split()[-1]) for block in range(lba - main, lba - main + length))


def runs_of(free):
    """The lengths of the runs of free blocks."""
    return [len(run) for run in re.findall("1+", "".join("01"[f] for f in free))]


def cost_benefit(section, oldest, newest):
    """F2FS's cost of a section: get_cb_cost() in fs/f2fs/gc.c."""
    used = section["valid"] // (section["size"] - section["unusable"] // BLKS) * 100 // BLKS
    age = 100 - 100 * (section["mtime"] - oldest) // (newest - oldest) if newest != oldest else 0
    return 2**32 - 1 - 100 * (100 - used) * age // (100 + used)


def picks(segments, heads, size, chosen, unusable):
    """The cheapest sections: greedy, and by cost-benefit or None."""
    sections = []
    for i in range(len(segments) // size):
        part = segments[i * size:(i + 1) * size]
        valid = [sum(bits) for _, bits, _ in part]
        times = sum(v * t for v, (_, _, t) in zip(valid, part) if v and t is not None)
        sections.append({"section": i, "valid": sum(valid), "size": size, "unusable": unusable, "mtime": times // max(1, sum(valid)),
                         "head": any(s // size == i for s in heads)})
    used = [s["mtime"] for s in sections if s["valid"]]
    may = [s for s in sections if 0 < s["valid"] < size * BLKS - unusable and not s["head"] and not chosen[s["section"]]]

    def first(cost):
        return [(s["section"], s["valid"], cost(s)) for s in sorted(may, key=cost)][:5]
    has_mtime = segments[0][2] is not None
    return len(may), first(lambda s: s["valid"]), first(
        lambda s: cost_benefit(s, min(used), max(used))) if has_mtime else None


def files_in(watched, section, size):
    """The files with blocks in a section, most blocks first."""
    blocks = Counter(path for block, path in watched if block // BLKS // size == section)
    return [{"blocks": n, "path": path} for path, n in blocks.most_common()]


def as_json(found, watched, size):
    """The cheapest sections with their files; those with as many blocks may be in another order."""
    return [{"section": s, "valid_blocks": v, "cost": c, "files": files_in(watched, s, size)} for s, v, c in found]


def figures(folder):
    """The figures, with the names that they have in JSON."""
    segments = read_bits(folder)
    heads, size = read_heads(folder)
    text = (folder / "victim_bits").read_text(encoding="ascii").splitlines()[1:]
    chosen = [bit == "1" for line in text for bit in line[10:].split()]
    valid = [b for _, bits, _ in segments for b in bits]
    node = [kind >= 3 for kind, bits, _ in segments for _ in bits]
    watched = list(read_table(folder))
    limit = folder / "unusable_blocks_per_sec"
    unusable = int(limit.read_text(encoding="ascii")) if limit.exists() else 0
    usable = [b for i in range(len(segments)) for b in usable_bits(i, size, unusable)]
    room = [sum(usable_bits(i, size, unusable)) for i in range(len(segments))]
    runs = runs_of([not v and u for v, u in zip(valid, usable)])
    counts = [sum(bits) for _, bits, _ in segments]
    of_types = [head_of_type(folder, name) for name in ("HOT +data", "WARM +data", "COLD +data", "Dir +dnode", "File +dnode", "Indir nodes")]
    dirty = [i for i, c in enumerate(counts) if 0 < c < room[i] and i not in heads]
    candidates, greedy, by_age = picks(segments, heads, size, chosen, unusable)
    return {
        "segments": len(segments), "segments_per_section": size,
        "data_blocks": sum(v and not n for v, n in zip(valid, node)),
        "node_blocks": sum(v and n for v, n in zip(valid, node)),
        "free_blocks": sum(u and not v for v, u in zip(valid, usable)),
        "unusable_blocks": usable.count(False),
        "watched_blocks": sum(valid[b] and not node[b] for b, _ in watched),
        "moved_blocks": sum(not valid[b] or node[b] for b, _ in watched),
        "full_segments": sum(0 < c == room[i] and i not in heads for i, c in enumerate(counts)),
        "dirty_segments": len(dirty),
        "empty_segments": sum(c == 0 < room[i] and i not in heads for i, c in enumerate(counts)),
        "log_segments": len(heads),
        "types": [{"type": name, "dirty": sum(segments[i][0] == t for i in dirty),
                   "valid_blocks": sum(c for c, s in zip(counts, segments) if s[0] == t),
                   "ssr_blocks": sum(room[i] - counts[i] for i in dirty if segments[i][0] == t),
                   "full": sum(0 < c == room[i] and s[0] == t and i not in heads for i, (c, s) in enumerate(zip(counts, segments))),
                   "log_segment": of_types[t], "log_room": None if of_types[t] is None else room[of_types[t]] - counts[of_types[t]]}
                  for t, name in enumerate(TYPES)],
        "longest_free_run": max(runs, default=0),
        "free_runs": [{"from": 2**i, "to": 2 * 2**i - 1, "runs": len(c), "blocks": sum(c)}
                      for i in range(33) if (c := [r for r in runs if r >> i == 1])],
        "dirty_fill": [{"from": 64 * i + 1, "to": min(64 * i + 64, 511),
                        "segments": sum(counts[d] > 64 * i and counts[d] <= 64 * i + 64 for d in dirty)}
                       for i in range(8)],
        "gc_candidates": candidates,
        "gc_greedy": as_json(greedy, watched, size),
        "gc_cost_benefit": by_age and as_json(by_age, watched, size),
    }


def check(folder, path):
    """Compare; the other side may know more."""
    with open(path, encoding="utf-8") as file:
        got = json.load(file)["space"][0]
    for name, wanted in figures(folder).items():
        have = got[name]
        if name == "types":
            have = [{key: t[key] for key in wanted[0]} for t in have]
        if name in ("gc_greedy", "gc_cost_benefit"):
            for pick in have or []:
                assert [f["blocks"] for f in pick["files"]] == sorted((f["blocks"] for f in pick["files"]), reverse=True), pick
            for pick in (have or []) + (wanted or []):
                pick["files"].sort(key=lambda f: (-f["blocks"], f["path"]))
        if have != wanted:
            sys.exit(f"{folder}: {name}: {have}; expected {wanted}")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        check(Path(sys.argv[2]), sys.argv[3])
