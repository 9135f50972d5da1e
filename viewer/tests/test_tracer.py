#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the commands on a running module, and fragtrace record --events; build/fake_module.so pretends both; speaks KTAP.

usage: test_tracer.py PROGRAM [TEST...]

A test writes what each reading of the buffers finds; what has to be in the recording is written beside it. A test is a
function test_NAME; it gets a World.
"""
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import zstandard

import eventfile as ev

HERE = Path(__file__).resolve().parent
FAKE = HERE.parent / "build" / "fake_module.so"
F2FS = HERE / "data" / "f2fs-7"
# devices as the kernel has them: 254:0, which is in the snapshot, and 254:16
ONE, OTHER = 254 << 20, 254 << 20 | 16
CHANGE, STATE = 1001, 1002
FORMAT = ("name: {}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
          "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
          "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
          "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n{}\nprint fmt: {}\n")
# name, type, offset, size
CHANGE_FIELDS = [("dev", "dev_t", 8, 4), ("ino", "u32", 12, 4), ("seq", "u32", 16, 4), ("offset", "u32", 20, 4), ("length", "u32", 24, 4),
                 ("old_lba", "s64", 32, 8), ("new_lba", "s64", 40, 8), ("breaks", "s32", 48, 4), ("pid", "u32", 52, 4), ("op", "u8", 56, 1),
                 ("flush", "u8", 57, 1), ("why_here", "u8", 58, 1), ("encoded", "u8", 59, 1)]
STATE_FIELDS = [("dev", "dev_t", 8, 4), ("ino", "u32", 12, 4), ("from", "u8", 16, 1), ("to", "u8", 17, 1)]
# other numbers than the module has today, and a state of a newer one
STATES = "gone new exact stale left_out dead reserved stale_scan reserved_scan frozen".split()
HOLE, UNWRITTEN, UNKNOWN = -1, -2, -3


def expect(got: object, expected: object) -> None:
    assert got == expected, f"expected {expected!r}, got {got!r}"


def wait_for(condition: Callable[[], object]) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("not within a minute")


def field(name: str, kind: str, offset: int, size: int) -> str:
    """A line of the format of an event."""
    return f"\tfield:{kind} {name};\toffset:{offset};\tsize:{size};\tsigned:{int(kind[0] == 's')};\n"


class World:
    """A module with a snapshot, and tracefs. Times are milliseconds after `base`, which is before the program begins."""

    def __init__(self, view: str, folder: Path) -> None:
        self.view, self.fake, self.run, self.err = view, folder / "fake", folder / "run", folder / "err"
        self.base = time.monotonic_ns() - 10 ** 9
        self.offset = time.time_ns() - time.monotonic_ns()
        self.put("tracing/README", "")
        for event in "extent_change", "file_state":
            self.put(f"tracing/events/fragtrace/{event}/enable", "1\n")
        self.put_change_format()
        names = ", ".join(f'{{ {number}, "{name}" }}' for number, name in enumerate(STATES))
        self.put("format/file_state", FORMAT.format("file_state", STATE, "".join(field(*f) for f in STATE_FIELDS), (
            f'"ino=%u from=%s to=%s", REC->ino, __print_symbolic(REC->from, {names}), __print_symbolic(REC->to, {names})')))
        self.snapshot("254:0 20482 320 75 7 fragmented /m/a", "254:0 49252 75 0 7 fragmented /m/a")

    def put(self, name: str, content: str | bytes) -> None:
        """A file of the pretended system."""
        path = self.fake / name
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + ".new")
        new.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.rename(new, path)

    def put_change_format(self, comm_bytes: int = 16, without: str = "") -> None:
        """The format of extent_change."""
        fields = "".join(field(*f) for f in CHANGE_FIELDS if f[0] != without)
        comm = f"\tfield:char comm[{comm_bytes}];\toffset:60;\tsize:{comm_bytes};\tsigned:0;\n"
        self.put("format/extent_change", FORMAT.format("extent_change", CHANGE, fields + comm, '"ino=%u", REC->ino'))

    def snapshot(self, *records: str) -> None:
        """The module's snapshot: of a volume with F2FS's files, one that is too large, one without a device, and one without files."""
        volumes = [(0, 8192, 102400), (16, 512, 512 * 65538), (32, 512, 1024), (48, 512, 1024)]
        text = "".join(f"# volume 254:{minor} main_blkaddr={first} blocks={end} segment_blocks=512 path=/m{minor}\n" for minor, first, end in volumes)
        table = self.fake / "table"
        table.write_text("# fragtrace table 1\n# time 1700000000.000\n" + text + "".join(f"{record}\n" for record in records), encoding="utf-8")
        made = subprocess.run([sys.executable, "-B", HERE / "to_snapshot.py", table], capture_output=True, check=True)
        self.put("sys/kernel/debug/fragtrace/snapshot", made.stdout)

    # === Events ===

    def at(self, ms: int) -> int:
        """A time as a reading has it; one below 0 is so much later than the reading."""
        return self.base + ms * 10 ** 6 if ms >= 0 else ms * 10 ** 6

    def change(self, ms: int, seq: int, lba: int = 1000, **other: int | str) -> str:
        """An event extent_change."""
        e: dict[str, int | str] = {"dev": ONE, "ino": 4, "offset": 0, "length": 1, "pid": 7, "op": 1, "flush": 1, "why": 2, "encoded": 0, "comm": "db"}
        e |= other
        data = struct.pack("<HBBi5I4xqqiI4B16s", CHANGE, 0, 0, 99, e["dev"], e["ino"], seq, e["offset"], e["length"], -1, lba, 1, e["pid"],
                           e["op"], e["flush"], e["why"], e["encoded"], str(e["comm"]).encode())
        return f"{CHANGE} {self.at(ms)} {data.hex()}\n"

    def state(self, ms: int, ino: int, before: str, after: str | int) -> str:
        """An event file_state."""
        data = struct.pack("<HBBi2I2B", STATE, 0, 0, 99, ONE, ino, STATES.index(before), STATES.index(after) if isinstance(after, str) else after)
        return f"{STATE} {self.at(ms)} {data.hex()}\n"

    def reading(self, number: int, *events: str) -> None:
        """What that reading of the buffers finds. The first one, 0, is before the first snapshot."""
        self.put(f"readings/{number}", "".join(events))

    def readings(self) -> int:
        """How many there were."""
        path = self.fake / "read"
        return path.stat().st_size if path.exists() else 0

    def wait_readings(self, number: int) -> None:
        """Until there were so many."""
        wait_for(lambda: self.readings() >= number)

    # === The program ===

    def environment(self) -> dict[str, str]:
        """The pretended module is loaded before libc; a sanitizer wants to be the first."""
        return os.environ | {"FAKE": str(self.fake), "LD_PRELOAD": str(FAKE), "TZ": "UTC", "LC_ALL": "C",
                             "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}

    @contextmanager
    def recording(self, *options: str) -> Iterator[subprocess.Popen]:
        """Record meanwhile, and end it by a signal."""
        command = [self.view, "record", str(self.run), "--events", *options]
        with open(self.err, "wb") as err, subprocess.Popen(command, env=self.environment(), stderr=err, cwd=self.fake) as process:
            try:
                yield process
                process.send_signal(signal.SIGTERM)
                expect((process.wait(60), self.calls()[-1]), (0, f"destroy fragtrace-record-{process.pid}"))
            finally:
                process.kill()

    def said(self) -> list[str]:
        """The messages."""
        return [line.removeprefix("fragtrace record: ") for line in self.err.read_text(encoding="utf-8").splitlines()]

    def calls(self) -> list[str]:
        """What was asked of tracefs."""
        path = self.fake / "calls"
        return path.read_text(encoding="ascii").splitlines() if path.exists() else []

    def files(self, kind: str) -> list[Path]:
        """Of the recording."""
        return sorted(self.run.glob(f"*.{kind}.zst"))

    def rows(self, path: Path) -> list[tuple]:
        """The events of a file: time to 10 ms, kind and inode, of those with a number all that is known."""
        out = []
        for e in (event for _, events in ev.read(path)[0] for event in events):
            ms = round((int(e["time_ns"]) - self.base - self.offset) / 10 ** 7) * 10
            row = (ms, int(e["kind"]), int(e["ino"]))
            if e["kind"] <= ev.UNKNOWN:
                row += tuple(int(e[name]) for name in ("dev", "seq", "offset", "length", "lba", "pid", "op", "flush", "why", "encoded"))
                row += (e["comm"].decode(),)
            out.append(row)
        return out


def batches(path: Path) -> list[tuple[int, int]]:
    """The batches of an event file: how many events, and whether others may be lost before them."""
    return [(int(header["n"]), int(header["lost"])) for header, _ in ev.read(path)[0]]


def numbers(world: World, path: Path) -> list[tuple[int, int]]:
    """Time and number of the events of a file; of those without one, the kind."""
    return [(row[0], row[4] if len(row) > 3 else -row[1]) for row in world.rows(path)]


# === Events ===


def test_events_are_in_their_order(world: World) -> None:
    """Two CPUs and two volumes: numbers give the order, and times follow them; a time that is not over yet waits."""
    world.reading(1, world.change(30, 102, 2000, ino=5, offset=8, length=4, op=3, flush=2, why=5, pid=812, comm="rocksdb:low"),
                  world.change(10, 100, 1000, length=8, pid=0, comm="several"), world.state(20, 6, "new", "exact"),
                  world.change(40, 101, HOLE, offset=8, length=2, op=2, comm="sixteen-letters!"),
                  world.change(0, 9, UNWRITTEN, dev=OTHER), world.change(50, 10, 3000, dev=OTHER, op=14, flush=4, why=7, encoded=2))
    ends = ["reserved", "stale_scan", "left_out", "dead", "gone", "reserved_scan", "stale", "frozen", 10, 26]
    world.reading(2, *(world.state(60 + 10 * i, 7, "exact", end) for i, end in enumerate(ends)))
    world.reading(3, world.change(-150, 103, 2004, ino=5, encoded=1))
    world.reading(4, world.state(200, 6, "exact", "stale"))
    with world.recording():
        world.wait_readings(6)
    path, = world.files("events")
    rows = world.rows(path)
    expect(rows[:7], [
        (0, ev.UNWRITTEN, 4, OTHER, 9, 0, 1, 0, 7, 1, 1, 2, 0, "db"),
        (10, ev.PLACED, 4, ONE, 100, 0, 8, 1000, 0, 1, 1, 2, 0, "several"),
        (20, ev.NEW, 6), (20, ev.EXACT, 6),
        (40, ev.HOLE, 4, ONE, 101, 8, 2, 0, 7, 2, 1, 2, 0, "sixteen-letters!"),
        (40, ev.PLACED, 5, ONE, 102, 8, 4, 2000, 812, 3, 2, 5, 0, "rocksdb:low"),
        # what the program does not know
        (50, ev.PLACED, 4, OTHER, 10, 0, 1, 3000, 7, 0, 0, 1, 1, "db")])
    kinds = [ev.EXACT, ev.STALE, ev.LEFT_OUT, ev.GONE, ev.GONE, ev.EXACT, ev.STALE, ev.STALE, ev.STALE, ev.STALE]
    expect(rows[7:], [*((60 + 10 * i, kind, 7) for i, kind in enumerate(kinds)), (200, ev.STALE, 6),
                      (rows[-1][0], ev.PLACED, 5, ONE, 103, 0, 1, 2004, 7, 1, 1, 2, 1, "db")])
    assert rows[-1][0] > 1000, rows[-1]
    # the first reading is written at once, the others after a second or at the end; nothing is known of what was before
    counts = batches(path)
    expect((counts[:3], sum(n for n, _ in counts), sum(lost for _, lost in counts)), ([(0, 1), (7, 0), (12, 0)], 19, 1))
    expect((world.said(), len(world.files("snapshot"))), ([], 1))


def test_an_event_that_is_missing_is_waited_for(world: World) -> None:
    world.reading(1, world.change(10, 5))
    world.reading(2, world.change(30, 7), world.state(40, 6, "exact", "stale"))
    world.reading(3, world.change(20, 6))
    with world.recording():
        world.wait_readings(5)
    path, = world.files("events")
    expect(numbers(world, path), [(10, 5), (20, 6), (30, 7), (40, -ev.STALE)])
    expect((world.said(), len(world.files("snapshot")), sum(lost for _, lost in batches(path))), ([], 1, 1))


def test_an_event_that_does_not_come_is_lost(world: World) -> None:
    """After one more reading; a new snapshot follows, and its events."""
    world.reading(1, world.change(10, 5))
    world.reading(2, world.change(30, 8))
    with world.recording():
        wait_for(lambda: len(world.files("events")) > 1)
        world.reading(world.readings() + 2, world.change(40, 9))
        world.wait_readings(world.readings() + 4)
    first, second = world.files("events")
    expect((numbers(world, first), batches(first)), ([(10, 5), (30, 8)], [(0, 1), (1, 0), (1, 1), (0, 0)]))
    expect((numbers(world, second), sum(lost for _, lost in batches(second))), ([(40, 9)], 0))
    expect((world.said(), len(world.files("snapshot"))), (["2 events were lost; taking a new snapshot"], 2))


def test_events_that_are_numbered_anew(world: World) -> None:
    """The directory was removed and made again: how many events are missing is not known."""
    world.reading(1, world.change(10, 5000))
    world.reading(2, world.change(30, 1))
    with world.recording():
        wait_for(lambda: len(world.files("events")) > 1)
        world.reading(world.readings() + 2, world.change(40, 2))
        world.wait_readings(world.readings() + 4)
    first, second = world.files("events")
    expect((numbers(world, first), batches(first)), ([(10, 5000), (30, 1)], [(0, 1), (1, 0), (1, 1), (0, 0)]))
    expect((numbers(world, second), len(world.files("snapshot"))), ([(40, 2)], 2))
    expect(world.said(), ["a volume was unmounted or its directory was removed, so its events are numbered anew; taking a new snapshot"])


def test_events_that_the_kernel_drops(world: World) -> None:
    """By both of its counters; what it has dropped before is not said again."""
    stats = "entries: 0\noverrun: {}\ncommit overrun: 7\nbytes: 0\ndropped events: {}\nread events: 9\n"
    world.reading(1, world.change(10, 5))
    with world.recording():
        world.wait_readings(2)
        world.put("tracing/per_cpu/cpu0/stats", stats.format(2, 3))
        wait_for(lambda: len(world.files("events")) > 1)
        world.put("tracing/per_cpu/cpu0/stats", stats.format(2, 4))
        wait_for(lambda: len(world.said()) > 1)
    expect(world.said(), ["5 events were lost; taking a new snapshot", "1 events were lost; taking a new snapshot"])
    expect(batches(world.files("events")[0])[:3], [(0, 1), (1, 0), (0, 1)])


def test_a_map_that_was_replaced_needs_a_snapshot(world: World) -> None:
    world.reading(1, world.change(10, 5, UNKNOWN))
    with world.recording():
        wait_for(lambda: len(world.files("snapshot")) > 1)
    expect([row[:5] for row in world.rows(world.files("events")[0])], [(10, ev.UNKNOWN, 4, ONE, 5)])
    expect((world.said(), [path.name for path in world.files("snapshot")]),
           ([], ["fragtrace-1700000000.000.snapshot.zst", "fragtrace-1700000000.001.snapshot.zst"]))


def test_the_module_is_unloaded(world: World) -> None:
    """The file of events ends; when the module is back, another one begins, and nothing is known of what was between."""
    world.reading(1, world.change(10, 5))
    with world.recording() as process:
        world.wait_readings(2)
        world.put("tracing/events/fragtrace/file_state/enable", "0\n")
        wait_for(world.said)
        world.put("tracing/events/fragtrace/file_state/enable", "1\n")
        wait_for(lambda: len(world.files("events")) > 1)
    first, second = world.files("events")
    expect((numbers(world, first), ev.read(first)[1], batches(second)[0]), ([(10, 5)], True, (0, 1)))
    expect(world.said(), ["the module was unloaded; what happens until the next snapshot is not known"])
    expect([call for call in world.calls() if call.startswith(("create", "destroy"))],
           [f"{what} fragtrace-record-{process.pid}" for what in ("create", "destroy")] * 2)


def test_a_large_file_of_events_ends(world: World) -> None:
    """A sixteenth of what is kept, 64 KiB; before, no snapshot is taken, though the module has another one."""
    with world.recording("--keep", "1M"):
        wait_for(lambda: world.files("snapshot"))
        world.snapshot("254:0 20482 1 0 7 contiguous /m/a")
        world.wait_readings(7)
        expect(len(world.files("snapshot")), 1)
        rng = random.Random(1)
        world.reading(world.readings() + 3, *(world.change(10, seq, rng.randrange(2 ** 31), ino=rng.randrange(2 ** 31), offset=rng.randrange(2 ** 31))
                                              for seq in range(8000)))
        wait_for(lambda: len(world.files("snapshot")) > 1)
    expect(sum(n for n, _ in batches(world.files("events")[0])), 8000)


# === Beside the events ===


def test_what_is_asked_of_tracefs(world: World) -> None:
    """Instances of programs that have ended go; that of this process, which lives, stays."""
    world.put("instances", f"fragtrace-record-4194305\nfragtrace-record-{os.getpid()}\n")
    with world.recording() as process:
        world.wait_readings(2)
    mine, gone = f"fragtrace-record-{process.pid}", "fragtrace-record-4194305"
    expect(world.calls(), [f"create {gone}", f"destroy {gone}", f"create {mine}", "write buffer_size_kb 8192", "write trace_clock mono",
                           "enable fragtrace extent_change", "enable fragtrace file_state", "on", "off", "disable fragtrace", f"destroy {mine}"])
    expect(world.said(), [f"removed the tracefs instance {gone}, whose program has ended"])


def test_what_is_kept_beside_a_snapshot(world: World) -> None:
    """F2FS's files, unless the volume is too large or its device is not known; and the counts of reads."""
    for minor in 0, 16, 48:
        (world.fake / "sys/dev/block").mkdir(parents=True, exist_ok=True)
        os.symlink(f"../../devices/fake{minor}", world.fake / f"sys/dev/block/254:{minor}")
    names = {"segment_bits": "proc/fs/f2fs/fake0", "free_segments": "sys/fs/f2fs/fake0", "status": "sys/kernel/debug/f2fs", "superblock": "dev"}
    for name, where in names.items():
        world.put(f"{where}/{'fake0' if name == 'superblock' else name}", (F2FS / name).read_bytes() + b"more" * (name == "superblock"))
    # shorter than a superblock
    world.put("dev/fake48", b"short")
    # the bits of a large volume would take long
    info = b"format: segment_type|valid_blocks\n"
    world.put("proc/fs/f2fs/fake16/segment_bits", info)
    world.put("proc/fs/f2fs/fake16/segment_info", info)
    # of the mounts, those of the volume
    mounts = b"/dev/fake0 /m0 f2fs rw,mode=lfs 0 0\n"
    world.put("proc/self/mounts", b"proc /proc proc rw 0 0\n" + mounts)
    heat = b"# fragtrace heat 2\n# windows blocks=32 period_secs=3600\n254:0 7 0 5 60 5 0 0 /m/a\n"
    world.put("sys/kernel/debug/fragtrace/heat", heat)
    world.put("sys/kernel/debug/fragtrace/gc", "# fragtrace gc 2\n")
    world.put("sys/kernel/debug/fragtrace/ledger", "# fragtrace ledger 1\n# not known: the module was loaded with ledger=0\n")
    discards = ["# fragtrace discards 1\n254:0 pending 0 0 0 0 0 0 0\n", "# fragtrace discards 1\n254:0 pending 1 8 0 5 40 0 0\n"]
    world.put("sys/kernel/debug/fragtrace/discards", discards[0])
    counts = {"latency": "# fragtrace latency 1\n254:0 x\n", "gc_runs": "# fragtrace gc_runs 2\n254:0 lost 0\n"}
    for name, text in counts.items():
        world.put(f"sys/kernel/debug/fragtrace/{name}", text)
    with world.recording("-n", "0.2"):
        wait_for((world.run / "discards").exists)
        world.put("sys/kernel/debug/fragtrace/discards", discards[1])
        wait_for(lambda: (world.run / "discards").read_text() == discards[1])
        world.wait_readings(2)
    stem = world.run / "fragtrace-1700000000.000"
    kept = {str(path.relative_to(f"{stem}.f2fs")): zstandard.ZstdDecompressor().decompress(path.read_bytes())
            for path in Path(f"{stem}.f2fs").rglob("*") if path.is_file()}
    status = (F2FS / "status").read_bytes()
    expect(kept, {**{f"254:0/{name}.zst": (F2FS / name).read_bytes() for name in names}, "254:0/mounts.zst": mounts, "254:48/status.zst": status,
                  "254:16/status.zst": status, "254:16/segment_info.zst": info})
    for name, kept_counts in ("heat", heat), ("discards", discards[0].encode()), *((name, text.encode()) for name, text in counts.items()):
        expect(zstandard.ZstdDecompressor().decompressobj().decompress(Path(f"{stem}.{name}.zst").read_bytes()), kept_counts)
    expect(Path(f"{stem}.ledger.zst").exists(), False)
    expect((Path(stem).with_name("gc").read_text(), Path(stem).with_name("ledger").exists()), ("# fragtrace gc 2\n", False))
    expect(zstandard.ZstdDecompressor().decompressobj().decompress(Path(f"{stem}.snapshot.zst").read_bytes()),
           (world.fake / "sys/kernel/debug/fragtrace/snapshot").read_bytes())


