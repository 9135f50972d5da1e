#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Convert a table to the form of the kernel's file `snapshot`: to_snapshot.py TABLE >SNAPSHOT.

Written from module/format/snapshot.h. A table has no figures of files; they are 0 here.
Causes are in comments of the table, which table.c skips:

    # writer COMM PID FIRST LAST [CGROUP]         the writers 2, 3, and so on; one of the same COMM and PID again is
                                                  the same process at another time
    # cause INO OFFSET OP FLUSH WHY_HERE WRITER   of the extent of that file that begins at OFFSET

Other comments are for what a table does not have:

    # unwritten INO OFFSET LENGTH                 an extent of that file without blocks
    # encoded INO OFFSET                          the extent that begins at OFFSET has blocks of a compressed cluster
    # lost INO OFFSET LENGTH LBA                  an extent that is not in the order of addresses
    # empty DEV INO PATH                          a file without extents

A table that says the size of its blocks becomes a snapshot that does; any other one has the shorter records of an older module.

The other extents of a fragment get the cause of the first one. The default cause is unknown.
"""

import re
import struct
import sys

OPS = ("unknown append overwrite tail direct prealloc range mmap inline gc_bg gc_fg defrag atomic compress").split()
FLUSHES = "none sync writeback checkpoint".split()
WHYS = "none unknown interleaved other_log ssr new_segment moved".split()
NO_PATH = 2 ** 64 - 1
UNWRITTEN = 2 ** 32 - 1


def path_of(field: str) -> bytes:
    raw = field.encode("utf-8", "surrogateescape")
    return re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), raw)


def cause_of(op: str, flush: str, why: str, writer: int) -> int:
    return OPS.index(op) | FLUSHES.index(flush) << 4 | WHYS.index(why) << 6 | writer << 9


def main() -> None:
    volumes, files, extents, order, paths = [], {}, [], [], bytearray()
    flags: dict[tuple[int, int], int] = {}
    unwritten: list[tuple[int, int, int, int]] = []
    writers, causes = [(NO_PATH, 0, 0, 0, 0, b"", 0, 0)] * 2, {}
    time_ns = stale = block_bytes = 0

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
                volumes.append((keep(m[6]), *map(int, m.group(1, 2, 3, 4, 5)), 0, 0))
            elif m := re.match(r"# block_bytes (\d+)$", line):
                block_bytes = int(m[1])
            elif m := re.match(r"# stale (\d+)$", line):
                stale = int(m[1])
            elif m := re.match(r"# stopped (\S+)$", line):
                at = [f"{v[1]}:{v[2]}" for v in volumes].index(m[1])
                volumes[at] = (*volumes[at][:-2], 1, volumes[at][-1])
            elif m := re.match(r"# left_out (\S+) (\d+)$", line):
                at = [f"{v[1]}:{v[2]}" for v in volumes].index(m[1])
                volumes[at] = (*volumes[at][:-1], int(m[2]))
            elif m := re.match(r"# writer (\S+) (\d+) (\d+) (\d+)(?: (\S+))?$", line):
                same = [w[6] for w in writers if (w[5], w[3]) == (path_of(m[1]), int(m[2]))] + [len(writers)]
                writers.append((keep(m[5]) if m[5] else NO_PATH, int(m[3]), int(m[4]), int(m[2]), 0, path_of(m[1]),
                                same[0], 0))
            elif m := re.match(r"# cause (\d+) (\d+) (\S+) (\S+) (\S+) (\d+)$", line):
                causes[int(m[1]), int(m[2])] = cause_of(m[3], m[4], m[5], int(m[6]))
            elif m := re.match(r"# unwritten (\d+) (\d+) (\d+)$", line):
                unwritten.append((int(m[1]), int(m[2]), int(m[3]), UNWRITTEN))
            elif m := re.match(r"# lost (\d+) (\d+) (\d+) (\d+)$", line):
                unwritten.append((int(m[1]), int(m[2]), int(m[3]), int(m[4])))
            elif m := re.match(r"# encoded (\d+) (\d+)$", line):
                flags[int(m[1]), int(m[2])] = 1
            elif m := re.match(r"# empty (\S+) (\d+) (\S+)$", line):
                files[[f"{v[1]}:{v[2]}" for v in volumes].index(m[1]), int(m[2])] = (m[3], False, [])
            elif not line.startswith("#"):
                dev, lba, length, offset, ino, state, path = line.split(" ", 6)
                volume = [f"{v[1]}:{v[2]}" for v in volumes].index(dev)
                key = (volume, int(ino))
                if key not in files:
                    files[key] = (path, state == "fragmented", [])
                files[key][2].append((int(offset), int(length), int(lba)))

    in_order = {(key[1], *extent) for key, file in files.items() for extent in file[2]}
    for number, *extent in unwritten:
        next(file[2] for key, file in files.items() if key[1] == number).append(tuple(extent))
    file_records = []
    for i, ((volume, ino), (path, fragmented, found)) in enumerate(sorted(files.items())):
        file_records.append((keep(path), len(extents), len(found), 0, 0, 0, 0, 0, 0, volume, ino,
                             (2 if fragmented else 0) | (i < stale), 0))
        end = cause = 0
        for offset, length, lba in sorted(found):
            if lba != end and lba != UNWRITTEN:
                cause = cause_of("unknown", "none", "unknown" if end else "none", 0)
            cause = causes.get((ino, offset), cause)
            extents.append((i, offset, length, lba, flags.get((ino, offset), 0), cause))
            if lba != UNWRITTEN:
                end = lba + length
            if (ino, offset, length, lba) in in_order:
                order.append(len(extents) - 1)
    order = sorted(order,
                   key=lambda x: (file_records[extents[x][0]][9], extents[x][3]))

    if block_bytes:
        volumes = [(*volume, block_bytes, 0) for volume in volumes]
    arrays = [("<Q6IQ2I" if block_bytes else "<Q6IQ", volumes), ("<9Q4I", file_records), ("<6I", extents),
              ("<I", [(x,) for x in order]), ("<B", [(c,) for c in paths]), ("<3Q2I16s2I", writers)]
    body, header, size = bytearray(), bytearray(), 32 + 24 * len(arrays)
    for form, records in arrays:
        header += struct.pack("<QQII", size + len(body), len(records), struct.calcsize(form), 0)
        for record in records:
            body += struct.pack(form, *record)
        body += bytes(-len(body) % 8)
    sys.stdout.buffer.write(struct.pack("<8sIIQQ", b"FTsnap\r\n", 2, size, size + len(body), time_ns)
                            + header + body)


main()
