# SPDX-License-Identifier: GPL-2.0-only
"""What all readers share: errors, texts for people, and files that may be packed."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import zlib
from typing import IO, Optional, cast

import zstandard

VERSION = 1
BLOCK_BYTES = 4096
# A path has no NUL, and a byte has eight bits.
ESCAPE = re.compile(rb"\\((?!000)[0-3][0-7]{2})?")
DELETED = " (deleted)"
BELOW_MOUNT = " (hidden)"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class SnapError(Exception):
    """A text that cannot be read or is invalid; the message is for the user."""


class FormatError(SnapError):
    """A line that does not match the format."""

    def __init__(self, name: str, line: int, what: str) -> None:
        super().__init__(name, line, what)

    def __str__(self) -> str:
        name, line, what = self.args
        return f"{name}:{line}: {what}"


# Characters that act on a terminal, begin a new line, or change the order of text, and bytes that are no UTF-8. The same
# as in names.c.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
                    "\U000e0000-\U000e007f\ud800-\udfff]")


def visible(text: str) -> str:
    """A text that is safe on a terminal and in a picture: hidden characters are written as octal bytes."""
    return HIDDEN.sub(lambda found: "".join(f"\\{byte:03o}" for byte in found[0].encode("utf-8", "surrogateescape")),
                      text)


def blocks_text(blocks: float) -> str:
    """A number of blocks as bytes with a unit, in the same form as format_bytes() of util.c."""
    size, units = blocks * BLOCK_BYTES / 1024, ["KiB", "MiB", "GiB", "TiB", "PiB"]
    # a value that rounds to 1024 is 1 of the next unit
    while size >= 1023.5 and len(units) > 1:
        size, units = size / 1024, units[1:]
    if 0 < size < 0.05:
        return f"<0.1 {units[0]}"
    text = f"{size:.0f}" if size >= 99.95 or size == int(size) else f"{size:.1f}"
    return f"{text} {units[0]}"


# The most bytes of an input, unpacked; None is half of the memory.
input_max: Optional[int] = None


def set_input_max(size: Optional[int]) -> None:
    """Set how many bytes an input may have; None is half of the memory."""
    global input_max
    input_max = size


def input_limit() -> int:
    """How large one input may be."""
    return input_max or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def check_size(name: str, size: int) -> None:
    """Raise if an input is too large."""
    if size > input_limit():
        raise SnapError(f"{name}: the input is larger than {blocks_text(input_limit() / BLOCK_BYTES)}; expected less; "
                        "--max-input sets the limit, which is half of the memory otherwise")


def read_limited(name: str, stream: IO[bytes]) -> bytes:
    """All of a stream, unless it is larger than an input may be."""
    pieces, size = [], 0
    while piece := stream.read(1 << 20):
        pieces.append(piece)
        size += len(piece)
        check_size(name, size)
    return b"".join(pieces)


def unpack_zstd(name: str, data: bytes) -> tuple[bytes, Optional[str]]:
    """What can be unpacked, and why that is not all: None if it is, an empty text if the rest is missing."""
    pieces: list[bytes] = []
    size, at, step = 0, 0, 4096
    unpacker = zstandard.ZstdDecompressor().decompressobj()
    while at < len(data):
        try:
            # 4 KiB become at most 128 MiB
            piece = unpacker.decompress(data[at:at + step])
        except zstandard.ZstdError as error:
            if step == 1:
                return b"".join(pieces), str(error)
            # again, to have all that comes before the damage
            pieces, size, at, step = [], 0, 0, 1
            unpacker = zstandard.ZstdDecompressor().decompressobj()
            continue
        at = min(at + step, len(data))
        pieces.append(piece)
        size += len(piece)
        check_size(name, size)
        if unpacker.eof and (unpacker.unused_data or at < len(data)):
            at -= len(unpacker.unused_data)
            unpacker = zstandard.ZstdDecompressor().decompressobj()
    return b"".join(pieces), None if data and unpacker.eof else ""


def read_raw(path: str) -> bytes:
    """The content of a file as it is; - is standard input."""
    try:
        if path == "-":
            return read_limited("<stdin>", sys.stdin.buffer)
        with open(path, "rb") as stream:
            return read_limited(path, stream)
    except OSError as error:
        hint = ""
        if isinstance(error, PermissionError) and "/debug/" in path:
            hint = "; debugfs is for root"
        elif isinstance(error, FileNotFoundError) and "/debug/" in path:
            hint = "; is the module fragtrace loaded, and debugfs mounted?"
        raise SnapError(f"{path}: {error.strerror}{hint}") from error


def read_bytes(path: str) -> bytes:
    """The content of a file, unpacked if it is gzip or zstd; - is standard input."""
    name, kind, trouble = "<stdin>" if path == "-" else path, "zstd", None
    data = read_raw(path)
    if data[:4] == ZSTD_MAGIC:
        data, trouble = unpack_zstd(name, data)
    elif data[:2] == b"\x1f\x8b":
        kind = "gzip"
        try:
            data = read_limited(name, cast(IO[bytes], gzip.GzipFile(fileobj=io.BytesIO(data))))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            trouble = str(error)
    if trouble is not None:
        raise SnapError(f"{path}: the {kind} data is damaged or cut short ({trouble or 'no end'}); expected a whole "
                        "file; is it still being copied?")
    return data


def read_path(name: str, line: int, raw: bytes) -> str:
    """The path at the end of a line."""
    for found in ESCAPE.finditer(raw):
        if found[1] is None:
            bad = os.fsdecode(raw[found.start():found.start() + 4])
            raise FormatError(name, line, f"bad escape \"{bad}\" in the path; expected \\040, \\011, \\012 or "
                              "\\134")
    return os.fsdecode(ESCAPE.sub(lambda escape: bytes([int(escape[1], 8)]), raw))


def extension(path: str) -> str:
    """The last dot of a file's name and the text after it, or "". A dot at the start does not count."""
    base = path.removesuffix(DELETED).rpartition("/")[2]
    stem, dot, ext = base.rpartition(".")
    return dot + ext if stem and ext and not path.endswith(BELOW_MOUNT) else ""