def refused(world: World, message: str) -> None:
    """It ends with this message, and its instance goes."""
    begun = len(world.calls())
    done = subprocess.run([world.view, "record", world.run, "--events"], env=world.environment(), capture_output=True, text=True, check=False,
                          cwd=world.fake, timeout=60)
    made = [call.split()[0] for call in world.calls()[begun:] if call.startswith(("create", "destroy"))]
    expect((done.returncode, done.stderr.splitlines()[0], made in ([], ["create", "destroy"])), (1, f"fragtrace record: {message}", True))


def test_another_module_is_refused(world: World) -> None:
    world.put_change_format(without="why_here")
    refused(world, "the event extent_change of the module has no field why_here; expected another version of it")
    world.put_change_format(comm_bytes=32)
    refused(world, "the event extent_change has a comm of 32 bytes; expected 16")
    (world.fake / "format/extent_change").unlink()
    refused(world, "tracefs has no event extent_change of fragtrace; expected another version of the module")


def test_what_tracefs_refuses(world: World) -> None:
    for name, number, message in (("trace_clock", 22, "tracefs: cannot write mono to trace_clock: Invalid argument"),
                                  ("enable", 1, "tracefs: cannot enable the events of fragtrace: Operation not permitted")):
        world.put(f"fail/{name}", f"{number}\n")
        refused(world, message)
        (world.fake / f"fail/{name}").unlink()
    shutil.rmtree(world.fake / "tracing")
    refused(world, "tracefs is not there (are you root? mount -t tracefs none /sys/kernel/tracing)")


