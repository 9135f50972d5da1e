# SPDX-License-Identifier: GPL-2.0-only
"""File Fragmentation from the Perspective of I/O Control (Park and Eom): its cases P1 to P6 and its antidote here."""

from __future__ import annotations

from ..model import Options, Paper
from .claims import claims
from .experiments import DISKS, REQUEST_US, TOLD, seconds, sqlite, synthetic
from .show import show

__all__ = ["paper"]


def paper(options: Options) -> Paper:
    """The paper; CFQ is gone from the kernel, so its rule is computed from what is counted."""
    told = " and ".join(f"{TOLD[disk]:.0%} ({name})" for disk, name in DISKS.items())
    return Paper(
        "iocontrol",
        "File Fragmentation from the Perspective of I/O Control",
        "J. Park and Y. I. Eom, Sungkyunkwan University; slides",
        "The paper: Samsung 850 Pro; Linux 4.19.176 for CFQ, 5.4.0 for BFQ and IOCost; F2FS; two readers of 128 KiB in sequence, and "
        "SQLite beside random reads of 64 KiB, 16 at once; FragPicker as the antidote. The text of the slides has no figures.",
        f"Here: kernel {options.kernel}, cgroups v2, one CPU whose clock counts instructions, and two disks with their data in memory "
        f"that take {REQUEST_US} µs for each request, one after the other, wherever it is: null_blk, which is given one request "
        "at a time, and an NBD server, which is given many, so that they wait in a queue of its own that no controller reaches, and "
        "which takes longer, the more so the larger a request is; "
        f"{seconds(options):g} s of the guest's clock for each case. So a piece of 4 KiB takes as long as 128 KiB: pieces cost more than on an SSD, where they also cost less "
        "than whole requests, and the time of a request does not vary. Fragtrace-defrag is the antidote. BFQ runs without low_latency. "
        f"IOCost has the kernel's own model of such a disk (default), or one with the costs that this disk has (exact; it is told {told} of 1000 requests "
        "a second, as it controls nothing while requests wait for the disk itself; where all is as without it, and its own accounts are not "
        "by weight, it does not tell). Linux has no CFQ since "
        "5.0: its rule, a share of the requests by weight, is computed from the requests that fragtrace has counted for each cgroup, "
        "for a disk that completes as many requests a second, of any size, as it did at most.",
        tuple(make(options, disk) for make in (synthetic, sqlite) for disk in DISKS),
        claims(),
        show,
    )
