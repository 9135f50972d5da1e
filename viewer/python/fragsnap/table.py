# SPDX-License-Identifier: GPL-2.0-only
"""The text `table` of debugfs."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import Callable, Optional

import numpy as np

from .model import Table, Volume
from .texts import VERSION, FormatError, SnapError, read_path

# F2FS uses 32 bits for blocks and inodes.
MOST = 2 ** 32 - 1
DIGITS = len(str(MOST))
# The longest line of a table: a path has at most 4095 bytes, and each of them may be escaped.
LINE_LIMIT = 1 << 15
MAX_VOLUMES = 4096
TABLE_FORM = "dev lba length offset ino state path"
VOLUME_FORM = "# volume DEV main_blkaddr=N blocks=N segment_blocks=N path=MOUNTPOINT"
TIME_FORM = "# time SECONDS.MMM"
STALE_FORM = "# stale N"
STOPPED_FORM = "# stopped DEV"
LEFT_OUT_FORM = "# left_out DEV N"
VERSION_FORM = "# fragtrace table N"
STATES = (b"contiguous", b"fragmented")

# === Lines of a table ===


class Line:
    """One line of a table, read from left to right as in table.c."""

    def __init__(self, name: str, line: int, raw: bytes, form: str) -> None:
        self.name, self.line, self.raw, self.form = name, line, raw, form
        self.at = 0

    def fail(self, what: str) -> FormatError:
        """The error to raise for this line."""
        return FormatError(self.name, self.line, what)

    def quoted(self, start: int) -> str:
        """The beginning of the rest of the line."""
        return os.fsdecode(self.raw[start:start + 24])

    def is_over(self) -> bool:
        """Is the rest of the line empty?"""
        return self.at == len(self.raw)

    def ends_before(self, what: str) -> FormatError:
        """The error for a field that is missing."""
        return self.fail(f"the line ends before the {what}; expected: {self.form}")

    def number(self, what: str, most: int = MOST) -> int:
        """Digits."""
        start = self.at
        found = re.compile(rb"[0-9]*").match(self.raw, start)
        digits = found[0] if found else b""
        self.at = start + len(digits)
        if not digits and self.at == len(self.raw):
            raise self.ends_before(what)
        if not digits:
            raise self.fail(f'the {what} is not a number: "{self.quoted(start)}"; expected digits')
        if int(digits.lstrip(b"0")[:21] or b"0") > most:
            raise self.fail(f"the {what} is too big: {digits.decode()}; expected at most {most}")
        return int(digits)

    def expect(self, literal: str) -> None:
        """Exactly this text."""
        if not self.raw.startswith(literal.encode(), self.at):
            raise self.fail(f'found "{self.quoted(self.at)}" where "{literal}" should be; expected: {self.form}')
        self.at += len(literal)

    def field(self, what: str, most: int = MOST) -> int:
        """A number and the space after it."""
        value = self.number(what, most)
        if not self.is_over():
            if self.raw[self.at:self.at + 1] != b" ":
                raise self.fail(f'the {what} is followed by "{self.quoted(self.at)}"; expected a space')
            self.at += 1
        return value

    def dev(self) -> str:
        """A device number and the space after it."""
        major = self.number("device")
        self.expect(":")
        minor = self.number("device")
        if not self.is_over():
            self.expect(" ")
        return f"{major}:{minor}"

    def state(self) -> bool:
        """Is the file fragmented?"""
        for i, word in enumerate(STATES):
            if self.raw.startswith(word + b" ", self.at):
                self.at += len(word) + 1
                return bool(i)
        if self.is_over():
            raise self.ends_before("state")
        if self.raw[self.at:] in STATES:
            raise self.ends_before("path")
        unknown = os.fsdecode(self.raw[self.at:].split(b" ")[0][:24])
        raise self.fail(f'unknown state "{unknown}"; expected contiguous or fragmented')

    def path(self) -> str:
        """The rest of the line."""
        if self.is_over():
            raise self.ends_before("path")
        return read_path(self.name, self.line, self.raw[self.at:])


def read_version(line: Line) -> None:
    """The first line."""
    magic = "# fragtrace table "
    if not line.raw.startswith(magic.encode()):
        raise line.fail(f'this is no fragtrace table; expected the first line to be "{magic}{VERSION}"')
    line.at = len(magic)
    version = line.number("version")
    if version != VERSION or not line.is_over():
        raise line.fail(f"the table has version {version}{line.quoted(line.at)}, this program reads version "
                        f"{VERSION}")


def read_time(line: Line) -> float:
    """The time of a table, as the module or fragtrace record writes it; the first one has priority."""
    line.at = len("# time ")
    seconds = line.number("time", 10 ** 11 - 1)
    line.expect(".")
    point = line.at
    ms = line.number("fraction of the time", 999)
    if line.at != point + 3 or not line.is_over():
        raise line.fail(f'the fraction of the time is "{line.quoted(point)}"; expected three digits')
    return float(f"{seconds}.{ms:03}")


def read_stale(line: Line) -> int:
    """The number of stale files."""
    line.at = len("# stale ")
    number = line.number("number of stale files")
    if not line.is_over():
        raise line.fail(f"expected {STALE_FORM}")
    return number


def volume_of(line: Line, volumes: list[Volume]) -> int:
    """The index of the volume that a line is about."""
    dev = line.dev()
    for i, volume in enumerate(volumes):
        if volume.dev == dev:
            return i
    raise line.fail(f"volume {dev} is not known; expected a line before this one: {VOLUME_FORM}")


def read_stopped(line: Line, volumes: list[Volume]) -> None:
    """Note that F2FS has stopped on a volume."""
    line.at = len("# stopped ")
    i = volume_of(line, volumes)
    if not line.is_over():
        raise line.fail(f"expected {STOPPED_FORM}")
    volumes[i] = replace(volumes[i], stopped=True)


def read_left_out(line: Line, volumes: list[Volume]) -> None:
    """Note how many files of a volume are left out."""
    line.at = len("# left_out ")
    i = volume_of(line, volumes)
    number = line.number("number of files that are left out")
    if not line.is_over():
        raise line.fail(f"expected {LEFT_OUT_FORM}")
    volumes[i] = replace(volumes[i], left_out=number)


def read_volume(line: Line, known: list[Volume]) -> Volume:
    """The description of a volume."""
    line.expect("# volume ")
    dev = line.dev()
    numbers = []
    for key, what in (("main_blkaddr", "main_blkaddr"), ("blocks", "number of blocks"),
                      ("segment_blocks", "size of a segment")):
        line.expect(f"{key}=")
        numbers.append(line.field(what))
    first, end, segment = numbers
    if not segment:
        raise line.fail("segment_blocks is 0; expected at least 1")
    line.expect("path=")
    path = line.path()
    if first >= end:
        raise line.fail(f"main_blkaddr={first} is not below blocks={end}")
    if dev in (volume.dev for volume in known):
        raise line.fail(f"volume {dev} comes twice")
    if len(known) == MAX_VOLUMES:
        raise line.fail(f"more than {MAX_VOLUMES} volumes")
    return Volume(dev, first, end, segment, path)


def read_record(line: Line) -> tuple[str, list[int], bool, int]:
    """Device, numbers, state, and the begin of the path."""
    dev = line.dev()
    numbers = [line.field(what) for what in ("lba", "length", "offset", "inode number")]
    fragmented = line.state()
    if line.is_over():
        raise line.ends_before("path")
    return dev, numbers, fragmented, line.at


@dataclass
class Comments:
    """The content of the lines that begin with #."""

    time: Optional[float] = None
    n_stale: int = 0


