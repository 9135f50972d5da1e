# SPDX-License-Identifier: GPL-2.0-only
"""What the readers return, and the words for causes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

import numpy as np

# As in module/format/cause.h: the values of the parts of a cause, by number.
OPS = ("unknown", "append", "overwrite", "tail", "direct", "prealloc", "range", "mmap", "inline", "gc_bg", "gc_fg",
       "defrag", "atomic", "compress")
FLUSHES = ("none", "sync", "writeback", "checkpoint")
WHYS = ("none", "unknown", "interleaved", "other_log", "ssr", "new_segment", "moved")


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


@dataclass(frozen=True)
class Writer:
    """A process that wrote data in a time span; times are in seconds since 1970. same_as is its first entry."""

    comm: str
    pid: int
    first: int
    last: int
    cgroup: Optional[str]
    same_as: int


@dataclass(frozen=True)
class Table:
    """The content of one `snapshot` or one text of `table`.

    Arrays with one item for each file, in the order of their first extents: file_volume (an index
    into volumes), file_ino, file_fragmented; paths likewise. Arrays with one item for each extent, in
    the order of volume and address: lba, blocks, offset (all in blocks), file (an index).
    `logical` sorts the extents by file and offset. n_stale is the number of files whose blocks may have
    moved. causes has one item for each extent, for cause_parts(); it is None if causes are not known. Writers
    0 and 1 stand for unknown and several processes.
    """

    name: str
    time: Optional[float]
    volumes: list[Volume]
    file_volume: np.ndarray
    file_ino: np.ndarray
    file_fragmented: np.ndarray
    paths: list[str]
    lba: np.ndarray
    blocks: np.ndarray
    offset: np.ndarray
    file: np.ndarray
    logical: np.ndarray
    n_stale: int = 0
    causes: Optional[np.ndarray] = None
    writers: list[Writer] = field(default_factory=list)
