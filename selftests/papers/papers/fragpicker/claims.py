# SPDX-License-Identifier: GPL-2.0-only
"""What FragPicker says, in the order of its slides, with its figures, and how each claim is judged."""

from __future__ import annotations

from ..model import Claim
from .experiments import DATABASES, MOTIVATION, SYNTHETIC
from .observations import (
    DISK,
    FLASH,
    LEAST_TIME,
    as_good,
    better_on_stride,
    database,
    distance_matters,
    disturbs_less,
    improves,
    judged,
    large_do_not,
    performs_alike,
    requests_decide,
    small_matter,
    takes_less,
    writes_less,
    written_less,
)

WORKLOADS = ("sequential read", "stride read", "sequential update", "stride update")


def claims() -> tuple[Claim, ...]:
    """What the paper says, in its order."""
    return (
        Claim(
            "Observation 1, Figure 4a",
            "A hard disk is sensitive to the size of pieces",
            "CC 0.990, NLRS 0.1027717 up to 128 KiB",
            "CC is 0.8 or more, and pieces of 128 KiB are more than 10 % faster than the smallest",
            judged(MOTIVATION, small_matter("distance", DISK), "disk"),
        ),
        Claim(
            "Observation 1, Figure 4a",
            "A hard disk is sensitive to the distance of pieces",
            "CC -0.533, NLRS -0.0345131",
            "the speed differs by more than 10 %; the disk's costs are given, so this says that F2FS puts pieces that far apart",
            judged(MOTIVATION, distance_matters("distance", DISK, True), "disk"),
        ),
        Claim(
            "Observation 2, Figure 4b to 4d",
            "Flash and Optane are sensitive to the size of pieces below 128 KiB",
            "CC 0.889, 0.844, 0.888; NLRS 0.0380474, 0.0027932, 0.0096721 (MicroSD, Flash, Optane)",
            "CC is 0.8 or more, and pieces of 128 KiB are more than 10 % faster than the smallest",
            judged(MOTIVATION, small_matter("request", FLASH), "disk"),
        ),
        Claim(
            "Observation 3, Figure 4b to 4d",
            "Flash and Optane are not sensitive to the size of pieces from 128 KiB on",
            "NLRS 0.0001394, 0.0000129, 0.0000022",
            "NLRS is a hundredth or less of what it is up to 128 KiB; in the paper it is 1/273, 1/217 and 1/4396",
            judged(MOTIVATION, large_do_not, "disk"),
        ),
        Claim(
            "Observation 3, Figure 4b to 4d",
            "Flash and Optane are not sensitive to the distance of pieces",
            "CC 0.256, 0.311, -0.154; NLRS 0.0000272, 0.0000581, -0.0000091",
            "the speed differs by 10 % at most; the disk's costs are given, so this says that F2FS and the block layer add none",
            judged(MOTIVATION, distance_matters("request", FLASH, False), "disk"),
        ),
        Claim(
            "Observations",
            "Performance depends on request splitting, and not on the distance",
            "no figure",
            "CC of requests and time, for each byte, is 0.95 or more; the costs of both disks are given, so this says of which of the two "
            "models it is true, and not of which devices",
            judged(MOTIVATION, requests_decide, "disk"),
        ),
        Claim(
            "Evaluation, F2FS",
            "For sequential reads it writes half as much as conventional tools",
            "around 50 % less",
            "it writes 45 % less or more",
            judged(SYNTHETIC, written_less("sequential read", 0.45), "tool"),
        ),
        Claim(
            "Evaluation, F2FS",
            "For a stride of reads it writes a quarter as much as conventional tools",
            "around 75 % less",
            "it writes 70 % less or more",
            judged(SYNTHETIC, written_less("stride read", 0.70), "tool"),
        ),
        Claim(
            "Evaluation",
            "It makes sequential and stride reads and updates faster",
            "Flash: around 30 and 42 %; Optane: around 75 and 120 %",
            "the work is more than 10 % faster",
            judged(SYNTHETIC, improves(WORKLOADS), "workload"),
        ),
        Claim(
            "Evaluation",
            "It gains about as much as conventional tools",
            "a similar level",
            "it saves nine tenths or more of the requests that the better one of them saves",
            judged(SYNTHETIC, as_good(WORKLOADS), "workload"),
        ),
        Claim(
            "Evaluation, Flash",
            "For a stride of reads it gains more than conventional tools",
            "15 %",
            "the reads are faster than after each of them",
            judged(SYNTHETIC, better_on_stride, "tool"),
        ),
        Claim(
            "Evaluation, RocksDB",
            "With YCSB-C it takes less time than e4defrag",
            "54 s, e4defrag 331 s",
            "it takes less of the guest's time than F2FS_IOC_DEFRAGMENT on all files",
            judged(DATABASES, database(takes_less), "database"),
        ),
        Claim(
            "Evaluation, RocksDB",
            "It disturbs others less than e4defrag",
            "7.4 % (1.4 %), e4defrag 47 %",
            "a reader beside it is less slow than beside F2FS_IOC_DEFRAGMENT on all files",
            judged(DATABASES, database(disturbs_less), "database"),
        ),
        Claim(
            "Evaluation, RocksDB",
            "It writes less than e4defrag",
            "7.2 GB, e4defrag 23 GB",
            "it writes less than F2FS_IOC_DEFRAGMENT on all files",
            judged(DATABASES, database(writes_less), "database"),
        ),
        Claim(
            "Evaluation, RocksDB",
            "Afterwards the database is about as fast as after e4defrag",
            "467.3 MB/s, e4defrag 483.5 MB/s: 97 %",
            "95 % or more of the speed after F2FS_IOC_DEFRAGMENT on all files; told only if after that the work takes less than "
            f"{100 * (1 - LEAST_TIME):.0f} % of the time that it takes without",
            judged(DATABASES, database(performs_alike), "database"),
        ),
        Claim(
            "Evaluation",
            "The same holds on ext4 and Btrfs",
            "alike",
            why_not="fragtrace and fragtrace-defrag know F2FS only",
        ),
        Claim(
            "Conclusion",
            "It needs no change of the kernel and of the file system",
            "",
            why_not="a property of its implementation, which is not run here: only its rules are",
        ),
    )