# === The running module ===


def test_f2fs_is_asked_for_its_state(world: World) -> None:
    """Without a table after -t, that of debugfs is drawn, with F2FS's own files: as copies of all of them are."""
    made = subprocess.run([sys.executable, "-B", HERE / "to_snapshot.py", F2FS / "table"], capture_output=True, check=True)
    copies = world.fake / "copies"
    shutil.copytree(F2FS, copies)
    (copies / "snapshot").write_bytes(made.stdout)
    os.symlink("../../devices/fake0", world.fake / "sys-link")
    (world.fake / "sys/dev/block").mkdir(parents=True)
    os.rename(world.fake / "sys-link", world.fake / "sys/dev/block/254:0")
    for name, where in (("snapshot", "sys/kernel/debug/fragtrace"), ("segment_bits", "proc/fs/f2fs/fake0"), ("victim_bits", "proc/fs/f2fs/fake0"),
                        ("free_segments", "sys/fs/f2fs/fake0"), ("superblock", "dev/fake0"), ("status", "sys/kernel/debug/f2fs")):
        world.put(where if name == "superblock" else f"{where}/{name}", (copies / name).read_bytes())
    # the status names the device
    status = (F2FS / "status").read_text(encoding="utf-8")
    world.put("sys/kernel/debug/f2fs/status", re.sub(r"(partition info\()\w+", r"\g<1>fake0", status))
    for output in ["table", "--json"], ["metrics"]:
        live = subprocess.run([world.view, *output], env=world.environment(), capture_output=True, text=True, check=True, cwd=world.fake)
        kept = subprocess.run([world.view, *output, "-t", copies / "snapshot", "--f2fs-state", copies], capture_output=True, text=True, check=True)
        assert '"empty_segments"' in kept.stdout or "fragtrace_f2fs_gc_candidates" in kept.stdout, kept.stdout
        expect((output, live.stderr, live.stdout.replace("/sys/kernel/debug/fragtrace/snapshot", "")), (output, "", kept.stdout.replace(f"{copies}/snapshot", "")))


