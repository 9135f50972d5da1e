# SPDX-License-Identifier: GPL-2.0-only
"""The positions of all extents: rows of F2FS segments, with cells that mix the colours of their blocks exactly.

A row is one segment, or more if the rows would not fit otherwise. Long ranges that are free in all tables of
a picture are left out; a hatched row stands for each. All tables use the same rows, so that a place in the
picture is the same address in each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fragsnap import SnapError, Table, Volume, one_block_size

from . import style
from .colors import Groups
from .terms import fragment_of_extents, fragments_of

COLUMNS = 512
MAX_ROWS = 256
# A range of free rows is drawn if it is not longer than this.
DRAWN_GAP = 2

# The least share of its colour that a cell gets if it is not empty, as in fragtrace.
LEAST_INK = 0.25

# Those of colors.themed(); REST is the last one.
TONES, REST = 4, 3
# The blocks of a fragment that have a strong colour at each break, as in color.h.
BREAK_BLOCKS = 8


@dataclass(frozen=True)
class Pieces:
    """Ranges of blocks on the volumes that do not overlap: begin, length, colour."""

    volume: np.ndarray
    lba: np.ndarray
    blocks: np.ndarray
    shade: np.ndarray


@dataclass(frozen=True)
class Row:
    """A row of the picture: its first segment, and count, the number of segments."""

    volume: int
    segment: int
    count: int
    hatched: bool


class Rows:
    """The content of each row of a picture."""

    def __init__(self, volumes: list[Volume], segments: int, used: list[np.ndarray]) -> None:
        """segments is the number of segments in a row, used the rows of each volume that are not free."""
        self.volumes, self.segments = volumes, segments
        self.rows: list[Row] = []
        self.place: list[np.ndarray] = []
        for number, volume in enumerate(volumes):
            total = count_segments(volume)
            place = np.full(len(used[number]), -1)
            edges = np.flatnonzero(np.diff(np.concatenate([[False], used[number], [False]]).astype(np.int8)))
            last = 0
            for begin, end in edges.reshape(-1, 2).tolist():
                self.skip(number, last, begin, total)
                place[begin:end] = np.arange(end - begin) + len(self.rows)
                self.rows += [Row(number, row * segments, min(segments, total - row * segments), False)
                              for row in range(begin, end)]
                last = end
            self.skip(number, last, len(used[number]), total)
            self.place.append(place)
        blocks = max((volume.segment_blocks for volume in volumes), default=COLUMNS) * segments
        self.cell = -(-blocks // COLUMNS)
        self.columns = -(-blocks // self.cell)
        # width and height of a cell in pixels
        self.pixels = max(COLUMNS // self.columns, 1)
        self.width = self.columns * self.pixels

    def skip(self, volume: int, begin: int, end: int, total: int) -> None:
        """Add the row that stands for free rows."""
        if begin < end:
            first = begin * self.segments
            self.rows.append(Row(volume, first, min(end * self.segments, total) - first, True))

    def __len__(self) -> int:
        return len(self.rows)

    def cells_of(self, pieces: Pieces) -> np.ndarray:
        """The begin of each piece in the picture, in blocks from the first row."""
        place = np.zeros(len(pieces.lba), np.int64)
        for number, volume in enumerate(self.volumes):
            mine = pieces.volume == number
            within = pieces.lba[mine] - volume.main_blkaddr
            size = volume.segment_blocks * self.segments
            place[mine] = self.place[number][within // size] * (self.columns * self.cell) + within % size
        return place


def count_segments(volume: Volume) -> int:
    """The number of segments of a volume; the last one may be incomplete."""
    return -(-(volume.end - volume.main_blkaddr) // volume.segment_blocks)


def merged_volumes(known: list[Volume], table: Table) -> list[Volume]:
    """The volumes known up to now and those of one more table; none may have changed its size."""
    result = {volume.dev: volume for volume in known}
    for volume in table.volumes:
        old = result.setdefault(volume.dev, volume)
        if (old.main_blkaddr, old.end, old.segment_blocks, old.block_bytes) != \
                (volume.main_blkaddr, volume.end, volume.segment_blocks, volume.block_bytes):
            raise SnapError(f"{table.name}: volume {volume.dev} has blocks={volume.end} of {volume.block_bytes} bytes, main_blkaddr="
                            f"{volume.main_blkaddr}, in a table before blocks={old.end} of {old.block_bytes} bytes, main_blkaddr="
                            f"{old.main_blkaddr}; expected tables of the same volume")
    return list(result.values())


def volume_numbers(table: Table, volumes: list[Volume]) -> np.ndarray:
    """The volume of each extent of a table, as an index."""
    numbers = {volume.dev: i for i, volume in enumerate(volumes)}
    of_table = np.array([numbers[volume.dev] for volume in table.volumes], np.int64)
    return of_table[table.file_volume[table.file]] if len(table.file) else np.zeros(0, np.int64)


def used_segments(table: Table, volumes: list[Volume]) -> list[np.ndarray]:
    """The segments of each volume that have a block of the table."""
    where = volume_numbers(table, volumes)
    result = []
    for number, volume in enumerate(volumes):
        mine = where == number
        change = np.zeros(count_segments(volume) + 1, np.int32)
        first = (table.lba[mine] - volume.main_blkaddr) // volume.segment_blocks
        last = (table.lba[mine] + table.blocks[mine] - 1 - volume.main_blkaddr) // volume.segment_blocks
        np.add.at(change, first, 1)
        np.add.at(change, last + 1, -1)
        result.append(np.cumsum(change)[:-1] > 0)
    return result


def with_small_gaps(used: np.ndarray) -> np.ndarray:
    """The same, with the free rows that are drawn because leaving them out would not save space."""
    result = used.copy()
    free = np.flatnonzero(np.diff(np.concatenate([[False], ~used, [False]]).astype(np.int8))).reshape(-1, 2)
    for begin, end in free[free[:, 1] - free[:, 0] <= DRAWN_GAP].tolist():
        result[begin:end] = True
    return result


def rows_for(volumes: list[Volume], used: list[np.ndarray], most: int = MAX_ROWS) -> Rows:
    """The rows of a picture of these segments; the number of segments in a row is chosen here."""
    segments = 1
    while True:
        grouped = []
        for mine in used:
            padded = np.zeros(-(-len(mine) // segments) * segments, bool)
            padded[:len(mine)] = mine
            grouped.append(with_small_gaps(padded.reshape(-1, segments).any(axis=1)))
        rows = Rows(volumes, segments, grouped)
        if len(rows) <= most or all(len(mine) == 1 for mine in grouped):
            return rows
        segments *= 2


def pieces_of(table: Table, volumes: list[Volume], groups: Groups) -> Pieces:
    """The extents of a table, coloured by group: contiguous, one of two tones by fragment near a break, or the rest, as fragtrace does.

    A fragment keeps its tone from table to table. The tone only depends on the file and on the number of
    the fragment in the file.
    """
    order, fragments, fragment = table.logical, fragments_of(table), fragment_of_extents(table)
    blocks, file = table.blocks[order], table.file[order]
    # the blocks of each fragment before an extent of it, and after
    before = np.cumsum(blocks) - blocks
    if len(order):
        before -= before[np.searchsorted(fragment, fragment)]
    after = fragments.blocks[fragment] - before - blocks
    near = np.where(fragments.blocks <= 2 * BREAK_BLOCKS, fragments.blocks, BREAK_BLOCKS)
    at_begin = np.where(fragments.index > 0, near, 0)
    at_end = np.where(np.append(fragments.index[1:], 0) > 0, near, 0)
    # each extent in three parts, some of which may be empty: near the break before the fragment, between, near the break after it
    first = np.clip(at_begin[fragment] - before, 0, blocks)
    last = np.minimum(np.clip(at_end[fragment] - after, 0, blocks), blocks - first)
    sizes = np.stack([first, blocks - first - last, last], axis=1)
    shade = groups.of_files(table)[file] * TONES
    tone = 1 + (table.file_ino[file] + fragments.index[fragment]) % 2
    shades = np.stack([shade + tone, shade + np.where(table.file_fragmented[file], REST, 0), shade + tone], axis=1)
    begins = table.lba[order][:, None] + np.cumsum(sizes, axis=1) - sizes
    some = sizes > 0
    return Pieces(np.repeat(volume_numbers(table, volumes)[order], some.sum(axis=1)), begins[some], sizes[some], shades[some])


def shades_of(groups: Groups) -> np.ndarray:
    """The colour of each shade of pieces_of()."""
    tones = [tone for group in groups.groups for tone in group.tones]
    return np.array([[tone >> 16, tone >> 8 & 0xff, tone & 0xff] for tone in tones], float)


def paint(rows: Rows, pieces: Pieces, shades: np.ndarray, least: float = LEAST_INK) -> np.ndarray:
    """The picture: one pixel for each cell, by row, column and colour.

    The colours in a cell are mixed by their numbers of blocks. A cell that is not full becomes lighter,
    but keeps so much of its colour: a single block in a large cell must stay visible.
    """
    cells = len(rows) * rows.columns
    begin = rows.cells_of(pieces)
    end = begin + pieces.blocks
    first, last = begin // rows.cell, (end - 1) // rows.cell
    several = last > first
    base = pieces.shade * (cells + 1)
    in_first = np.minimum(end, (first + 1) * rows.cell) - begin
    size = len(shades) * (cells + 1)
    held = np.bincount(base + first, in_first, size)
    held += np.bincount((base + last)[several], (end - last * rows.cell)[several], size)
    between = np.bincount((base + first + 1)[several], minlength=size)
    between -= np.bincount((base + last)[several], minlength=size)
    held = held.reshape(len(shades), -1)[:, :-1]
    held += np.cumsum(between.reshape(len(shades), -1), axis=1)[:, :-1] * rows.cell
    total = held.sum(axis=0)
    mixed = (held.T @ shades) / np.maximum(total, 1)[:, None]
    ink = np.where(total > 0, least + (1 - least) * total / rows.cell, 0)[:, None]
    picture = (style.FREE - ink * (style.FREE - mixed) + 0.5).astype(np.uint8).reshape(len(rows), rows.columns, 3)
    for number, row in enumerate(rows.rows):
        if row.hatched:
            picture[number] = np.where(np.arange(rows.columns) // 4 % 2, *style.HATCH)[:, None]
    return picture


def row_labels(rows: Rows, least: int) -> list[tuple[int, str]]:
    """Rows that are labelled with their first address, with a minimum distance; rows after a gap have priority."""
    wanted = [number for number, row in enumerate(rows.rows)
              if not row.hatched and (number == 0 or rows.rows[number - 1].hatched)]
    wanted += [number for number, row in enumerate(rows.rows) if not row.hatched and number not in set(wanted)]
    chosen: list[int] = []
    taken = np.zeros(len(rows) + 2 * least, bool)
    for number in wanted:
        if not taken[number + 1:number + 2 * least].any():
            taken[number + least] = True
            chosen.append(number)
    result = []
    for number in sorted(chosen):
        row = rows.rows[number]
        volume = rows.volumes[row.volume]
        result.append((number, f"{volume.main_blkaddr + row.segment * volume.segment_blocks:,}"))
    return result


def explain(rows: Rows) -> tuple[str, str]:
    """Explain a row, a cell and a hatched row of the picture."""
    if not rows.rows:
        return "no volume", "nothing hatched"
    blocks = rows.volumes[0].segment_blocks * rows.segments
    row = f"{rows.segments:,} segments" if rows.segments > 1 else "1 segment"
    cell = f"{rows.cell:,} blocks" if rows.cell > 1 else "1 block"
    left_out = sum(row.count for row in rows.rows if row.hatched)
    return (f"a row is {row} ({blocks:,} blocks), a cell {cell} of {style.bytes_text(one_block_size(rows.volumes))}",
            f"hatched: {left_out:,} segments with nothing watched" if left_out else "nothing hatched")
