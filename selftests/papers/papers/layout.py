# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a snapshot of the module: files, fragments, last blocks, split requests, causes, by extension."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from fragsnap import FLUSHES, OPS, WHYS, Snapshot, cause_parts, extension, read_snapshot, read_table

from .model import Data

UNWRITTEN = 0xFFFFFFFF
# The groups of files without one of the extensions, and of all files.
OTHER, ALL = "other", "all"


@dataclass
class Group:
    """The files of one extension; fields of the same names are those of the result."""

    files: int = 0
    fragmented: int = 0
    fragments: int = 0
    blocks: int = 0
    blocks_fragmented: int = 0
    # Files of several fragments, the last of which is the last block alone.
    apart: int = 0
    requests: int = 0
    ideal: int = 0
    causes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    # The operations that have put these last blocks there.
    apart_ops: Counter[str] = field(default_factory=Counter)
    processes: Counter[str] = field(default_factory=Counter)

    def data(self) -> Data:
        """As JSON; what is most comes first."""
        return {
            "files": self.files,
            "fragmented": self.fragmented,
            "fragments": self.fragments,
            "blocks": self.blocks,
            "blocks_fragmented": self.blocks_fragmented,
            "apart": self.apart,
            "requests": self.requests,
            "ideal": self.ideal,
            "causes": [[*cause, times] for cause, times in self.causes.most_common()],
            "apart_ops": dict(self.apart_ops.most_common()),
            "processes": dict(self.processes.most_common()),
        }


@dataclass(frozen=True)
class Breaks:
    """The breaks of one file: their causes, and the blocks of its last fragment."""

    causes: np.ndarray
    last: int


def breaks_of(extents: np.ndarray) -> Breaks:
    """The breaks of the written extents of a file, in the order of the file."""
    lba, blocks = extents["lba"].astype(np.int64), extents["len"].astype(np.int64)
    broken = np.flatnonzero(lba[1:] != lba[:-1] + blocks[:-1]) + 1
    return Breaks(
        extents["cause"][broken].astype(np.int64), int(blocks[broken[-1] :].sum()) if len(broken) else int(blocks.sum())
    )


def add_file(groups: Sequence[Group], snap: Snapshot, record: np.void) -> None:
    """Count a file in these groups."""
    first, number = int(record["first"]), int(record["nr"])
    extents = snap.extents[first : first + number]
    extents = extents[extents["lba"] != UNWRITTEN]
    if not len(extents):
        return
    found = breaks_of(extents)
    broken = len(found.causes) > 0
    blocks = int(extents["len"].astype(np.int64).sum())
    op, flush, why, writer = cause_parts(found.causes)
    causes = [(OPS[o], FLUSHES[f], WHYS[w]) for o, f, w in zip(op, flush, why)]
    processes = [
        bytes(snap.writers[int(w)]["comm"]).split(b"\0")[0].decode("utf-8", "replace")
        if w > 1
        else "unknown or several"
        for w in writer
    ]
    for group in groups:
        group.files += 1
        group.fragmented += broken
        group.fragments += len(found.causes) + 1
        group.blocks += blocks
        group.blocks_fragmented += blocks if broken else 0
        group.requests += int(record["requests"])
        group.ideal += int(record["ideal"])
        group.causes.update(causes)
        group.processes.update(processes)
        if broken and found.last == 1:
            group.apart += 1
            group.apart_ops[causes[-1][0]] += 1


def layout(path: str, extensions: Sequence[str]) -> Data:
    """The figures of a snapshot, for each of these extensions, for other files, and for all."""
    # checks what is not used here, too
    table = read_table(path)
    snap = read_snapshot(path)
    groups = {name: Group() for name in (*extensions, OTHER, ALL)}
    for record in snap.files:
        ext = extension(snap.path(int(record["path"])))
        add_file((groups[ext if ext in extensions else OTHER], groups[ALL]), snap, record)
    return {"stale": table.n_stale, "groups": {name: group.data() for name, group in groups.items()}}