def as_records(report: str, moved: str = "") -> bytes:
    """What blkzone prints of zones as the kernel reports them; the zone that begins there has been written by one block more."""
    out = b""
    for line in report.splitlines():
        start, length, capacity, pointer = (int(number, 16) for number in re.findall(r"0x(\w+)", line))
        condition, kind = map(int, re.search(r"zcond: *(\d+)\(.*type: (\d)", line).groups())
        out += struct.pack("<3Q8BQ24x", start, length, start + pointer + 8 * (f"{start:x}" == moved), kind, condition, 0, 0, 0, 0, 0, 0, capacity)
    return out


def test_devices_are_asked_for_their_zones(world: World) -> None:
    """As copies have them, but for a zone that is written meanwhile."""
    naive = subprocess.run([sys.executable, "-B", HERE / "naive_zones.py", "make", world.fake / "copies", "4"], capture_output=True, check=False)
    expect(naive.stderr, b"")
    copies = world.fake / "copies"
    world.put("sys/kernel/debug/fragtrace/snapshot", (copies / "table").read_bytes())
    (world.fake / "sys/dev/block").mkdir(parents=True)
    os.symlink("../../devices/fake0", world.fake / "sys/dev/block/254:0")
    for name, where in (("segment_bits", "proc/fs/f2fs/fake0"), ("victim_bits", "proc/fs/f2fs/fake0"), ("status", "sys/kernel/debug/f2fs")):
        world.put(f"{where}/{name}", (copies / name).read_bytes().replace(b"(vda)", b"(fake0)"))
    world.put("dev/fake0", (copies / "superblock").read_bytes())
    world.put("dev/fake1", "")
    for limit in "max_open_zones", "max_active_zones":
        world.put(f"sys/dev/block/0:0/queue/{limit}", (copies / f"{limit}.1").read_bytes())
    report = (copies / "zones.1").read_text(encoding="ascii")
    moved = next(re.search(r"start: 0x0*(\w+)", line)[1] for line in report.splitlines() if "zcond: 2" in line)

    def run(*args: str | Path) -> subprocess.CompletedProcess:
        return subprocess.run([world.view, "zones", *args], env=world.environment(), capture_output=True, text=True, check=False, cwd=world.fake)

    kept = json.loads(run("--json", "-t", copies / "table", "--f2fs-state", copies).stdout)["volumes"]
    world.put("zones/fake1.0", as_records(report))
    world.put("zones/fake1.1", as_records(report))
    expect(json.loads(run("--json").stdout)["volumes"], kept)
    world.put("zones/fake1.1", as_records(report, moved))
    live = json.loads(run("--json").stdout)["volumes"]
    pairs = [(a, b) for a, b in zip(kept[0]["devices"][1]["zones"], live[0]["devices"][1]["zones"]) if a != b]
    expect([(a["condition"], b["finding"], b["write_pointer"] - a["write_pointer"]) for a, b in pairs], [("open", "changed", 1)])
    # a recording has the same, also what has changed meanwhile
    made = subprocess.run([sys.executable, "-B", HERE / "to_snapshot.py", copies / "table"], capture_output=True, check=True)
    world.put("sys/kernel/debug/fragtrace/snapshot", made.stdout)
    with world.recording():
        world.wait_readings(2)
    expect(world.said(), [])
    expect(json.loads(run("--json", world.run).stdout)["volumes"], live)
    world.put("fail/zones", "5\n")
    done = run()
    expect((done.returncode, done.stderr), (1, "fragtrace zones: /dev/fake1: cannot report zones: Input/output error\n"))
    (world.fake / "dev/fake1").unlink()
    done = run()
    expect((done.returncode, done.stderr), (1, "fragtrace zones: /dev/fake1: No such file or directory; it is a device of the volume (are you root?)\n"))


