# SPDX-License-Identifier: GPL-2.0-only
"""The files of fragtrace as typed objects: snapshot and table of debugfs, and recordings.

All may be plain, gzip or zstd. Input that does not match the format raises SnapError. For a text it is a
FormatError, which has the file, the line, and what was expected there. fragtrace refuses the
same snapshots, tables and recordings with the same messages. This package draws nothing, and needs only numpy and
zstandard:

    table = fragsnap.read_table("/sys/kernel/debug/fragtrace/snapshot")
    print(table.blocks.sum(), "blocks in", len(table.paths), "files")

    recording = fragsnap.Recording("run")
    table = recording.table_at(fragsnap.parse_moment("60s"))
"""

from .events import Events, read_events
from .heat import Heat, read_heat
from .model import FLUSHES, OPS, WHYS, Table, Volume, Writer
from .moment import Moment, moment_text, parse_moment
from .recording import Recording
from .snapshot import Snapshot, cause_parts, read_snapshot, read_table, table_of_snapshot
from .table import parse_table
from .texts import BLOCK_BYTES, DELETED, FormatError, SnapError, blocks_text, extension, set_input_max, visible

__all__ = [
    "BLOCK_BYTES", "DELETED", "FLUSHES", "OPS", "WHYS", "Events", "FormatError", "Heat", "Moment", "Recording", "SnapError", "Snapshot", "Table", "Volume", "Writer", "blocks_text", "cause_parts", "extension",
    "moment_text", "parse_moment", "parse_table", "read_events", "read_heat", "read_snapshot", "read_table", "set_input_max", "table_of_snapshot", "visible",
]
