# SPDX-License-Identifier: GPL-2.0-only
"""What fragtrace knows of F2FS files, as arrays of numpy: snapshots, texts of debugfs, and moments of recordings.

The program fragtrace reads all formats; this module asks it for columns. It draws nothing, and needs only numpy:

    table = fragsnap.read_table("/sys/kernel/debug/fragtrace/snapshot")
    print(table.blocks.sum(), "blocks in", len(table.paths), "files")

    for moment in fragsnap.read_moments("run"):
        table = fragsnap.read_table("run", at=fragsnap.at_text(moment.last_ns))

What fragtrace refuses is a SnapError with its message.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Iterable, Iterator, Optional

import numpy as np

PROGRAM = "fragtrace"
# The size of a block where nothing says it.
BLOCK_BYTES = 4096
NS = 10 ** 9
# The kind of files that no rule and no extension of its own has; see src/output/columns.c.
OTHER = "other"


class SnapError(Exception):
    """What cannot be read, or drawn; the message is for the user. status: 2 if the command line is wrong."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Volume:
    """One F2FS volume; data is in the blocks from main_blkaddr to end - 1. stopped: F2FS has, after an error.

    left_out: files and directories that are missing, because fragtrace's memory was short.
    """

    dev: str
    main_blkaddr: int
    end: int
    segment_blocks: int
    path: str
    stopped: bool = False
    left_out: int = 0
    block_bytes: int = BLOCK_BYTES


@dataclass(frozen=True)
class Kind:
    """Files that share colours: an extension, a rule of color.cnf, or OTHER; tones 0xrrggbb: contiguous, fragmented a and b."""

    name: str
    tones: tuple[int, ...]