def read_comments(name: str, lines: list[tuple[int, bytes]], volumes: list[Volume], where: list[int]) -> Comments:
    """Read these lines in their order; add volumes and the numbers of their lines to these lists."""
    comments = Comments()
    for i, (number, raw) in enumerate(lines):
        # in the head, which ends with the first record
        if raw.startswith(b"# time ") and number == i + 2:
            time = read_time(Line(name, number, raw, TIME_FORM))
            comments.time = time if comments.time is None else comments.time
        elif raw.startswith(b"# stale "):
            comments.n_stale = read_stale(Line(name, number, raw, STALE_FORM))
        elif raw.startswith(b"# stopped "):
            read_stopped(Line(name, number, raw, STOPPED_FORM), volumes)
        elif raw.startswith(b"# left_out "):
            read_left_out(Line(name, number, raw, LEFT_OUT_FORM), volumes)
        elif raw.startswith(b"# volume "):
            volumes.append(read_volume(Line(name, number, raw, VOLUME_FORM), volumes))
            where.append(number)
    return comments


# === table ===


class Faults:
    """Finds the first of many items for which one of several checks of whole columns fails.

    If two checks fail for the same item, the first check counts.
    """

    def __init__(self, number: int) -> None:
        self.first = number
        self.describe: Callable[[int], str] = lambda i: ""
        self.number = number

    def check(self, bad: np.ndarray, describe: Callable[[int], str]) -> None:
        """bad is the items that fail, describe returns the message for an item."""
        if bad.any():
            i = int(bad.argmax())
            if i < self.first:
                self.first, self.describe = i, describe

    def found(self) -> Optional[str]:
        """The message for the first item that failed, or None."""
        return self.describe(self.first) if self.first < self.number else None


