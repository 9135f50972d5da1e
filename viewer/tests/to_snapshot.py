#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make of a table what the kernel's file `snapshot` would hold: to_snapshot.py TABLE >SNAPSHOT.

Written from module/snapshot_format.h. What a table does not tell, the figures of a file, is 0.
"""

import re
import struct
import sys


def path_of(field: str) -> bytes:
    raw = field.encode("utf-8", "surrogateescape")
    return re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), raw)


def main() -> None:
    volumes, files, extents, order, paths = [], {}, [], [], bytearray()
    time_ns = stale = 0

    def keep(path: str) -> int:
        at = len(paths)
        paths.extend(path_of(path) + b"\0")
        return at

    with open(sys.argv[1], encoding="utf-8", errors="surrogateescape", newline="\n") as table:
        for line in table:
            line = line.rstrip("\n")
            if m := re.match(r"# time (\d+)\.(\d{3})$", line):
                time_ns = (int(m[1]) * 1000 + int(m[2])) * 1000000
            elif m := re.match(r"# volume (\d+):(\d+) main_blkaddr=(\d+) blocks=(\d+) segment_blocks=(\d+) path=(.*)", line):
                volumes.append((keep(m[6]), *map(int, m.group(1, 2, 3, 4, 5)), 0))
            elif m := re.match(r"# stale (\d+)$", line):
                stale = int(m[1])
            elif not line.startswith("#"):
                dev, lba, length, offset, ino, state, path = line.split(" ", 6)
                volume = [f"{v[1]}:{v[2]}" for v in volumes].index(dev)
                key = (volume, int(ino))
                if key not in files:
                    files[key] = (path, state == "fragmented", [])
                files[key][2].append((int(offset), int(length), int(lba)))

    file_records = []
    for i, ((volume, ino), (path, fragmented, found)) in enumerate(sorted(files.items())):
        file_records.append((keep(path), len(extents), len(found), 0, 0, 0, 0, 0, 0, volume, ino,
                             (2 if fragmented else 0) | (i < stale), 0))
        extents += [(i, offset, length, lba, 0) for offset, length, lba in sorted(found)]
    order = sorted(range(len(extents)),
                   key=lambda x: (file_records[extents[x][0]][9], extents[x][3]))

    arrays = [("<Q6I", volumes), ("<9Q4I", file_records), ("<5I", extents),
              ("<I", [(x,) for x in order]), ("<B", [(c,) for c in paths])]
    body, header = bytearray(), bytearray()
    for form, records in arrays:
        header += struct.pack("<QQII", 152 + len(body), len(records), struct.calcsize(form), 0)
        for record in records:
            body += struct.pack(form, *record)
        body += bytes(-len(body) % 8)
    sys.stdout.buffer.write(struct.pack("<8sIIQQ", b"FTsnap\r\n", 1, 152, 152 + len(body), time_ns)
                            + header + body)


main()
