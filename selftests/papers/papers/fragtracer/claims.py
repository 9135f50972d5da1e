# SPDX-License-Identifier: GPL-2.0-only
"""What the paper says, in its order, with its own figures, and how each claim is judged."""

from __future__ import annotations

from collections.abc import Callable

from ..judge import Observation, over
from ..model import Claim, Data, Options, Results, Verdict
from .experiments import WORK
from .observations import (
    EACH,
    FEWEST,
    MUCH,
    Moments,
    costs_about,
    costs_at_most,
    costs_less_beside,
    flushes_interleave,
    replayed,
    tail_moves,
    volumes_of,
    writes_less,
)


def claims(options: Options) -> tuple[Claim, ...]:
    """What the paper says, in its order."""
    seen = Moments(options)

    def judge(database: str, observe: Callable[[Data], Observation | None]) -> Callable[[Results], Verdict]:
        return over(volumes_of(database), observe, "volume")

    return (
        Claim(
            "2.1",
            "An ftruncate to a size within a page makes F2FS write the last block elsewhere",
            "no figure",
            "each file has its last block apart, by the operation tail",
            replayed("rocksdb", tail_moves),
        ),
        Claim(
            "4.2.1, Figure 4a",
            "After 60 s of YCSB-F most blocks of RocksDB's .sst files are in files without fragments",
            "most squares are green",
            "less than half of the blocks of .sst files are in fragmented ones, at the first picture",
            judge("rocksdb", seen.mostly_whole),
        ),
        Claim(
            "4.2.1, Figure 4b",
            "After 1 h many more blocks belong to fragmented .sst files",
            "the orange squares are much more",
            f"{MUCH} times as many of these blocks or more are in fragmented files at the last picture as at the first one, and a "
            "larger share of all",
            judge("rocksdb", seen.more_fragmented(".sst")),
        ),
        Claim(
            "4.2.1",
            "It is the last block of each .sst file that is apart",
            "each .sst file",
            f"at the last picture, {100 * EACH:.0f} % or more of the fragmented .sst files have their last block apart: that is taken for each",
            judge("rocksdb", seen.last_apart(".sst")),
        ),
        Claim(
            "4.2.1",
            "The last block of an .sst file is apart because fdatasync allocates it, and ftruncate makes F2FS allocate it again",
            "by strace",
            f"at the last picture, {100 * EACH:.0f} % or more of these blocks have the cause tail",
            judge("rocksdb", seen.after_truncate),
        ),
        Claim(
            "4.2.2, Figure 5",
            "Redis writes much less than RocksDB",
            "a very small set of squares",
            f"at the last picture, the device has got less than 1/{MUCH} as many bytes of Redis for each operation since the workload "
            f"began, since RocksDB writes for each operation, and Redis all records at certain times; if one has done more than {MUCH} times as "
            f"many operations as the other, all bytes are compared, and tell if Redis has written 1/{MUCH} or more with fewer operations, or "
            "less with more",
            writes_less(options),
        ),
        Claim(
            "4.2.2, Figure 5a",
            "After 60 s no .rdb file of Redis is fragmented",
            "no orange square",
            "at the first picture no .rdb file has a break that garbage collection has not made",
            judge("redis", seen.no_rdb_fragmented),
        ),
        Claim(
            "4.2.2, Figure 5b",
            "After 1 h .rdb files are fragmented",
            "orange squares",
            "at the last picture .rdb files have a break that garbage collection has not made",
            judge("redis", seen.rdb_fragmented),
        ),
        Claim(
            "4.2.2",
            "It is the last block of each .rdb file that is apart",
            "each .rdb file",
            f"at the last picture, {100 * EACH:.0f} % or more of the fragmented .rdb files have their last block apart: that is taken for each",
            judge("redis", seen.last_apart(".rdb")),
        ),
        Claim(
            "4.2.2",
            "The last block of an .rdb file is apart because it is updated, with fdatasync",
            "by strace",
            "at the last picture, 90 % or more of the last blocks that are apart were written again (overwrite or tail)",
            judge("redis", seen.rdb_last_rewritten),
        ),
        Claim(
            "4.2.3, Figure 6a",
            "VoltDB has no fragmented file before its first snapshot, and no .vpt file",
            "only light grey squares",
            "at the first picture, if no .vpt file is there yet, no file has a break that garbage collection has not made",
            judge("voltdb", seen.no_vpt),
        ),
        Claim(
            "4.2.3, Figure 6b",
            "After two snapshots .vpt files are fragmented",
            "two tones of orange",
            "at the last picture .vpt files have a break that garbage collection has not made",
            judge("voltdb", seen.vpt_fragmented),
        ),
        Claim(
            "4.2.3",
            ".vpt files are fragmented because sync_file_range flushes what was written so far",
            "by strace",
            f"at the last picture, half or more of the breaks that garbage collection has not made, of {FEWEST} or more, are at "
            "blocks that were flushed on request (sync), and not where F2FS's log went on elsewhere (new_segment, ssr); fewer breaks, after two "
            "snapshots, tell only that none of them is",
            judge("voltdb", seen.vpt_flushed),
        ),
        Claim(
            "4.2.3",
            ".vpt files are fragmented because some writes are smaller than a page, so that a block is written twice",
            "by strace",
            f"at the last picture, half or more of the breaks that garbage collection has not made, of {FEWEST} or more, are at "
            "blocks that were written again (overwrite or tail); fewer breaks, after two snapshots, tell only that none of them is",
            judge("voltdb", seen.vpt_part_of_page),
        ),
        Claim(
            "4.2.3",
            "VoltDB's system calls alone fragment .vpt files: flushes of two tables take turns",
            "by strace",
            "half or more of the breaks have the cause append, sync, interleaved",
            replayed("voltdb", flushes_interleave),
        ),
        Claim(
            "4.3, Figure 7",
            "FragTracer increases the run time of RocksDB by 2 %",
            "up to 2 %",
            "the median of the pairs is 2 % or less",
            costs_at_most(2, {WORK[case]: case for case in ("rocksdb", "rocksdb_aged")}),
        ),
        Claim(
            "4.3, Figure 7",
            "FragTracer increases the run time of Redis by 2 %",
            "up to 2 %",
            "the median of the pairs is 2 % or less",
            costs_at_most(2, {WORK["redis"]: "redis"}),
        ),
        Claim(
            "4.3, Figure 7",
            "FragTracer increases the run time of VoltDB by 21 %",
            "21 %",
            f"a look each second is estimated to add no less than 1/{MUCH} of that to a second of 10^9 instructions, and no more than {MUCH} "
            "times as much, by the least and the most, too: what it adds beside Redis, which has few files, and for each of VoltDB's files what "
            "each of 200 old ones adds beside RocksDB; no Java is in the guest that counts instructions",
            costs_about(21),
        ),
        Claim(
            "4.3, Figure 8",
            "Beside 20 jobs of fio with random reads and writes FragTracer increases the run time by up to 10 %",
            "up to 10 %",
            "the median of the pairs is 10 % or less",
            costs_at_most(10, {WORK[case]: case for case in ("rocksdb_fio", "redis_fio")}),
        ),
        Claim(
            "4.3, Figure 8",
            "Beside 20 jobs of fio FragTracer costs less than without them, because input and output take the time",
            "smaller differences than in Figure 7",
            "it adds fewer instructions to a second of work, which are 10^9, beside fio than alone; waiting for a device takes no "
            "instructions, so that what it hides is not counted; told only if the ranges of the pairs do not overlap",
            costs_less_beside({case: f"{case}_fio" for case in ("rocksdb", "redis")}),
        ),
    )
