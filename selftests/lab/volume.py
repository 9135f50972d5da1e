# SPDX-License-Identifier: GPL-2.0-only
"""F2FS on a disk of the lab: mount it, make files in pieces, age it, find where blocks are."""
from __future__ import annotations

import fcntl
import mmap
import os
import random
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from devices import MIB, Disk

BLOCK = 4096
SEGMENT = 2 * MIB
FIEMAP = 0xC020660B
SET_PIN_FILE = 0x4004F50D
MNT = Path("/mnt/lab")
# F2FS tunes small volumes to rewrite in place. A large one has these settings.
LARGE = "alloc_mode=default,background_gc=off,nodiscard"
LARGE_IPU_POLICY = "16"


@dataclass(frozen=True)
class Extent:
    """A run of blocks; all in bytes."""

    offset: int
    place: int
    length: int


def run(*command: str | Path) -> str:
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"lab: {' '.join(str(word) for word in command)}: status {done.returncode}: {done.stdout}")
    return done.stdout


class Volume:
    """F2FS on one disk."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    def make(self) -> None:
        run("mkfs.f2fs", "-q", "-f", "-t", "0", self.disk.path)
        self.mount()

    def mount(self) -> None:
        MNT.mkdir(parents=True, exist_ok=True)
        run("mount", "-t", "f2fs", "-o", LARGE, self.disk.path, MNT)
        Path(f"/sys/fs/f2fs/{self.disk.name}/ipu_policy").write_text(LARGE_IPU_POLICY)

    def unmount(self) -> None:
        run("umount", MNT)

    def free(self, name: str) -> int:
        return int(Path(f"/sys/fs/f2fs/{self.disk.name}/{name}").read_text())


def sync() -> None:
    os.sync()


def drop_caches() -> None:
    """Forget data and metadata of all files."""
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3")


def forget(path: Path) -> None:
    """Forget the data of a file; its metadata stay in memory."""
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def extents(path: Path) -> list[Extent]:
    """Where the blocks of a file are, neighbours merged."""
    room = 512
    fd = os.open(path, os.O_RDONLY)
    found: list[Extent] = []
    start, last = 0, False
    while not last:
        buffer = bytearray(struct.pack("=QQIIII", start, (1 << 64) - 1 - start, 1, 0, room, 0) + bytes(56 * room))
        fcntl.ioctl(fd, FIEMAP, buffer)
        count = struct.unpack_from("=I", buffer, 20)[0]
        if not count:
            break
        for i in range(count):
            offset, place, length, _, _, flags = struct.unpack_from("=QQQQQI", buffer, 32 + 56 * i)
            last = bool(flags & 1)
            start = offset + length
            before = found[-1] if found else None
            if before and before.offset + before.length == offset and before.place + before.length == place:
                found[-1] = Extent(before.offset, before.place, before.length + length)
            else:
                found.append(Extent(offset, place, length))
    os.close(fd)
    return found


class Writer:
    """Appends to a file by direct writes: blocks come from the log in the order of the writes."""

    def __init__(self, path: Path) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_DIRECT)
        self.at = os.fstat(self.fd).st_size
        self.buffer = mmap.mmap(-1, 4 * MIB)
        self.buffer.write(os.urandom(BLOCK) * (4 * MIB // BLOCK))

    def append(self, length: int) -> None:
        while length:
            part = min(length, 4 * MIB)
            os.pwritev(self.fd, [memoryview(self.buffer)[:part]], self.at)
            self.at += part
            length -= part

    def close(self) -> None:
        os.close(self.fd)


def leave_out(dummy: Writer, length: int, name: Path) -> None:
    """Move the log on: the next piece of a file is that far away.

    Large distances are allocated to a pinned file, which is written nowhere. The log goes on in the segment that
    it has begun, so this is filled up and a new one, behind the pinned file, filled as far.
    """
    if length > 8 * MIB:
        fd = os.open(name, os.O_RDWR | os.O_CREAT)
        fcntl.ioctl(fd, SET_PIN_FILE, struct.pack("=I", 1))
        os.posix_fallocate(fd, 0, length - SEGMENT)
        os.close(fd)
        length = SEGMENT
    dummy.append(length)


def in_pieces(path: Path, pieces: int, size: int, distance: int) -> None:
    """A file of pieces of one size, with the same distance between them."""
    target, dummy = Writer(path), Writer(path.with_suffix(".dummy"))
    for i in range(pieces):
        target.append(size)
        if distance:
            leave_out(dummy, distance, path.with_suffix(f".far{i}"))
    target.close()
    dummy.close()
    sync()


def half_broken(path: Path, groups: int) -> None:
    """FragPicker's file: 32 pieces of 4 KiB, then 128 KiB whole, again and again."""
    target, dummy = Writer(path), Writer(path.with_suffix(".dummy"))
    for _ in range(groups):
        for _ in range(32):
            target.append(BLOCK)
            dummy.append(BLOCK)
        target.append(32 * BLOCK)
        dummy.append(BLOCK)
    target.close()
    dummy.close()
    sync()


def age(folder: Path, seed: int, full: float, keep: float) -> int:
    """Fill the volume up to a part with files of 16 to 256 KiB, then delete some at random; return how many are left."""
    chance = random.Random(seed)
    folder.mkdir()
    stat = os.statvfs(folder)
    left = stat.f_bavail - int(stat.f_blocks * (1 - full))
    names: list[Path] = []
    data = os.urandom(256 * 1024)
    while left > 64:
        blocks = chance.randint(4, 64)
        name = folder / str(len(names))
        name.write_bytes(data[:blocks * BLOCK])
        names.append(name)
        left -= blocks + 1
    sync()
    chance.shuffle(names)
    for name in names[int(len(names) * keep):]:
        name.unlink()
    sync()
    return int(len(names) * keep)


def use_up(volume: Volume, path: Path) -> None:
    """Fill the free segments with a file: F2FS then writes into the holes of the others. A quarter of the volume stays free."""
    writer, free = Writer(path), 1 << 62
    while volume.free("free_segments") < free and os.statvfs(MNT).f_bavail * 4 > os.statvfs(MNT).f_blocks:
        free = volume.free("free_segments")
        writer.append(2 * SEGMENT)
        os.fsync(writer.fd)
    writer.close()