def test_how_it_stands(world: World) -> None:
    """Without a command; and the differences that an audit has found."""
    def run(*args: str) -> subprocess.CompletedProcess:
        return subprocess.run([world.view, *args], env=world.environment(), capture_output=True, text=True, check=False, cwd=world.fake)

    assert "The module fragtrace is not loaded. As root: modprobe fragtrace path=DIR, or insmod fragtrace.ko path=DIR" in run().stdout, run().stdout
    assert f"Without it: {world.view} view TABLE" in run().stdout, run().stdout
    world.put("sys/module/fragtrace/version", "")
    world.put("sys/kernel/debug/fragtrace/targets", "# fragtrace targets 1\n# dev ino state files path\n254:0 3 live 1 /m0\n- - waiting 0 /m\\040x\n")
    world.put("sys/kernel/debug/fragtrace/stats", "# fragtrace stats 1\nvolumes 4\naudit_differences 0\n")
    expect(run().stdout.splitlines(), [
        "The module fragtrace watches:", "  /m0: live, 1 file followed on 254:0", "  /m\\040x: waiting",
        "split factor 1.08; 1 of 1 file fragmented; 2 fragments; 1.5 MiB",
        f"Next: {world.view} top, why, view, serve or defrag; all commands: {world.view} --help"])
    expect(run("check").returncode, 0)
    world.put("sys/kernel/debug/fragtrace/stats", "# fragtrace stats 1\nvolumes 4\naudit_differences 2\n")
    done = run("check")
    expect((done.returncode, done.stderr), (3, "fragtrace check: 2 files differed from F2FS in an audit; report it, with dmesg and the file audit\n"))
    world.put("fail/open", "13\n")
    assert "are you root" in run().stdout + run().stderr


