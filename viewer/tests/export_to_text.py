#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Turn an export of fragtrace back into the lines of the text it was made from; for the tests.

usage: export_to_text.py json|csv FILE

Prints the records, and for JSON the volumes before them, in the form of debugfs. If the result is the
same, byte by byte, nothing was lost on the way.
"""
import csv
import json
import re
import sys


def path_bytes(text: str) -> bytes:
    """Decode the escapes of names.c: a backslash and three octal digits are a byte."""
    return re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), text.encode())


def mountinfo(path: bytes) -> bytes:
    """Escape a path as the module does."""
    return re.sub(rb"[ \t\n\\]", lambda m: b"\\%03o" % m[0][0], path)


def field(name: str, value: object) -> bytes:
    """One field of a record."""
    if isinstance(value, list):
        return ",".join(value).encode() or b"-"
    if value is None or value == "":
        return b"-"
    if name in ("path", "process"):
        return mountinfo(path_bytes(str(value)))
    return str(value).encode()


def from_json(name: str) -> list[bytes]:
    with open(name, "rb") as file:
        # invalid UTF-8 is an error here, and so are two equal keys
        data = json.loads(file.read().decode(), object_pairs_hook=unique)
    volumes = [b"# volume " + b" ".join(
        field(k, v) if k == "dev" else k.encode() + b"=" + field(k, v) for k, v in volume.items()
        # a text has that in a line of its own
        if k != "block_bytes")
        for volume in data.get("volumes", [])]
    return volumes + [b" ".join(field(k, v) for k, v in r.items()) for r in data["records"]]


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), keys
    return dict(pairs)


def from_csv(name: str) -> list[bytes]:
    with open(name, encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file, strict=True)
    assert all(len(row) == len(head) for row in rows)
    return [b" ".join(field(k, v) for k, v in zip(head, row)) for row in rows]


def main() -> None:
    reader = {"json": from_json, "csv": from_csv}[sys.argv[1]]
    for line in reader(sys.argv[2]):
        sys.stdout.buffer.write(line + b"\n")


if __name__ == "__main__":
    main()