@dataclass(frozen=True)
class Heat:
    """The counts of windows of files: window_blocks is their length; after period_s seconds all counts are halved.

    Arrays with one item for each window that has counts, by file and number: file (an index), number (its first block,
    divided by the length of a window), reads, overwrites.
    """

    window_blocks: int
    period_s: int
    file: np.ndarray
    number: np.ndarray
    reads: np.ndarray
    overwrites: np.ndarray

    def of_windows(self, file: np.ndarray, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The reads and overwrites of windows; 0 where there are no counts."""
        keys, wanted = self.file << 32 | self.number, file << 32 | number
        place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        known = keys[place] == wanted if len(keys) else np.zeros(len(wanted), bool)
        return tuple(np.where(known, counts[place] if len(keys) else 0, 0)  # type: ignore[return-value]
                     for counts in (self.reads, self.overwrites))


@dataclass(frozen=True)
class Table:
    """The files and written extents of one moment.

    time is in seconds since 1970; without has_time, it is only when the file was written, or read. begin is that of the
    recording the table is from, if it is from one. Arrays with one item for each file, in the order of their first
    extents: file_volume (an index into volumes), file_ino, file_fragmented, file_kind (an index into kinds, whose last
    one is OTHER); paths likewise. Arrays with one item for each extent, in the order of volume and address: lba, blocks,
    offset (all in blocks), file (an index). `logical` sorts the extents by file and offset. n_stale is the number of
    files whose blocks may have moved.
    """

    name: str
    time: float
    has_time: bool
    begin: Optional[float]
    volumes: list[Volume]
    kinds: list[Kind]
    file_volume: np.ndarray
    file_ino: np.ndarray
    file_kind: np.ndarray
    file_fragmented: np.ndarray
    paths: list[str]
    lba: np.ndarray
    blocks: np.ndarray
    offset: np.ndarray
    file: np.ndarray
    logical: np.ndarray
    n_stale: int
    heat: Optional[Heat]

    @property
    def block_bytes(self) -> int:
        """The size of a block."""
        return one_block_size(self.volumes)

    def request_blocks(self, size: int) -> int:
        """The blocks of a request of so many bytes."""
        if size % self.block_bytes:
            raise SnapError(f"{self.name}: has blocks of {bytes_text(self.block_bytes)}; expected a request of a multiple of that")
        return size // self.block_bytes


@dataclass(frozen=True)
class Span:
    """The moments, in ns since 1970, whose tables can be rebuilt from one snapshot of a recording.

    gap: whether events were lost after that. lost: how many; None if there is no gap, or if that is not known. events: the file
    with them, or None.
    """

    first_ns: int
    last_ns: int
    gap: bool
    lost: Optional[int]
    snapshot: str
    events: Optional[str]


def one_block_size(volumes: Iterable[Volume]) -> int:
    """The size of a block of volumes that are drawn together."""
    sizes = sorted({volume.block_bytes for volume in volumes})
    if len(sizes) > 1:
        raise SnapError(f"there are blocks of {' and of '.join(map(bytes_text, sizes))}; expected tables with blocks of one size")
    return sizes[0] if sizes else BLOCK_BYTES


# === The program ===


def find_program() -> str:
    """fragtrace: of this build, beside this program, or in PATH."""
    folders = [os.path.dirname(os.path.dirname(os.path.realpath(__file__)))]
    folders += [os.path.dirname(os.path.realpath(sys.argv[0]))] if os.path.isfile(sys.argv[0]) else []
    for path in (os.path.join(folder, PROGRAM) for folder in folders):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which(PROGRAM)
    if not found:
        raise SnapError(f"{PROGRAM}: is not installed, which reads tables and recordings; install it, or add its folder to PATH")
    return found


# The most bytes of an input, unpacked, as --max-input takes it; None: half of the memory.
input_max: Optional[str] = None
# Warnings of the program that were shown: each moment of a recording has the same.
warned: set[str] = set()


@contextmanager
def running(command: str, *args: str, given: Optional[bytes] = None) -> Iterator[IO[bytes]]:
    """What a command of fragtrace writes when it is given this; in the end its messages go on, the one of an error as a SnapError."""
    limit = ["--max-input", input_max] if input_max is not None else []
    program = find_program()
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as messages:
        asked.write(given or b"")
        asked.seek(0)
        try:
            # an input may be a descriptor, as in <(zcat t.gz)
            with subprocess.Popen([program, command, *limit, *args], stdin=None if given is None else asked,
                                  stdout=subprocess.PIPE, stderr=messages, close_fds=False) as child:
                assert child.stdout
                try:
                    yield child.stdout
                except EOFError:
                    # the status says why
                    pass
                except BaseException:
                    child.kill()
                    raise
        except OSError as error:
            raise SnapError(f"{program}: cannot start: {error.strerror}; install it again") from error
        messages.seek(0)
        said = messages.read().decode("utf-8", "surrogateescape").replace(f"{PROGRAM} {command}: ", "").splitlines()
    status = child.returncode
    wrong = said.pop() if said and status > 0 else f"{program} {command}: ended with status {status}"
    if status < 0:
        wrong = f"{program} {command}: was ended by {signal.Signals(-status).name}"
    for line in said:
        if line not in warned:
            print(visible(line), file=sys.stderr)
            warned.add(line)
    if status:
        raise SnapError(wrong, 2 if status == 2 else 1)


def ask(command: str, *args: str) -> bytes:
    """All that a command of fragtrace writes."""
    with running(command, *args) as out:
        return out.read()


def checked(document: Any, form: str) -> Any:
    """JSON of the program, if it is what this module knows."""
    if not isinstance(document, dict) or (document.get("format"), document.get("version")) != (f"{PROGRAM} {form}", 1):
        raise SnapError(f"{find_program()}: its {form} are none that this program reads; install both of one version")
    return document


def path_of(name: str) -> str:
    """A path as JSON has it: bytes that are no UTF-8, and backslashes, are octal."""
    return os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda byte: bytes([int(byte[1], 8)]), name.encode()))


def taken(stream: IO[bytes], n: int) -> bytes:
    """The next bytes of what the program writes; EOFError if it ended before."""
    data = stream.read(n)
    if len(data) < n:
        raise EOFError
    return data


def take_arrays(head: dict[str, Any], stream: IO[bytes]) -> dict[str, dict[str, np.ndarray]]:
    """The arrays that the line of JSON lists, by name and member."""
    result = {}
    for array in head["arrays"]:
        shape = (array["n"], len(array["fields"]))
        records = np.frombuffer(taken(stream, 4 * shape[0] * shape[1]), np.uint32).reshape(shape)
        result[array["name"]] = {field: records[:, i].astype(np.int64) for i, field in enumerate(array["fields"])}
    return result


def table_of(name: str, line: bytes, stream: IO[bytes]) -> Table:
    """The table that fragtrace writes in columns, after its first line."""
    if not line.endswith(b"\n"):
        raise EOFError
    head = checked(json.loads(line), "columns")
    arrays = take_arrays(head, stream)
    files, extents, windows = arrays["files"], arrays["extents"], arrays["windows"]
    names = iter(os.fsdecode(taken(stream, head["name_bytes"])).split("\0"))
    volumes = [Volume(path=next(names), **volume) for volume in head["volumes"]]
    kinds = [Kind(next(names), tuple(tones)) for tones in head["kinds"]]
    paths = [path for _, path in zip(range(len(files["ino"])), names)]
    return Table(
        name, head["time_ms"] / 1000, head["has_time"], head["begin_ms"] / 1000 if "begin_ms" in head else None, volumes,
        kinds, files["volume"], files["ino"], files["kind"], files["is_fragmented"] != 0, paths, extents["lba"],
        extents["blocks"], extents["offset"], extents["file"], np.lexsort((extents["offset"], extents["file"])),
        head["stale"], Heat(head["window_blocks"], head["period_s"], **windows) if "window_blocks" in head else None)


def columns_of(names: list[str], given: Optional[bytes], options: list[str], colors: Optional[list[str]],
               with_heat: bool) -> Iterator[Table]:
    """The tables that fragtrace writes in columns, one for each name."""
    options += [word for one in colors or [] for word in ("-c", one)]
    options += ["--reads"] if with_heat else []
    with running("table", "--columns", *options, given=given) as out:
        for name in names:
            line = out.readline()
            if not line:
                break
            yield table_of(name, line, out)
        else:
            return
    # what is wrong was said, or nothing was written
    checked(None, "columns")


def read_table(path: str, at: Optional[str] = None, colors: Optional[list[str]] = None, with_heat: bool = False) -> Table:
    """Read a snapshot, a text of debugfs, - for standard input, or a moment of a recording: its end, or --at.

    colors are color.cnf files, or presets, which define the kinds of files.
    """
    options = ["-t", path, *(["--at", at] if at is not None else [])]
    table, = columns_of(["<stdin>" if path == "-" else path], None, options, colors, with_heat)
    return table


def read_tables(requests: Iterable[tuple[str, Optional[str]]], colors: Optional[list[str]] = None,
                with_heat: bool = False) -> Iterator[Table]:
    """Read one table after the other, as read_table(), from one process: of each, the path and the moment."""
    wanted = list(requests)
    given = b"".join(os.fsencode(f"{at or ''}\0{path}\0") for path, at in wanted)
    return columns_of([path for path, _ in wanted], given, ["--requests"], colors, with_heat)


def read_moments(folder: str) -> list[Span]:
    """The moments of a recording, by snapshot."""
    records = checked(json.loads(ask("moments", "--json", "--", folder) or b"null"), "moments")["records"]
    return [Span(one["first"], one["last"], one["gap"], one["lost"], path_of(one["snapshot"]), one["events"] and path_of(one["events"]))
            for one in records]


def read_list(kind: str, path: str) -> list[dict[str, Any]]:
    """The records that `fragtrace KIND --json` writes of a snapshot: files, extents, causes or processes."""
    return json.loads(ask(kind, "--json", "-t", path))["records"]  # type: ignore[no-any-return]


def at_text(ns: int) -> str:
    """A moment in ns since 1970 as --at takes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // NS)) + f".{ns % NS:09}Z"


# === Texts for people ===

# Characters that act on a terminal, begin a new line, or change the order of text, and bytes that are no UTF-8. The same
# as in names.c.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
                    "\U000e0000-\U000e007f\ud800-\udfff]")


def visible(text: str) -> str:
    """A text that is safe on a terminal and in a picture: hidden characters are written as octal bytes."""
    return HIDDEN.sub(lambda found: "".join(f"\\{byte:03o}" for byte in found[0].encode("utf-8", "surrogateescape")),
                      text)


def bytes_text(size: float) -> str:
    """A number of bytes with a unit, in the same form as format_bytes() of util.c."""
    size, units = size / 1024, ["KiB", "MiB", "GiB", "TiB", "PiB"]
    # a value that rounds to 1024 is 1 of the next unit
    while size >= 1023.5 and len(units) > 1:
        size, units = size / 1024, units[1:]
    if 0 < size < 0.05:
        return f"<0.1 {units[0]}"
    text = f"{size:.0f}" if size >= 99.95 or size == int(size) else f"{size:.1f}"
    return f"{text} {units[0]}"