def test_a_kernel_without_debugfs(world: World) -> None:
    """Then the files are in procfs, and every command finds them there."""
    def run(*args: str) -> subprocess.CompletedProcess:
        return subprocess.run([world.view, *args], env=world.environment(), capture_output=True, text=True, check=False, cwd=world.fake)

    usual = run("table", "--csv")
    world.put("sys/module/fragtrace/version", "")
    (world.fake / "proc").mkdir()
    os.rename(world.fake / "sys/kernel/debug/fragtrace", world.fake / "proc/fragtrace")
    world.put("proc/fragtrace/targets", "# fragtrace targets 1\n# dev ino state files path\n254:0 3 live 1 /m0\n")
    world.put("proc/fragtrace/stats", "# fragtrace stats 1\naudit_differences 2\n")
    assert "  /m0: live, 1 file followed" in run().stdout, run().stdout
    expect((run("table", "--csv").stdout, usual.returncode), (usual.stdout, 0))
    expect(run("check").returncode, 3)
    for command, name in ("cost", "latency"), ("ledger", "ledger"), ("gc", "gc_runs"):
        assert f"/proc/fragtrace/{name}" in run(command).stderr, run(command).stderr
    world.put("fail/open", "13\n")
    told(world, "/proc/fragtrace/snapshot: cannot open: Permission denied (only root may read this: are you root?)")


