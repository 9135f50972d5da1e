# SPDX-License-Identifier: GPL-2.0-only
"""FragPicker (Park and Eom, SOSP 2021): what `make lab BENCH=fragpicker` has measured, held against its claims."""

from __future__ import annotations

from ..model import Options, Paper
from .claims import claims
from .experiments import TITLES, lab
from .show import show

__all__ = ["paper"]


def paper(options: Options) -> Paper:
    """The paper; its experiments are those of lab/."""
    return Paper(
        "fragpicker",
        "FragPicker: A New Defragmentation Tool for Modern Storage Devices",
        "J. Park and Y. I. Eom, SOSP 2021; slides and README",
        "The paper: a hard disk, MicroSD, Samsung 850 Pro (Flash SSD), Intel Optane 905P; Linux 5.7; direct reads and updates of 128 KiB on "
        "ext4, F2FS and Btrfs; RocksDB with YCSB-C on an aged ext4.",
        f"Here: make lab BENCH=fragpicker, kernel {options.kernel}, F2FS, one CPU whose clock counts instructions; a disk with a cost for each "
        "request (as Flash and Optane, of the claims that are about requests) and one with a cost for each distance (as a hard disk). Their "
        "costs are given, so what is measured is how F2FS and a rewrite turn files into requests, and not how a device behaves. "
        + ("QUICK=1: smaller files and volumes. " if options.quick else "")
        + "FragPicker's rules are those of fragtrace-defrag --like fragpicker.",
        tuple(lab(part, options) for part in TITLES),
        claims(),
        show,
    )
