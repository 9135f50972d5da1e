# SPDX-License-Identifier: GPL-2.0-only
"""What the slides say, in their order, and how each claim is judged."""

from __future__ import annotations

from ..model import Claim
from .observations import (
    IOCOST,
    beside,
    fair,
    fewer_requests,
    interferes,
    misjudged,
    more_requests,
    more_time,
    of,
    own_files_do_not_help,
    own_files_help,
    relieves,
    scattered,
    slower,
    smaller,
    sqlite_healed,
    steadier,
    unfair_by_requests,
    victim_by_requests,
    victim_is_sqlite,
)

NO_NUMBER = "no number in the slides' text"


def claims() -> tuple[Claim, ...]:
    """What the paper says, in its order."""
    return (
        Claim(
            "Linux I/O control mechanisms",
            "Controllers give each group a fair amount, by its weight (P2, P3: no file is fragmented)",
            "1 : 1 and 2 : 1 are the weights",
            "grp1's share of the bytes is at most 5 % of all from that of its weight",
            of(fair),
        ),
        Claim(
            "What is fragmentation",
            "It increases the number of I/Os",
            "32 times",
            "the disk is asked 31 to 33 times as often for the same bytes, in P6 against P1",
            of(more_requests),
        ),
        Claim(
            "What is fragmentation",
            "It decreases the size of I/Os",
            "4 KB",
            "the mean request of P6 has 4 KiB or more and less than 5",
            of(smaller),
        ),
        Claim(
            "What is fragmentation",
            "It increases the randomness of I/Os",
            NO_NUMBER,
            "nine tenths of the file's blocks or more do not follow the one before on the device",
            of(scattered),
        ),
        Claim(
            "From the perspective of performance",
            "It lowers performance",
            NO_NUMBER,
            "a reader alone gets less than 90 % of the bytes a second, in P6 against P1",
            of(slower),
        ),
        Claim(
            "From the perspective of performance",
            "It makes performance irregular",
            NO_NUMBER,
            why_not="each request takes the same on this disk; the time of one varies on devices only",
        ),
        Claim(
            "CFQ, P4 and P5",
            "Under CFQ, which shares out I/Os, the group with fragments pays: sharing is unfair",
            NO_NUMBER,
            "by CFQ's rule, computed, grp1 gets less than 90 % of the share of bytes that its weight says",
            of(unfair_by_requests, "disk and case"),
        ),
        Claim(
            "BFQ, P4 and P5",
            "Under BFQ, which shares out sectors, the group with fragments takes more time for the same data",
            NO_NUMBER,
            "grp1 has more of the disk's time than 111 % of the share that its weight says",
            of(more_time, "disk and case"),
        ),
        Claim(
            "BFQ, P4 and P5",
            "Under BFQ the other group pays: interference",
            NO_NUMBER,
            "grp2 gets less than 90 % of the bytes a second that it gets beside a whole file (P2, P3)",
            of(interferes(("bfq",)), "disk and case"),
        ),
        Claim(
            "IOCost, P4 and P5",
            "IOCost fails to estimate how long the device is occupied",
            NO_NUMBER,
            "of the device's time, cost.usage gives grp1 less than 90 % of the share that its requests have",
            of(misjudged, "disk, model and case"),
        ),
        Claim(
            "IOCost, P4 and P5",
            "Under IOCost the other group pays: interference",
            NO_NUMBER,
            "grp2 gets less than 90 % of the bytes a second that it gets beside a whole file (P2, P3)",
            of(interferes(IOCOST), "disk, model and case"),
        ),
        Claim(
            "Antidote, synthetic",
            "Defragmentation relieves the problem under each controller",
            NO_NUMBER,
            "who had less than 90 % of what he has beside whole files has 90 % or more after grp1's file was rewritten; CFQ's rule is "
            "computed with the bytes of a request that were counted then",
            of(relieves),
        ),
        Claim(
            "Antidote, SQLite/FIO",
            "Before, the victim under CFQ is fio",
            NO_NUMBER,
            "by CFQ's rule, computed, fio gets less than 90 % if its file is in pieces, and SQLite 90 % or more",
            beside(victim_by_requests),
        ),
        Claim(
            "Antidote, SQLite/FIO",
            "Before, the victim under BFQ is SQLite",
            NO_NUMBER,
            "SQLite, whose own file is whole, gets less than 90 % of its rows if fio's file is in pieces",
            beside(victim_is_sqlite(("bfq",))),
        ),
        Claim(
            "Antidote, SQLite/FIO",
            "Before, the victim under IOCost is SQLite",
            NO_NUMBER,
            "SQLite, whose own file is whole, gets less than 90 % of its rows if fio's file is in pieces",
            beside(victim_is_sqlite(IOCOST), "disk and model"),
        ),
        Claim(
            "Antidote, SQLite/FIO",
            "Defragmentation reduces the number of I/Os (CFQ) and increases their size (BFQ)",
            NO_NUMBER,
            "fio's requests have twice as many bytes or more after its file was rewritten",
            beside(fewer_requests),
        ),
        Claim(
            "Antidote, SQLite/FIO",
            "Defragmentation makes performance steady (IOCost)",
            NO_NUMBER,
            "the deviation of the time of SQLite's queries, as a part of its mean, is less than 90 % of what it was; of 10 queries or more",
            beside(steadier, "disk and model"),
        ),
        Claim(
            "Antidote, SQLite/FIO",
            "Defragmentation helps SQLite, the victim under BFQ and IOCost",
            NO_NUMBER,
            "SQLite, if it had less than 90 % of its rows beside a whole file, has 90 % or more after fio's file was rewritten",
            beside(sqlite_healed),
        ),
        Claim(
            "Takeaways",
            "CFQ: defragment the data of the group that is slow",
            NO_NUMBER,
            "by CFQ's rule grp1 has less than 90 % of what it has in P2, and 90 % or more after its own file was rewritten, with the bytes "
            "of a request that were counted then; in grp2's file nothing is worth it",
            of(own_files_help),
        ),
        Claim(
            "Takeaways",
            "BFQ and IOCost: defragment the data of the other groups",
            NO_NUMBER,
            "grp2, if it has less than 90 % of what it has in P2, still has after its own file was rewritten, and has 90 % or more after "
            "grp1's was",
            of(own_files_do_not_help(("bfq", *IOCOST))),
        ),
    )