def test_why_there_is_no_table(world: World) -> None:
    snapshot = "/sys/kernel/debug/fragtrace/snapshot: cannot open: "
    world.put("sys/module/fragtrace/version", "")
    for number, message in ((13, "Permission denied (only root may read this: are you root?)"),
                            (1, "Operation not permitted (kernel lockdown may forbid debugfs)"),
                            (12, "Cannot allocate memory (the kernel has no memory for a copy of the maps)"),
                            (5, "Input/output error (debugfs is not mounted: mount -t debugfs none /sys/kernel/debug)")):
        world.put("fail/open", f"{number}\n")
        told(world, snapshot + message)
    (world.fake / "fail/open").unlink()
    (world.fake / "sys/kernel/debug/fragtrace/snapshot").unlink()
    shutil.rmtree(world.fake / "sys/module/fragtrace")
    world.put("debugfs", "")
    told(world, "/sys/kernel/debug/fragtrace/table: cannot open: No such file or directory (the module fragtrace is not loaded: modprobe fragtrace path=DIR, or insmod fragtrace.ko path=DIR)")


def told(world: World, message: str) -> None:
    """Nothing is drawn, for this reason."""
    done = subprocess.run([world.view, "table", "--csv"], env=world.environment(), capture_output=True, text=True, check=False, cwd=world.fake)
    expect((done.returncode, done.stdout, done.stderr), (1, "", f"fragtrace table: {message}\n"))


# === KTAP ===


def main() -> int:
    view, names = str(Path(sys.argv[1]).resolve()), sys.argv[2:]
    tests = [(name[5:], test) for name, test in globals().items() if name.startswith("test_") and (name[5:] in names or not names)]
    failed = 0
    print(f"KTAP version 1\n# test_tracer.py {Path(view).name}\n1..{len(tests)}")
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(World(view, Path(folder)))
                print(f"ok {number} {name}")
            except Exception:  # a test that fails in any way is a test that failed
                print("# " + traceback.format_exc().rstrip().replace("\n", "\n# "))
                print(f"not ok {number} {name}")
                failed += 1
        sys.stdout.flush()
    print(f"# Totals: pass:{len(tests) - failed} fail:{failed} xfail:0 xpass:0 skip:0 error:0")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