def parse_numbers(text: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers between these places of the text, and which of them must be read one by one."""
    width = end - start
    odd = (width < 1) | (width > DIGITS)
    value = np.zeros(len(start), np.int64)
    for i in range(min(int(width.max(initial=0)), DIGITS)):
        here = i < width
        digit = text[np.where(here, start + i, 0)] - np.uint8(ord("0"))
        odd |= here & (digit > 9)
        value = np.where(here, value * 10 + digit, value)
    return value, odd | (value > MOST)


def find_volume(text: np.ndarray, start: np.ndarray, end: np.ndarray, volumes: list[Volume]) -> np.ndarray:
    """The volume of each record, by its letters; -1: none of them."""
    found = np.full(len(start), -1)
    for i, volume in enumerate(volumes):
        dev = np.frombuffer(volume.dev.encode(), np.uint8)
        same = end - start == len(dev)
        candidates = np.flatnonzero(same)
        same[candidates] = (text[start[candidates, None] + np.arange(len(dev))] == dev).all(axis=1)
        found[same] = i
    return found


@dataclass
class Columns:
    """The fields of all records. volume is an index, -1 if there is none; path is the begin of the path."""

    volume: np.ndarray
    numbers: list[np.ndarray]
    fragmented: np.ndarray
    path: np.ndarray


def read_columns(name: str, data: bytes, text: np.ndarray, lines: np.ndarray, begin: np.ndarray,
                 newline: np.ndarray, volumes: list[Volume]) -> tuple[Columns, dict[int, str], Optional[FormatError]]:
    """The fields of all records, whole columns at once.

    Records that do not have the form of the module's are read again one by one with all rules. That gives two
    results: the devices, by record, that are none of the volumes, and the error of the first invalid record.
    """
    # The ends of the first six fields of each record; for a missing field, the end of the line.
    space = np.concatenate([np.flatnonzero(text == ord(" ")), np.full(6, len(text))])
    ends = space[np.searchsorted(space, begin)[:, None] + np.arange(6)]
    odd = ends[:, 5] + 1 >= newline
    ends = np.minimum(ends, newline[:, None])
    starts = np.minimum(np.column_stack([begin, ends[:, :5] + 1]), ends)
    volume = find_volume(text, starts[:, 0], ends[:, 0], volumes)
    odd |= volume < 0
    numbers = []
    for column in range(1, 5):
        value, bad = parse_numbers(text, starts[:, column], ends[:, column])
        numbers.append(value)
        odd |= bad
    letters = text[np.minimum(starts[:, 5, None] + np.arange(10), len(text) - 1)]
    wide = ends[:, 5] - starts[:, 5] == 10
    contiguous, fragmented = (wide & (letters == np.frombuffer(state, np.uint8)).all(axis=1)
                              for state in STATES)
    odd |= ~(contiguous | fragmented)
    columns = Columns(volume, numbers, fragmented, ends[:, 5] + 1)
    places = {v.dev: i for i, v in enumerate(volumes)}
    devs: dict[int, str] = {}
    for i in np.flatnonzero(odd).tolist():
        line = Line(name, int(lines[i]) + 1, data[begin[i]:newline[i]], TABLE_FORM)
        try:
            devs[i], found, columns.fragmented[i], at = read_record(line)
        except FormatError as error:
            return columns, devs, error
        columns.volume[i] = places.get(devs[i], -1)
        columns.path[i] = begin[i] + at
        for numbers_of, number in zip(columns.numbers, found):
            numbers_of[i] = number
    return columns, devs, None


def check_places(faults: Faults, volumes: list[Volume], volume: np.ndarray, lba: np.ndarray,
                 blocks: np.ndarray) -> None:
    """Check that each extent is inside its volume and after the previous one."""
    first = np.array([v.main_blkaddr for v in volumes])[volume]
    limit = np.array([v.end for v in volumes])[volume]
    end = lba + blocks
    same = np.zeros(len(volume), bool)
    same[1:] = volume[1:] == volume[:-1]
    again = np.zeros(len(volume), bool)
    seen: set[int] = set()
    for i in np.flatnonzero(~same):
        again[i] = int(volume[i]) in seen
        seen.add(int(volume[i]))
    faults.check(again, lambda i: f"not sorted: volume {volumes[volume[i]].dev} had its lines before; "
                 "expected order (dev, lba)")
    faults.check(blocks < 1, lambda i: "the length is 0; expected at least 1 block")
    faults.check((lba < first) | (end > limit),
                 lambda i: f"blocks {lba[i]} to {end[i] - 1} are outside the volume; expected {first[i]} "
                 f"to {limit[i] - 1}")
    before = np.zeros(len(volume), bool)
    before[1:] = same[1:] & (lba[1:] < lba[:-1])
    faults.check(before, lambda i: f"not sorted: lba {lba[i]} comes after {lba[i - 1]}; expected order (dev, lba)")
    inside = np.zeros(len(volume), bool)
    inside[1:] = same[1:] & (lba[1:] < end[:-1])
    faults.check(inside, lambda i: f"lba {lba[i]} overlaps the extent before; expected at least {end[i - 1]}")


def logical_order(name: str, volumes: list[Volume], volume: np.ndarray, ino: np.ndarray, file: np.ndarray,
                  offset: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Sort the extents by file and offset; a block must not be there twice."""
    logical = np.lexsort((offset, file))
    before, after = logical[:-1], logical[1:]
    twice = (file[after] == file[before]) & (offset[after] < offset[before] + blocks[before])
    if twice.any():
        i = after[int(twice.argmax())]
        raise SnapError(f"{name}: block {offset[i]} of inode {ino[i]} on {volumes[volume[i]].dev} is in two "
                        "places; expected one extent for each block of a file")
    return logical


def check_lines(name: str, data: bytes, begin: np.ndarray, newline: np.ndarray) -> tuple[int, Optional[FormatError]]:
    """The number of lines before the first that is too long, has a NUL, or has no end; and its error."""
    count = len(newline)
    done = int(newline[-1]) + 1 if count else 0
    nul = data.find(b"\0", 0, done)
    long = np.flatnonzero(newline - begin > LINE_LIMIT)
    first_long = int(long[0]) if len(long) else count
    first_nul = int(np.searchsorted(newline, nul)) if nul >= 0 else count
    if first_long < count and first_long <= first_nul:
        return first_long, FormatError(name, first_long + 1, f"the line is longer than {LINE_LIMIT} bytes")
    if first_nul < count:
        return first_nul, FormatError(name, first_nul + 1, "a NUL byte in the line; expected text")
    if len(data) - done > LINE_LIMIT:
        return count, FormatError(name, count + 1, f"the line is longer than {LINE_LIMIT} bytes")
    if len(data) > done:
        return count, FormatError(name, count + 1, "the table is cut short; expected a newline at its end")
    return count, None


def without_marks(text: np.ndarray, begin: np.ndarray, newline: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where lines begin and end without what a mail adds: a byte order mark, quoting marks, and other ends of lines."""
    begin, newline = begin.copy(), newline.copy()
    if bytes(text[:3]) == b"\xef\xbb\xbf":
        begin[0] += 3
    if begin[0] < newline[0] and text[begin[0]] == ord(">"):
        quoted = (begin < newline) & (text[begin] == ord(">"))
        begin += quoted
        begin += quoted & (begin < newline) & (text[begin] == ord(" "))
    if begin[0] < newline[0] and text[newline[0] - 1] == ord("\r"):
        newline -= (begin < newline) & (text[newline - 1] == ord("\r"))
    return begin, newline


def parse_table(name: str, data: bytes) -> Table:
    """Parse the text of a table; messages use name."""
    if not data:
        raise FormatError(name, 1, f'the table is empty; expected "# fragtrace table {VERSION}"')
    text = np.frombuffer(data, np.uint8)
    newline = np.flatnonzero(text == ord("\n"))
    begin = np.concatenate([np.zeros(1, np.int64), newline + 1])[:len(newline)]
    count, error = check_lines(name, data, begin, newline)
    if not count:
        raise error or FormatError(name, 1, "")
    begin, newline = without_marks(text, begin[:count], newline[:count])
    read_version(Line(name, 1, data[:newline[0]], VERSION_FORM))
    comment = text[begin] == ord("#")
    volumes: list[Volume] = []
    where: list[int] = []
    comments = Comments()
    try:
        comments = read_comments(name, [(int(i) + 1, data[begin[i]:newline[i]])
                                        for i in np.flatnonzero(comment) if i], volumes, where)
    except FormatError as bad_comment:
        # an error before that line has priority
        error = bad_comment
        comment[bad_comment.args[1] - 1:] = True
    lines = np.flatnonzero(~comment)
    begin, newline = begin[lines], newline[lines]
    columns, devs, bad_record = read_columns(name, data, text, lines, begin, newline, volumes)
    if bad_record:
        error = bad_record
        lines = lines[lines + 1 < bad_record.args[1]]
    volume, (lba, blocks, offset, ino), fragmented, path = (
        columns.volume[:len(lines)], [column[:len(lines)] for column in columns.numbers],
        columns.fragmented[:len(lines)], columns.path[:len(lines)])

    faults = Faults(len(lines))
    defined = np.array(where + [0])[volume]
    faults.check((volume < 0) | (defined > lines + 1),
                 lambda i: f"volume {devs[i] if volume[i] < 0 else volumes[volume[i]].dev} is not known; expected "
                 f"a line before this one: {VOLUME_FORM}")
    if volumes:
        check_places(faults, volumes, volume, lba, blocks)
    # Files in the order of their first extents.
    key = volume.astype(np.uint64) << np.uint64(32) | ino.astype(np.uint64)
    _, first, file = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    first, file = first[order], np.argsort(order)[file]
    faults.check(fragmented != fragmented[first][file],
                 lambda i: f"inode {ino[i]} is {'contiguous fragmented'.split()[int(fragmented[i])]} here but "
                 f"was not on line {lines[first[file[i]]] + 1}; expected one state for all its extents")
    paths: list[str] = []
    for i in first[first < faults.first].tolist():
        paths.append(read_path(name, int(lines[i]) + 1, data[path[i]:newline[i]]))
    wrong = faults.found()
    if wrong is not None:
        raise FormatError(name, int(lines[faults.first]) + 1, wrong)
    if error:
        raise error
    logical = logical_order(name, volumes, volume, ino, file, offset, blocks)
    return Table(name, comments.time, volumes, volume[first], ino[first], fragmented[first], paths,
                 lba, blocks, offset, file, logical, comments.n_stale)
