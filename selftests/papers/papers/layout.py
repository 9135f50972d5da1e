# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a snapshot of the module: files, fragments, last blocks, split requests, causes, by extension."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from fragsnap import read_list, read_table

from .model import Data

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


def process_of(name: str) -> str:
    """The name of a process without its number."""
    return name.rpartition(":")[0] or "unknown or several"


def add_file(groups: Sequence[Group], file: Data, extents: Sequence[Data]) -> None:
    """Count a file with its written extents, in the order of the file, in these groups."""
    breaks = [i for i, extent in enumerate(extents) if extent["op"]]
    causes = [(extents[i]["op"], extents[i]["flush"], extents[i]["why_here"]) for i in breaks]
    processes = [process_of(extents[i]["process"]) for i in breaks]
    last = sum(extent["length"] for extent in extents[breaks[-1] if breaks else 0 :])
    for group in groups:
        group.files += 1
        group.fragmented += bool(breaks)
        group.fragments += file["fragments"]
        group.blocks += file["blocks"]
        group.blocks_fragmented += file["blocks"] if breaks else 0
        group.requests += file["requests_128k"]
        group.ideal += file["ideal_128k"]
        group.causes.update(causes)
        group.processes.update(processes)
        if breaks and last == 1:
            group.apart += 1
            group.apart_ops[causes[-1][0]] += 1


def layout(path: str, extensions: Sequence[str]) -> Data:
    """The figures of a snapshot, for each of these extensions, for other files, and for all."""
    table = read_table(path)
    kinds = {
        (table.volumes[volume].dev, ino): table.kinds[kind].name
        for volume, ino, kind in zip(table.file_volume, table.file_ino.tolist(), table.file_kind)
    }
    extents: dict[tuple[str, int], list[Data]] = defaultdict(list)
    for extent in read_list("extents", path):
        if extent["lba"] is not None:
            extents[extent["dev"], extent["ino"]].append(extent)
    groups = {name: Group() for name in (*extensions, OTHER, ALL)}
    for file in read_list("files", path):
        key = file["dev"], file["ino"]
        if extents[key]:
            kind = kinds.get(key, OTHER)
            add_file((groups[kind if kind in extensions else OTHER], groups[ALL]), file, extents[key])
    return {"stale": table.n_stale, "groups": {name: group.data() for name, group in groups.items()}}
