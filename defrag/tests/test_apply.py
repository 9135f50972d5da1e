#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Tests what fragtrace defrag does to files, on an F2FS that build/fake_f2fs.so pretends; speaks KTAP.

usage: test_apply.py PROGRAM [TEST...]

The files are real ones of another file system, whose blocks are where the test says; a move changes that map. The expected
maps, numbers and sentences are written beside. A test is a function test_NAME; it gets an empty World.
"""
import contextlib
import errno
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
FAKE = HERE.parent / "build" / "fake_f2fs.so"
# statx()
COMPRESSED, IMMUTABLE, APPEND, VERITY = 4, 0x10, 0x20, 0x100000
NOCOW, COLD = 0x800000, 1
ENCODED, UNWRITTEN = 8, 0x800
EAGAIN, EBUSY, EINVAL, ENOTTY, ENOSPC, EROFS, EPERM, EIO = 11, 16, 22, 25, 28, 30, 1, 5
Extent = tuple[int, int, int]


def expect(got: object, expected: object) -> None:
    assert got == expected, f"expected {expected!r}, got {got!r}"


class World:
    """A volume of 100 segments of 512 blocks from block 0 on, and files on it."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.fake, self.mnt = program, folder / "fake", folder / "m"
        self.mnt.mkdir()
        self.records: list[str] = []
        self.readers = ["--all"]
        self.stale = self.main = 0
        dev = os.stat(self.mnt).st_dev
        self.dev = f"{os.major(dev)}:{os.minor(dev)}"
        self.put("log", "10240 0\n")
        self.put("release", "6.12.1\n")
        for folder_of in "map", "sys/dev/block", "sys/devices/fake0", "sys/kernel/debug/fragtrace":
            (self.fake / folder_of).mkdir(parents=True)
        os.symlink("../../devices/fake0", self.fake / f"sys/dev/block/{self.dev}")
        for name, value in ("free_segments", 60), ("ovp_segments", 10), ("lifetime_write_kbytes", 1000), ("ipu_policy", 0):
            self.f2fs(name, value)

    def put(self, name: str, text: object) -> None:
        """A file of the pretended F2FS."""
        path = self.fake / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(text), encoding="utf-8")

    def put_super(self, magic: int, section: int) -> None:
        """The superblock: 100 segments of 512 blocks of 4096 bytes, so many in a section, of which one is a zone."""
        (self.fake / "dev").mkdir(exist_ok=True)
        (self.fake / "dev/fake0").write_bytes(b"\0" * 1024 + struct.pack("<I12xIIII36xI3000x", magic, 12, 9, section, 1, 100))

    def f2fs(self, name: str, value: int) -> None:
        """A number that F2FS has in sysfs."""
        self.put(f"sys/fs/f2fs/fake0/{name}", f"{value}\n")

    def of(self, path: Path, what: str, value: object) -> None:
        """What the pretended F2FS has about a file."""
        self.put(f"{what}/{path.stat().st_ino}", f"{value}\n")

    def set_map(self, path: Path, *extents: tuple[int, ...]) -> None:
        """Where the blocks of a file are: offset, blocks, LBA, perhaps flags."""
        self.of(path, "map", "\n".join(" ".join(map(str, (*e, 0)[:4])) for e in extents))

    def file(self, name: str, *extents: Extent, blocks: int = 0) -> Path:
        """A file, in the table and on the volume."""
        path = self.mnt / name
        path.write_bytes(b"x" * 4096 * (blocks or max(at + n for at, n, _ in extents)))
        self.set_map(path, *extents)
        self.enter(path, *extents)
        return path

    def enter(self, path: Path, *extents: Extent) -> None:
        """Records of a table."""
        ino = path.stat().st_ino
        self.records += [f"{self.dev} {lba} {n} {at} {ino} fragmented {path}" for at, n, lba in extents]

    def scattered(self, name: str, blocks: int = 8, first: int = 1000) -> Path:
        """A file each of whose blocks is apart."""
        return self.file(name, *((i, 1, first + 2 * i) for i in range(blocks)))

    def list_scattered(self, path: Path, blocks: int) -> None:
        """A file that is there, each of whose first blocks is apart."""
        extents = [(i, 1, 1000 + 2 * i) for i in range(blocks)]
        self.set_map(path, *extents)
        self.enter(path, *extents)

    def table(self) -> str:
        """The records as a table."""
        lines = [f"# volume {self.dev} main_blkaddr={self.main} blocks={self.main + 51200} segment_blocks=512 path={self.mnt}"]
        lines += [f"# stale {self.stale}"] * bool(self.stale) + sorted(self.records, key=lambda line: int(line.split()[1]))
        return "\n".join(["# fragtrace table 1", "# time 1700000000.250", *lines, ""])

    def command(self, *arguments: str) -> list[str]:
        """The command line."""
        return [self.program, *self.readers, "--recent", "0", "--request", "128K", *arguments]

    def environment(self) -> dict[str, str]:
        """The pretended F2FS is loaded before libc; a sanitizer wants to be the first."""
        self.put("sys/kernel/debug/fragtrace/snapshot", self.table())
        return os.environ | {"FAKE": str(self.fake), "LD_PRELOAD": str(FAKE), "TZ": "UTC", "LC_ALL": "C",
                             "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}

    def run(self, status: int, *arguments: str) -> str:
        """Run it; return its output."""
        done = subprocess.run(self.command("--apply", *arguments), env=self.environment(), capture_output=True, text=True, check=False)
        expect((done.returncode, done.stderr), (status, ""))
        return done.stdout

    def result(self, status: int, *arguments: str) -> dict:
        """Run it; return the JSON of what became of the plan."""
        found = json.loads(self.run(status, "--json", *arguments))["result"]
        assert isinstance(found, dict)
        return found

    def blocks(self, path: Path) -> list[Extent]:
        """Where the blocks are now."""
        out: list[Extent] = []
        for line in (self.fake / f"map/{path.stat().st_ino}").read_text(encoding="utf-8").splitlines():
            at, n, lba, _ = map(int, line.split())
            if out and out[-1][0] + out[-1][1] == at and out[-1][2] + out[-1][1] == lba:
                at, n, lba = out[-1][0], out[-1][1] + n, out[-1][2]
                out.pop()
            out.append((at, n, lba))
        return out

    def calls(self) -> list[str]:
        """The moves that were asked for."""
        path = self.fake / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def left_alone(self, path: Path, why: str, *arguments: str) -> None:
        """Nothing of it moves; the plan says why."""
        before = self.blocks(path)
        said = self.run(4, *arguments)
        assert f"left alone: {why}.\n" in said, said
        expect((self.blocks(path), self.calls()), (before, []))


def says(text: str, *lines: str) -> None:
    """Each of these is a line of it."""
    for line in lines:
        assert line in text.splitlines(), (line, text)


# === Moves ===


def test_a_file_is_moved(world: World) -> None:
    """Eight blocks apart become one extent where the log is, by either way; all numbers are said."""
    for way, call in ("ioctl", "ioctl"), ("mapping", "pages"):
        world.records = []
        path = world.scattered(f"{way}.db")
        world.put("next", "")
        begin = 10240 + 512 if way == "ioctl" else 10240 + 512 + 8
        said = world.run(0, "--way", way, str(path))
        expect(world.blocks(path), [(0, 8, begin)])
        expect(world.calls()[-1], f"{call} {path.stat().st_ino} 0 8")
        says(re.sub(r"in \d+\.\d s", "in T s", said), "moved: 1 range of 1, 32 KiB in T s; the device wrote 32 KiB meanwhile, of all processes",
             "now, by FIEMAP, of 1 file worked on: breaks 7 -> 0, requests 8 -> 1 (87.5 % fewer)")
        expect(path.read_bytes(), b"x" * 4096 * 8)


def test_the_result_as_json(world: World) -> None:
    path = world.scattered("a.db")
    world.put("next", "")
    result = world.result(0)
    del result["seconds"]
    expect(result, {"moved_ranges": 1, "moved_bytes": 32768, "moved_twice": 0, "joined_by_others": 0, "device_bytes": 32768,
                    "seconds_left_to_others": 0, "ended_early": None, "truth": "fiemap", "before": {"breaks": 7, "requests": 8},
                    "after": {"breaks": 0, "requests": 1}, "lost_files": 0, "not_moved": []})
    expect(world.blocks(path), [(0, 8, 10752)])


def test_only_fragmented_windows_are_moved(world: World) -> None:
    """Of three windows of 32 blocks, the middle one has a break."""
    path = world.file("a.db", (0, 32, 1000), (32, 16, 1032), (48, 16, 2000), (64, 32, 2016))
    world.run(0)
    expect([call.split(" ", 2)[2] for call in world.calls()], ["32 64"])
    expect(world.blocks(path), [(0, 32, 1000), (32, 32, 10752), (64, 32, 2016)])


def test_what_others_have_joined_is_not_written(world: World) -> None:
    """The table is old: F2FS says that the blocks are together."""
    path = world.scattered("a.db")
    world.set_map(path, (0, 8, 3000))
    says(world.run(0), "  1 range had been joined by others")
    expect((world.blocks(path), world.calls()), ([(0, 8, 3000)], []))


def test_what_readers_go_on_across_is_moved(world: World) -> None:
    """Three windows whose blocks are together by now. Readers go on from the first to the second, not to the third."""
    path = world.file("a.db", (0, 16, 1000), (16, 16, 2000), (32, 16, 3000), (48, 32, 4000), (80, 16, 5000))
    world.put("heat", "# fragtrace heat 2\n# windows blocks=32 period_secs=3600\n" + "".join(
        f"{world.dev} {path.stat().st_ino} {at} 100 3200 200 0 {on} {path}\n" for at, on in ((0, 0), (32, 50), (64, 0))))
    world.readers = ["--heat", str(world.fake / "heat")]
    for now, moves in (((0, 96, 6000),), False), (((0, 64, 6000), (64, 32, 8000)), False), (((0, 32, 6000), (32, 64, 7000)), True):
        world.set_map(path, *now)
        result = world.result(0)
        expect((now, result["moved_ranges"], result["joined_by_others"]), (now, 3 * moves, 3 * (not moves)))
        expect(world.blocks(path), [(0, 96, 10752)] if moves else list(now))


def test_a_new_snapshot_tells_what_became_of_it(world: World) -> None:
    """It has three fragments now; another file is not there any more."""
    path, gone = world.scattered("a.db"), world.scattered("b.db", first=2000)
    kept = world.records[:]
    world.records = []
    world.enter(path, (0, 3, 100), (3, 3, 200), (6, 2, 300))
    world.put("next", world.table())
    world.records = kept
    says(world.run(0), "now, by a new snapshot, of 1 file worked on: breaks 7 -> 2, requests 8 -> 3 (62.5 % fewer)", "1 file could not be found again")
    assert world.blocks(gone) == [(0, 8, 10760)] or world.blocks(path) == [(0, 8, 10760)]


# === The budget ===


def test_budget(world: World) -> None:
    """Two files of 32 KiB, and room for one; the one that gains more is moved. A byte less is room for none."""
    one, other = world.scattered("a.db", 8), world.file("b.db", *((i, 2, 3000 + 3 * i) for i in range(0, 8, 2)))
    said = world.run(0, "--budget", "32K")
    says(re.sub(r"in .* s;", "in T s;", said), "moved: 1 range of 1, 32 KiB in T s; the device wrote 32 KiB meanwhile, of all processes")
    expect((world.blocks(one), len(world.blocks(other))), ([(0, 8, 10752)], 4))
    world.run(4, "--budget", "32767", str(other))
    expect(len(world.blocks(other)), 4)


def test_more_blocks_than_planned(world: World) -> None:
    """A hole has been filled since: its block is written if the budget has room for it, up to the last block."""
    for budget, status in (32, 3), (35, 3), (36, 0):
        path = world.file(f"{budget}.db", *((i, 1, 1000 + 100 * budget + 2 * i) for i in range(9) if i != 4))
        world.set_map(path, *((i, 1, 1000 + 100 * budget + 2 * i) for i in range(9)))
        before = len(world.calls())
        result = world.result(status, "--budget", f"{budget}K", str(path))
        if status:
            expect((result["moved_bytes"], len(world.blocks(path)), len(world.calls())), (0, 9, before))
            expect([one["why"] for one in result["not_moved"]],
                   ["it has more blocks there than when the plan was made, and the budget is used up"])
        else:
            expect((result["moved_bytes"], len(world.blocks(path))), (36864, 1))


def test_what_one_file_leaves_another_may_use(world: World) -> None:
    """The blocks of a file that has to be left alone are room for more blocks of the next one."""
    first = world.scattered("a.db", 12)
    path = world.file("b.db", *((i, 1, 2000 + 2 * i) for i in range(9) if i != 4))
    world.set_map(path, *((i, 1, 2000 + 2 * i) for i in range(9)))
    world.set_map(first, (0, 12, 5000))
    result = world.result(0, "--budget", "80K")
    expect((result["moved_bytes"], result["joined_by_others"], world.blocks(first)), (36864, 1, [(0, 12, 5000)]))
    expect(len(world.blocks(path)), 1)


def test_a_segment_ends_there(world: World) -> None:
    """The log is three blocks before the end of a segment: the range is moved again, unless that is above the budget."""
    for main_blk, budget, blocks, again in (0, "", 16, 1), (0, "32K", 8, 0), (0, "63K", 8, 0), (0, "64K", 16, 1), (100, "", 16, 1):
        world.main = main_blk
        world.put("main", main_blk)
        path = world.scattered(f"{budget}.db", first=1000 + 50 * len(budget))
        world.put("log", f"{10749 + main_blk} 0\n")
        result = world.result(0 if again else 3, *(["--budget", budget] if budget else []), str(path))
        expect((budget, result["moved_bytes"] // 4096, result["moved_twice"]), (budget, blocks, again))
        expect(world.blocks(path), [(0, 8, 11269 + main_blk)] if again else [(0, 3, 10749), (3, 5, 11264)])
        path.unlink()
        world.records = []


def test_other_data_comes_between(world: World) -> None:
    """After each three blocks the log has one of another file: that is said, and the rest is a success."""
    path = world.scattered("a.db")
    world.put("log", "10300 3\n")
    result = world.result(3)
    expect([(one["ranges"], one["why"]) for one in result["not_moved"]],
           [(1, "other data came between its blocks as they were written, or a segment ended there")])
    expect((result["moved_ranges"], world.blocks(path)), (0, [(0, 3, 10300), (3, 3, 10304), (6, 2, 10308)]))


def test_written_in_place(world: World) -> None:
    """F2FS says that it has moved them, and has not."""
    path = world.scattered("a.db")
    world.set_map(path, *((i, 1, 1000 + 2 * i, 0) for i in range(8)))
    world.put("log", "1000 1\n")
    result = world.result(3)
    expect([one["why"] for one in result["not_moved"]], ["F2FS wrote its blocks in place"])
    expect((result["moved_ranges"], result["moved_bytes"]), (0, 0))


# === What is left alone ===


def test_swap_files(world: World) -> None:
    path = world.scattered("a b.db")
    other = world.scattered("c.db", first=2000)
    world.put("proc/swaps", f"Filename Type Size Used Priority\n{other} file 32 0 -2\n")
    world.run(0, str(path))
    world.put("proc/swaps", f"Filename Type Size Used Priority\n{world.mnt}/a\\040b.db file 32 0 -2\n")
    (world.fake / "calls").unlink()
    world.set_map(path, *((i, 1, 1000 + 2 * i) for i in range(8)))
    world.left_alone(path, "it is a swap file", str(path))


def test_cold_files(world: World) -> None:
    """F2FS rewrites them in place, unless its ioctl is asked."""
    path = world.scattered("a.mp4")
    world.of(path, "advise", COLD)
    world.left_alone(path, "F2FS rewrites it in place, because its extension is that of a cold file", "--way", "mapping")
    world.of(path, "advise", 2)
    world.run(0, "--way", "mapping")
    world.of(path, "advise", COLD)
    world.set_map(path, *((i, 1, 1000 + 2 * i) for i in range(8)))
    world.run(0, "--way", "ioctl")
    expect(len(world.blocks(path)), 1)


def test_an_inode_number_is_used_again(world: World) -> None:
    """The generation is 7 when the plan is made, and 8 when it is carried out."""
    path = world.scattered("a.db")
    world.of(path, "generations", "7 8")
    result = world.result(3)
    expect([one["why"] for one in result["not_moved"]], ["another file has its name and its inode number now"])
    expect((world.calls(), len(world.blocks(path))), ([], 8))
    world.of(path, "generations", "7 7")
    world.run(0)


def test_another_file_has_its_name(world: World) -> None:
    path = world.scattered("a.db")
    os.rename(path, world.mnt / "old")
    path.write_bytes(b"y" * 32768)
    world.set_map(path, *((i, 1, 1000 + 2 * i) for i in range(8)))
    world.left_alone(path, "another file has its name now")
    path.unlink()
    said = world.run(4)
    assert "left alone: it is gone." in said, said
    os.symlink("old", path)
    said = world.run(4)
    assert "left alone: " in said and not world.calls(), said


def test_attributes(world: World) -> None:
    path = world.scattered("a.db")
    for bit, why in ((IMMUTABLE, "it is immutable"), (APPEND, "it may only be appended to"), (VERITY, "fs-verity protects it"),
                     (COMPRESSED, "it is compressed: its blocks are clusters, some of which may be released")):
        world.of(path, "attributes", bit)
        world.left_alone(path, why)
    world.of(path, "attributes", 0)
    world.of(path, "flags", NOCOW)
    world.left_alone(path, "it is pinned")
    world.of(path, "flags", 0)
    world.put("not_f2fs", "")
    world.left_alone(path, "it is not on F2FS any more")
    (world.fake / "not_f2fs").unlink()
    world.run(0)


def test_states_of_f2fs(world: World) -> None:
    path = world.scattered("a.db")
    for number, why in ((EINVAL, "an atomic write to it is open"), (EROFS, "the volume is mounted read-only"),
                        (EPERM, "only root may move blocks"), (ENOSPC, "F2FS has no space: checkpoints are disabled"),
                        (ENOTTY, "F2FS does not know F2FS_IOC_DEFRAGMENT here"), (EIO, "Input/output error")):
        world.of(path, "state", number)
        world.left_alone(path, why)


def test_leases_and_direct_writers(world: World) -> None:
    path = world.scattered("a.db")
    st = path.stat()
    lock = f"{os.major(st.st_dev):02x}:{os.minor(st.st_dev):02x}:{st.st_ino}"
    for kind in "LEASE", "DELEG":
        world.put("proc/locks", f"1: POSIX  ADVISORY  READ 5 00:01:2 0 EOF\n2: {kind}  ACTIVE    READ  812 {lock} 0 EOF\n")
        world.left_alone(path, "a process has a lease on it")
    world.put("proc/locks", f"1: POSIX  ADVISORY  WRITE 812 {lock} 0 EOF\n2: LEASE  ACTIVE    READ  812 {lock}1 0 EOF\n")
    # a loop device that writes directly
    for dio in "1", "0":
        world.put("sys/block/loop0/loop/dio", dio)
        world.put("sys/block/loop0/loop/backing_file", f"{path}\n")
        if dio == "1":
            world.left_alone(path, "it is open for direct writes, which go past the page cache")
    flags = getattr(os, "O_DIRECT")
    for mode in os.O_WRONLY, os.O_RDWR:
        fd = os.open(path, mode | flags)
        world.left_alone(path, "it is open for direct writes, which go past the page cache")
        os.close(fd)
    # who reads so, or writes through the page cache, is in nobody's way
    for mode in os.O_RDONLY | flags, os.O_RDWR:
        fd = os.open(path, mode)
        world.set_map(path, *((i, 1, 1000 + 2 * i) for i in range(8)))
        world.run(0)
        os.close(fd)


def test_cut_compressed_and_unwritten(world: World) -> None:
    """What the map says as the step begins."""
    # a file beside it, so that another path could be told
    world.file("whole.db", (0, 8, 9000))
    path = world.scattered("a.db")
    os.truncate(path, 7 * 4096)
    expect(world.result(3)["not_moved"], [{"path": str(path), "ranges": 1, "why": "it was cut since the plan was made"}])
    said = world.run(3)
    says(said, f"  not moved: 1 range of {path}: it was cut since the plan was made")
    os.truncate(path, 7 * 4096 + 1)
    world.set_map(path, *((i, 1, 1000 + 2 * i, ENCODED if i == 3 else 0) for i in range(8)))
    expect([one["why"] for one in world.result(3)["not_moved"]], ["it is compressed"])
    # a block that was never written has none to move
    world.set_map(path, *((i, 1, 1000 + 2 * i, UNWRITTEN if i == 3 else 0) for i in range(8)))
    expect((world.calls(), world.result(0)["moved_bytes"]), ([], 7 * 4096))


def test_files_that_cannot_be_opened(world: World) -> None:
    """Why, by what the kernel says; who is asked to write may not execute it."""
    path = world.scattered("a.db")
    for number, way, why in ((errno.ENOKEY, "ioctl", "it is encrypted, and its key is not there"),
                             (errno.EWOULDBLOCK, "ioctl", "a process has a lease on it"),
                             (errno.ETXTBSY, "mapping", "it is being executed"),
                             (errno.ETXTBSY, "ioctl", "it cannot be opened: Text file busy"),
                             (errno.EACCES, "mapping", "it cannot be opened: Permission denied")):
        world.of(path, "open", number)
        world.left_alone(path, why, "--way", way)


def test_a_program_that_runs(world: World) -> None:
    """It must not be open for writing, which only a mapping needs."""
    path = world.mnt / "sleep"
    shutil.copy("/bin/sleep", path)
    blocks = -(-path.stat().st_size // 4096)
    os.truncate(path, blocks * 4096)
    world.list_scattered(path, min(blocks, 8))
    with subprocess.Popen([path, "600"]) as process:
        expect([one["why"] for one in world.result(3, "--way", "mapping")["not_moved"]], ["it is being executed"])
        expect(world.calls(), [])
        world.run(0, "--way", "ioctl")
        process.kill()


def test_files_are_closed_again(world: World) -> None:
    """Sixty files, and room for thirty-two open ones: for the plan, the moves, and the result."""
    for i in range(60):
        world.scattered(f"{i}.db", 2, 1000 + 10 * i)
    world.put("next", "")
    command = ["sh", "-c", 'ulimit -n 32; exec "$@"', "sh", *world.command("--apply", "--json")]
    done = subprocess.run(command, env=world.environment(), capture_output=True, text=True, check=False)
    expect((done.returncode, done.stderr), (0, ""))
    result = json.loads(done.stdout)["result"]
    expect((result["moved_ranges"], result["after"], result["lost_files"]), (60, {"breaks": 0, "requests": 60}, 0))


# === Errors of moves ===


def test_errors_of_the_volume_end_the_work(world: World) -> None:
    for number, why in ((EAGAIN, "F2FS has too few free sections on {}"), (ENOSPC, "{} is full"), (EROFS, "{} is read-only now")):
        world.records = []
        one, other = world.scattered(f"{number}.db", 12), world.scattered(f"{number}b.db", first=2000)
        world.of(one, "error", number)
        calls = len(world.calls())
        result = world.result(3)
        expect((result["ended_early"], len(world.calls()) - calls, len(world.blocks(other))), (why.format(world.mnt), 1, 8))
        expect([entry["why"] for entry in result["not_moved"]], [os.strerror(number)])


def test_errors_of_a_file_are_listed(world: World) -> None:
    """The next file is moved."""
    for number, way, why in ((EIO, "ioctl", "Input/output error"), (EINVAL, "mapping", "Invalid argument"),
                             (EINVAL, "ioctl", "F2FS refuses to move it: it would be rewritten in place, or an atomic write to it is open")):
        world.records = []
        one, other = world.scattered(f"{number}{way}.db", 12), world.scattered(f"{number}{way}b.db", first=2000)
        world.of(one, "error", number)
        result = world.result(3, "--way", way)
        expect([(entry["ranges"], entry["why"]) for entry in result["not_moved"]], [(1, why)])
        expect((result["ended_early"], len(world.blocks(one)), len(world.blocks(other))), (None, 12, 1))


def test_a_file_that_others_have_open(world: World) -> None:
    """A mapping needs the file alone; it is not asked for a second step. The ioctl does not."""
    extents = [(at + i, 1, 1000 + 2 * (at + i)) for at in (0, 640) for i in range(16)]
    path = world.file("a.db", *extents)
    world.of(path, "busy", "")
    result = world.result(3, "--way", "mapping")
    expect([(one["ranges"], one["why"]) for one in result["not_moved"]],
           [(2, "another process has it open, and only the ioctl is safe then")])
    expect((world.calls(), world.blocks(path) == extents), ([], True))
    result = world.result(0, "--way", "ioctl")
    expect((result["moved_ranges"], len(world.calls())), (2, 2))


# === The volume ===


def test_in_place(world: World) -> None:
    """By ipu_policy and way: 1 FORCE, 4 UTIL, 128 HONOR_OPU_WRITE."""
    path = world.scattered("a.db")
    world.f2fs("min_ipu_util", 70)
    # of 51200 blocks, 10 segments are F2FS's own: 32256 of 46080 blocks are 70 %
    world.put("statvfs", f"{46080 - 32256} 0")
    for policy, way, free, moves in ((1, "ioctl", 0, False), (129, "ioctl", 0, True), (129, "mapping", 0, False), (4, "ioctl", 0, True),
                                     (4, "ioctl", 460, True), (4, "ioctl", 461, False), (132, "ioctl", 461, True), (0, "mapping", 461, True),
                                     (132, "mapping", 461, False), (2, "mapping", 461, True)):
        world.set_map(path, *((i, 1, 1000 + 2 * i) for i in range(8)))
        world.f2fs("ipu_policy", policy)
        world.put("statvfs", f"{46080 - 32256 - free} 0")
        said = world.run(0 if moves else 4, "--way", way)
        expect((policy, way, free, len(world.blocks(path))), (policy, way, free, 1 if moves else 8))
        advice = "0, or add 128," if way == "ioctl" else "0"
        assert moves or f"ipu_policy in /sys/fs/f2fs/fake0 is {policy}; write {advice} there first" in said, said


def test_the_way_is_chosen(world: World) -> None:
    """The ioctl from 6.12 on, unless only a mapping moves there."""
    path = world.scattered("a.db")
    world.put("proc/self/mounts", f"/dev/x {world.mnt}x f2fs rw,mode=lfs 0 0\n/dev/x {world.mnt} f2fs rw,mode=adaptive 0 0\n")
    for release, policy, call in (("6.12.1", 0, "ioctl"), ("6.11.9", 0, "pages"), ("7.0", 0, "ioctl"), ("5.19", 0, "pages"), ("odd", 0, "pages")):
        world.set_map(path, *((i, 1, 1000 + 2 * i) for i in range(8)))
        world.put("release", release)
        world.f2fs("ipu_policy", policy)
        world.run(0)
        expect((release, world.calls()[-1].split()[0]), (release, call))
    world.put("release", "6.12.1")
    world.f2fs("ipu_policy", 1)
    world.set_map(path, *((i, 1, 1000 + 2 * i) for i in range(8)))
    world.run(4)
    world.put("proc/self/mounts", f"/dev/x {world.mnt} f2fs rw,mode=lfs 0 0\n")
    world.run(0)
    expect(world.calls()[-1].split()[0], "pages")


def test_the_volume_is_not_what_it_was(world: World) -> None:
    path = world.scattered("a.db")
    world.put("statvfs", "1000 1")
    assert "left alone: the volume is mounted read-only\n" in world.run(4)
    (world.fake / "statvfs").unlink()
    before = world.table
    world.table = lambda: before().replace(f"# volume {world.dev} ", "# volume 251:99 ").replace(f"\n{world.dev} ", "\n251:99 ")  # type: ignore[method-assign]
    said = world.run(4)
    assert "left alone: another file has its name now." in said and not world.calls(), said
    expect(len(world.blocks(path)), 8)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Another instance is at work there."""
    with subprocess.Popen(["flock", str(folder), "sh", "-c", "echo; read x"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdin
        process.stdout.readline()
        yield
        process.stdin.close()


def test_one_at_a_time(world: World) -> None:
    path = world.scattered("a.db")
    with locked(world.mnt):
        result = world.result(3)
    expect((result["ended_early"], len(world.blocks(path))), (f"another fragtrace defrag is at work on {world.mnt}", 8))
    world.run(0)


def test_free_segments(world: World) -> None:
    """What F2FS keeps, the segment of the step and one more must be free; of sections, two."""
    path = world.scattered("a.db")
    for section, n_free, moves in (1, 11, False), (1, 12, True), (4, 17, False), (4, 18, True):
        world.set_map(path, *((i, 1, 1000 + 2 * i) for i in range(8)))
        world.put_super(0xF2F52010, section)
        world.f2fs("free_segments", n_free)
        result = world.result(0 if moves else 3)
        expect((section, n_free, len(world.blocks(path))), (section, n_free, 1 if moves else 8))
        assert moves or result["ended_early"] == \
            f"{world.mnt} is too full: {n_free} free segments, F2FS keeps 10 for itself", result


def test_sections_are_those_of_a_superblock(world: World) -> None:
    """Without its magic number, or without a number in it, a section is a segment."""
    path = world.scattered("a.db")
    for magic, section in (0xF2F52011, 4), (0xF2F52010, 0):
        world.set_map(path, *((i, 1, 1000 + 2 * i) for i in range(8)))
        world.put_super(magic, section)
        world.f2fs("free_segments", 12)
        world.run(0)
        expect(len(world.blocks(path)), 1)


def test_what_a_plan_says_of_the_volume(world: World) -> None:
    path = world.scattered("a.db")
    said = world.run(0)
    assert "needs 1 free segment; 60 are free" in said, said
    world.set_map(path, *((i, 1, 1000 + 2 * i) for i in range(8)))
    plan = json.loads(world.run(0, "--json"))
    expect((plan["time"], plan["stale"], plan["causes"]), (1700000000.25, 0, False))


def test_time_is_left_to_others(world: World) -> None:
    """Of 100 % none, of 1 % nearly all; but only while the disk has other requests to serve."""
    stop = threading.Event()

    def others() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            world.put("new", f"{n} 0 0 0 {n} 0 0 0 0 0 0\n")
            os.rename(world.fake / "new", world.fake / "sys/class/block/fake0/stat")
            time.sleep(0.001)

    (world.fake / "sys/class/block/fake0").mkdir(parents=True)
    for share, is_busy, is_left in ("100", True, False), ("1", False, False), ("1", True, True):
        world.records = []
        path = world.file(f"{share}{is_busy}.db", *((at, 16, 1000 + at + at // 16) for at in range(0, 32 * 40, 16)))
        world.put("sys/class/block/fake0/stat", "7 0 0 0 7 0 0 0 0 0 0\n")
        stop.clear()
        thread = threading.Thread(target=others)
        if is_busy:
            thread.start()
        result = world.result(0, "--share", share, str(path))
        stop.set()
        if is_busy:
            thread.join()
        expect((share, is_busy, result["seconds_left_to_others"] > 0), (share, is_busy, is_left))


# === Steps ===


def test_steps(world: World) -> None:
    """Windows that follow each other are one step of 512 blocks at most; a rate makes it smaller."""
    path = world.file("a.db", *((at, 16, 1000 + at + at // 16) for at in range(0, 32 * 40, 16)))
    world.run(0)
    got = [tuple(map(int, call.split()[2:])) for call in world.calls()]
    expect(got, [(0, 512), (512, 1024), (1024, 1280)])
    expect(len(world.blocks(path)), 3)
    (world.fake / "calls").unlink()
    world.set_map(path, *((at, 16, 1000 + at + at // 16) for at in range(0, 32 * 40, 16)))
    # 8 MiB a second: four steps of 512 blocks; 4 MiB: of 256
    begin = time.monotonic()
    world.run(0, "--rate", "4M")
    expect([tuple(map(int, call.split()[2:])) for call in world.calls()], [(at, at + 256) for at in range(0, 1280, 256)])
    assert time.monotonic() - begin >= 0.99


def test_progress_on_a_terminal(world: World) -> None:
    """How far it is, how fast, and how long it takes from here; the line is empty in the end."""
    world.file("a.db", *((at, 16, 1000 + at + at // 16) for at in range(0, 32 * 40, 16)))
    ours, its = os.openpty()
    begin = time.monotonic()
    with subprocess.Popen(world.command("--apply", "--json", "--rate", "4M"), env=world.environment(), stdout=subprocess.DEVNULL, stderr=its) as process:
        os.close(its)
        said = b""
        with contextlib.suppress(OSError):
            # the other end closes its side: an error
            while part := os.read(ours, 4096):
                said += part
    os.close(ours)
    expect((process.returncode, said[-4:]), (0, b"\r\x1b[K"))
    lines = [re.fullmatch(r"([\d.]+) MiB of 5 MiB, ([\d.]+) ([KMG])iB/s, 0:00:0(\d) left", line) for line in said.decode().split("\r\x1b[K")[1:-1]]
    assert lines and all(lines), said
    found = [(float(line[1]), float(line[2]) * 1024.0 ** "KMG".index(line[3]) / 1024, int(line[4])) for line in lines if line]
    expect([done for done, _, _ in found], sorted({float(i) for i in range(1, 6)} & {done for done, _, _ in found}))
    assert len(found) >= 2 and all(abs(left - (5 - done) / speed) <= 1 for done, speed, left in found), found
    # the nth MiB begins after n - 1 quarters of a second
    done, speed, _ = found[-1]
    assert done / (time.monotonic() - begin) - 0.1 < speed < 4 * done / (done - 1) + 0.1, found


def times_asleep(pid: int) -> int:
    """How often a process has waited for something, by /proc."""
    found = re.search(r"^voluntary_ctxt_switches:\s*(\d+)$", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    return int(found[1])


def test_a_signal_ends_it(world: World) -> None:
    """After the step that is under way; the rest is not done."""
    path = world.file("a.db", *((at, 16, 1000 + at + at // 16) for at in range(0, 32 * 40, 16)))
    with subprocess.Popen(world.command("--apply", "--json", "--rate", "4K"), env=world.environment(), stdout=subprocess.PIPE, text=True) as process:
        for _ in range(600):
            if world.calls():
                break
            time.sleep(0.05)
        # after the step it sleeps until it may go on, and looks for a signal ten times a second
        time.sleep(0.5)
        begin, before = time.monotonic(), times_asleep(process.pid)
        while times_asleep(process.pid) < before + 4 and time.monotonic() - begin < 10:
            time.sleep(0.02)
        slept = times_asleep(process.pid) - before
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    result = json.loads(out)["result"]
    expect((process.returncode, result["ended_early"], slept >= 4), (3, "a signal ended it", True))
    assert 0 < len(world.calls()) < 40 and len(world.blocks(path)) > 40


# === KTAP ===


def main() -> int:
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    tests = [(name[5:], test) for name, test in globals().items()
             if name.startswith("test_") and (name[5:] in names or not names)]
    failed = skipped = 0
    print(f"KTAP version 1\n# test_apply.py {Path(program).name}\n1..{len(tests)}")
    for number, (name, test) in enumerate(tests, 1):
        if os.geteuid():
            print(f"ok {number} {name} # SKIP only root may move blocks")
            skipped += 1
            continue
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
            try:
                test(World(program, Path(folder)))
                print(f"ok {number} {name}")
            except Exception:  # a test that fails in any way is a test that failed
                print("# " + traceback.format_exc().rstrip().replace("\n", "\n# "))
                print(f"not ok {number} {name}")
                failed += 1
        sys.stdout.flush()
    print(f"# Totals: pass:{len(tests) - failed - skipped} fail:{failed} xfail:0 xpass:0 skip:{skipped} error:0")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
