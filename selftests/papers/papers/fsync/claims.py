# SPDX-License-Identifier: GPL-2.0-only
"""What the thesis says in its abstract, with its own figures, and how each claim is judged."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Claim
from .observations import by_searches, everywhere, faster_first, more_if_cheap, searches_bind, slower_last


def claims(kernels: Sequence[str]) -> tuple[Claim, ...]:
    """In the order of the abstract; `kernels` are those to be run."""
    return (
        Claim(
            "abstract",
            "At the beginning of varmail F2FS has more throughput than ext4",
            "1.06 of ext4",
            "more operations a second than ext4 in the first fifth of the run",
            everywhere(faster_first, kernels),
        ),
        Claim(
            "abstract",
            "The throughput of F2FS decreases all the time, and at the end it is below that of ext4",
            "0.67 of ext4",
            "in the last fifth, F2FS has less throughput than ext4, and less in proportion to ext4 than in the first fifth, by 10 % or more",
            everywhere(slower_last, kernels),
        ),
        Claim(
            "abstract",
            "F2FS becomes slower because it scans for free node IDs",
            "the cause of the bottleneck",
            "a round of the workload takes 10 % longer in the last fifth or more, and the allocation of node IDs is half of that or more",
            everywhere(by_searches, kernels),
        ),
        Claim(
            "abstract",
            "The scan is an extremely large bottleneck inside of fsync()",
            "no figure",
            "in the last fifth, searches inside of fsyncs take half as long as the longest phase of fsyncs, or longer",
            everywhere(searches_bind, kernels),
        ),
        Claim(
            "abstract",
            "The scan costs the more throughput, the less a flush costs",
            "no figure",
            "F2FS loses 10 % or more against ext4 from the first fifth to the last one with cheap flushes, more than with dear ones, and by the scan, as above",
            more_if_cheap(kernels),
        ),
        Claim(
            "abstract",
            "Changes to F2FS solve the problem",
            "no figure",
            why_not="the abstract does not say which, and the thesis itself is not public",
        ),
    )
